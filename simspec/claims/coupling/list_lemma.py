"""`coupling.list-lemma`: Rowan et al. 2025."""

from __future__ import annotations

from simspec.claims.authoring import at_least, bound, law
from simspec.claims.coupling.parts import listed
from simspec.methods.coupling import list_bound, list_match

LIST_LEMMA = bound(
    name="coupling.list-lemma",
    statement=r"$P(Y \in \{X^{(1)}, \dots, X^{(K)}\}) \ge \sum_j K / \sum_i [\max(p_i/p_j, q_i/q_j) + (K - 1)\, p_i/p_j]$",
    reference="Rowan et al. 2025, list matching lemma (restored)",
    instances=listed,
    lhs=lambda p, q, drafts: list_match(p, q, drafts),
    rhs=lambda p, q, drafts: list_bound(p, q, drafts),
    relation=at_least,
    sources=("exact",),
    tight=({"p": law("1/2", "1/4", "1/4"), "q": law("1/4", "1/4", "1/2"), "drafts": 1},),
    note="The right side is the probability that the stream in which the target's token won drafts it; another stream may draft "
    "it too.",
)
