"""`block.lossless`: Sun et al. 2024 (2403.10444), Theorem 1."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.block.parts import contexts, emitted, ended, target_law
from simspec.methods.block.verification import block_verifier

LOSSLESS = identity(
    name="block.lossless",
    statement=r"Block verification is lossless for all $P$, $Q$ and $\gamma$",
    reference="Sun et al. 2024 (2403.10444), Theorem 1",
    instances=contexts,
    lhs=lambda p, q, gamma: emitted(ended(block_verifier(), p, q, gamma), p, gamma + 1),
    rhs=lambda p, gamma: target_law(p, gamma + 1),
    sources=("exact",),
    note="Where the first i drafts are c, i or more are kept with mass Q(c) r(c); of these min(Q(y), r P(y)) go on with the "
    "draft y, and (r P(y) − Q(y))₊ with y in its place: together r P(y).",
)
