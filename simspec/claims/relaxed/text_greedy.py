"""A relaxed rule that accepts most first tokens also accepts most of both tokens.

`relaxed.text-greedy`, with what holds instead: which first tokens a relaxed rule should let pass (own).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law
from simspec.claims.relaxed.parts import shares
from simspec.laws import Scalar

__all__ = ["expected", "prefer"]


def _step(draw: Draw) -> Instance:
    """Laws of the first token, and how often the second draft is accepted after each."""
    p, q = draw.pair(1 + draw.integer(0, 2))
    return {"p": p, "q": q, "after": shares(draw, len(p))}


def _some(p: Array, q: Array, share: Array) -> Array:
    return np.minimum(p, q) + share * np.maximum(q - p, 0)


def _two_rules(draw: Draw) -> Instance:
    it = _step(draw)
    p = it["p"]
    q = it["q"]
    return {**it, **{name: _some(p, q, shares(draw, len(p))) for name in ("k", "other")}}


def _priced(draw: Draw) -> Instance:
    it = _step(draw)
    return {**it, "k": _some(it["p"], it["q"], shares(draw, len(it["p"]))), "price": draw.number(0, 1)}


def expected(k: Array, after: Array) -> Any:
    """Drafts accepted on average: the first with k, the second after it with `after`.

    >>> print(expected(law("1/2", "1/4"), law(1, 0)))
    5/4
    """
    return (k * (1 + after)).sum(axis=-1)


def prefer(p: Array, q: Array, after: Array, price: Scalar) -> Array:
    """The rule that lets pass what is worth more than the price: q where `after` is above it, else min(p, q).

    >>> print(*prefer(law(0, 0, 1), law("1/2", "1/2", 0), law(1, 0, 1), F(1, 2)))
    1/2 0 0
    """
    return np.where(after > price, q, np.minimum(p, q))


PAID = "both rules have the same total variation from the target"

TEXT_GREEDY = bound(
    name="relaxed.text-greedy",
    statement=r"Two drafts are verified one after the other: a rule $\min(p, q) \le k \le q$ for the first, which accepts "
    r"as many of the first as any rule of its total variation does, accepts as many of both, $\sum_x k(x) (1 + \alpha(x))$, "
    r"with $\alpha(x)$ the acceptance after $x$",
    reference="own statement (is greedy per step best for a text?), beside Yin et al. 2024",
    instances=_two_rules,
    assumes={PAID: lambda k, other: bool(k.sum() == other.sum())},
    lhs=lambda k, after: expected(k, after),
    rhs=lambda other, after: expected(other, after),
    relation=at_least,
    against=(
        {
            "p": law(0, 0, 1),
            "q": law("1/2", "1/2", 0),
            "after": law(0, 1, 0),
            "k": law("1/2", 0, 0),
            "other": law(0, "1/2", 0),
        },
    ),
    outside={PAID: {"p": law(1, 0), "q": law(0, 1), "after": law(0, 0), "k": law(0, 0), "other": law(0, 1)}},
    within=(
        {
            "p": law("1/8", "1/8", "3/4"),
            "q": law("3/8", "3/8", "1/4"),
            "after": law("1/4", "3/4", "1/2"),
            "k": law("3/8", "1/8", "1/4"),
            "other": law("1/8", "3/8", "1/4"),
        },
    ),
    sources=("exact",),
    corrected_by=("relaxed.text-greedy-corrected",),
    note="All rules between min(p, q) and q are alike for one step (relaxed.tradeoff), not for a text: what passes should "
    "pass where the next draft is likely to pass too.",
)

TEXT_GREEDY_CORRECTED = bound(
    name="relaxed.text-greedy-corrected",
    statement=r"Every rule $\min(p, q) \le k \le q$ of total variation $\varepsilon$ accepts at most $\sum_x \min(p, q) (1 "
    r"+ \alpha(x)) + (1 + \lambda)\, \varepsilon + \sum_x (q - p)_+ (\alpha(x) - \lambda)_+$ of two drafts, for every "
    r"$\lambda$",
    reference="own statement (which first tokens should pass), beside Yin et al. 2024",
    instances=_priced,
    lhs=lambda k, after: expected(k, after),
    rhs=lambda p, q, k, after, price: _dual(p, q, k, after, price),
    tight=(
        {
            "p": law(0, 0, 1),
            "q": law("1/2", "1/2", 0),
            "after": law(0, 1, 0),
            "k": law(0, "1/2", 0),
            "price": F(1, 2),
        },
    ),
    sources=("exact",),
    note="The exchange of ε between two tokens gains the difference of their α(x); λ is the price of total variation at the "
    "second draft.",
    broken=[broken("min(p, q) at the first token", rhs=lambda p, q, after: expected(np.minimum(p, q), after))],
)

TEXT_GREEDY_ATTAINED = identity(
    name="relaxed.text-greedy-corrected.attained",
    statement=r"The rule that keeps $q$ where $\alpha(x) > \lambda$ and $\min(p, q)$ elsewhere attains the bound of "
    r"relaxed.text-greedy-corrected: no rule of its total variation accepts more of two drafts",
    reference="own statement (which first tokens should pass), beside Yin et al. 2024",
    instances=_priced,
    lhs=lambda p, q, after, price: expected(prefer(p, q, after, price), after),
    rhs=lambda p, q, after, price: _dual(p, q, prefer(p, q, after, price), after, price),
    sources=("exact",),
    broken=[broken("the whole draft at the first token", lhs=lambda q, after: expected(q, after))],
)


def _dual(p: Array, q: Array, k: Array, after: Array, price: Scalar) -> Any:
    smaller_masses = np.minimum(p, q)
    over = np.maximum(q - p, 0)
    paid = (k - smaller_masses).sum()
    return expected(smaller_masses, after) + (1 + price) * paid + (over * np.maximum(after - price, 0)).sum()
