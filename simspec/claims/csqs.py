"""Claims about the threshold of C-SQS: which way it acts, how far it moves, and the checkpoint.

Where it stays is in `simspec.claims.csqs_range`, the average dropped mass in `simspec.claims.csqs_average`.  Where the
readings of an empty set are not separate claims, both are tried in every instance.
"""

from __future__ import annotations

from fractions import Fraction as F
from typing import Any

import numpy as np

from simspec.claims.claim import Claim, Instance, at_most, equal
from simspec.claims.csqs_average import CLAIMS as AVERAGE
from simspec.claims.csqs_parts import HALVES, ONE, both, distances, number, part, rates, run, steps
from simspec.claims.csqs_range import CLAIMS as RANGE
from simspec.claims.draw import Draw
from simspec.claims.sd import law
from simspec.claims.sqs_parts import few
from simspec.laws import Array, tv
from simspec.methods.csqs import checkpoint, checkpoint_printed, draft_thresholds
from simspec.methods.sqs import dropped_mass, sparsify, threshold_mask

__all__ = ["CLAIMS"]


def _two(draw: Draw) -> Instance:
    q = few(draw.law(draw.vocab()))
    top = F(3, 2) if draw.exact else float(q.max())
    low = number(draw, 0, 1) * top
    return {"q": q, "low": low, "high": low + number(draw, 0, 1) * top}


DIRECTION = Claim(
    name="csqs.direction",
    kind="bound",
    statement=r"For $\beta \le \beta'$: $|X(\beta')| \le |X(\beta)|$ and the mass dropped at $\beta'$ is no less than at $\beta$",
    reference="SQS, after Eq. 8",
    instances=_two,
    assumes={"β' is at least β": lambda low, high: high >= low},
    lhs=lambda q, low, high: both(
        lambda top: np.stack([threshold_mask(q, high, top).sum(axis=-1), dropped_mass(q, threshold_mask(q, low, top))])
    ),
    rhs=lambda q, low, high: both(
        lambda top: np.stack([threshold_mask(q, low, top).sum(axis=-1), dropped_mass(q, threshold_mask(q, high, top))])
    ),
    relation=at_most,
    tight=({"q": law(1), "low": F(1), "high": F(1)},),
    outside={"β' is at least β": {"q": law("1/4", "3/4"), "low": F(1, 2), "high": F(0)}},
    note="X(β') ⊆ X(β). Keep-top: an empty X(β') becomes the most likely token, which a non-empty X(β) holds too.",
)

TELESCOPING = Claim(
    name="csqs.telescoping",
    kind="identity",
    statement=r"$\sum_{t < T} \mathrm{TV}(\tilde q^t, q^t) = \alpha T + |\beta_0 - \beta_T|/\eta$",
    reference="SQS, Lemma 2",
    instances=steps,
    lhs=lambda q, start, step_size, dropped_target: both(
        lambda top: distances(q, run(q, start, step_size, dropped_target, top)).sum()
    ),
    rhs=lambda q, start, step_size, dropped_target: both(
        lambda top: (
            dropped_target * len(q)
            + abs(start - run(q, start, step_size, dropped_target, top).thresholds[-1]) / step_size
        )
    ),
    relation=equal,
    sums=64,
    corrected_by=("csqs.telescoping-corrected",),
    note="The sum telescopes without absolute value: a threshold that ends higher than it began has dropped less than αT. "
    "One token with nothing dropped: 0 against 2α.",
)

TELESCOPING_CORRECTED = Claim(
    name="csqs.telescoping-corrected",
    kind="identity",
    statement=r"$\sum_{t < T} \mathrm{TV}(\tilde q^t, q^t) = \alpha T + (\beta_0 - \beta_T)/\eta$",
    reference="correction of SQS Lemma 2",
    instances=steps,
    lhs=TELESCOPING.lhs,
    rhs=lambda q, start, step_size, dropped_target: both(
        lambda top: (
            dropped_target * len(q) + (start - run(q, start, step_size, dropped_target, top).thresholds[-1]) / step_size
        )
    ),
    relation=equal,
    sums=64,
    note="Eq. 8 summed, with sqs.dropped-mass; both readings (where nothing is kept, the dropped mass 1 stands for the TV).",
)


def _moves(q: Array, start: Any, step_size: Any, dropped_target: Any) -> Array:
    """Down and up, of each reading, at each token."""

    def one(top: bool) -> Array:
        move = np.diff(run(q, start, step_size, dropped_target, top).thresholds)
        return np.stack([-move, move])

    return both(one)


STEP = Claim(
    name="csqs.step",
    kind="bound",
    statement=r"$-\eta(1 - \alpha) \le \beta_{n+1} - \beta_n \le \eta\alpha$",
    reference="SQS, Lemma 3",
    instances=steps,
    lhs=_moves,
    rhs=lambda step_size, dropped_target: step_size * np.array([[1 - dropped_target], [dropped_target]]),
    relation=at_most,
    tight=(
        {"q": ONE, "start": F(2), "step_size": F(1), "dropped_target": F(1, 2)},
        {"q": ONE, "start": F(0), "step_size": F(1), "dropped_target": F(1, 2)},
    ),
    corrected_by=("csqs.step-sharp",),
    note="The dropped mass lies in [0, 1]. Both ends are attained, the lower one only where nothing is kept.",
)

STEP_SHARP = Claim(
    name="csqs.step-sharp",
    kind="bound",
    statement=r"Keep-top: $-\eta(1 - 1/V - \alpha) \le \beta_{n+1} - \beta_n \le \eta\alpha$",
    reference="own statement, sharpening SQS Lemma 3",
    instances=steps,
    lhs=lambda q, start, step_size, dropped_target: _moves(q, start, step_size, dropped_target)[1],
    rhs=lambda q, step_size, dropped_target: step_size * np.array([[1 - part(q) - dropped_target], [dropped_target]]),
    relation=at_most,
    tight=({"q": HALVES, "start": F(1), "step_size": F(1), "dropped_target": F(1, 4)},),
    note="At most 1 − max q ≤ 1 − 1/V is dropped; flat laws attain it.",
)


def _beyond(draw: Draw) -> Instance:
    return {"q": few(draw.law(draw.vocab())), "threshold": 1 + number(draw, "1/8", 1)}


BEYOND_ONE = Claim(
    name="csqs.beyond-one",
    kind="identity",
    statement=r"If $\beta_n > 1$, thresholding discards all but the top outcome, so $\mathrm{TV}(\tilde q_n, q_n) = 1$",
    reference="SQS, proof of Lemma 4",
    instances=_beyond,
    lhs=lambda q, threshold: tv(q, sparsify(q, threshold_mask(q, threshold, keep_top=True))),
    rhs=lambda q: q.sum(axis=-1),
    relation=equal,
    corrected_by=("csqs.beyond-one-corrected",),
    note="If the top outcome stays, the distance is 1 − max q < 1. If Eq. 6 is taken at its word, the top outcome goes too, and "
    "no q̃ exists; only the dropped mass is 1.",
)

BEYOND_ONE_CORRECTED = Claim(
    name="csqs.beyond-one-corrected",
    kind="identity",
    statement=r"If $\beta_n > \max_x q_n(x)$: read literally $X$ is empty and the dropped mass is 1; keep-top gives "
    r"$\mathrm{TV}(\tilde q_n, q_n) = 1 - \max_x q_n(x)$",
    reference="correction of SQS, proof of Lemma 4",
    instances=lambda draw: {**(drawn := _beyond(draw)), "threshold": drawn["q"].max() * drawn["threshold"]},
    assumes={"β exceeds max q": lambda q, threshold: bool(np.all(q.max(axis=-1) < threshold))},
    lhs=lambda q, threshold: np.stack(
        [
            tv(q, sparsify(q, threshold_mask(q, threshold, keep_top=True))),
            dropped_mass(q, threshold_mask(q, threshold, keep_top=False)),
            threshold_mask(q, threshold, keep_top=False).sum(axis=-1),
        ]
    ),
    rhs=lambda q: np.stack([1 - q.max(axis=-1), q.sum(axis=-1), 0 * q.sum(axis=-1)]),
    relation=equal,
    outside={"β exceeds max q": {"q": law(1), "threshold": F(1)}},
    note="sqs.dropped-mass with X = {top}; β > 1 is not needed, β above the largest probability is.",
)

# --- the checkpoint --------------------------------------------------------------------------------------------------


def _batches(draw: Draw, fewest: int = 0) -> dict[str, Any]:
    """One or two batches of up to three drafts: draft laws (batch, L + 1, V), the last for the token after L drafts."""
    n = draw.vocab(matrix=True)
    if draw.exact:
        count, length = draw.integer(1, 2), draw.integer(1, 3)
        q = np.stack([np.stack([draw.law(n) for _ in range(length + 1)]) for _ in range(count)])
    else:
        q = draw.law(n)[None, :8]
    accepted = np.array([draw.integer(fewest, q.shape[1] - 1) for _ in q])
    return {"q": q, "accepted": accepted, "start": number(draw, 0, 1), **rates(draw)}


def _once_each(q: Array, accepted: Array, start: Any, step_size: Any, dropped_target: Any, keep_top: bool) -> Any:
    """Eq. 8 once over each accepted token and the new one, in plain arithmetic."""
    beta = start
    for laws, count in zip(q.tolist(), accepted.tolist(), strict=True):
        for masses in laws[: count + 1]:
            kept = [m for m in masses if m >= beta] or ([max(masses)] if keep_top else [])
            beta = beta - step_size * (1 - sum(kept) - dropped_target)
    return beta


def _line_12(q: Array, accepted: Array, start: Any, step_size: Any, dropped_target: Any, keep_top: bool) -> Any:
    beta = start
    for laws, count in zip(q, accepted, strict=True):
        out = draft_thresholds(laws[:-1], beta, step_size, dropped_target, keep_top)
        beta = checkpoint_printed(out.thresholds, out.dropped, count, step_size, dropped_target, otherwise=beta)
    return beta


def _mended(q: Array, accepted: Array, start: Any, step_size: Any, dropped_target: Any, keep_top: bool) -> Any:
    beta = start
    for laws, count in zip(q, accepted, strict=True):
        out = draft_thresholds(laws, beta, step_size, dropped_target, keep_top)
        beta = checkpoint(out.thresholds, count)
    return beta


CHECKPOINT = Claim(
    name="csqs.checkpoint",
    kind="procedure",
    statement=r"For every $T^t \in \{0, \dots, L^t\}$ line 12 leaves the threshold that Eq. 8 gives when run once over each "
    r"accepted token and the new one",
    reference="SQS, Algorithm 1, lines 11–13",
    instances=lambda draw: _batches(draw, fewest=1),
    lhs=lambda **step: both(lambda top: _line_12(**step, keep_top=top)),
    rhs=lambda **step: both(lambda top: _once_each(**step, keep_top=top)),
    relation=equal,
    corrected_by=("csqs.checkpoint-corrected",),
    note="Line 12 starts from β at the last accepted token and uses that token's dropped mass again: it repeats an update and "
    "never counts the new token. For Tᵗ = 0 (not among the instances) it refers to a token 0 that does not exist.",
)

CHECKPOINT_CORRECTED = Claim(
    name="csqs.checkpoint-corrected",
    kind="procedure",
    statement=r"For every $T^t \in \{0, \dots, L^t\}$, starting the next batch from $\beta_{T^t+1} - \eta(\sum_{x \notin X} "
    r"q_{T^t+1}(x) - \alpha)$ leaves the threshold of Eq. 8 run once over each accepted token and the new one",
    reference="correction of SQS, Algorithm 1, line 12",
    instances=_batches,
    lhs=lambda **step: both(lambda top: _mended(**step, keep_top=top)),
    rhs=CHECKPOINT.rhs,
    relation=equal,
    sums=64,
    note="β at the first token that was not accepted is known from the batch, and so is the draft law there; only when all "
    "drafts were accepted the draft model must be run once more, for the law of the extra token.",
)

CLAIMS = (
    DIRECTION,
    TELESCOPING,
    TELESCOPING_CORRECTED,
    STEP,
    STEP_SHARP,
    *RANGE,
    BEYOND_ONE,
    BEYOND_ONE_CORRECTED,
    *AVERAGE,
    CHECKPOINT,
    CHECKPOINT_CORRECTED,
)
