"""The target's marginal is rejected at most twice as often as the best law that ignores the first token.

`parallel.marginal-half`, with a sharp form: own statements.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, F, bound, broken, law, matrix
from simspec.claims.parallel.parts import SOURCE, pair_of_tokens, rejections
from simspec.methods.parallel import marginal


def _of_marginal(a: Array, P: Array) -> Any:
    return (a * rejections(P, marginal(a, P))).sum()


def _twice(a: Array, P: Array, q: Array) -> Any:
    return 2 * (a * rejections(P, q)).sum()


def _apart(a: Array, P: Array, q: Array) -> Any:
    """2 Σ_x a(x) (1 − a(x)) TV(P(·|x), q)."""
    return 2 * (a * (1 - a) * rejections(P, q)).sum()


RARE = {"a": law("7/8", "1/8"), "P": matrix("1 0", "0 1"), "q": law(1, 0)}
"""One first token in eight has another second token: the marginal is rejected with 14/64, the first row with 8/64."""
SURE = {"a": law(1, 0), "P": matrix("1/3 2/3", "1 0"), "q": law("1/3", "2/3")}

MARGINAL_HALF = bound(
    name="parallel.marginal-half",
    statement=r"The marginal's rejection is at most twice that of any law $q$ for the second token, $1 - \alpha_m \le 2(1 - "
    r"\alpha(q))$; 2 is the least constant",
    reference=SOURCE,
    instances=pair_of_tokens,
    lhs=lambda a, P: _of_marginal(a, P),
    rhs=_twice,
    tight=[SURE],
    sources=("exact",),
    corrected_by=("parallel.marginal-half-sharp",),
    note="Where a first token of probability ε turns the second one, the marginal loses 2ε(1 − ε) and the best law ε: the "
    "ratio tends to 2 and is 2 for no pair that loses anything (parallel.marginal-half-sharp).",
    broken=[broken("once in place of twice", rhs=lambda a, P, q: _twice(a, P, q) / 2)],
)

MARGINAL_HALF_SHARP = bound(
    name="parallel.marginal-half-sharp",
    statement=r"$1 - \alpha_m \le 2 \sum_x a(x)(1 - a(x))\,\mathrm{TV}(P(\cdot|x), q)$ for every law $q$ of the second token",
    reference=f"sharper form of an {SOURCE}",
    instances=pair_of_tokens,
    lhs=lambda a, P: _of_marginal(a, P),
    rhs=_apart,
    tight=[RARE, SURE],
    sources=("exact",),
    note="Attained for two first tokens of any probabilities that each decide the second one. A first token that is nearly "
    "sure counts for little on either side.",
    broken=[broken("half of it", rhs=lambda a, P, q: _apart(a, P, q) * F(1, 2))],
)
