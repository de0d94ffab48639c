"""Line 12 of Algorithm 1 restores the threshold that the accepted tokens alone would have given.

`csqs.checkpoint`, with its correction: SQS, Algorithm 1, lines 11–13.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, law, other_claim, procedure
from simspec.claims.claim import Printed
from simspec.claims.csqs.parts import both, number, rates
from simspec.laws import Scalar
from simspec.methods.csqs.conformal import checkpoint, checkpoint_printed, draft_thresholds


def _batches(draw: Draw, fewest: int = 0) -> dict[str, Any]:
    """One or two batches of up to three drafts: draft laws (batch, L + 1, V), the last for the token after L drafts."""
    n = draw.vocab(matrix=True)
    if draw.exact:
        count = draw.integer(1, 2)
        length = draw.integer(1, 3)
        q = np.stack([np.stack([draw.law(n) for _ in range(length + 1)]) for _ in range(count)])
    else:
        q = draw.law(n)[None, :8]
    accepted = np.array([draw.integer(fewest, q.shape[1] - 1) for _ in q])
    return {"q": q, "accepted": accepted, "start": number(draw, 0, 1), **rates(draw)}


def _once_each(
    q: Array, accepted: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar, keep_top: bool
) -> Any:
    """Eq. 8 once over each accepted token and the new one, in plain arithmetic."""
    beta: Any = start
    for laws, count in zip(q.tolist(), accepted.tolist(), strict=True):
        for masses in laws[: count + 1]:
            retained = [m for m in masses if m >= beta] or ([max(masses)] if keep_top else [])
            beta = beta - step_size * (1 - sum(retained) - dropped_target)
    return beta


def _line_12(
    q: Array, accepted: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar, keep_top: bool
) -> Any:
    beta: Any = start
    for laws, count in zip(q, accepted, strict=True):
        out = draft_thresholds(laws[:-1], beta, step_size, dropped_target, keep_top)
        beta = checkpoint_printed(out.thresholds, out.dropped, count, step_size, dropped_target, otherwise=beta)
    return beta


def _mended(q: Array, accepted: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar, keep_top: bool) -> Any:
    beta: Any = start
    for laws, count in zip(q, accepted, strict=True):
        out = draft_thresholds(laws, beta, step_size, dropped_target, keep_top)
        beta = checkpoint(out.thresholds, count)
    return beta


CHECKPOINT = procedure(
    name="csqs.checkpoint",
    statement=r"For every $T^t \in \{0, \dots, L^t\}$ line 12 leaves the threshold that Eq. 8 gives when run once over each "
    r"accepted token and the new one",
    reference="SQS, Algorithm 1, lines 11–13",
    instances=lambda draw: _batches(draw, fewest=1),
    lhs=lambda **step: both(lambda top: _line_12(**step, keep_top=top)),
    rhs=lambda **step: both(lambda top: _once_each(**step, keep_top=top)),
    within=(
        {
            "q": np.stack([np.stack([law("1/2", "1/2")] * 2)]),
            **{"accepted": np.array([1]), "start": F(0), "step_size": F(1, 1000), "dropped_target": F(1, 2000)},
        },
    ),
    corrected_by=("csqs.checkpoint-corrected",),
    note="Line 12 starts from β at the last accepted token and uses that token's dropped mass again: it repeats an update and "
    "never counts the new token. For Tᵗ = 0 (not among the instances) it refers to a token 0 that does not exist.",
    printed=Printed(
        place="SQS 3, before Algorithm 1",
        text="the value of the threshold is returned to the value of the last accepted token, and a further "
        "iteration is done for the new",
        read="Line 12 leaves what Eq. 8 gives along the accepted tokens, for any number of them.",
    ),
)

CHECKPOINT_CORRECTED = procedure(
    name="csqs.checkpoint-corrected",
    statement=r"For every $T^t \in \{0, \dots, L^t\}$, starting the next batch from $\beta_{T^t+1} - \eta(\sum_{x \notin X} "
    r"q_{T^t+1}(x) - \alpha)$ leaves the threshold of Eq. 8 run once over each accepted token and the new one",
    reference="correction of SQS, Algorithm 1, line 12",
    instances=_batches,
    lhs=lambda **step: both(lambda top: _mended(**step, keep_top=top)),
    rhs=CHECKPOINT.rhs,
    sums=64,
    note="β at the first token that was not accepted is known from the batch, and so is the draft law there; only when all "
    "drafts were accepted the draft model must be run once more, for the law of the extra token.",
    broken=[Broken("the printed left side", lambda _: {"lhs": other_claim("csqs.checkpoint").lhs})],
)
