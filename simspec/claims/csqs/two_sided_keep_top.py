"""`csqs.two-sided-keep-top`: own statement, in place of SQS Theorem 2 and Eq. 29."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound, law
from simspec.claims.csqs.parts import CERTAIN, HALVES, OWN, exact_token_counts, mean_dropped, positive
from simspec.claims.csqs.threshold_range import KEEP_TOP_SHARP

TWO_SIDED_KEEP_TOP = bound(
    name="csqs.two-sided-keep-top",
    statement=r"When $\max_x q_n(x) \le 1 - \alpha$ for every $n$, in both readings and from any $\beta_1$: $\alpha - "
    r"\frac{(\frac12 + \eta\alpha - \beta_1)_+}{\eta T} \le \frac1T \sum_{n \le T} \alpha_n \le \alpha + "
    r"\frac{(\beta_1 + \eta(1 - \alpha))_+}{\eta T}$",
    reference=f"{OWN}, in place of SQS Theorem 2 and Eq. 29",
    instances=KEEP_TOP_SHARP.draw,
    assumes={CERTAIN: KEEP_TOP_SHARP.assumes[CERTAIN]},
    lhs=lambda q, start, step_size, dropped_target: np.stack(
        [dropped_target - (mean := mean_dropped(q, start, step_size, dropped_target)), mean - dropped_target], axis=1
    ),
    rhs=lambda q, start, step_size, dropped_target: np.stack(
        [
            positive(1 + 2 * (step_size * dropped_target - start)) / (2 * step_size * exact_token_counts(q)),
            positive(start + step_size * (1 - dropped_target)) / (step_size * exact_token_counts(q)),
        ]
    ),
    tight=({"q": HALVES, "start": F(1, 2), "step_size": F(1), "dropped_target": F(1, 4)},),
    outside={CERTAIN: {"q": np.stack([law(1)] * 2), "start": F(1), "step_size": F(1), "dropped_target": F(1, 2)}},
    note="csqs.threshold-range.keep-top-sharp: above ½ at least α is dropped. Without the condition no rule that keeps "
    "a token has a lower guarantee: of a certain law nothing can be dropped.",
)
