"""`csqs.step`, with its sharper form: SQS, Lemma 3."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import HALVES, ONE, along, part, steps

_moves = along(lambda out: np.stack([-np.diff(out.thresholds), np.diff(out.thresholds)]))
"""Down and up, of each reading, at each token."""

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
    printed=Printed(
        place="SQS, Lemma 3",
        text="each update satisfies the inequalities …",
        read="Eq. 26, for every law and threshold.",
    ),
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
