"""The share of rises of the entropy that a shorter runtime follows is one minus a conditional probability.

`tasc.directional-rate`, with its correction: TASC, App. E.2.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity
from simspec.claims.claim import Printed


def _runs(draw: Draw) -> Instance:
    """Rényi entropy and runtime along a sequence of budgets; the entropy rises at least once, at first."""
    steps = draw.integer(1, 5)
    moves = [1, *(draw.integer(0, 2) - 1 for _ in range(steps - 1))]
    runtime = np.array([draw.integer(0, 3) for _ in range(steps + 1)])
    return {"h2": np.cumsum([0, *moves]), "runtime": runtime}


def _followed(h2: Array, runtime: Array) -> F:
    """Share of the rises of entropy that a shorter runtime follows, counted one by one."""
    rises = shorter = 0
    for i in range(len(h2) - 1):
        if h2[i + 1] > h2[i]:
            rises += 1
            shorter += int(runtime[i + 1] < runtime[i])
    return F(shorter, rises)


def _chance(h2: Array, runtime: Array, longer: bool) -> F:
    """Pr(ΔR < 0 | ΔH₂ > 0), or Pr(ΔR ≥ 0 | ΔH₂ > 0), as a quotient of joint and marginal frequencies."""
    up = np.diff(h2) > 0
    down = np.diff(runtime) < 0
    n = len(up)
    return F(int((up & (down ^ longer)).sum()), n) / F(int(up.sum()), n)


DIRECTIONAL = identity(
    name="tasc.directional-rate",
    statement=r"The share of rises of $H_2$ that a shorter runtime follows is $1 - \Pr(\Delta R < 0 \mid \Delta H_2 > 0)$",
    reference="TASC, App. E.2",
    instances=_runs,
    lhs=_followed,
    rhs=lambda h2, runtime: 1 - _chance(h2, runtime, False),
    sources=("exact",),
    within=({"h2": np.array([0, 1, 2]), "runtime": np.array([3, 2, 1])},),
    corrected_by=("tasc.directional-rate-corrected",),
    note="That share is the conditional probability itself; its complement is how often the prediction fails. The two "
    "agree at one half only, so 92 % cannot be both “the complement” and the share of successes. (The text also calls "
    "ΔH₂ > 0 a decrease.)",
    printed=Printed(
        place="TASC E.2",
        text="Its complement is defined as a directional success rate.",
        read="In words and formula as printed.",
    ),
)

DIRECTIONAL_CORRECTED = identity(
    name="tasc.directional-rate-corrected",
    statement=r"The share of rises of $H_2$ that a shorter runtime follows is $\Pr(\Delta R < 0 \mid \Delta H_2 > 0) = 1 "
    r"- \Pr(\Delta R \ge 0 \mid \Delta H_2 > 0)$",
    reference="correction of TASC, App. E.2",
    instances=_runs,
    lhs=lambda h2, runtime: np.array([_followed(h2, runtime)] * 2),
    rhs=lambda h2, runtime: np.array([_chance(h2, runtime, False), 1 - _chance(h2, runtime, True)]),
    sources=("exact",),
    note="By definition; an unchanged runtime counts as a failure. It says nothing until compared with the share of all "
    "steps that shorten the runtime: where every step does, every predictor that rises has rate 1.",
    broken=[
        broken(
            "the rate at which one falls while the other rises",
            rhs=lambda h2, runtime: F(int(((np.diff(h2) > 0) & (np.diff(runtime) < 0)).sum()), len(h2) - 1),
        )
    ],
)
