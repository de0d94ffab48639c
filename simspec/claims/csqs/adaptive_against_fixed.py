"""C-SQS keeps at least as many tokens as any fixed threshold, but for a bounded term.

`csqs.adaptive-against-fixed`: own statement, for SQS Fig. 5 and csqs.adaptivity.
"""

from __future__ import annotations

from simspec.claims.authoring import Array, bound, swapped
from simspec.claims.csqs.parts import OWN, along, both, exact_token_counts, number, positive, steps
from simspec.laws import Scalar
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask


def _fixed_less_start(q: Array, threshold: Scalar, start: Scalar, step_size: Scalar, dropped_target: Scalar) -> Array:
    excess = dropped_target * exact_token_counts(q) + positive(start + step_size * (1 - dropped_target)) / step_size

    def one(top: bool) -> Array:
        mask = threshold_mask(q, threshold, top)
        return mask.sum(axis=-1).cumsum() + (dropped_mass(q, mask).cumsum() - excess) / threshold

    return both(one)


AGAINST_FIXED = bound(
    name="csqs.adaptive-against-fixed",
    statement=r"C-SQS against any fixed $\beta > 0$, for every $T$: $\sum_{n \le T} |X_n| \ge \sum_{n \le T} "
    r"|X_n(\beta)| - \frac1\beta \big(\alpha T - D(\beta) + \frac{(\beta_1 + \eta(1 - \alpha))_+}{\eta}\big)$, with "
    r"$D(\beta)$ the mass dropped at $\beta$",
    reference=f"{OWN}, for SQS Fig. 5 and csqs.adaptivity",
    instances=lambda draw: {**(drawn := steps(draw)), "threshold": drawn["q"].max() * number(draw, "1/16", "5/4")},
    lhs=_fixed_less_start,
    rhs=along(lambda out: out.masks.sum(axis=-1).cumsum()),
    note="csqs.fixed-optimal with the sets of C-SQS, whose mass csqs.average-dropped-sharp bounds. So on average no "
    "step size lets the adaptive threshold keep fewer tokens than the best fixed one, beyond a term of order 1/T and "
    "the (α − D/T)/β* of csqs.best-fixed-optimal: the ties that one threshold cannot share out.",
    broken=[swapped()],
)
