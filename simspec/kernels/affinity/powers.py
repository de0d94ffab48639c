"""Pieces of `simspec.kernels.affinity.numba_affinity`: powers of two, four in step, and the exponents of four rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numba import extending, types

from simspec.kernels.compiled import inner, inner_options
from simspec.kernels.tv.exponentials import _bits, _contracted, _power_series

__all__ = ["CHUNK", "LANES"]

CHUNK = 512
LANES = CHUNK // 4


def _make_powers(real: Any, integer: Any, degree: int, mantissa: int) -> Callable[..., Any]:
    """2**x of four numbers in step, so that four chains of operations are under way: a third faster than in turn.

    The relative error of `_power_series` is below 2 u, and with rounding below 4 u.  Adding 1.5 * 2^mantissa rounds to an
    integer, which then stands in the low bits.  There is no guard: x must lie between the exponents of the type's normal
    numbers.
    """
    highest, *others = (real(c) for c in _power_series(degree))
    coefficients = tuple(others)
    magic = real(1.5 * 2**mantissa)
    zero = real(0)
    places = integer(mantissa)
    nil = integer(0)

    @_contracted
    def join(series, rounded):
        return _bits(integer(_bits(series, nil) + integer(_bits(rounded, nil) << places)), zero)

    @_contracted
    def powers(x0, x1, x2, x3):
        """2**x of four vectors at once, as the mantissa polynomial and the exponent, so that their chains overlap."""
        n0 = x0 + magic
        n1 = x1 + magic
        n2 = x2 + magic
        n3 = x3 + magic
        f0 = x0 - (n0 - magic)
        f1 = x1 - (n1 - magic)
        f2 = x2 - (n2 - magic)
        f3 = x3 - (n3 - magic)
        s0 = s1 = s2 = s3 = highest
        for c in coefficients:
            s0 = s0 * f0 + c
            s1 = s1 * f1 + c
            s2 = s2 * f2 + c
            s3 = s3 * f3 + c
        return join(s0, n0), join(s1, n1), join(s2, n2), join(s3, n3)

    return powers


_POWERS = {
    types.float32: _make_powers(np.float32, np.int32, 5, 23),
    types.float64: _make_powers(np.float64, np.int64, 11, 52),
}


def _powers(x0, x1, x2, x3):
    raise NotImplementedError("compiled code only")


@extending.overload(_powers, jit_options=inner_options(forceinline=True))
def _powers_of_type(x0, x1, x2, x3):
    powers = _POWERS[x0]
    return lambda x0, x1, x2, x3: powers(x0, x1, x2, x3)


@inner
def _scratch(rows, lanes, dtype):
    """Four rows of a chunk to work on, and `lanes` lanes for each of `rows`: one block that starts at a cache line."""
    block = np.empty(4 * CHUNK + rows * lanes + 64, dtype)
    block = block[(-block.ctypes.data % 64) // block.itemsize :]
    return block[: 4 * CHUNK], block[4 * CHUNK : 4 * CHUNK + rows * lanes]


@inner
def _void(shift, like):
    """What stands for no exponent at all: one whose power is next to nothing, before or after the shift."""
    return like.dtype.type(-np.inf) if len(shift) else _least(like)


@inner
def _least(like):
    return like.dtype.type(-120 if like.itemsize == 4 else -1000)


@inner(fastmath={"contract"})
def _exponents(row_factors, columns, support, i, start, vocab, shift, void, x):
    """Rows kept[i : i + 4] of the exponents less their shift (none where it is empty), `void` at their own column and past
    the last."""
    for r in range(0, row_factors.shape[1], 4):
        a0 = row_factors[i, r]
        a1 = row_factors[i + 1, r]
        a2 = row_factors[i + 2, r]
        a3 = row_factors[i + 3, r]
        b0 = row_factors[i, r + 1]
        b1 = row_factors[i + 1, r + 1]
        b2 = row_factors[i + 2, r + 1]
        b3 = row_factors[i + 3, r + 1]
        c0 = row_factors[i, r + 2]
        c1 = row_factors[i + 1, r + 2]
        c2 = row_factors[i + 2, r + 2]
        c3 = row_factors[i + 3, r + 2]
        d0 = row_factors[i, r + 3]
        d1 = row_factors[i + 1, r + 3]
        d2 = row_factors[i + 2, r + 3]
        d3 = row_factors[i + 3, r + 3]
        four = columns[r * CHUNK : (r + 4) * CHUNK]
        if r == 0:
            for j in range(CHUNK):
                u = four[j]
                y0 = a0 * u
                y1 = a1 * u
                y2 = a2 * u
                y3 = a3 * u
                u = four[j + CHUNK]
                y0 = y0 + b0 * u
                y1 = y1 + b1 * u
                y2 = y2 + b2 * u
                y3 = y3 + b3 * u
                u = four[j + 2 * CHUNK]
                y0 = y0 + c0 * u
                y1 = y1 + c1 * u
                y2 = y2 + c2 * u
                y3 = y3 + c3 * u
                u = four[j + 3 * CHUNK]
                x[j], x[j + CHUNK] = y0 + d0 * u, y1 + d1 * u
                x[j + 2 * CHUNK], x[j + 3 * CHUNK] = y2 + d2 * u, y3 + d3 * u
        else:
            for j in range(CHUNK):
                u = four[j]
                y0 = x[j] + a0 * u
                y1 = x[j + CHUNK] + a1 * u
                y2 = x[j + 2 * CHUNK] + a2 * u
                y3 = x[j + 3 * CHUNK] + a3 * u
                u = four[j + CHUNK]
                y0 = y0 + b0 * u
                y1 = y1 + b1 * u
                y2 = y2 + b2 * u
                y3 = y3 + b3 * u
                u = four[j + 2 * CHUNK]
                y0 = y0 + c0 * u
                y1 = y1 + c1 * u
                y2 = y2 + c2 * u
                y3 = y3 + c3 * u
                u = four[j + 3 * CHUNK]
                x[j], x[j + CHUNK] = y0 + d0 * u, y1 + d1 * u
                x[j + 2 * CHUNK], x[j + 3 * CHUNK] = y2 + d2 * u, y3 + d3 * u
    if start + CHUNK > vocab:
        for k in range(CHUNK, 5 * CHUNK, CHUNK):
            x[k - CHUNK + vocab - start : k] = void
    _at_own(support, i, start, x, void)
    if len(shift):
        lowest_exponent = _least(x)
        for k in range(4):
            row_shift = shift[i + k]
            for j in range(k * CHUNK, k * CHUNK + CHUNK):
                x[j] = max(x[j] - row_shift, lowest_exponent)


@inner
def _at_own(support, i, start, x, value):
    """Put a value where a row meets its own column."""
    for k in range(4):
        if start <= support[i + k] < start + CHUNK:
            x[k * CHUNK + support[i + k] - start] = value


@inner
def _add_powers(x, lanes):
    """Add the powers of four rows to 128 lanes of each."""
    for j in range(LANES):
        for k in (0, 1, 2, 3):
            at = j + k * CHUNK
            to = j + k * LANES
            e0, e1, e2, e3 = _powers(x[at], x[at + LANES], x[at + 2 * LANES], x[at + 3 * LANES])
            lanes[to] += (e0 + e1) + (e2 + e3)


@inner
def _empty_into(lanes, sums):
    """Halve the lanes to 16, add these to the float64 sums and begin again at 0."""
    for half in (64, 32, 16):
        for j in range(half):
            lanes[j] += lanes[j + half]
    for j in range(16):
        sums[j] += lanes[j]
    lanes[:] = 0
