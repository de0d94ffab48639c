"""`csqs.telescoping`, with its correction: SQS, Lemma 2."""

from __future__ import annotations

from simspec.claims.authoring import F, identity
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import HALVES, along, both, distances, steps
from simspec.methods.csqs.conformal import draft_thresholds

_last = along(lambda out: out.thresholds[-1])

TELESCOPING = identity(
    name="csqs.telescoping",
    statement=r"$\sum_{t < T} \mathrm{TV}(\tilde q^t, q^t) = \alpha T + |\beta_0 - \beta_T|/\eta$",
    reference="SQS, Lemma 2",
    instances=steps,
    lhs=lambda q, start, step_size, dropped_target: both(
        lambda top: distances(q, draft_thresholds(q, start, step_size, dropped_target, top)).sum()
    ),
    rhs=lambda q, start, step_size, dropped_target: (
        dropped_target * len(q) + abs(start - _last(q, start, step_size, dropped_target)) / step_size
    ),
    sums=64,
    within=({"q": HALVES, "start": F(0), "step_size": F(1, 1000), "dropped_target": F(1, 2000)},),
    corrected_by=("csqs.telescoping-corrected",),
    note="The sum telescopes without absolute value: a threshold that ends higher than it began has dropped less than αT. "
    "One token with nothing dropped: 0 against 2α.",
    printed=Printed(
        place="SQS, Lemma 2",
        text="Then the cumulative sparsification distortion satisfies the identity …",
        read="Eq. 25 with the absolute value that it has.",
    ),
)

TELESCOPING_CORRECTED = identity(
    name="csqs.telescoping-corrected",
    statement=r"$\sum_{t < T} \mathrm{TV}(\tilde q^t, q^t) = \alpha T + (\beta_0 - \beta_T)/\eta$",
    reference="correction of SQS Lemma 2",
    instances=steps,
    lhs=TELESCOPING.lhs,
    rhs=lambda q, start, step_size, dropped_target: (
        dropped_target * len(q) + (start - _last(q, start, step_size, dropped_target)) / step_size
    ),
    sums=64,
    note="Eq. 8 summed, with sqs.dropped-mass; both readings (where nothing is kept, the dropped mass 1 stands for the TV).",
)
