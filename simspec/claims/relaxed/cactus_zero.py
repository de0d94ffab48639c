"""`relaxed.cactus-zero`: README of Cactus."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, identity
from simspec.claims.relaxed.parts import pair
from simspec.methods import SD, Method, kept_mass, output_law
from simspec.methods.relaxed import cactus


def _both(method: Method, p: Array, q: Array) -> Array:
    """What is kept of each token, and the output law."""
    return np.concatenate([kept_mass(method, p, q), output_law(method, p, q)], axis=-1)


CACTUS_ZERO = identity(
    name="relaxed.cactus-zero",
    statement=r"$\delta = 0$ gives speculative decoding: it keeps $\min(p, q)$ and emits $p$",
    reference="Hao and Mou 2026 (Cactus), README of the repository",
    instances=pair,
    lhs=lambda p, q: _both(cactus(0), p, q),
    rhs=lambda p, q: _both(SD, p, q),
    sources=("exact", "float"),
)
