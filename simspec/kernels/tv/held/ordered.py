"""Total variation in NumPy with the operations of the CUDA kernels in their order: what these return, bit for bit.

Slow: for tests, and to read what the kernels do without CUDA.  `simspec.kernels.tv.reference` is the obvious formula.

A row is padded with minus infinity to steps of 2048 tokens; token x belongs to lane x mod 256, which has eight tokens of a
step.  Their exponentials below the lane's largest logit so far are added by halves, in the type of the logits; all else is
float64.  The steps of a lane are added in turn, rescaled where a step has a larger logit, and lanes by halves.  The
differences of the two laws are added by halves within a step, then from the last step to the first, then lanes by halves.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["exponential", "fused", "tv_from_logits"]

LANES = 256
STEP = 8
Array = NDArray[Any]


def tv_from_logits(a: Array, b: Array) -> NDArray[np.float64]:
    """Half the L1 distance of softmax(a) and softmax(b), two arrays (rows, V) of one type: float16, float32 or float64.

    NaN where a row has no softmax.

    >>> a = np.zeros((1, 600), np.float32)
    >>> b = np.where(np.arange(600) < 300, a, -np.float32(np.inf))
    >>> round(float(tv_from_logits(a, b)[0]), 12)
    0.5
    """
    with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
        laws = []
        for logits in (a, b):
            z = _steps(logits)
            top, sum_of_lanes = _masses(z)
            laws.append((z, top[:, None, None, None], 1 / _halved(sum_of_lanes)[:, None, None, None]))
        terms = [exponential(z - top).astype(np.float64) * weight for z, top, weight in laws]
        steps = _halved(np.abs(terms[0] - terms[1]).swapaxes(2, 3))
        distance = np.zeros((len(a), LANES))
        for step in steps.swapaxes(0, 1)[::-1]:
            distance += step
        return _halved(distance) / 2


def _steps(logits: Array) -> Array:
    """Padded, (rows, steps, STEP, LANES); half precision widens to float32."""
    rows, vocab = logits.shape
    real = np.float64 if logits.dtype == np.float64 else np.float32
    steps = -(-vocab // (STEP * LANES))
    padded = np.full((rows, steps * STEP * LANES), -np.inf, real)
    padded[:, :vocab] = logits
    return padded.reshape(rows, steps, STEP, LANES)


def _masses(z: Array) -> tuple[Array, Array]:
    """The largest logit of each row, and the sums of the exponentials below it, (rows, LANES)."""
    top = np.full((len(z), LANES), -np.inf, z.dtype)
    total = np.zeros((len(z), LANES))
    for step in z.swapaxes(0, 1):
        raised = np.fmax(top, np.fmax.reduce(step, axis=1))
        is_raised = raised > top
        total[is_raised] *= exponential(np.subtract(top, raised, dtype=np.float64)[is_raised])
        top = raised
        sums = _halved(exponential(step - top[:, None]).swapaxes(1, 2)).astype(np.float64)
        total += np.where(top == -np.inf, 0, sums)
    row_top = np.fmax.reduce(top, axis=-1)
    return row_top, total * exponential(np.subtract(top, row_top[:, None], dtype=np.float64))


def _halved(x: Array) -> Array:
    """The sum over the last axis, whose length is a power of two: the second half is added to the first until one is left."""
    while x.shape[-1] > 1:
        half = x.shape[-1] // 2
        x = x[..., :half] + x[..., half:]
    return x[..., 0]


def exponential(t: Array) -> Array:
    """Of numbers that are not positive, float32 or float64, as `cuda/real.h` computes it.

    >>> exponential(np.array([0, -np.inf], np.float32)).tolist()
    [1.0, 0.0]
    """
    with np.errstate(invalid="ignore", over="ignore"):
        return _single_exponential(t) if t.dtype == np.float32 else _double_exponential(t)


def _single_exponential(t: Array) -> Array:
    real = np.float32
    rounded = fused(t, real(1.44269504), real(12582912))
    k = rounded - real(12582912)
    r = fused(k, real(-1.42860682e-6), fused(k, real(-0.693145751953125), t))
    s = fused(r, fused(r, real(0.0013933686), real(0.0083691841)), real(0.041666463))
    for coefficient in (0.16666505, 0.5, 1.0, 1.0):
        s = fused(r, s, real(coefficient))
    power = ((rounded.view(np.uint32) << 23) + np.uint32(0x3F800000)).view(real)
    return np.where(t < real(-80), real(0), s * power)


def _double_exponential(t: Array) -> Array:
    rounded = t * 1.4426950408889634 + 1.5 * 2.0**52
    k = rounded - 1.5 * 2.0**52
    r = (t - k * 0.6931471803691238) - k * 1.9082149292705877e-10
    s = 1 / 3628800 + r * (1 / 39916800 + r * (1 / 479001600 + r * (1 / 6227020800)))
    for divisor in (362880, 40320, 5040, 720, 120, 24, 6, 2, 1, 1):
        s = 1 / divisor + r * s
    power = ((rounded.view(np.uint64) << np.uint64(52)) + np.uint64(0x3FF << 52)).view(np.float64)
    return np.where(t < -700, 0.0, s * power)


def fused(x: Array, y: ArrayLike, z: ArrayLike) -> Array:
    """x y + z in float32, rounded once.

    The product is exact in float64.  The sum is rounded there to the neighbour whose last bit is 1 where it is not exact, so
    that rounding it again to float32 cannot meet a tie that is none.

    >>> float(fused(np.float32(1 + 2**-12), np.float32(1 + 2**-12), np.float32(-1))) == 2**-11 + 2**-24
    True
    """
    product = np.multiply(x, y, dtype=np.float64)
    addend = np.asarray(z, np.float64)
    total = product + addend
    back = total - product
    error = (product - (total - back)) + (addend - back)  # of the sum, exactly
    even = (total.view(np.uint64) & np.uint64(1)) == 0
    inexact = np.isfinite(total) & (error != 0) & even
    return np.where(inexact, np.nextafter(total, np.where(error > 0, np.inf, -np.inf)), total).astype(np.float32)
