"""`relaxed.ensemble-law`: 2604.07622."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import identity
from simspec.claims.relaxed.parts import pair
from simspec.laws import tv
from simspec.methods import acceptance_rate, output_law
from simspec.methods.relaxed import ensemble

ENSEMBLE_LAW = identity(
    name="relaxed.ensemble-law",
    statement=r"A static ensemble emits $w p + (1 - w) q$ and accepts with probability $1 - w\,\mathrm{TV}(p, q)$",
    reference="Wang et al. 2026 (arXiv 2604.07622)",
    instances=lambda draw: {**pair(draw), "w": draw.number(0, 1)},
    lhs=lambda p, q, w: np.append(output_law(ensemble(w), p, q), acceptance_rate(ensemble(w), p, q)),
    rhs=lambda p, q, w: np.append(w * p + (1 - w) * q, 1 - w * tv(p, q)),
    sources=("exact", "float"),
)
