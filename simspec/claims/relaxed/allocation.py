"""It does not matter which contexts get the tolerance, at a given mean total variation.

`relaxed.allocation`: which contexts should get the tolerance, at a given mean total variation (own).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, exact, identity, law, matrix
from simspec.claims.relaxed.parts import shares
from simspec.laws import Scalar

__all__ = ["run"]


def _contexts(draw: Draw) -> Instance:
    """Contexts with their weights, a pair of laws in each."""
    number = 1 + draw.integer(0, 2)
    vocab = 1 + draw.integer(0, 2)
    pairs = [draw.pair(vocab) for _ in range(number)]
    return {"w": draw.law(number), "p": np.stack([p for p, _ in pairs]), "q": np.stack([q for _, q in pairs])}


def _some(draw: Draw, low: Array, high: Array) -> Array:
    return np.stack([a + shares(draw, len(a)) * (b - a) for a, b in zip(low, high, strict=True)])


def _any_rule(draw: Draw) -> Instance:
    it = _contexts(draw)
    return {**it, "k": _some(draw, 0 * it["q"], it["q"])}


def _two_rules(draw: Draw) -> Instance:
    it = _contexts(draw)
    smaller_masses = np.minimum(it["p"], it["q"])
    return {**it, "k": _some(draw, smaller_masses, it["q"]), "other": _some(draw, smaller_masses, it["q"])}


def _mean(w: Array, masses: Array) -> Any:
    return (w * masses.sum(axis=-1)).sum()


def _paid(w: Array, p: Array, k: Array) -> Any:
    """The mean of the least total variation with kept mass k (relaxed.optimal-residual)."""
    return _mean(w, np.maximum(k - p, 0))


ALLOCATION = identity(
    name="relaxed.allocation",
    statement=r"Contexts of laws $p_c$, $q_c$ and weights $w_c$: two rules with $\min(p_c, q_c) \le k_c \le q_c$ differ in "
    r"their mean acceptance by as much as in their mean total variation, so it is all the same which contexts get the "
    r"tolerance",
    reference="own statement (the throughput-optimal tolerance), beside Yin et al. 2024",
    instances=_two_rules,
    lhs=lambda w, k, other: _mean(w, k) - _mean(w, other),
    rhs=lambda w, p, k, other: _paid(w, p, k) - _paid(w, p, other),
    sources=("exact",),
    note="Acceptance has slope 1 in total variation in every context, up to TV(p, q). Tolerance by uncertainty (EARS), by "
    "lenience or the same everywhere accept equally often at the same mean total variation; for a text see "
    "relaxed.allocation.early-corrected.",
    broken=[
        broken("the difference of the allocations", rhs=lambda w, p, k, other: (w * (k - other).max(axis=-1)).sum())
    ],
)

ALLOCATION_ANY = bound(
    name="relaxed.allocation.any",
    statement=r"No rule, however its tolerance depends on the context, has a mean acceptance above $\sum_c w_c \sum_x "
    r"\min(p_c, q_c)$ plus its mean total variation",
    reference="own statement (the throughput-optimal tolerance), beside Yin et al. 2024",
    instances=_any_rule,
    lhs=lambda w, k: _mean(w, k),
    rhs=lambda w, p, q, k: _mean(w, np.minimum(p, q)) + _paid(w, p, k),
    tight=({"w": law(1), "p": matrix("1/2 1/2"), "q": matrix("1 0"), "k": matrix("3/4 0")},),
    sources=("exact",),
    broken=[
        broken("the overlap of speculative decoding", rhs=lambda w, p, q: (w * np.minimum(p, q).sum(axis=-1)).sum())
    ],
)


def run(rates: Array) -> Any:
    """Drafts accepted on average in a row, from the acceptance rates of the positions.

    >>> print(run(law("1/2", "1/2")))
    3/4
    """
    expected_run: Any = 0
    for rate in rates[::-1]:
        expected_run = rate * (1 + expected_run)
    return expected_run


def _reached(rates: Array, at: int) -> Any:
    return np.prod(rates[:at]) if at else 1


def _raised(rates: Array, at: int, by: Scalar) -> Array:
    """The rates with more at one position."""
    return exact([rate + by if place == at else rate for place, rate in enumerate(rates)])


def _gain(rates: Array, at: int, paid: Scalar) -> Any:
    """Drafts gained where one position is given the tolerance that costs `paid` on average."""
    return run(_raised(rates, at, paid / _reached(rates, at))) - run(rates)


def _two_places(draw: Draw) -> Instance:
    number = 2 + draw.integer(0, 2)
    rates = shares(draw, number)
    first = draw.integer(0, number - 2)
    second = first + 1 + draw.integer(0, number - 2 - first)
    rates = exact([max(rate, F(1, 8)) if place < second else rate for place, rate in enumerate(rates)])
    allowance = min(_reached(rates, at) * (1 - rates[at]) for at in (first, second))
    return {"rates": rates, "first": first, "second": second, "paid": draw.number(0, 1) * allowance}


EARLY = bound(
    name="relaxed.allocation.early",
    statement=r"Tolerance at an earlier one of $\gamma$ drafts gains at least as many accepted drafts as tolerance at a "
    r"later one that costs the same total variation, counted where the draft is judged",
    reference="own statement (the throughput-optimal tolerance), beside Yin et al. 2024",
    instances=_two_places,
    lhs=lambda rates, first, paid: _gain(rates, first, paid),
    rhs=lambda rates, second, paid: _gain(rates, second, paid),
    relation=at_least,
    against=({"rates": law("1/2", 0, 1), "first": 0, "second": 1, "paid": F(1, 2)},),
    within=({"rates": law("1/2", "1/4", "7/8"), "first": 0, "second": 1, "paid": F(1, 4)},),
    sources=("exact",),
    corrected_by=("relaxed.allocation.early-corrected",),
    note="With equal rates the earlier draft has more drafts after it. A draft before one that is mostly rejected has not.",
)


def _place(draw: Draw) -> Instance:
    number = 1 + draw.integer(0, 3)
    rates = shares(draw, number)
    at = draw.integer(0, number - 1)
    return {"rates": rates, "at": at, "more": draw.number(0, 1) * (1 - rates[at])}


EARLY_CORRECTED = identity(
    name="relaxed.allocation.early-corrected",
    statement=r"Tolerance $t$ at position $j$ of $\gamma$ drafts of acceptance $a_i$ gains $R_j\, t\, (1 + N_j)$ accepted "
    r"drafts, $R_j = \prod_{i<j} a_i$ how often it is reached and $N_j$ the drafts accepted after it: total variation is "
    r"worth most where the run after it is longest",
    reference="own statement (the throughput-optimal tolerance), beside Yin et al. 2024",
    instances=_place,
    lhs=lambda rates, at, more: run(_raised(rates, at, more)) - run(rates),
    rhs=lambda rates, at, more: _reached(rates, at) * more * (1 + run(rates[at + 1 :])),
    sources=("exact",),
    note="The total variation that is paid on average is R_j t, so that 1 + N_j is what one unit of it buys, between 1 and γ.",
    broken=[broken("one more run", rhs=lambda rates, at, more: more * (1 + run(rates[at + 1 :])))],
)
