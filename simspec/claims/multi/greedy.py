"""Verification of greedily chosen drafts is lossless and attains the best possible acceptance.

`multi.greedy-attains` and `multi.greedy-over-swor`: the most likely drafts for sure.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, broken, identity, law
from simspec.claims.multi.parts import few, swor_best
from simspec.laws import overlap
from simspec.methods.multi.drafting import greedy_drafts, outside_top
from simspec.methods.multi.enumerated import step_law
from simspec.methods.multi.greedy import greedy_acceptance, greedy_verification
from simspec.methods.multi.optimum import draft_sets, optimum


def _attained(p: Array, q: Array, k: int) -> Array:
    step = step_law(greedy_verification, greedy_drafts, k, p, q)
    return np.array([*step.law, step.acceptance, optimum(p, draft_sets(greedy_drafts(q, k))).value])


def _formula(p: Array, q: Array, k: int) -> Array:
    return np.array([*p, greedy_acceptance(p, q, k), greedy_acceptance(p, q, k)])


GREEDY_ATTAINS = identity(
    name="multi.greedy-attains",
    statement=r"Greedy verification emits with law $p$ and attains $\alpha^*(p, \text{greedy}) = p(\text{top}) + "
    r"\sum_{\text{rest}} \min(p, \tilde q)$",
    reference="2502.18779",
    instances=few,
    lhs=_attained,
    rhs=_formula,
    sources=("exact",),
    broken=[broken("the overlap with one draft", rhs=lambda p, q, k: np.array([*p, overlap(p, q), overlap(p, q)]))],
)

GREEDY_OVER_SWOR = bound(
    name="multi.greedy-over-swor",
    statement=r"$\alpha^*(p, \text{greedy}) \ge \alpha^*(p, \text{without replacement})$ for all $p$, $q$, K",
    reference="2502.18779 (“outperforms in some cases”), as a universal",
    instances=few,
    lhs=greedy_acceptance,
    relation=at_least,
    rhs=swor_best,
    sources=("exact",),
    corrected_by=("multi.greedy-over-swor-corrected",),
    within=({"p": law("2/5", "1/5", "2/5"), "q": law("2/5", "2/5", "1/5"), "k": 2},),
    note="A draft that is made for sure is made for nothing where the target never says it.",
)

GREEDY_OVER_SWOR_CORRECTED = bound(
    name="multi.greedy-over-swor-corrected",
    statement=r"$\alpha^*(p, \text{greedy}) \ge \alpha^*(p, \text{without replacement})$ where $p \le \tilde q$ outside "
    r"the top: greedy drafts are then accepted for sure",
    reference="correction of 2502.18779",
    instances=few,
    assumes={"p ≤ q̃ outside the top": lambda p, q, k: _fits(p, q, k)},
    outside={"p ≤ q̃ outside the top": {"p": law(0, 1, 0), "q": law("1/2", "1/4", "1/4"), "k": 2}},
    tight=[{"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "k": 2}],
    lhs=greedy_acceptance,
    relation=at_least,
    rhs=swor_best,
    sources=("exact",),
    note="In particular for p = q.",
    broken=[broken("the overlap with one draft", lhs=lambda p, q: overlap(p, q))],
)


def _fits(p: Array, q: Array, k: int) -> bool:
    top, rest = outside_top(q, k)
    return bool((top | (p <= rest)).all())
