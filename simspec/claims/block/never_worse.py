"""`block.never-worse`: Sun et al. 2024 (2403.10444), Theorem 2; SGLang #36516."""

from __future__ import annotations

from simspec.claims.authoring import at_least, bound
from simspec.claims.block.parts import EXAMPLE, accepted, contexts, ended, token_ends
from simspec.methods.block.verification import block_verifier

NEVER_WORSE = bound(
    name="block.never-worse",
    statement=r"$E[\tau]$ of block verification is at least that of token verification",
    reference="Sun et al. 2024 (2403.10444), Theorem 2; SGLang #36516",
    instances=contexts,
    lhs=lambda p, q, gamma: accepted(ended(block_verifier(), p, q, gamma)),
    rhs=lambda p, q, gamma: accepted(token_ends(p, q, gamma)),
    relation=at_least,
    sources=("exact",),
    tight=({**EXAMPLE, "q": EXAMPLE["p"]},),
    note="At every prefix min(Q, r P) ≥ r min(Q, P), since r ≤ 1: the block goes on at least as often as its tokens one by one.",
)
