"""`sqs.dense-closest`: own statement, beside SQS Theorem 1."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import bound
from simspec.claims.sqs.parts import flat, sent_law, some_kept
from simspec.laws.unchecked import tv
from simspec.methods.sqs.quantised import quantise

DENSE = bound(
    name="sqs.dense-closest",
    statement=r"At one resolution sparsifying never brings the drafted law closer: $\mathrm{TV}(q, Q_\ell(q)) \le "
    r"\mathrm{TV}(q, Q_\ell(\tilde q))$ for every $X$",
    reference="own statement, beside SQS Theorem 1",
    instances=some_kept,
    lhs=lambda q, kept, resolution: tv(q, quantise(q, resolution) / resolution),
    rhs=lambda q, kept, resolution: tv(q, sent_law(q, kept, resolution)),
    tight=({"q": flat(2), "kept": np.array([True, False]), "resolution": 1},),
    note="Q(q̃) is itself a lattice point over the whole vocabulary, and Q(q) is the nearest one (sqs.lattice-optimal). The "
    "term K/(4ℓ) suggests a trade-off in K that the distance to q does not have: what sparsifying buys is bits. (The distance "
    "to p can go either way.)",
)
