"""`csqs.two-sided-best-start`: own statement."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound, law
from simspec.claims.csqs.parts import OWN, exact_token_counts, misses, rates, sequence

BEST_START = bound(
    name="csqs.two-sided-best-start",
    statement=r"Read literally, from $\beta_1 = \frac12 + \eta(\alpha - \frac12)$: $\big|\frac1T \sum_{n \le T} "
    r"\alpha_n - \alpha\big| \le \frac{1 + \eta}{2\eta T}$",
    reference=OWN,
    instances=lambda draw: {"q": sequence(draw), **rates(draw)},
    lhs=lambda q, step_size, dropped_target: misses(
        q, (1 + step_size * (2 * dropped_target - 1)) / 2, step_size, dropped_target
    ),
    rhs=lambda q, step_size: (1 + step_size) / (2 * step_size * exact_token_counts(q)),
    tight=({"q": np.stack([law(1)] * 2), "step_size": F(1), "dropped_target": F(1, 2)},),
    note="The middle of the range: no threshold is further away than half of its length. Attained: two certain tokens, "
    "η = 1, α = ½ drop nothing.",
)
