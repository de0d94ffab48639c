"""`block.reach`: restored from the proof in Sun et al. 2024 (2403.10444)."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.block.parts import at_least_so_many, ended, expected, reached
from simspec.methods.block.verification import block_verifier

REACH = identity(
    name="block.reach",
    statement=r"$P(\tau \ge i) = E_Q[r_i]$ for every $i \le \gamma$",
    reference="restored from the proof in Sun et al. 2024 (2403.10444)",
    instances=at_least_so_many,
    lhs=lambda p, q, gamma, at: reached(ended(block_verifier(), p, q, gamma), at),
    rhs=lambda p, q, gamma, at: expected(p, q, gamma, lambda path: path.block[at]),
    sources=("exact",),
    note="Each test makes up for what longer prefixes leave: h + (1 − h)(r − Z) = r. So E[τ] is the sum of E_Q[r_i].",
)
