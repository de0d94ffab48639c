"""`sqs.total-distortion`, with its sharper form: SQS, A.2, last line."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import bound
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import every_subset, flat, sent_law, sizes, some_kept, worst_rounding
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import dropped_mass

TOTAL = bound(
    name="sqs.total-distortion",
    statement=r"$\mathrm{TV}(q, \hat q) \le \sum_{x \notin X} q(x) + K/(4\ell)$",
    reference="SQS, A.2, last line",
    instances=some_kept,
    lhs=lambda q, kept, resolution: tv(q, sent_law(q, kept, resolution)),
    rhs=lambda q, kept, resolution: dropped_mass(q, kept) + sizes(kept, q) / (4 * resolution),
    tight=({"q": flat(2), "kept": every_subset(2), "resolution": 1},),
    corrected_by=("sqs.total-distortion-sharp",),
    note="The triangle inequality with sqs.dropped-mass and sqs.lattice.",
    printed=Printed(
        place="SQS A.2, last line",
        text="can be upper bound by …",
        read="Dropped mass and lattice error together.",
        restored=r"the two laws: $q$ and $\hat q$",
    ),
)

TOTAL_SHARP = bound(
    name="sqs.total-distortion-sharp",
    statement=r"With $\delta = \sum_{x \notin X} q(x)$: $\delta \le \mathrm{TV}(q, \hat q) \le \delta + (1 - \delta) "
    r"\frac{m (K - m)}{K \ell}$, $m = \min(\ell, \lfloor K/2 \rfloor)$",
    reference="own statement, sharpening SQS A.2, last line",
    instances=some_kept,
    lhs=lambda q, kept, resolution: np.stack([dropped_mass(q, kept), tv(q, sent_law(q, kept, resolution))]),
    rhs=lambda q, kept, resolution: np.stack(
        [
            tv(q, sent_law(q, kept, resolution)),
            dropped_mass(q, kept) + (1 - dropped_mass(q, kept)) * worst_rounding(sizes(kept, q), resolution),
        ]
    ),
    tight=({"q": flat(3), "kept": np.array([True, True, False]), "resolution": 1},),
    note="TV(q, q̂) = δ + Σ_X (q − q̂)₊, and on X q = (1 − δ)q̃, so (q − q̂)₊ ≤ (1 − δ)(q̃ − q̂)₊: rounding costs less the "
    "more is dropped. Equality where tokens that are rounded down are rounded to zero.",
)
