"""`folk.lean-residual`, with its correction: a public Lean file."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import identity, law
from simspec.claims.folk.parts import pair

LEAN_RESIDUAL = identity(
    name="folk.lean-residual",
    statement=r"$\min(p, q)(x) + (1 - \alpha)\,(p(x) - q(x))_+ = p(x)$ for all $x$",
    reference="a public Lean file (2026), speculative_distribution_invariant",
    instances=pair,
    lhs=lambda p, q: np.minimum(p, q) + (1 - np.minimum(p, q).sum(axis=-1, keepdims=True)) * np.maximum(p - q, 0),
    rhs=lambda p: p,
    corrected_by=("folk.lean-residual-corrected",),
    within=({"p": law("1/3", "2/3"), "q": law("1/2", "1/2")},),
    note="The residual has to be normalised, and its sum is 1 − α: the factor and the sum cancel.",
)

LEAN_RESIDUAL_CORRECTED = identity(
    name="folk.lean-residual-corrected",
    statement=r"$\min(p, q)(x) + (1 - \alpha)\,\frac{(p(x) - q(x))_+}{\sum_y (p(y) - q(y))_+} = \min(p, q)(x) + (p(x) - "
    r"q(x))_+ = p(x)$",
    reference="correction of a public Lean file (2026), speculative_distribution_invariant",
    instances=pair,
    lhs=lambda p, q: np.minimum(p, q) + np.maximum(p - q, 0),
    rhs=lambda p: p,
    note="The middle form needs no division, and no case for p = q.",
)
