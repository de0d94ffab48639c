"""`coupling.list-monotone`: Rowan et al. 2025."""

from __future__ import annotations

from simspec.claims.authoring import bound, law
from simspec.claims.coupling.parts import listed
from simspec.methods.coupling import list_bound

LIST_MONOTONE = bound(
    name="coupling.list-monotone",
    statement=r"The right-hand side of the list matching lemma does not fall with $K$",
    reference="Rowan et al. 2025 (restored)",
    instances=listed,
    lhs=lambda p, q, drafts: list_bound(p, q, drafts),
    rhs=lambda p, q, drafts: list_bound(p, q, drafts + 1),
    sources=("exact",),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "drafts": 1},),
)
