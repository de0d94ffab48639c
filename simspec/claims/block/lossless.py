"""Block verification is lossless for all models and numbers of drafts.

`block.lossless`: Sun et al. 2024 (2403.10444), Theorem 1.
"""

from __future__ import annotations

from simspec.claims.authoring import broken, identity
from simspec.claims.block.parts import EARLY, RESIDUAL, contexts, emitted, ended, law_under, target_law
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
    broken=[
        broken("a verifier that stops at the first refusal", lhs=law_under(EARLY)),
        broken("the residual of one token", lhs=law_under(RESIDUAL)),
    ],
)
