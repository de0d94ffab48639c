"""`metrics.conditional-monotone`, with its correction: practice; vLLM #38045."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, exact
from simspec.claims.metrics.parts import run
from simspec.methods.counters import conditional_rates, position_rates


def _rates(drafted: Array, accepted: Array) -> Array:
    return position_rates(accepted, int(max(drafted)) + 1)  # one more: nothing is accepted there


CONDITIONAL_MONOTONE = bound(
    name="metrics.conditional-monotone",
    statement=r"$m_i$ is non-increasing in $i$, and so is $c_i$",
    reference="practice; vLLM #38045",
    instances=run,
    lhs=lambda drafted, accepted: np.stack([(m := _rates(drafted, accepted))[:-1], conditional_rates(m)[:-1]]),
    rhs=lambda drafted, accepted: np.stack([(m := _rates(drafted, accepted))[1:], conditional_rates(m)[1:]]),
    relation=at_least,
    sources=("exact",),
    against=({"drafted": exact([2, 2]), "accepted": exact([0, 2])},),
    corrected_by=("metrics.conditional-monotone-corrected",),
    note="A text that is easy to draft stays easy: steps that get over the first draft may get over the second for certain.",
)

CONDITIONAL_MONOTONE_CORRECTED = bound(
    name="metrics.conditional-monotone-corrected",
    statement=r"$m_i \ge m_{i+1}$, so $c_i \le 1$; nothing is said of the order of $c_i$",
    reference="correction of practice and vLLM #38045",
    instances=run,
    lhs=lambda drafted, accepted: _rates(drafted, accepted)[:-1],
    rhs=lambda drafted, accepted: _rates(drafted, accepted)[1:],
    relation=at_least,
    sources=("exact",),
    tight=({"drafted": exact([2]), "accepted": exact([2])},),
)
