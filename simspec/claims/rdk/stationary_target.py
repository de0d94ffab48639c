"""`rdk.stationary-target`: own statement: the only target of rdk.any-drafter-corrected."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, close, identity, law, matrix
from simspec.claims.rdk.parts import drift, normal_rows, weights

SYMMETRIC = "W = exp(Ω/τ) is symmetric"


def _spread(W: Array, p: Array) -> Any:
    """½ Σ W_ij (p_i/s_i − p_j/s_j)² with the row sums s of W."""
    f = p / W.sum(axis=-1)
    return (W * (f[..., :, None] - f[..., None, :]) ** 2).sum(axis=(-2, -1)) / 2


def _work(W: Array, p: Array) -> Any:
    """Σ_j (p_j/s_j) (p_j − (Mᵀp)_j) with M the rows of W, normalised."""
    return (p / W.sum(axis=-1) * (p - p @ normal_rows(W))).sum(axis=-1)


def _drift_of_row_sums(W: Array, p: Array) -> Any:
    sums = W.sum(axis=-1)
    return drift(normal_rows(W), sums / sums.sum()) + 0 * p.sum(axis=-1)


STATIONARY_TARGET = identity(
    name="rdk.stationary-target",
    statement=r"For $M$ of Eq. 2, with $W = e^{\Omega/\tau}$ and row sums $s_i = \sum_k W_{ik}$: every law has "
    r"$\tfrac12 \sum_{ij} W_{ij} (p_i/s_i - p_j/s_j)^2 = \sum_j (p_j/s_j) (p_j - (M^\top p)_j)$, and $p \propto s$ has "
    r"$M^\top p = p$. So that is the one target with which RDK loses to TLI with no draft",
    reference="own statement: the only target of rdk.any-drafter-corrected",
    instances=lambda draw: {"W": weights(draw, n := draw.vocab(matrix=True)), "p": draw.law(n)},
    assumes={SYMMETRIC: lambda W: close(W, W.T)},
    lhs=lambda W, p: np.stack([_spread(W, p), _drift_of_row_sums(W, p)]),
    rhs=lambda W, p: np.stack([_work(W, p), 0 * p.sum(axis=-1)]),
    outside={SYMMETRIC: {"W": matrix("1 2", "1 1"), "p": law("1/2", "1/2")}},
    note="The Dirichlet form of a reversible chain. If Mᵀp = p, the right side is zero, and as W is positive, p_i/s_i is the "
    "same for all tokens.",
)
