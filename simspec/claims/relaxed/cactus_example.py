"""The numbers of the example of Cactus fit together.

`relaxed.cactus-example`: README of Cactus.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, F, bound, broken
from simspec.claims.balls import enclose
from simspec.claims.relaxed.parts import xlogx

P = F(35, 100)
RAISED = F(66, 100)
Q = F(804, 1000)


def _misses(q: F) -> Array:
    """How far two acceptances and the divergence are from what is printed."""
    kl = xlogx(RAISED, P) + xlogx(1 - RAISED, 1 - P)
    return abs(
        np.array([enclose(P / q - F(44, 100)), enclose(RAISED / q - F(82, 100)), kl - enclose(F(1, 5))], dtype=object)
    )


CACTUS_EXAMPLE = bound(
    name="relaxed.cactus-example",
    statement=r"$p(x) = .35$ raised to $.66$: acceptance $.44 \to .82$ for one $q(x)$, at $\mathrm{KL}(H_x \Vert p) = "
    r"0.20$ nats, each up to half a unit of the last digit: with $q(x) = .804$",
    reference="Hao and Mou 2026 (Cactus), README of the repository",
    instances=lambda draw: {"q": Q},
    lhs=_misses,
    rhs=lambda: enclose(np.array([F(1, 200)] * 3, dtype=object)),
    sources=("exact",),
    note="Any q(x) from .8000 to .8045 does.",
    broken=[broken("another mass of the example", instances=lambda draw: {"q": F(9, 10)})],
)
