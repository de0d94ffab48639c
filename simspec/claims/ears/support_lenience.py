"""`ears.support-lenience`: own statement, in place of EARS, Mechanism 2."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, identity
from simspec.claims.ears.parts import some_step
from simspec.methods import bias, lenience, support_violation

SUPPORT_LENIENCE = identity(
    name="ears.support-lenience",
    statement=r"Multiplicative tolerance has no such tokens: lenience, keep $\min(q, p/\ell)$, with the residual, "
    r"emits no token with $p_x = 0$, and its TV to $p$ is as well exactly the acceptance it gains",
    reference="own statement, in place of EARS, Mechanism 2",
    instances=lambda draw: {**some_step(draw), "factor": draw.number(F(1, 8) if draw.exact else 0.125, 1)},
    lhs=lambda p, q, factor: np.stack([support_violation(lenience(factor), p, q), bias(lenience(factor), p, q)]),
    rhs=lambda p, q, factor: np.stack(
        [0 * p.max(axis=-1), np.minimum(np.maximum(q - p, 0), p * (1 / factor - 1)).sum(axis=-1)]
    ),
    note="p/ℓ = 0 where p = 0, and the residual lives where p > q. At equal TV both rules accept equally often "
    "(ears.best-tradeoff.attained): lenience spends the same bias on tokens that the target does write.",
)
