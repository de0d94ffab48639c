"""The Numba backend of the affinity, and its compiled loops.

A row of the affinity is never stored: `normalise` adds its exponentials up, `move` forms them once more for a range of
columns and adds them, weighted, to the result.  Forming them twice costs less than moving them: 4 bytes each to memory
and back take longer than 8 multiply-adds and the 12 operations of a power of two.  Row sums that an earlier application has
left (`simspec.kernels.affinity.sums`) are not computed again: then each exponential is formed once.

The factors come in units of 2, so that an exponential is a power of two: to the nearest integer n in the exponent, a
polynomial in the rest f, |f| <= 1/2, in the mantissa.  Columns are read in chunks of 512, whose factors (16 KiB of
float32 at rank 8) stay in the level-1 cache while rows pass, four at a time, so that a factor is loaded once for four
rows.  No shift is needed while all exponents are far inside the range of the type; where they are not, `largest` finds
each row's own.

Order of summation: 128 lanes in the type of the factors, taken to 16 lanes of float64 every 8 chunks; rows four at a time
in the type of the factors, weighted by shares of the largest of their weights, and each four in their turn in float64.
Nothing depends on the number of threads, nor on what other rows there are.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.affinity import reference
from simspec.kernels.affinity.powers import (
    CHUNK,
    LANES,
    _add_powers,
    _at_own,
    _empty_into,
    _exponents,
    _powers,
    _scratch,
    _void,
)
from simspec.kernels.affinity.sums import Rows
from simspec.kernels.compiled import kernel
from simspec.kernels.threads import as_rows, split
from simspec.kernels.tv.numba_tv import _total

__all__ = ["AFFINITY_ERROR", "CHUNK", "affinity_apply", "affinity_bound", "largest", "move", "normalise", "scale"]

AFFINITY_ERROR = 2.0**-12
"""`affinity_bound` up to which an affinity of float32 arrays is computed in float32."""
ROWS = 64  # rows that share a pass over the columns
TURN = 8  # chunks that are added in the type of the factors
# exponents of 2 whose powers need no shift: a share of a weight that is lost below the type's numbers, times a power, is nothing
_REACH = {np.dtype(np.float32): 60, np.dtype(np.float64): 480}


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
def largest(left, right, support, vocab, shift, first, last):
    """shift[i] = largest exponent of the kept rows i = first .. last - 1, each row's own column left out."""
    x, lanes = _scratch(ROWS, LANES, right.dtype)
    for near in range(first, last, ROWS):
        end = min(near + ROWS, last)
        lanes[:] = -np.inf
        for chunk in range(len(right)):
            for i in range(near, end, 4):
                _exponents(
                    left, right[chunk], support, i, chunk * CHUNK, vocab, shift[:0], right.dtype.type(-np.inf), x
                )
                top = lanes[(i - near) * LANES : (i - near + 4) * LANES]
                for k in range(4):
                    for lane_start in range(k * CHUNK, (k + 1) * CHUNK, LANES):
                        for j in range(LANES):
                            top[k * LANES + j] = max(top[k * LANES + j], x[lane_start + j])
        for i in range(near, end):
            top = lanes[(i - near) * LANES : (i - near + 1) * LANES]
            for j in range(1, LANES):
                top[0] = max(top[0], top[j])
            shift[i] = top[0]


@kernel
def normalise(left, right, support, vocab, shift, total, first, last):
    """total[i] = sum over the columns but its own of 2**exponent, for the kept rows first .. last - 1."""
    x, lanes = _scratch(ROWS, LANES, right.dtype)
    sums = np.empty((ROWS, 16))
    void = _void(shift, right)
    for near in range(first, last, ROWS):
        end = min(near + ROWS, last)
        lanes[:] = 0
        sums[:] = 0
        for chunk in range(len(right)):
            for i in range(near, end, 4):
                _exponents(left, right[chunk], support, i, chunk * CHUNK, vocab, shift, void, x)
                _add_powers(x, lanes[(i - near) * LANES : (i - near + 4) * LANES])
            if chunk % TURN == TURN - 1 or chunk == len(right) - 1:
                for i in range(end - near):
                    _empty_into(lanes[i * LANES : (i + 1) * LANES], sums[i])
        for i in range(near, end):
            total[i] = _total(sums[i - near])


@kernel
def move(left, right, support, vocab, shift, shares, peak_weights, full_fours, out, first, last):
    """out[b, j] = sum over kept rows i of their weights times 2**exponent, columns first .. last - 1, but j = kept[i].

    Weights come as `_fours` makes them.
    """
    x, fours = _scratch(len(out), CHUNK, right.dtype)
    void = _void(shift, right)
    zero = right.dtype.type(0)
    fours[:] = 0
    for start in range(first, last, CHUNK):
        n = min(CHUNK, last - start)
        for i in range(0, len(left), 4):
            _exponents(left, right[start // CHUNK], support, i, start, vocab, shift, void, x)
            for j in range(CHUNK):
                e0, e1, e2, e3 = _powers(x[j], x[j + CHUNK], x[j + 2 * CHUNK], x[j + 3 * CHUNK])
                x[j], x[j + CHUNK], x[j + 2 * CHUNK], x[j + 3 * CHUNK] = e0, e1, e2, e3
            _at_own(support, i, start, x, zero)
            for b in range(len(out)):
                four = fours[b * CHUNK : (b + 1) * CHUNK]
                to = out[b, start : start + n]
                if full_fours[i // 4, b]:
                    s0 = shares[i, b]
                    s1 = shares[i + 1, b]
                    s2 = shares[i + 2, b]
                    s3 = shares[i + 3, b]
                    top = peak_weights[i + 3, b]
                    for j in range(n):
                        two = s0 * x[j] + s1 * x[j + CHUNK]
                        to[j] += top * ((two + s2 * x[j + 2 * CHUNK]) + s3 * x[j + 3 * CHUNK])
                    continue
                for k in range(4):
                    share = shares[i + k, b]
                    top = peak_weights[i + k, b]
                    row = x[k * CHUNK : (k + 1) * CHUNK]
                    if share != 0:
                        for j in range(CHUNK):
                            four[j] += share * row[j]
                    if top != 0:
                        for j in range(n):
                            to[j] += top * four[j]
                        four[:] = 0


# ---- rows of any shape, over threads ----


def affinity_bound(vocab: int, rank: int, reach: float, dtype: Any) -> float:
    """Worst-case error of `affinity_apply`, in the sum over tokens, as a share of the sum of abs(v).

    Arithmetic has the unit u of `dtype`, and no exponent x of 2**x exceeds `reach`.  With R the rank, filled up to a
    multiple of four, an exponent is off by u (R + 6) reach: a rounding of each of the two factors, R of the sum, two of the
    shift, and room for products of roundings.  A power is off by ln 2 times that and 4 u of its own, their sum by 13 u
    more (2 levels, 8 chunks, 3 levels), and float64 sums over chunks and rows by 2^-52 V.  An entry of the affinity is a
    quotient of two such numbers; four rows are weighted and added with 5 u (a weight's share, a product, three sums).  A
    share below the least number s of the type is lost: up to s/2 times a power of at most 2^60 of a row whose powers add up
    to 2^-60 V or more, in float32, less than u of the sum.

    >>> affinity_bound(200_000, 8, 20.0, np.float32) < 3e-5, affinity_bound(200_000, 8, 20.0, np.float64) < 1e-10
    (True, True)
    """
    u = float(np.finfo(dtype).eps) / 2
    return u * (2 * math.log(2) * (-(-rank // 4) * 4 + 6) * reach + 26) + 2.0**-52 * vocab


def affinity_apply(
    v: NDArray[Any],
    U: NDArray[Any],
    lam: NDArray[Any],
    diag: NDArray[Any],
    temperature: float,
    threads: int | None = None,
    rows_so_far: Rows | None = None,
) -> NDArray[np.float64]:
    """Backend of `reference.affinity_apply` for arrays of one type, forming only rows i where some v[..., i] is not zero.

    The first pass adds each row's powers up, unless `rows_so_far` holds their sum.  The second forms each block of columns
    again and adds it to the result, so a column belongs to one thread and rows are added in their order.  Powers are float32
    where the arrays are and `affinity_bound` is at most `AFFINITY_ERROR`, else float64; a row's own entry, which may tower
    over all others, is float64 always.  A factor that is not finite gives NaN.  Extra memory: U once more, 4 R + 5 numbers a
    kept row, eight for each kept token of each row of v, and a chunk for each row of v and a few more a thread.

    >>> affinity_apply(np.ones(2), np.zeros((2, 1)), np.zeros(1), np.zeros(2), 1.0).round(12).tolist()
    [1.0, 1.0]
    """
    batch = as_rows(v)
    loadings = as_rows(U)
    vocab = v.shape[-1]
    support = np.flatnonzero((batch != 0).any(axis=0))
    out = np.zeros(batch.shape)
    if len(support) == 0:
        return out.reshape(v.shape)
    if vocab == 1:
        return reference.affinity_apply(v, U, lam, diag, temperature)
    with np.errstate(over="ignore"):
        unit = temperature * math.log(2)
        scales = lam.astype(np.float64) / unit
        own_exponents = diag[support].astype(np.float64) / unit
    middle, spread, reach, real = _centred(loadings, scales)
    if not reach < np.inf:
        return np.full(v.shape, np.nan)
    right = _columns(loadings, middle, spread, real, threads)
    rows = -(-len(support) // 4) * 4  # in fours; those that fill up weigh nothing
    left = np.zeros((rows, right.shape[1] // CHUNK), real)
    index = np.full(rows, -1)
    steep = loadings[support] * (scales * spread)
    left[: len(support), : len(lam)] = steep
    index[: len(support)] = support
    own_exponents += (steep * ((loadings[support] - middle) / spread)).sum(axis=-1)
    omega = (left, right, index, vocab)
    work = rows * vocab
    shift, total = _shift_and_total(omega, len(support), reach > _REACH[real], threads, rows_so_far)
    if len(shift):
        own_exponents -= shift[: len(support)]
    share, weight = _shares(own_exponents, total[: len(support)])
    weights = np.zeros((rows, len(batch)))
    weights[: len(support)] = batch[:, support].T * weight[:, None]
    split(partial(move, *omega, shift, *_fours(weights, real), out), vocab, work, threads, CHUNK)
    out[:, support] += batch[:, support] * share
    return out.reshape(v.shape)


_Omega = tuple[NDArray[Any], NDArray[Any], NDArray[np.intp], int]
"""Factors of some rows in fours, factors of all columns, the tokens of the rows (-1 for one that only fills up), tokens."""


def _shift_and_total(
    omega: _Omega, count: int, is_steep: bool, threads: int | None, known: Rows | None
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shift (no numbers unless exponents are steep) and sum of powers of the `count` rows of omega and of those that fill up.

    Rows that `known` holds are read, and the others are computed and written there.  A row's numbers do not depend on which
    rows are computed beside it, so that the bits are those of a first application.
    """
    if known is None:
        return _computed(omega, is_steep, threads)
    left, right, index, vocab = omega
    support = index[:count]
    new = np.flatnonzero(np.isnan(known.total[support]))
    if len(new):
        some = _fours_of(left, index, new)
        new_shift, new_total = _computed((some[0], right, some[1], vocab), is_steep, threads)
        if is_steep:
            known.shift[support[new]] = new_shift[: len(new)]
        known.total[support[new]] = new_total[: len(new)]  # last: what another thread takes for computed is whole
    fill = (0, len(index) - count)
    shift = np.pad(known.shift[support], fill) if is_steep else np.empty(0)
    return shift, np.pad(known.total[support], fill)


def _fours_of(
    left: NDArray[Any], index: NDArray[np.intp], rows: NDArray[np.intp]
) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Factors and tokens of some rows, filled up to fours."""
    count = -(-len(rows) // 4) * 4
    chosen_factors = np.zeros((count, left.shape[1]), left.dtype)
    chosen_index = np.full(count, -1)
    chosen_factors[: len(rows)] = left[rows]
    chosen_index[: len(rows)] = index[rows]
    return chosen_factors, chosen_index


def _computed(omega: _Omega, is_steep: bool, threads: int | None) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Shift (no numbers unless exponents are steep) and sum of powers of all rows of omega."""
    left, _, _, vocab = omega
    work = len(left) * vocab
    shift = np.empty(len(left) if is_steep else 0)
    total = np.empty(len(left))
    if is_steep:
        split(partial(largest, *omega, shift), len(left), work, threads, 4)
    split(partial(normalise, *omega, shift, total), len(left), work, threads, 4)
    return shift, total


def _centred(
    U: NDArray[Any], scales: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, np.dtype[Any]]:
    """Middle and half width (1 where it is 0) of each column of U, a bound of all exponents but the own, and their type.

    A row of exponents may be shifted by a number: columns are counted from their middle, in units of half their width.
    The type is that of U where it is good enough for exponents of this size, else float64.
    """
    low, high = _extent(U)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (low + high) / 2
        half = (high - low) / 2
        pull = np.abs(scales * half)
        reach = float(np.maximum(np.abs(low), np.abs(high)) @ pull)
        if not _suffices(U, reach):  # a sharper bound, for a pass over U
            reach = max(float((np.abs(U[k : k + (1 << 14)]) @ pull).max()) for k in range(0, len(U), 1 << 14))
    real = U.dtype if _suffices(U, reach) else np.dtype(np.float64)
    return middle, np.where(half == 0, 1, half), reach, real


def _suffices(U: NDArray[Any], reach: float) -> bool:
    """Whether the type of U is good enough for exponents of this size."""
    return reach <= _REACH[U.dtype] and affinity_bound(len(U), U.shape[1], reach, U.dtype) <= AFFINITY_ERROR


def _extent(U: NDArray[Any]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Least and largest number of each column; of 64 tokens side by side first, as NumPy takes long rows quickly."""
    full_length = len(U) // 64 * 64
    wide = U[:full_length].reshape(full_length // 64, 64 * U.shape[1])
    column_minima, column_maxima = (
        (f(wide, axis=0).reshape(64, -1) if full_length else U[:0]) for f in (np.min, np.max)
    )
    low = np.concatenate([column_minima, U[full_length:]]).min(axis=0)
    high = np.concatenate([column_maxima, U[full_length:]]).max(axis=0)
    return low.astype(np.float64), high.astype(np.float64)


def _shares(own_exponents: NDArray[Any], total: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """What a row keeps, 2**own / (total + 2**own), and by what its other powers are to be multiplied."""
    with np.errstate(all="ignore"):
        own_exponents = np.where(own_exponents == np.inf, np.nan, own_exponents)  # a row without a softmax
        return 1 / (1 + np.exp2(np.log2(total) - own_exponents)), 1 / (total + np.exp2(own_exponents))


def _fours(
    weights: NDArray[np.float64], dtype: np.dtype[Any]
) -> tuple[NDArray[Any], NDArray[np.float64], NDArray[np.bool_]]:
    """Each four weights of a column (K, B) that are not zero as shares of the largest, so that other columns change nothing.

    Returns the shares, that largest weight where the four end, and (K / 4, B) whether four rows of all are a column's four.

    >>> shares, most, whole = _fours(np.array([[2.0], [0], [4], [1], [4], [3], [0], [0]]), np.dtype(np.float32))
    >>> shares[:, 0].tolist(), most[:, 0].tolist(), whole[:, 0].tolist()
    ([0.5, 0.0, 1.0, 0.25, 1.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0, 4.0, 3.0, 0.0, 0.0], [False, False])
    """
    shares = np.zeros(weights.shape, dtype)
    peak_weights = np.zeros(weights.shape)
    full_fours = np.zeros((len(weights) // 4, weights.shape[1]), bool)
    for b, column in enumerate(weights.T):
        rows = np.flatnonzero(column)
        if len(rows) == 0:
            continue
        starts = np.arange(0, len(rows), 4)
        top = np.maximum.reduceat(np.abs(column[rows]), starts)
        ends = rows[np.minimum(starts + 3, len(rows) - 1)]
        with np.errstate(invalid="ignore"):
            shares[rows, b] = column[rows] / np.repeat(top, 4)[: len(rows)]
        peak_weights[ends, b] = top
        full_fours[rows[starts] // 4, b] = (rows[starts] % 4 == 0) & (ends == rows[starts] + 3)
    return shares, peak_weights, full_fours


def _columns(
    U: NDArray[Any], middle: NDArray[Any], spread: NDArray[Any], dtype: np.dtype[Any], threads: int | None
) -> NDArray[Any]:
    """(U - middle) / spread by chunks of tokens, each transposed and its rank in fours, from the start of a cache line."""
    shape = -(-len(U) // CHUNK), -(-max(U.shape[1], 1) // 4) * 4 * CHUNK
    block = np.zeros(math.prod(shape) + 64, dtype)
    right = block[-block.ctypes.data % 64 // dtype.itemsize :][: math.prod(shape)].reshape(shape)
    split(partial(scale, U, middle, spread, right), len(U), U.size, threads, CHUNK)
    return right
