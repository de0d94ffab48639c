"""Whoever drops no more probability than a fixed threshold keeps no fewer tokens.

`csqs.fixed-optimal`: own statement, for SQS Fig. 5 and csqs.adaptivity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken
from simspec.claims.csqs.parts import HALVES, KEEPS, ONE, OWN, any_sets, both, keeps_a_token, lost_mass, number
from simspec.laws import Scalar
from simspec.methods.sqs.quantised import threshold_mask


def _at_price(q: Array, masks: Array, threshold: Scalar, keep_top: bool) -> Any:
    mask = threshold_mask(q, threshold, keep_top)
    return mask.sum() + (lost_mass(q, mask) - lost_mass(q, masks)) / threshold


OPTIMAL = bound(
    name="csqs.fixed-optimal",
    statement=r"For any $\beta > 0$ and any sets $Y_n$ with a token each: $\sum_n |Y_n| \ge \sum_n |X_n(\beta)| + "
    r"\frac1\beta \sum_n \big(\sum_{x \notin X_n(\beta)} q_n(x) - \sum_{x \notin Y_n} q_n(x)\big)$: who drops no more "
    "mass keeps no fewer tokens",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=lambda draw: {**(drawn := any_sets(draw)), "threshold": drawn["q"].max() * number(draw, "1/16", "5/4")},
    assumes={KEEPS: keeps_a_token},
    lhs=lambda q, kept, threshold: both(lambda top: _at_price(q, kept, threshold, top)),
    rhs=lambda kept: kept.sum(),
    tight=({"q": HALVES, "kept": np.array([[True, False]]), "threshold": F(1, 2)},),
    outside={KEEPS: {"q": ONE, "kept": np.array([[False]]), "threshold": F(2)}},
    note="Every token that X(β) keeps has at least the mass β, every other less (the lemma of Neyman and Pearson). So "
    "one threshold for all laws keeps the fewest tokens of all rules that drop as much, C-SQS at any η included. A "
    "token is needed of each set only in the keep-top reading.",
    broken=[broken("one kept token less", rhs=lambda kept: kept.sum() - 1)],
)
