"""The compiled code of `simspec.kernels.softmax.compiled.affinity_apply` and `first_order`.

A row of the affinity is never stored: `normalise` adds its exponentials up, `move` forms them once more for a range of
columns and adds them, weighted, to the result.  Forming them twice costs less than moving them: 4 bytes each to memory
and back take longer than 8 multiply-adds and the 12 operations of a power of two.

The factors come in units of 2, so that an exponential is a power of two: to the nearest integer n in the exponent, a
polynomial in the rest f, |f| <= 1/2, in the mantissa.  Columns are read in chunks of 512, whose factors (16 KiB of
float32 at rank 8) stay in the level-1 cache while rows pass, four at a time, so that a factor is loaded once for four
rows.  No shift is needed while all exponents are far inside the range of the type; where they are not, `largest` finds
each row's own.

Order of summation: 128 lanes in the type of the factors, taken to 16 lanes of float64 every 8 chunks, and rows in their
turn in float64.  Nothing depends on the number of threads, nor on what other rows there are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numba import extending, types
from numpy.polynomial import chebyshev

from simspec.kernels.compiled import compiled, kernel
from simspec.kernels.softmax.loops import _bits, _total, njit

__all__ = ["BLOCK", "CHUNK", "ROWS", "TURN", "gather", "largest", "move", "normalise", "scale", "spread"]

BLOCK = 4096  # tokens that the first-order form adds one after the other
CHUNK = 512
ROWS = 64  # rows that share a pass over the columns
TURN = 8  # chunks that are added in the type of the factors
_LANES = CHUNK // 4
_summed = partial(compiled, nogil=True, error_model="numpy", fastmath={"contract"})
_contracted = njit(fastmath={"contract"}, forceinline=True)


def _make_powers(real: Any, integer: Any, degree: int, mantissa: int) -> Callable[..., Any]:
    """2**x of four numbers in step, so that four chains of operations are under way: a third faster than in turn.

    The polynomial is the Taylor series to degree d and, of the next terms, what interpolates them at Chebyshev nodes:
    relative error about 2 (ln 2 / 4)^(d + 1) / (d + 1)!, below 2 u, and with rounding below 4 u.  Adding 1.5 * 2^mantissa
    rounds to an integer, which then stands in the low bits.  There is no guard: x must lie between the exponents of the
    type's normal numbers.
    """
    series = [math.log(2) ** k / math.factorial(k) for k in range(degree + 9)]
    rest = np.polynomial.Polynomial([0.0] * (degree + 1) + series[degree + 1 :])
    interpolate: Callable[..., Any] = chebyshev.chebinterpolate
    near = chebyshev.cheb2poly(interpolate(lambda t: rest(t / 2), degree))
    highest, *others = (real(series[k] + near[k] * 2.0**k) for k in reversed(range(degree + 1)))
    coefficients = tuple(others)
    magic, zero, places, nil = real(1.5 * 2**mantissa), real(0), integer(mantissa), integer(0)

    @_contracted
    def join(series, rounded):
        return _bits(integer(_bits(series, nil) + integer(_bits(rounded, nil) << places)), zero)

    @_contracted
    def powers(x0, x1, x2, x3):
        n0, n1, n2, n3 = x0 + magic, x1 + magic, x2 + magic, x3 + magic
        f0, f1, f2, f3 = x0 - (n0 - magic), x1 - (n1 - magic), x2 - (n2 - magic), x3 - (n3 - magic)
        s0 = s1 = s2 = s3 = highest
        for c in coefficients:
            s0, s1, s2, s3 = s0 * f0 + c, s1 * f1 + c, s2 * f2 + c, s3 * f3 + c
        return join(s0, n0), join(s1, n1), join(s2, n2), join(s3, n3)

    return powers


_POWERS = {
    types.float32: _make_powers(np.float32, np.int32, 5, 23),
    types.float64: _make_powers(np.float64, np.int64, 11, 52),
}


def _powers(x0, x1, x2, x3):
    raise NotImplementedError("compiled code only")


@extending.overload(_powers)
def _powers_of_type(x0, x1, x2, x3):
    powers = _POWERS[x0]
    return lambda x0, x1, x2, x3: powers(x0, x1, x2, x3)


@njit
def _scratch(rows, lanes, dtype):
    """Four rows of a chunk to work on, and `lanes` lanes for each of `rows`: one block that starts at a cache line."""
    block = np.empty(4 * CHUNK + rows * lanes + 64, dtype)
    block = block[(-block.ctypes.data % 64) // block.itemsize :]
    return block[: 4 * CHUNK], block[4 * CHUNK : 4 * CHUNK + rows * lanes]


@njit
def _void(shift, like):
    """What stands for no exponent at all: one whose power is next to nothing, before or after the shift."""
    if shift is not None:
        return like.dtype.type(-np.inf)
    return _least(like)


@njit
def _least(like):
    return like.dtype.type(-120 if like.itemsize == 4 else -1000)


@njit(fastmath={"contract"})
def _exponents(left, columns, kept, i, start, vocab, shift, void, x):
    """Rows kept[i : i + 4] of the exponents less their shift, `void` at their own column and past the last."""
    for r in range(0, left.shape[1], 4):
        a0, a1, a2, a3 = left[i, r], left[i + 1, r], left[i + 2, r], left[i + 3, r]
        b0, b1, b2, b3 = left[i, r + 1], left[i + 1, r + 1], left[i + 2, r + 1], left[i + 3, r + 1]
        c0, c1, c2, c3 = left[i, r + 2], left[i + 1, r + 2], left[i + 2, r + 2], left[i + 3, r + 2]
        d0, d1, d2, d3 = left[i, r + 3], left[i + 1, r + 3], left[i + 2, r + 3], left[i + 3, r + 3]
        four = columns[r * CHUNK : (r + 4) * CHUNK]
        if r == 0:
            for j in range(CHUNK):
                u = four[j]
                y0, y1, y2, y3 = a0 * u, a1 * u, a2 * u, a3 * u
                u = four[j + CHUNK]
                y0, y1, y2, y3 = y0 + b0 * u, y1 + b1 * u, y2 + b2 * u, y3 + b3 * u
                u = four[j + 2 * CHUNK]
                y0, y1, y2, y3 = y0 + c0 * u, y1 + c1 * u, y2 + c2 * u, y3 + c3 * u
                u = four[j + 3 * CHUNK]
                x[j], x[j + CHUNK] = y0 + d0 * u, y1 + d1 * u
                x[j + 2 * CHUNK], x[j + 3 * CHUNK] = y2 + d2 * u, y3 + d3 * u
        else:
            for j in range(CHUNK):
                u = four[j]
                y0, y1 = x[j] + a0 * u, x[j + CHUNK] + a1 * u
                y2, y3 = x[j + 2 * CHUNK] + a2 * u, x[j + 3 * CHUNK] + a3 * u
                u = four[j + CHUNK]
                y0, y1, y2, y3 = y0 + b0 * u, y1 + b1 * u, y2 + b2 * u, y3 + b3 * u
                u = four[j + 2 * CHUNK]
                y0, y1, y2, y3 = y0 + c0 * u, y1 + c1 * u, y2 + c2 * u, y3 + c3 * u
                u = four[j + 3 * CHUNK]
                x[j], x[j + CHUNK] = y0 + d0 * u, y1 + d1 * u
                x[j + 2 * CHUNK], x[j + 3 * CHUNK] = y2 + d2 * u, y3 + d3 * u
    if start + CHUNK > vocab:
        for k in range(CHUNK, 5 * CHUNK, CHUNK):
            x[k - CHUNK + vocab - start : k] = void
    _at_own(kept, i, start, x, void)
    if shift is not None:
        least = _least(x)
        for k in range(4):
            own = shift[i + k]
            for j in range(k * CHUNK, k * CHUNK + CHUNK):
                x[j] = max(x[j] - own, least)


@njit
def _at_own(kept, i, start, x, value):
    """Put a value where a row meets its own column."""
    for k in range(4):
        if start <= kept[i + k] < start + CHUNK:
            x[k * CHUNK + kept[i + k] - start] = value


@njit
def _add_powers(x, lanes):
    """Add the powers of four rows to 128 lanes of each."""
    for j in range(_LANES):
        for k in (0, 1, 2, 3):
            at, to = j + k * CHUNK, j + k * _LANES
            e0, e1, e2, e3 = _powers(x[at], x[at + _LANES], x[at + 2 * _LANES], x[at + 3 * _LANES])
            lanes[to] += (e0 + e1) + (e2 + e3)


@njit
def _empty_into(lanes, sums):
    """Halve the lanes to 16, add these to the float64 sums and begin again at 0."""
    for half in (64, 32, 16):
        for j in range(half):
            lanes[j] += lanes[j + half]
    for j in range(16):
        sums[j] += lanes[j]
    lanes[:] = 0


# ---- the factors, (V, R) as they come ----


@kernel
def scale(U, middle, spread, right, first, last):
    """right[x // CHUNK, r * CHUNK + x % CHUNK] = (U[x, r] - middle[r]) / spread[r], tokens first .. last - 1."""
    inverse = 1 / spread
    for start in range(first, last, CHUNK):
        rest = U[start:]
        for r in range(U.shape[1]):
            columns = right[start // CHUNK, r * CHUNK : (r + 1) * CHUNK]
            for j in range(min(CHUNK, len(rest))):
                columns[j] = (rest[j, r] - middle[r]) * inverse[r]


# ---- the exact affinity: left (K, R), right (chunks, R * CHUNK), kept (K,), -1 for a row that only fills up; R, K in fours ----


@kernel
def largest(left, right, kept, vocab, shift, first, last):
    """shift[i] = largest exponent of the kept rows i = first .. last - 1, each row's own column left out."""
    x, lanes = _scratch(ROWS, _LANES, right.dtype)
    for near in range(first, last, ROWS):
        end = min(near + ROWS, last)
        lanes[:] = -np.inf
        for chunk in range(len(right)):
            for i in range(near, end, 4):
                _exponents(left, right[chunk], kept, i, chunk * CHUNK, vocab, None, -np.inf, x)
                top = lanes[(i - near) * _LANES : (i - near + 4) * _LANES]
                for k in range(4):
                    for part in range(k * CHUNK, (k + 1) * CHUNK, _LANES):
                        for j in range(_LANES):
                            top[k * _LANES + j] = max(top[k * _LANES + j], x[part + j])
        for i in range(near, end):
            shift[i] = lanes[(i - near) * _LANES : (i - near + 1) * _LANES].max()


@kernel
def normalise(left, right, kept, vocab, shift, total, first, last):
    """total[i] = sum over the columns but its own of 2**exponent, for the kept rows first .. last - 1."""
    x, lanes = _scratch(ROWS, _LANES, right.dtype)
    sums, void = np.empty((ROWS, 16)), _void(shift, right)
    for near in range(first, last, ROWS):
        end = min(near + ROWS, last)
        lanes[:] = 0
        sums[:] = 0
        for chunk in range(len(right)):
            for i in range(near, end, 4):
                _exponents(left, right[chunk], kept, i, chunk * CHUNK, vocab, shift, void, x)
                _add_powers(x, lanes[(i - near) * _LANES : (i - near + 4) * _LANES])
            if chunk % TURN == TURN - 1 or chunk == len(right) - 1:
                for i in range(end - near):
                    _empty_into(lanes[i * _LANES : (i + 1) * _LANES], sums[i])
        for i in range(near, end):
            total[i] = _total(sums[i - near])


@kernel
def move(left, right, kept, vocab, shift, weights, out, first, last):
    """out[b, j] = sum over kept rows i of weights[i, b] 2**exponent, columns first .. last - 1, but j = kept[i]."""
    x, _ = _scratch(0, 0, right.dtype)
    void, zero = _void(shift, right), right.dtype.type(0)
    for start in range(first, last, CHUNK):
        n = min(CHUNK, last - start)
        for i in range(0, len(left), 4):  # four rows a pass over `out`, added one after the other
            _exponents(left, right[start // CHUNK], kept, i, start, vocab, shift, void, x)
            for j in range(CHUNK):
                e0, e1, e2, e3 = _powers(x[j], x[j + CHUNK], x[j + 2 * CHUNK], x[j + 3 * CHUNK])
                x[j], x[j + CHUNK], x[j + 2 * CHUNK], x[j + 3 * CHUNK] = e0, e1, e2, e3
            _at_own(kept, i, start, x, zero)
            for b in range(len(out)):
                w0, w1, w2, w3 = weights[i, b], weights[i + 1, b], weights[i + 2, b], weights[i + 3, b]
                if w0 != 0 or w1 != 0 or w2 != 0 or w3 != 0:
                    to = out[b, start : start + n]
                    for j in range(n):
                        to[j] = (((to[j] + w0 * x[j]) + w1 * x[j + CHUNK]) + w2 * x[j + 2 * CHUNK]) + w3 * x[
                            j + 3 * CHUNK
                        ]


# ---- the first-order form: blocks of tokens first .. last - 1, columns of U in eights, which are a vector ----


@_summed
def gather(v, U, sums, first, last):
    """sums[k, b] = sum over the tokens x of block k, in turn, of v[b, x] U[x]."""
    rank = U.shape[1]
    for k in range(first, last):
        rows = U[k * BLOCK : (k + 1) * BLOCK]
        for b in range(len(v)):
            w, s = v[b, k * BLOCK : (k + 1) * BLOCK], sums[k, b]
            for r in range(0, rank - 7, 8):
                s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = 0.0
                for x in range(len(w)):
                    y = np.float64(w[x])
                    s0, s1 = s0 + y * rows[x, r], s1 + y * rows[x, r + 1]
                    s2, s3 = s2 + y * rows[x, r + 2], s3 + y * rows[x, r + 3]
                    s4, s5 = s4 + y * rows[x, r + 4], s5 + y * rows[x, r + 5]
                    s6, s7 = s6 + y * rows[x, r + 6], s7 + y * rows[x, r + 7]
                s[r], s[r + 1], s[r + 2], s[r + 3] = s0, s1, s2, s3
                s[r + 4], s[r + 5], s[r + 6], s[r + 7] = s4, s5, s6, s7
            for r in range(rank - rank % 8, rank):
                s[r] = 0
                for x in range(len(w)):
                    s[r] += np.float64(w[x]) * rows[x, r]


@_summed
def spread(v, U, diag, factors, u, sums, first, last):
    """u[b, x] = factors[b] . U[x] + v[b, x] diag[x], and sums[k, b] their sum over block k."""
    rank = U.shape[1]
    for k in range(first, last):
        rows, own = U[k * BLOCK : (k + 1) * BLOCK], diag[k * BLOCK : (k + 1) * BLOCK]
        for b in range(len(v)):
            w, f, y = v[b, k * BLOCK : (k + 1) * BLOCK], factors[b], u[b, k * BLOCK : (k + 1) * BLOCK]
            for x in range(len(w)):
                y[x] = np.float64(w[x]) * own[x]
            for r in range(0, rank - 7, 8):
                f0, f1, f2, f3 = f[r], f[r + 1], f[r + 2], f[r + 3]
                f4, f5, f6, f7 = f[r + 4], f[r + 5], f[r + 6], f[r + 7]
                for x in range(len(w)):
                    low = (f0 * rows[x, r] + f1 * rows[x, r + 1]) + (f2 * rows[x, r + 2] + f3 * rows[x, r + 3])
                    high = (f4 * rows[x, r + 4] + f5 * rows[x, r + 5]) + (f6 * rows[x, r + 6] + f7 * rows[x, r + 7])
                    y[x] += low + high
            for r in range(rank - rank % 8, rank):
                for x in range(len(w)):
                    y[x] += f[r] * rows[x, r]
            sums[k, b] = y.sum()
