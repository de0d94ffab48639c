"""The list matching lemma holds with equality.

`coupling.list-exact`, with its correction: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, identity, law, other_claim
from simspec.claims.coupling.parts import listed
from simspec.methods.coupling import list_bound, list_match

__all__ = ["own_stream"]


def own_stream(p: Array, q: Array, drafts: int) -> Any:
    """P(the stream in which Y won drafts Y), from the race: it ends at s ~ Exp(K), and j wins there with exp(-s L_j)."""
    probability = p[0] * 0
    for a, b in zip(p, q, strict=True):
        if a > 0 and b > 0:
            probability += a * drafts / (drafts + np.maximum(q * a / b - p, 0).sum())
    return probability


LIST_EXACT = identity(
    name="coupling.list-exact",
    statement=r"The list matching lemma holds with equality",
    reference="own statement, after Rowan et al. 2025",
    instances=listed,
    lhs=lambda p, q, drafts: list_match(p, q, drafts),
    rhs=lambda p, q, drafts: list_bound(p, q, drafts),
    corrected_by=("coupling.list-exact-corrected",),
    sources=("exact",),
    within=({"p": law("2/3", "1/3"), "q": law("1/2", "1/2"), "drafts": 3},),
    note="A stream in which the target's token did not win may draft it all the same.",
)

LIST_EXACT_CORRECTED = identity(
    name="coupling.list-exact-corrected",
    statement=r"The lemma's right side is the probability that the stream in which $Y$ won drafts $Y$: $\sum_j p_j K/(K + L_j)$ "
    r"with $L_j = \sum_i (q_i p_j/q_j - p_i)_+$; for $K = 1$ that is $P(X = Y)$",
    reference="correction of an own statement, after Rowan et al. 2025",
    instances=listed,
    lhs=own_stream,
    rhs=lambda p, q, drafts: list_bound(p, q, drafts),
    sources=("exact",),
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("coupling.list-exact").lhs})],
)
