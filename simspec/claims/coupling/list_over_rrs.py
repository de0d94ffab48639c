"""K coupled drafts match at least as often as recursive rejection of K drafts accepts.

`coupling.list-over-rrs`, with its correction: Rowan et al. 2025.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, broken, law
from simspec.claims.coupling.parts import listed
from simspec.laws import overlap
from simspec.laws.unchecked import normalise
from simspec.methods.coupling import list_match, match_probability

__all__ = ["recursive"]


def recursive(p: Array, q: Array, drafts: int) -> Any:
    """Acceptance of recursive rejection: each of K drafts from q is tested against what the refusals before left of p.

    >>> float(recursive(np.array([0.5, 0.5]), np.array([0.75, 0.25]), 2))
    0.8125
    """
    reached: Any = 1
    remaining = p
    for _ in range(drafts):
        reached = reached * (1 - overlap(remaining, q))
        remaining = normalise(np.maximum(remaining - q, 0), otherwise=remaining)
    return 1 - reached


def _enough(p: Array, q: Array, drafts: int) -> Any:
    return np.minimum(p, drafts * q).sum()


LIST_OVER_RRS = bound(
    name="coupling.list-over-rrs",
    statement=r"$P(\text{match})$ with $K$ drafts is at least the acceptance of recursive rejection with $K$ drafts, "
    r"for all $p$, $q$, $K$",
    reference="Rowan et al. 2025, abstract (“competitive”, as a universal)",
    instances=listed,
    lhs=lambda p, q, drafts: list_match(p, q, drafts),
    rhs=recursive,
    relation=at_least,
    sources=("exact",),
    corrected_by=("coupling.list-over-rrs-corrected",),
    within=({"p": law("2/5", "2/5", "1/5"), "q": law("1/5", "2/5", "2/5"), "drafts": 1},),
    note="With one draft recursive rejection has 1 − TV, which no coupling exceeds. With more drafts neither is "
    "always better: for p = (1/2, 1/2), q = (1/3, 2/3) and K = 2 the list has 83/90 and recursive rejection 8/9.",
)

LIST_OVER_RRS_CORRECTED = bound(
    name="coupling.list-over-rrs-corrected",
    statement=r"The list coupling of $K$ drafts matches at least half as often as recursive rejection of $K$ drafts "
    r"accepts: "
    r"$2 P(\text{match}) \ge \sum_x \min(p, K q)$, which is at least that acceptance",
    reference="correction of Rowan et al. 2025",
    instances=listed,
    lhs=lambda p, q, drafts: np.array([2 * list_match(p, q, drafts), _enough(p, q, drafts)], dtype=object),
    rhs=lambda p, q, drafts: np.array([_enough(p, q, drafts), recursive(p, q, drafts)], dtype=object),
    relation=at_least,
    sources=("exact",),
    tight=({"p": law(1, 0), "q": law(0, 1), "drafts": 2},),
    note="The half is best possible for K = 1: laws with one token of mass ε in common have P(match) = ε/(2 − ε), "
    "and 1 − TV = ε.",
    broken=[
        broken(
            "no list at all",
            lhs=lambda p, q, drafts: np.array([list_match(p, q, drafts), match_probability(p, q)], dtype=object),
        )
    ],
)
