"""The average dropped probability of C-SQS exceeds its target by at most a constant over T.

`csqs.asymptotic`, with its sharper form: SQS, Eqs. 7 and 29.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, F, broken, law, rate
from simspec.claims.claim import Evidence, Printed
from simspec.claims.csqs.parts import ONE, averages, mean_dropped, positive, steps, token_counts
from simspec.claims.deciding.data import Data
from simspec.laws import Scalar
from simspec.methods.csqs.conformal import draft_thresholds


def _fitted(data: Data) -> list[Evidence]:
    """Slope of log(largest |average − α| from T on) over log T, on three laws in random order."""
    q = np.stack([np.array([0.5, 0.5]), np.array([0.95, 0.05]), np.array([0.7, 0.3])])
    laws = q[np.random.default_rng(data.seed).integers(3, size=3000)]
    gap = abs(averages(draft_thresholds(laws, 0.5, 0.25, 0.1, False).dropped) - 0.1)
    worst = np.maximum.accumulate(gap[::-1])[::-1]
    at = np.unique(np.geomspace(10, 1500, 40).astype(int))
    slope = float(np.polyfit(np.log(at), np.log(worst[at - 1]), 1)[0])
    return [Evidence("exponent of T in |average − α|, three laws at random, literal", None, len(laws), slope)]


ASYMPTOTIC = rate(
    name="csqs.asymptotic",
    statement=r"For a fixed $\eta > 0$: $\frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac{C}{T}$ for all $T$, with "
    r"$C = |\beta_1|/\eta + 1$",
    reference="SQS, Eqs. 7 and 29",
    instances=steps,
    lhs=mean_dropped,
    rhs=lambda q, start, step_size, dropped_target: dropped_target + (abs(start) / step_size + 1) / token_counts(q),
    evidence=_fitted,
    corrected_by=("csqs.asymptotic-sharp",),
    note="csqs.average-dropped-sharp with C no less than (β₁ + η(1 − α))₊/η; any start, both readings.",
    printed=Printed(
        place="SQS 3, after Eq. 7",
        text="asymptotically no larger than a target value",
        read="Eq. 7 with an explicit constant, for a fixed step.",
    ),
    broken=[broken("the remainder is left out", rhs=lambda dropped_target: dropped_target)],
)


def _gaps(q: Array, start: Scalar, step_size: Scalar, dropped_target: Scalar, keep_top: bool) -> Array:
    """How far the average is below and above α."""
    mean = averages(draft_thresholds(q, start, step_size, dropped_target, keep_top).dropped)
    return np.stack([dropped_target - mean, mean - dropped_target])


ASYMPTOTIC_SHARP = rate(
    name="csqs.asymptotic-sharp",
    statement=r"Read literally the average converges to $\alpha$: $\alpha - \frac{(1 + \eta\alpha - \beta_1)_+}{\eta T} \le "
    r"\frac1T \sum_{n \le T} \alpha_n \le \alpha + \frac{(\beta_1 + \eta(1 - \alpha))_+}{\eta T}$",
    reference="own statement, sharpening SQS Eqs. 7 and 29",
    instances=lambda draw: {**steps(draw), "keep_top": False},
    assumes={"nothing is kept where no probability reaches β": lambda keep_top: not keep_top},
    lhs=_gaps,
    rhs=lambda q, start, step_size, dropped_target: np.stack(
        [
            positive(1 + step_size * dropped_target - start) / (step_size * token_counts(q)),
            positive(start + step_size * (1 - dropped_target)) / (step_size * token_counts(q)),
        ]
    ),
    tight=({"q": ONE, "start": F(1), "step_size": F(1), "dropped_target": F(1, 2), "keep_top": False},),
    outside={
        "nothing is kept where no probability reaches β": {
            **{"q": np.stack([law(1)] * 2), "start": F(1), "step_size": F(1), "dropped_target": F(1, 2)},
            "keep_top": True,
        }
    },
    note="csqs.threshold-range.any-start-corrected, both ends. In the keep-top reading the lower end fails: certain "
    "draft laws drop nothing for ever.",
    broken=[
        broken("the top token is always kept", assumes={}, instances=lambda draw: {**steps(draw), "keep_top": True})
    ],
)
