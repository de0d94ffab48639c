"""Pieces of `simspec.kernels.synthetic.numba_synthetic`: exponentials of a chunk of 1024 logits, and the running shift and sums.

A chunk is added in its own type as 256 lanes of four, halved to 16; these add up over chunks in float64.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import extending, types

from simspec.kernels.compiled import inner, inner_options
from simspec.kernels.tv.exponentials import _bits, _larger
from simspec.kernels.tv.numba_tv import _add

__all__ = ["CHUNK"]

CHUNK = 1024


def _make_exp(real: Any, integer: Any, degree: int, mantissa: int, bias: int, cut: int) -> Callable[..., Any]:
    """exp(t) for t <= 0: t = n log 2 + r, a Taylor polynomial in r, and n added to the exponent; exp(0) = 1 exactly.

    Adding 1.5 * 2^mantissa rounds to an integer, which then stands in the low bits.
    """
    log2e, log2, magic, lowest, zero = (real(x) for x in (1 / math.log(2), math.log(2), 1.5 * 2**mantissa, cut, 0))
    unit = integer(bias)
    places = integer(mantissa)
    nil = integer(0)
    highest, *others = (real(1 / math.factorial(k)) for k in range(degree, -1, -1))
    coefficients = tuple(others)

    @inner(fastmath={"contract"})
    def exp(t):
        rounded = t * log2e + magic
        r = t - (rounded - magic) * log2
        series = highest
        for c in coefficients:
            series = series * r + c
        power = _bits(integer((_bits(rounded, nil) + unit) << places), zero)
        return zero if t < lowest else series * power

    return exp


_EXP = {
    types.float32: _make_exp(np.float32, np.int32, 7, 23, 127, -64),
    types.float64: _make_exp(np.float64, np.int64, 13, 52, 1023, -700),
}


def _exp(t):
    raise NotImplementedError("compiled code only")


@extending.overload(_exp, jit_options=inner_options())
def _exp_of_type(t):
    exp = _EXP[t]
    return lambda t: exp(t)


@inner
def _maximum(x, lanes):
    for j in range(256):
        lanes[j] = _larger(_larger(x[j], x[j + 256]), _larger(x[j + 512], x[j + 768]))
    for j in range(128):
        lanes[j] = _larger(lanes[j], lanes[j + 128])
    for j in range(64):
        lanes[j] = _larger(lanes[j], lanes[j + 64])
    for j in range(32):
        lanes[j] = _larger(lanes[j], lanes[j + 32])
    m = lanes[0]
    for j in range(1, 32):
        m = _larger(lanes[j], m)
    return m


@inner
def _exponentials(x, m, e, lanes):
    """e = exp(x - m) and its 256 lane sums."""
    shift = m if m > -np.inf else x.dtype.type(0)  # all minus infinity so far
    for j in range(256):
        e0 = _exp(x[j] - shift)
        e1 = _exp(x[j + 256] - shift)
        e2 = _exp(x[j + 512] - shift)
        e3 = _exp(x[j + 768] - shift)
        e[j] = e0
        e[j + 256] = e1
        e[j + 512] = e2
        e[j + 768] = e3
        lanes[j] = (e0 + e1) + (e2 + e3)


@inner
def _take(x, m, sums, e, lanes):
    """Take the chunk x into the running shift and the sums; return the new shift."""
    top = _maximum(x, lanes)
    if top > m:
        scale = math.exp(m - top)
        for j in range(16):
            sums[j] *= scale
        m = top
    _exponentials(x, m, e, lanes)
    _add(lanes, sums)
    return m
