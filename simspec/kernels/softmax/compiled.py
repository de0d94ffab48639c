"""Numba twins of the reference kernels: one pass over the logits, vectorised exponentials, any number of threads.

Accuracy.  With u = 2^-24 (float32) or 2^-53 (float64) an exponential has relative error at most u (2.4 |t| + 4) at
t = x - m <= 0, where m is the row's largest logit; the rounding of x - m alone is u |t|.  The mean of |t| under
softmax is at most log V, hence `tv_bound`.  Typical errors are a hundred times smaller: near u.  Terms below
e^-64 (float32) or e^-700 (float64) of the largest count as zero.

Rows with NaN, plus infinity or nothing but minus infinity give NaN, as in the reference: the input is not checked.

Threads are plain Python threads around code that releases the interpreter lock, so concurrent callers are safe and
nothing has to be set up; NUMBA_NUM_THREADS sets their default number.  Compilation takes one to two seconds for each
kernel and type, once: machine code is cached beside the source or in the user's cache directory, if one is writable.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from simspec.kernels.affinity import loops as affinity_loops
from simspec.kernels.random import core
from simspec.kernels.softmax import loops, reference
from simspec.kernels.softmax.reference import RowStats

__all__ = [
    "AFFINITY_ERROR",
    "affinity_apply",
    "affinity_bound",
    "first_order",
    "row_stats",
    "split",
    "tv_bound",
    "tv_from_logits",
]

AFFINITY_ERROR = 2.0**-12
"""`affinity_bound` up to which an affinity of float32 arrays is computed in float32."""

_SERIAL = 1 << 17  # elements below which a second thread costs more than it saves
_TASKS = 4  # tasks a thread, so that a disturbed thread can hand work on
_REACH = {np.dtype(np.float32): 80, np.dtype(np.float64): 480}  # exponents of 2 whose powers need no shift
_MOST = 256  # threads, whatever is asked for


def tv_bound(vocab: int, dtype: Any) -> float:
    """Worst-case absolute error of `tv_from_logits`, from the rounding of each operation.

    For each law u (2.4 log V + 4) for its terms and again for their sum, 8 u to add and weigh; 7 u for the differences
    and their sum; then the float64 sums over chunks.  The two laws enter by half each.

    >>> tv_bound(128_256, np.float32) < 5e-6, tv_bound(1, np.float64) < 1e-14
    (True, True)
    """
    u, chunks = float(np.finfo(dtype).eps) / 2, -(-vocab // loops.CHUNK)
    return u * (4.8 * math.log(vocab) + 23) + 2.0**-53 * (6 * chunks + 20)


def row_stats(logits: NDArray[Any], threads: int | None = None) -> RowStats:
    """Twin of `reference.row_stats` for float32 or float64 logits (..., V).

    >>> round(float(row_stats(np.zeros(5000, dtype=np.float32)).logsumexp - math.log(5000)), 12)
    0.0
    """
    _fit(logits=(logits, logits.shape))
    rows = _rows(logits)
    out = np.empty((3, len(rows)))
    split(lambda first, last: loops.row_stats(rows, out, first, last), len(rows), rows.size, threads)
    return RowStats(*out.reshape(3, *logits.shape[:-1]))


def tv_from_logits(a: NDArray[Any], b: NDArray[Any], threads: int | None = None) -> NDArray[np.float64]:
    """Twin of `reference.tv_from_logits` for two float32 or two float64 arrays of one shape (..., V).

    >>> a = np.zeros(5000); b = np.where(np.arange(5000) < 2500, 0.0, -np.inf)
    >>> float(tv_from_logits(a, b))
    0.5
    """
    _fit(a=(a, a.shape), b=(b, a.shape))
    x, y = _rows(a), _rows(b)
    out = np.empty(len(x))
    split(lambda first, last: loops.tv(x, y, out, first, last), len(x), x.size, threads)
    return out.reshape(a.shape[:-1])


def affinity_bound(vocab: int, rank: int, reach: float, dtype: Any) -> float:
    """Worst-case error of `affinity_apply`, in the sum over tokens, as a share of the sum of abs(v).

    Arithmetic has the unit u of `dtype`, and no exponent x of 2**x exceeds `reach`.  With R the rank, filled up to a
    multiple of four, an exponent is off by u (R + 6) reach: a rounding of each of the two factors, R of the sum, two of the
    shift, and room for products of roundings.  A power is off by ln 2 times that and 4 u of its own, their sum by 13 u
    more (2 levels, 8 chunks, 3 levels), and float64 sums over chunks and rows by 2^-52 V.  An entry of the affinity is a
    quotient of two such numbers.

    >>> affinity_bound(200_000, 8, 20.0, np.float32) < 3e-5, affinity_bound(200_000, 8, 20.0, np.float64) < 1e-10
    (True, True)
    """
    u = float(np.finfo(dtype).eps) / 2
    return u * (2 * math.log(2) * (-(-rank // 4) * 4 + 6) * reach + 21) + 2.0**-52 * vocab


def affinity_apply(
    v: NDArray[Any],
    U: NDArray[Any],
    lam: NDArray[Any],
    diag: NDArray[Any],
    temperature: float,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Twin of `reference.affinity_apply` for arrays of one type, forming only rows i where some v[..., i] is not zero.

    The first pass adds each row's powers up, the second forms each block of columns again and adds it to the result, so
    a column belongs to one thread and rows are added in their order.  Powers are float32 where the arrays are and
    `affinity_bound` is at most `AFFINITY_ERROR`, else float64; a row's own entry, which may tower over all others, is
    float64 always.  A factor that is not finite gives NaN.  Extra memory: U once more, 4 R + 5 numbers a kept row, six
    for each kept token of each row of v, and a few chunks a thread.

    >>> affinity_apply(np.ones(2), np.zeros((2, 1)), np.zeros(1), np.zeros(2), 1.0).round(12).tolist()
    [1.0, 1.0]
    """
    _fit_factors(v, U, lam, diag)
    batch, loadings, vocab = _rows(v), _rows(U), v.shape[-1]
    kept, out = np.flatnonzero((batch != 0).any(axis=0)), np.zeros(batch.shape)
    if len(kept) == 0:
        return out.reshape(v.shape)
    if vocab == 1:
        return reference.affinity_apply(v, U, lam, diag, temperature)
    with np.errstate(over="ignore"):
        unit = temperature * math.log(2)
        scales, own = lam.astype(np.float64) / unit, diag[kept].astype(np.float64) / unit
    middle, spread, reach, real = _centred(loadings, scales)
    if not reach < np.inf:
        return np.full(v.shape, np.nan)
    right = _columns(loadings, middle, spread, real, threads)
    rows = -(-len(kept) // 4) * 4  # in fours; those that fill up weigh nothing
    left, index = np.zeros((rows, right.shape[1] // affinity_loops.CHUNK), real), np.full(rows, -1)
    steep = loadings[kept] * (scales * spread)
    left[: len(kept), : len(lam)], index[: len(kept)] = steep, kept
    own += (steep * ((loadings[kept] - middle) / spread)).sum(axis=-1)
    omega, work, shift, total = (left, right, index, vocab), rows * vocab, None, np.empty(rows)
    if reach > _REACH[real]:
        shift = np.empty(rows)
        split(partial(affinity_loops.largest, *omega, shift), rows, work, threads, 4)
        own -= shift[: len(kept)]
    split(partial(affinity_loops.normalise, *omega, shift, total), rows, work, threads, 4)
    share, weight = _shares(own, total[: len(kept)])
    weights = np.zeros((rows, len(batch)))
    weights[: len(kept)] = batch[:, kept].T * weight[:, None]
    move = partial(affinity_loops.move, *omega, shift, weights, out)
    split(move, vocab, work, threads, affinity_loops.CHUNK)
    out[:, kept] += batch[:, kept] * share
    return out.reshape(v.shape)


def first_order(
    v: NDArray[Any],
    U: NDArray[Any],
    lam: NDArray[Any],
    diag: NDArray[Any],
    temperature: float,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Twin of `reference.first_order` for arrays of one type, in float64: two passes over U.

    For laws v the results are within 2^-51 ((V + R + 20) B / temperature + 1) / V of the reference, where B bounds the
    entries of Omega: R max |U|^2 max |lam| + max |diag|.  Memory: the result, and R + 1 numbers for each 4096 tokens and
    each row of v.

    >>> first_order(np.array([1.0, 0.0]), np.array([[1.0], [0.0]]), np.ones(1), np.zeros(2), 2.0).tolist()
    [0.625, 0.375]
    """
    _fit_factors(v, U, lam, diag)
    batch, loadings, own, vocab = _rows(v), _rows(U), _rows(diag[None])[0], v.shape[-1]
    blocks, work = -(-vocab // affinity_loops.BLOCK), len(batch) * U.size
    sums, u = np.empty((blocks, len(batch), len(lam) + 1)), np.empty(batch.shape)
    split(partial(affinity_loops.gather, batch, loadings, sums), blocks, work, threads)
    factors = sums[..., :-1].sum(axis=0) * lam
    split(partial(affinity_loops.spread, batch, loadings, own, factors, u, sums[..., -1]), blocks, work, threads)
    u -= sums[..., -1].sum(axis=0)[:, None] / vocab
    u *= 1 / (temperature * vocab)
    u += 1 / vocab
    return u.reshape(v.shape)


def _centred(
    U: NDArray[Any], scales: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], float, np.dtype[Any]]:
    """Middle and half width (1 where it is 0) of each column of U, a bound of all exponents but the own, and their type.

    A row of exponents may be shifted by a number: columns are counted from their middle, in units of half their width.
    The type is that of U where it is good enough for exponents of this size, else float64.
    """
    low, high = _extent(U)
    with np.errstate(over="ignore", invalid="ignore"):
        middle, half = (low + high) / 2, (high - low) / 2
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
    whole = len(U) // 64 * 64
    wide = U[:whole].reshape(whole // 64, 64 * U.shape[1])
    least, most = ((f(wide, axis=0).reshape(64, -1) if whole else U[:0]) for f in (np.min, np.max))
    low, high = np.concatenate([least, U[whole:]]).min(axis=0), np.concatenate([most, U[whole:]]).max(axis=0)
    return low.astype(np.float64), high.astype(np.float64)


def _shares(own: NDArray[Any], total: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """What a row keeps, 2**own / (total + 2**own), and by what its other powers are to be multiplied."""
    with np.errstate(all="ignore"):
        own = np.where(own == np.inf, np.nan, own)  # a row without a softmax
        return 1 / (1 + np.exp2(np.log2(total) - own)), 1 / (total + np.exp2(own))


def _columns(
    U: NDArray[Any], middle: NDArray[Any], spread: NDArray[Any], dtype: np.dtype[Any], threads: int | None
) -> NDArray[Any]:
    """(U - middle) / spread by chunks of tokens, each transposed and its rank in fours, from the start of a cache line."""
    chunk = affinity_loops.CHUNK
    shape = -(-len(U) // chunk), -(-max(U.shape[1], 1) // 4) * 4 * chunk
    block = np.zeros(math.prod(shape) + 64, dtype)
    right = block[-block.ctypes.data % 64 // dtype.itemsize :][: math.prod(shape)].reshape(shape)
    split(partial(affinity_loops.scale, U, middle, spread, right), len(U), U.size, threads, chunk)
    return right


def _fit(**arrays: tuple[NDArray[Any], tuple[int, ...]]) -> None:
    """Raise a ValueError unless the arrays have these shapes, tokens and one type: what the compiled loops rely on."""
    types = {x.dtype for x, _ in arrays.values()}
    if len(types) != 1 or not types <= set(_REACH):
        raise ValueError(f"{', '.join(arrays)}: {types}; expected all float32 or all float64")
    for name, (x, shape) in arrays.items():
        if x.shape != shape or x.ndim == 0:
            raise ValueError(f"{name}: shape {x.shape}; expected {shape}, with a last axis")


def _fit_factors(v: NDArray[Any], U: NDArray[Any], lam: NDArray[Any], diag: NDArray[Any]) -> None:
    vocab, rank = v.shape[-1:], U.shape[1:]
    if len(rank) != 1:
        raise ValueError(f"U: shape {U.shape}; expected (V, R)")
    _fit(v=(v, v.shape), U=(U, vocab + rank), lam=(lam, rank), diag=(diag, vocab))


def _rows(x: NDArray[Any]) -> NDArray[Any]:
    """A read-only (rows, V) view, or a copy: read-only always, as Numba would compile once more for either kind."""
    rows = np.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), x.shape[-1]).view()
    rows.flags.writeable = False
    return rows


def split(task: Callable[[int, int], None], n: int, work: int, threads: int | None, step: int = 1) -> None:
    """Run task(first, last), which releases the interpreter lock, over ranges that cover 0 .. n - 1.

    Ranges start at multiples of `step`; below 2^17 elements of `work` there is one, else some for each of `threads`.

    >>> split(print, n=5, work=5, threads=8)
    0 5
    """
    usual = int(vars(numba.config)["NUMBA_NUM_THREADS"])  # asked for here: a constant would be another on each machine
    threads = usual if threads is None else min(core.integer("threads", threads, 2**63, 1), _MOST)
    steps = -(-n // step)
    workers = min(threads, steps) if work >= _SERIAL else 1
    if workers <= 1:
        task(0, n)
        return
    parts = min(steps, workers * _TASKS)
    ends = [min(n, steps * k // parts * step) for k in range(parts + 1)]
    task(0, 0)  # compile once, not once a thread
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(task, i, j) for i, j in itertools.pairwise(ends)]:
            future.result()
