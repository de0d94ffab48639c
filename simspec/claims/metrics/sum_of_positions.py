"""`metrics.sum-of-positions`: llama.cpp #24536."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.metrics.parts import run
from simspec.methods.counters import acceptance_length, position_rates

SUM_OF_POSITIONS = identity(
    name="metrics.sum-of-positions",
    statement=r"$AL = 1 + \sum_i m_i$",
    reference="llama.cpp #24536",
    instances=run,
    lhs=lambda accepted: acceptance_length(accepted),
    rhs=lambda drafted, accepted: 1 + position_rates(accepted, int(max(drafted))).sum(),
    sources=("exact",),
    note="A step that accepts a drafts counts in m_1, …, m_a; nothing is asked of how many it drafted.",
)
