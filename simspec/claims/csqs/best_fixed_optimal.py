"""No choice of sets that meets the target keeps many fewer tokens than the best fixed threshold.

`csqs.best-fixed-optimal`: own statement, for SQS Fig. 5 and csqs.adaptivity.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, bound, broken
from simspec.claims.csqs.parts import (
    HALVES,
    KEEPS,
    OWN,
    any_sets,
    both,
    keeps_a_token,
    lost_mass,
    rounding_factor,
    some_target,
)
from simspec.laws import Scalar
from simspec.methods.csqs.threshold_rules import best_fixed_threshold
from simspec.methods.csqs.thresholds import ranked

MEETS = "the sets meet the target"


def _meeting(draw: Draw) -> Instance:
    instance = any_sets(draw)
    reached = lost_mass(instance["q"], instance["kept"]) / (F(len(instance["q"])) if draw.exact else len(instance["q"]))
    return {**instance, "dropped_target": some_target(draw, reached)}


def _sets_meet(q: Array, kept: Array, dropped_target: Scalar) -> bool:
    return bool(lost_mass(q, kept) <= dropped_target * len(q) * rounding_factor(q))


def _best_less_rest(q: Array, dropped_target: Scalar, keep_top: bool) -> Any:
    best = best_fixed_threshold(ranked(q), dropped_target, keep_top)
    return best.kept.sum() - (dropped_target * len(q) - best.dropped.sum()) / best.threshold


BEST_OPTIMAL = bound(
    name="csqs.best-fixed-optimal",
    statement=r"Any sets $Y_n$ with a token each and an average dropped mass of at most $\alpha$: $\sum_n |Y_n| \ge "
    r"\sum_n |X_n(\beta^*)| - \frac{\alpha T - D}{\beta^*}$, where $D \le \alpha T$ is the mass dropped at the best "
    r"fixed threshold $\beta^*$",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=_meeting,
    assumes={KEEPS: keeps_a_token, MEETS: _sets_meet},
    lhs=lambda q, dropped_target: both(lambda top: _best_less_rest(q, dropped_target, top)),
    rhs=lambda kept: kept.sum(),
    tight=({"q": HALVES, "kept": np.array([[True, False]]), "dropped_target": F(1, 2)},),
    outside={
        KEEPS: {"q": HALVES, "kept": np.array([[False, False]]), "dropped_target": F(1)},
        MEETS: {"q": HALVES, "kept": np.array([[True, False]]), "dropped_target": F(1, 4)},
    },
    note="csqs.fixed-optimal at β*. The last term is less than the number of tokens with the probability β*, as "
    "dropping these too would exceed the target; where there is only one, no rule whatever keeps fewer tokens.",
    broken=[broken("one kept token less", rhs=lambda kept: kept.sum() - 1)],
)
