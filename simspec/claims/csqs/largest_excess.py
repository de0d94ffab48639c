"""`csqs.largest-excess`: own statement, sharpening SQS Theorem 2 and csqs.average-dropped-sharp."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import bound
from simspec.claims.csqs.parts import OWN, along, exact_token_counts, floors, positive, two_tokens

LARGEST_EXCESS = bound(
    name="csqs.largest-excess",
    statement=r"For $V \ge 2$ and any $\eta$, $\beta_1$ and $T$, read literally: $\sum_{n \le T} (\alpha_n - \alpha) "
    r"\le \max\big(0,\, \beta_1 - \frac{\alpha}{V-1},\, \beta_1 + \eta(1 - \alpha) - \frac1V\big)/\eta$; keep-top: "
    r"with $1 - 1/V - \alpha$ for $1 - \alpha$",
    reference=f"{OWN}, sharpening SQS Theorem 2 and csqs.average-dropped-sharp",
    instances=two_tokens,
    lhs=lambda q, start, step_size, dropped_target: (
        along(lambda out: out.dropped.cumsum())(q, start, step_size, dropped_target)
        - dropped_target * exact_token_counts(q)
    ),
    rhs=lambda q, start, step_size, dropped_target: np.array(
        [[positive(start - floor) / step_size] for floor in floors(q, step_size, dropped_target)]
    ),
    note="csqs.lowest-threshold in Eq. 8 summed. For α < 1 (keep-top: α < 1 − 1/V) both numbers are approached: V − 1 tokens "
    "just below β bring a β₁ in (α/(V − 1), 1/V] down to α/(V − 1) in the limit, if η(V − 1) < 1; a flat law and β₁ just above "
    "1/V to 1/V − η(1 − α) at once. (V = 1: nothing is dropped up to β = 1.)",
)
