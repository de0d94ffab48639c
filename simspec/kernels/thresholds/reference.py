r"""What the path kernels mean, in plain NumPy: a threshold moved after every token by the mass it dropped.

One step, for a law q and a threshold β (SQS, Eqs. 6 and 8): kept are the tokens with :math:`q_x \ge \beta`, the dropped
mass is :math:`d = \sum_{q_x < \beta} q_x`, and the next threshold :math:`\beta - \eta(d - \alpha)`.  Where nothing is
kept, either the most likely token is (`keep_top`: of equal ones the first) or nothing is, and d is the whole sum.

All in float64, with `+ - * /`, comparisons and bit casts only and sums in one stated order (`lane_sum`), so a compiled
backend that forms no fused multiply-add gives the same bits, hence the same paths, decision by decision.  Not here: checks
and the choice of implementation (`simspec.kernels.thresholds`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels import random as philox
from simspec.kernels.random.core import from_bits, to_bits

__all__ = ["Paths", "Rows", "Rule", "empty", "exp", "lane_sum", "logits", "softmax", "synthetic_paths"]

Array = NDArray[Any]
LANES = 64
"""Partial sums of `lane_sum`."""
LEAST = np.float64(-708)
"""`exp` of anything smaller is exp(-708) = 3.3e-308."""

# high part: 32 bits
_LN2_HIGH = np.float64(0.6931471803691238)
_LN2_LOW = np.float64(1.9082149292705877e-10)
_LOG2E = np.float64(1 / math.log(2))
_ROUNDER = np.float64(1.5 * 2.0**52)
_ONE_BITS = np.float64(1).view(np.int64)
_52 = np.int64(52)


class Paths(NamedTuple):
    """Paths of S texts: `thresholds` (S, T + 1), `dropped` mass (S, T), `kept` number (S, T)."""

    thresholds: NDArray[np.float64]
    dropped: NDArray[np.float64]
    kept: NDArray[np.int32]


class Rule(NamedTuple):
    """How thresholds move, as `simspec.kernels.thresholds.synthetic_paths` says."""

    threshold: Any
    step_size: float
    dropped_target: float
    keep_top: bool = True


class Rows(NamedTuple):
    """Synthetic logits: location + scale * (Student-t with `df`, infinity: normal); token n of text s reads row
    ``first_row + s * stride + n`` of `key` and `purpose`; `location` and `scale` (V,)."""

    key: int
    df: float
    location: NDArray[np.float64]
    scale: NDArray[np.float64]
    first_row: int
    stride: int
    purpose: int


def exp(x):
    """exp(x) for x <= 0 within 2 units in the last place, by Taylor: x = k ln 2 + r, |r| <= ln(2)/2; exp(0) = 1.

    >>> bool((abs(exp(np.linspace(-700, 0, 999)) / np.exp(np.linspace(-700, 0, 999)) - 1) < 2**-50).all())
    True
    """
    x = np.maximum(x, LEAST)
    t = x * _LOG2E + _ROUNDER
    k = t - _ROUNDER
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    s = r * r
    f = s * s  # by halves, not Horner: a shorter chain of dependent operations
    low = (1 / 2 + r * (1 / 6)) + s * (1 / 24 + r * (1 / 120))
    middle = (1 / 720 + r * (1 / 5040)) + s * (1 / 40320 + r * (1 / 362880))
    high = (1 / 3628800 + r * (1 / 39916800)) + s * (1 / 479001600 + r * (1 / 6227020800))
    series = 1.0 + (r + s * (low + f * (middle + f * high)))
    return series * from_bits((to_bits(t) << _52) + _ONE_BITS)


def lane_sum(x: Array) -> Array:
    """Sum over the last axis: 64 lanes, lane j adding x[j], x[j + 64], ... in turn; then the lanes by halves.

    The relative error on numbers that are not negative is at most 2^-53 (V / 64 + 6).

    >>> float(lane_sum(np.arange(1000.0)))
    499500.0
    """
    lanes = np.zeros((*x.shape[:-1], LANES))
    for start in range(0, x.shape[-1], LANES):
        block = x[..., start : start + LANES]
        lanes[..., : block.shape[-1]] += block
    while lanes.shape[-1] > 1:
        half = lanes.shape[-1] // 2
        lanes = lanes[..., :half] + lanes[..., half:]
    return lanes[..., 0]


def softmax(z: Array) -> Array:
    """Laws of finite logits, float64.

    >>> softmax(np.zeros((1, 4))).tolist()
    [[0.25, 0.25, 0.25, 0.25]]
    """
    e = exp(z - z.max(axis=-1, keepdims=True))
    return e / lane_sum(e)[..., None]


def logits(rows: Rows, numbers: Array) -> Array:
    """Logits (S, V) of the rows with these numbers, as `simspec.logits.student_t` makes them.

    >>> logits(Rows(0, math.inf, np.ones(3), np.zeros(3), 0, 1, 0), np.arange(2)).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    z = philox.student_t(rows.key, numbers, range(len(rows.location)), rows.purpose, df=rows.df)
    return z * rows.scale + rows.location


def synthetic_paths(
    rows: Rows, threshold: Array, length: int, step_size: float, dropped_target: float, keep_top: bool = True
) -> Paths:
    """Paths over T = `length` synthetic laws for each of the thresholds (S,).

    >>> flat = Rows(0, math.inf, np.zeros(4), np.zeros(4), 0, 3, 0)  # every law is uniform
    >>> synthetic_paths(flat, np.array([0.5]), 3, 0.5, 0.25, keep_top=False).thresholds.tolist()
    [[0.5, 0.125, 0.25, 0.375]]
    """
    texts = np.uint64(rows.first_row) + np.arange(len(threshold), dtype=np.uint64) * np.uint64(rows.stride)
    out = empty(threshold, length)
    for n in range(length):
        q = softmax(logits(rows, texts + np.uint64(n)))
        edge = out.thresholds[:, n]
        mask = q >= edge[:, None]
        none = np.flatnonzero(~mask.any(axis=1))
        if keep_top:
            mask[none, q[none].argmax(axis=1)] = True
        out.kept[:, n] = mask.sum(axis=1)
        out.dropped[:, n] = lane_sum(np.where(mask, 0.0, q))
        out.thresholds[:, n + 1] = edge - step_size * (out.dropped[:, n] - dropped_target)
    return out


def empty(threshold: Array, length: int) -> Paths:
    """Paths of T = `length` laws yet to be filled in, from the thresholds (S,).

    >>> empty(np.zeros(2), 3).kept.shape
    (2, 3)
    """
    shape = len(threshold), length
    thresholds = np.empty((shape[0], length + 1))
    thresholds[:, 0] = threshold
    return Paths(thresholds, np.empty(shape), np.empty(shape, np.int32))
