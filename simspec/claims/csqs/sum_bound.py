"""`csqs.sum-bound`: SQS, Eq. 28."""

from __future__ import annotations

from simspec.claims.authoring import bound
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import both, distances, steps, token_counts
from simspec.methods.csqs.conformal import draft_thresholds

SUM_BOUND = bound(
    name="csqs.sum-bound",
    statement=r"$\sum_{n \le T} \mathrm{TV}(\tilde q_n, q_n) \le \alpha T + (|\beta_0| + 1 + \eta)/\eta$",
    reference="SQS, Eq. 28",
    instances=steps,
    lhs=lambda q, start, step_size, dropped_target: both(
        lambda top: distances(q, draft_thresholds(q, start, step_size, dropped_target, top)).cumsum()
    ),
    rhs=lambda q, start, step_size, dropped_target: (
        dropped_target * token_counts(q) + (abs(start) + 1 + step_size) / step_size
    ),
    corrected_by=("csqs.average-dropped-sharp",),
    note="β_T ≥ min(β₀, −η(1 − α)), from any start and in both readings; so β₀ − β_T ≤ |β₀| + η. The 1 is not needed "
    "(csqs.average-dropped-sharp).",
    printed=Printed(
        place="SQS A.3, Eq. 28",
        text="Plugging Lemma 4 into Lemma 2 gives …",
        read="Eq. 28 as printed.",
    ),
)
