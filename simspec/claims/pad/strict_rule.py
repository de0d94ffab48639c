"""`pad.strict-rule`: own statement, the rule that PAD A.1 argues about."""

from __future__ import annotations

import numpy as np

from simspec.claims.pad.utility import MISSED, RECALL, no_pivot_missed, recalled, target_values, values_of
from simspec.claims.words import at_least, bound
from simspec.methods import strict

STRICT_RULE = bound(
    name="pad.strict-rule",
    statement="With pivots as printed, utility is preserved at every context by the stricter rule: accept exactly what is not "
    "called a pivot, reject every pivot, draw the replacement from $p$",
    reference="own statement, the rule that PAD A.1 argues about",
    instances=no_pivot_missed,
    assumes={RECALL: recalled},
    lhs=lambda target, draft, step, utility, horizon, flags: values_of(
        target, draft, step, utility, horizon, flags, strict
    ),
    rhs=target_values,
    relation=at_least,
    tight=({**MISSED, "flags": np.ones((1, 2, 2), dtype=bool)},),
    outside={RECALL: MISSED},
    note="An accepted token is worth at least U(s) and a replacement is worth U(s) on average, so Σ o U' ≥ U; then induction. It "
    "accepts Σ d over tokens not flagged, which can be less than SD.",
)
