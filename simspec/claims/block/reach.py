"""`block.reach`: restored from the proof in Sun et al. 2024 (2403.10444)."""

from __future__ import annotations

from simspec.claims.block.parts import chances, contexts, ended, expected
from simspec.claims.words import Array, identity
from simspec.claims.words import exact as exact_array
from simspec.methods.block.verification import block_verifier


def _means(p: Array, q: Array, gamma: int) -> Array:
    """E_Q[r_1], …, E_Q[r_γ]."""
    return exact_array([expected(p, q, gamma, lambda path, i=i: path.block[i]) for i in range(1, gamma + 1)])


REACH = identity(
    name="block.reach",
    statement=r"$P(\tau \ge i) = E_Q[r_i]$ for every $i \le \gamma$",
    reference="restored from the proof in Sun et al. 2024 (2403.10444)",
    instances=contexts,
    lhs=lambda p, q, gamma: chances(ended(block_verifier(), p, q, gamma), gamma),
    rhs=_means,
    sources=("exact",),
    note="Each test makes up for what longer prefixes leave: h + (1 − h)(r − Z) = r. So E[τ] is the sum of E_Q[r_i].",
)
