"""`csqs.step-size`: SQS, Lemma 3, its last sentence."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import ONE, along, steps

STEP_SIZE = bound(
    name="csqs.step-size",
    statement=r"$|\beta_{n+1} - \beta_n| \le \eta$, in both readings of an empty set",
    reference="SQS, Lemma 3, last sentence",
    instances=steps,
    lhs=along(lambda out: abs(np.diff(out.thresholds))),
    rhs=lambda step_size: step_size,
    tight=({"q": ONE, "start": F(2), "step_size": F(1), "dropped_target": F(0)},),
    note="Attained only at a target of 0 where everything is dropped, or of 1 where nothing is; for a target α the largest step "
    "is η max(α, 1 − α) (csqs.step).",
    printed=Printed(
        place="SQS, Lemma 3",
        text="every step moves … by at most … in either direction",
        read="In both readings of an empty set.",
        restored=r"what moves and by how much: $\beta$, $\eta$",
    ),
)
