"""`csqs.lowest-threshold`: own statement, sharpening SQS Lemma 4 and csqs.threshold-range.literal-sharp."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound
from simspec.claims.csqs.parts import HALVES, OWN, along, floors, two_tokens

LOWEST = bound(
    name="csqs.lowest-threshold",
    statement=r"For $V \ge 2$, from any $\beta_0$, read literally: $\beta_n \ge \min(\beta_0,\, \alpha/(V-1),\, 1/V - "
    r"\eta(1 - \alpha))$; keep-top: with $1 - 1/V - \alpha$ for $1 - \alpha$",
    reference=f"{OWN}, sharpening SQS Lemma 4 and csqs.threshold-range.literal-sharp",
    instances=two_tokens,
    lhs=along(lambda out: -out.thresholds.min()),
    rhs=lambda q, start, step_size, dropped_target: np.array(
        [-min(start, floor) for floor in floors(q, step_size, dropped_target)]
    ),
    tight=({"q": HALVES, "start": F(0), "step_size": F(1), "dropped_target": F(1, 4)},),
    note="In (0, 1/V] at most (V − 1)β is dropped, which is at most α up to β = α/(V − 1): there β does not fall. From "
    "there to 1/V a line, above 1/V at most 1 (or 1 − 1/V) is dropped. Both ends are approached: V − 1 tokens just "
    "below β, again and again; a flat law and β just above 1/V.",
)
