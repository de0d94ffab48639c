"""What each kernel means, in plain NumPy and float64: slow, obvious, and the yardstick of every compiled twin.

Not here: choosing an implementation and checking shapes (`simspec.kernels`), speed (`simspec.kernels.softmax.compiled`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["RowStats", "affinity_apply", "first_order", "row_stats", "tv_from_logits"]

Floats = NDArray[np.float64]


class RowStats(NamedTuple):
    """Statistics of rows of logits: arrays of the rows' leading shape, entropy in nats."""

    maximum: Floats
    logsumexp: Floats
    entropy: Floats


def row_stats(logits: ArrayLike) -> RowStats:
    """Maximum, log-sum-exp and entropy of softmax(logits) of each row.

    >>> [round(float(x), 6) for x in row_stats([1.0, 1.0])]
    [1.0, 1.693147, 0.693147]
    """
    z = np.asarray(logits, dtype=np.float64)
    m = z.max(axis=-1, keepdims=True)
    with np.errstate(invalid="ignore"):
        t = z - m
        total = np.exp(t).sum(axis=-1)
        log_total = np.log(total)
        mean = np.where(t == -np.inf, 0, np.exp(t) * t).sum(axis=-1) / total
        return RowStats(m[..., 0], m[..., 0] + log_total, log_total - mean)


def tv_from_logits(a: ArrayLike, b: ArrayLike) -> Floats:
    """Half the L1 distance of softmax(a) and softmax(b).

    >>> float(tv_from_logits([0.0, 0.0], [0.0, -np.inf]))
    0.5
    """
    return np.abs(_softmax(a) - _softmax(b)).sum(axis=-1) / 2


def affinity_apply(v: ArrayLike, U: ArrayLike, lam: ArrayLike, diag: ArrayLike, temperature: float) -> Floats:
    """M^T v for M = softmax((U diag(lam) U^T + diag(diag)) / temperature), by forming M.

    >>> affinity_apply([1.0, 1.0], np.zeros((2, 1)), [0.0], [0.0, 0.0], 1.0).tolist()
    [1.0, 1.0]
    """
    left = np.asarray(U, dtype=np.float64)
    omega = (left * np.asarray(lam, dtype=np.float64)) @ left.T
    omega[np.diag_indices_from(omega)] += np.asarray(diag, dtype=np.float64)
    return np.asarray(v, dtype=np.float64) @ _softmax(omega / temperature)


def first_order(v: ArrayLike, U: ArrayLike, lam: ArrayLike, diag: ArrayLike, temperature: float) -> Floats:
    """The vector (1 + (u - mean u) / temperature) / V with u = (U diag(lam) U^T + diag(diag)) v.

    >>> first_order([1.0, 0.0], [[1.0], [0.0]], [1.0], [0.0, 0.0], 2.0).tolist()
    [0.625, 0.375]
    """
    w, left, scales, own = (np.asarray(x, dtype=np.float64) for x in (v, U, lam, diag))
    u = (w @ left * scales) @ left.T + w * own
    return (1 + (u - u.mean(axis=-1, keepdims=True)) / temperature) / u.shape[-1]


def _softmax(z: ArrayLike) -> Floats:
    x = np.asarray(z, dtype=np.float64)
    with np.errstate(invalid="ignore"):  # inf - inf: a row without a softmax becomes NaN
        e = np.exp(x - x.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)
