"""`rdk.softmax-jacobian-norms`: own statement, behind RDK Theorem 5.2."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, bound, law, norm1
from simspec.claims.rdk.softmax import jacobian, some_direction


def _slope(p: Array, delta: Array) -> Any:
    """‖J δ‖₁."""
    return norm1((jacobian(p) * delta[..., None, :]).sum(axis=-1))


def _columns(p: Array, delta: Array) -> Any:
    """Σ_j 2 p_j (1 − p_j) |δ_j|."""
    return (2 * p * (1 - p) * abs(delta)).sum(axis=-1)


SOFTMAX_JACOBIAN_NORMS = bound(
    name="rdk.softmax-jacobian-norms",
    statement=r"$\lVert J\delta\rVert_1 \le \sum_j 2 p_j (1 - p_j) |\delta_j| \le \tfrac12 \lVert\delta\rVert_1$, and "
    r"$\lVert J\delta\rVert_1 \le \lVert\delta\rVert_\infty$: the constants of rdk.softmax-lipschitz and "
    r"rdk.perturbed-target-corrected for small perturbations",
    reference="own statement, behind RDK Theorem 5.2",
    instances=some_direction,
    lhs=lambda p, delta: np.stack([n := _slope(p, delta), _columns(p, delta), n]),
    rhs=lambda p, delta: np.stack([_columns(p, delta), norm1(delta) / 2, abs(delta).max(axis=-1)]),
    tight=(
        {"p": law("1/2", "1/2"), "delta": law(1, 0)},
        {"p": law("1/2", "1/2"), "delta": law(1, -1)},
        {"p": law("1/3", "2/3"), "delta": law(1, 0)},
    ),
    note="(Jδ)_i = p_i (δ_i − δ̄) with δ̄ = Σ p_j δ_j. The second bound is a mean absolute deviation.",
)
