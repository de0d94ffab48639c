"""`metrics.mean-of-positions`, with its correction: vLLM metrics; llama.cpp #24536."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, exact, identity
from simspec.claims.metrics.parts import run
from simspec.methods.counters import draft_acceptance, position_rates

__all__ = ["PRINTED"]

PRINTED = {
    "drafted": exact([3] * 85 + [2] * 2),
    "accepted": exact(np.repeat([0, 1, 2, 3], [17, 15, 13, 42])[::-1].tolist()),
}
"""87 steps, 259 drafted and 167 accepted tokens with the position rates .805, .632 and .483, as llama.cpp #24536 prints."""


def _mean(drafted: Array, accepted: Array) -> Any:
    positions = int(max(drafted))
    return position_rates(accepted, positions).sum() / positions


MEAN_OF_POSITIONS = identity(
    name="metrics.mean-of-positions",
    statement=r"$AR$ is the mean of $m_i$ over the positions, for every run",
    reference="vLLM metrics; llama.cpp #24536",
    instances=run,
    lhs=lambda drafted, accepted: draft_acceptance(drafted, accepted),
    rhs=_mean,
    sources=("exact",),
    corrected_by=("metrics.mean-of-positions-corrected",),
    note="m_i counts all steps, also those that drafted fewer than i tokens. For the run printed in llama.cpp #24536 AR is "
    "0.645 and the mean of the m_i 0.640.",
)

MEAN_OF_POSITIONS_CORRECTED = identity(
    name="metrics.mean-of-positions-corrected",
    statement=r"The mean of $m_i$ over the positions $1, \dots, \gamma$ is $AR \cdot \bar g/\gamma$ with $\bar g = \sum g_s/N$",
    reference="correction of vLLM metrics and llama.cpp #24536",
    instances=run,
    lhs=_mean,
    rhs=lambda drafted, accepted: (
        draft_acceptance(drafted, accepted) * drafted.sum() / len(drafted) / int(max(drafted))
    ),
    sources=("exact",),
    note="Here γ is the most that a step drafts, so that it is AR exactly when every step drafts γ, or none accepts.",
)
