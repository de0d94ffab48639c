"""Mass moved along a softmax affinity in plain NumPy and float64, by forming the whole matrix."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels.tv.reference import softmax

__all__ = ["affinity_apply"]


def affinity_apply(
    v: ArrayLike, U: ArrayLike, lam: ArrayLike, diag: ArrayLike, temperature: float
) -> NDArray[np.float64]:
    """M^T v for M = softmax((U diag(lam) U^T + diag(diag)) / temperature), by forming M.

    >>> affinity_apply([1.0, 1.0], np.zeros((2, 1)), [0.0], [0.0, 0.0], 1.0).tolist()
    [1.0, 1.0]
    """
    factors = np.asarray(U, dtype=np.float64)
    omega = (factors * np.asarray(lam, dtype=np.float64)) @ factors.T
    omega[np.diag_indices_from(omega)] += np.asarray(diag, dtype=np.float64)
    return np.asarray(v, dtype=np.float64) @ softmax(omega / temperature)
