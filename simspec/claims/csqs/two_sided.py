"""`csqs.two-sided`: own statement, in place of SQS Theorem 2 and Eq. 29."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound, law
from simspec.claims.csqs.parts import INSIDE, OWN, exact_token_counts, misses
from simspec.claims.csqs.threshold_range import LITERAL

TWO_SIDED = bound(
    name="csqs.two-sided",
    statement=r"Read literally, from a $\beta_1$ in $[-\eta(1 - \alpha), 1 + \eta\alpha]$: $\big|\frac1T \sum_{n \le "
    r"T} \alpha_n - \alpha\big| \le \frac{1 + \eta}{\eta T}$",
    reference=f"{OWN}, in place of SQS Theorem 2 and Eq. 29",
    instances=LITERAL.draw,
    assumes={INSIDE: LITERAL.assumes[INSIDE]},
    lhs=misses,
    rhs=lambda q, step_size: (1 + step_size) / (step_size * exact_token_counts(q)),
    tight=({"q": np.stack([law(1)] * 4), "start": F(-1, 2), "step_size": F(1), "dropped_target": F(1, 2)},),
    outside={INSIDE: {"q": np.stack([law(1)] * 6), "start": F(-4), "step_size": F(1), "dropped_target": F(1, 2)}},
    note="β stays in a range of length 1 + η (csqs.threshold-range.literal). Attained: four certain tokens, η = 1, α = ½, "
    "β₁ = −½ drop nothing.",
)
