"""Of all thresholds that meet the target, the largest probability among them keeps the fewest tokens.

`csqs.best-fixed-threshold`: own statement, for SQS Fig. 5 and csqs.adaptivity.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, swapped
from simspec.claims.csqs.parts import HALVES, OWN, lost_mass, number, rounding_factor, sequence, some_target
from simspec.laws import Scalar
from simspec.methods.csqs.threshold_rules import best_fixed_threshold
from simspec.methods.csqs.thresholds import ranked
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask


def _another(draw: Draw) -> Instance:
    q = sequence(draw)
    top = bool(draw.integer(0, 1))
    threshold = q.max() * number(draw, 0, "5/4")
    reached = lost_mass(q, threshold_mask(q, threshold, top)) / (F(len(q)) if draw.exact else len(q))
    return {"q": q, "threshold": threshold, "dropped_target": some_target(draw, reached), "keep_top": top}


def _meets(q: Array, threshold: Scalar, dropped_target: Scalar, keep_top: bool) -> bool:
    return bool(lost_mass(q, threshold_mask(q, threshold, keep_top)) <= dropped_target * len(q) * rounding_factor(q))


def _best_side(q: Array, threshold: Scalar, dropped_target: Scalar, keep_top: bool) -> Array:
    best = best_fixed_threshold(ranked(q), dropped_target, keep_top)
    dropped = dropped_mass(q, threshold_mask(q, threshold, keep_top))
    return np.concatenate([[best.dropped.sum()], best.kept, dropped])


def _other_side(q: Array, threshold: Scalar, dropped_target: Scalar, keep_top: bool) -> Array:
    best = best_fixed_threshold(ranked(q), dropped_target, keep_top)
    set_sizes = threshold_mask(q, threshold, keep_top).sum(axis=-1)
    return np.concatenate([[dropped_target * len(q)], set_sizes, best.dropped])


BEST_FIXED = bound(
    name="csqs.best-fixed-threshold",
    statement=r"The largest probability $\beta^*$ (or 2, beyond all) whose average dropped mass is at most $\alpha$: "
    r"no $\beta$ with an average dropped mass of at most $\alpha$ has, for any $n$, $|X_n(\beta)| < |X_n(\beta^*)|$ or "
    "a larger dropped mass",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=_another,
    assumes={"β meets the target": _meets},
    lhs=_best_side,
    rhs=_other_side,
    tight=({"q": HALVES, "threshold": F(1, 2), "dropped_target": F(1, 2), "keep_top": False},),
    outside={"β meets the target": {"q": HALVES, "threshold": F(1), "dropped_target": F(1, 4), "keep_top": False}},
    note="The average dropped mass is a non-decreasing step function of β that rises just above probabilities, so its "
    "largest threshold that meets the target is a probability, and csqs.direction compares. First of the three: it "
    "meets the target.",
    broken=[swapped()],
)
