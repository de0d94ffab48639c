"""Total variation of softmax laws in plain NumPy and float64: slow, obvious, and the yardstick of the backends."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["softmax", "tv_from_logits"]

Floats = NDArray[np.float64]


def tv_from_logits(a: ArrayLike, b: ArrayLike) -> Floats:
    """Half the L1 distance of softmax(a) and softmax(b).

    >>> float(tv_from_logits([0.0, 0.0], [0.0, -np.inf]))
    0.5
    """
    return np.abs(softmax(a) - softmax(b)).sum(axis=-1) / 2


def softmax(z: ArrayLike) -> Floats:
    """Laws of logits (..., V), float64; NaN where a row has none.

    >>> softmax([0.0, 0.0]).tolist()
    [0.5, 0.5]
    """
    x = np.asarray(z, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # inf - inf: a row without a softmax becomes NaN
        e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
