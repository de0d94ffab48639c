"""`block.reach`: restored from the proof in Sun et al. 2024 (2403.10444)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from simspec.claims.block.parts import contexts, ended, expected
from simspec.claims.words import Array, Draw, Instance, identity
from simspec.methods.block.verification import block_verifier


def _at(draw: Draw) -> Instance:
    found = contexts(draw)
    return {**found, "at": draw.integer(0, found["gamma"])}


def _reached(p: Array, q: Array, gamma: int, at: int) -> Any:
    return sum((o.probability for o in ended(block_verifier(), p, q, gamma) if o.accepted >= at), start=Fraction(0))


REACH = identity(
    name="block.reach",
    statement=r"$P(\tau \ge i) = E_Q[r_i]$ for every $i \le \gamma$",
    reference="restored from the proof in Sun et al. 2024 (2403.10444)",
    instances=_at,
    lhs=_reached,
    rhs=lambda p, q, gamma, at: expected(p, q, gamma, lambda path: path.block[at]),
    sources=("exact",),
    note="Each test makes up for what longer prefixes leave: h + (1 − h)(r − Z) = r. So E[τ] is the sum of E_Q[r_i].",
)
