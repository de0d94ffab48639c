"""The acceptance rates by position fall with the position, and so do the conditional ones.

`metrics.conditional-monotone`, with its correction, and that every order of the conditional rates occurs: practice; vLLM #38045.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from simspec.claims.authoring import (
    Array,
    Draw,
    F,
    Instance,
    at_least,
    bound,
    broken,
    exact,
    identity,
    other_claim,
    swapped,
)
from simspec.claims.metrics.parts import run
from simspec.methods.counters import conditional_rates, position_rates

__all__ = ["steps_with"]


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
    corrected_by=("metrics.conditional-monotone-corrected", "metrics.conditional-monotone-corrected.attained"),
    note="A text that is easy to draft stays easy: steps that get over the first draft may get over the second for certain.",
)


def _conditional(drafted: Array, accepted: Array) -> Any:
    """Conditional rates where the marginal ones should stand."""
    return other_claim("metrics.conditional-monotone").lhs(drafted, accepted)[1]


CONDITIONAL_MONOTONE_CORRECTED = bound(
    name="metrics.conditional-monotone-corrected",
    statement=r"In every run $m_i \ge m_{i+1}$, so that every conditional rate is at most 1, whatever the order of the "
    r"$c_i$",
    reference="correction of practice and vLLM #38045",
    instances=run,
    lhs=lambda drafted, accepted: _rates(drafted, accepted)[:-1],
    rhs=lambda drafted, accepted: _rates(drafted, accepted)[1:],
    relation=at_least,
    sources=("exact",),
    tight=({"drafted": exact([2]), "accepted": exact([2])},),
    broken=[broken("the conditional rates", rhs=_conditional), swapped()],
)


def _positive_rates(draw: Draw) -> Instance:
    """Two to four conditional rates, each above 0 but the last; small denominators, whose product is the number of steps."""
    parts = [draw.integer(1, 4) for _ in range(draw.integer(2, 4))]
    first_rates = [F(draw.integer(1, part), part) for part in parts[:-1]]
    return {"rates": exact([*first_rates, F(draw.integer(0, parts[-1]), parts[-1])])}


def steps_with(rates: Array) -> list[int]:
    """Accepted drafts of the steps of a run that has these conditional rates: as many steps as their denominators multiply to.

    >>> steps_with(exact([F(1, 2), F(1)]))
    [2, 0]
    """
    steps = prod(rate.denominator for rate in rates)
    reached = [steps]
    for rate in rates:
        reached.append(int(reached[-1] * rate))
    return [sum(step < count for count in reached[1:]) for step in range(steps)]


ANY_ORDER = identity(
    name="metrics.conditional-monotone-corrected.attained",
    statement=r"Any rational numbers in $(0, 1]$, and a last one in $[0, 1]$, are the conditional rates $c_1, c_2, "
    r"\dots$ of some "
    r"run, so that every order of the $c_i$ occurs, and every non-increasing sequence $1 \ge m_1 \ge m_2 \ge \dots$",
    reference="own statement, beside practice and vLLM #38045",
    instances=_positive_rates,
    lhs=lambda rates: conditional_rates(position_rates(exact(steps_with(rates)), len(rates))),
    rhs=lambda rates: rates,
    sources=("exact",),
    note="Of N steps, N the product of the denominators, let c₁N get over the first draft, c₂ of these over the second, "
    "and so on.",
    broken=[broken("the rates of all steps", lhs=lambda rates: position_rates(exact(steps_with(rates)), len(rates)))],
)
