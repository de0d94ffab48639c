"""`csqs.step`, with its sharper form: SQS, Lemma 3."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.csqs.parts import HALVES, ONE, both, part, run, steps
from simspec.claims.words import Array, F, bound


def _moves(q: Array, start: Any, step_size: Any, dropped_target: Any) -> Array:
    """Down and up, of each reading, at each token."""

    def one(top: bool) -> Array:
        move = np.diff(run(q, start, step_size, dropped_target, top).thresholds)
        return np.stack([-move, move])

    return both(one)


STEP = bound(
    name="csqs.step",
    statement=r"$-\eta(1 - \alpha) \le \beta_{n+1} - \beta_n \le \eta\alpha$",
    reference="SQS, Lemma 3",
    instances=steps,
    lhs=_moves,
    rhs=lambda step_size, dropped_target: step_size * np.array([[1 - dropped_target], [dropped_target]]),
    tight=(
        {"q": ONE, "start": F(2), "step_size": F(1), "dropped_target": F(1, 2)},
        {"q": ONE, "start": F(0), "step_size": F(1), "dropped_target": F(1, 2)},
    ),
    corrected_by=("csqs.step-sharp",),
    note="The dropped mass lies in [0, 1]. Both ends are attained, the lower one only where nothing is kept.",
)

STEP_SHARP = bound(
    name="csqs.step-sharp",
    statement=r"Keep-top: $-\eta(1 - 1/V - \alpha) \le \beta_{n+1} - \beta_n \le \eta\alpha$",
    reference="own statement, sharpening SQS Lemma 3",
    instances=steps,
    lhs=lambda q, start, step_size, dropped_target: _moves(q, start, step_size, dropped_target)[1],
    rhs=lambda q, step_size, dropped_target: step_size * np.array([[1 - part(q) - dropped_target], [dropped_target]]),
    tight=({"q": HALVES, "start": F(1), "step_size": F(1), "dropped_target": F(1, 4)},),
    note="At most 1 − max q ≤ 1 − 1/V is dropped; flat laws attain it.",
)
