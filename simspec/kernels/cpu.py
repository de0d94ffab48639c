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

import math
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
from numpy.typing import NDArray

from simspec.kernels import loops
from simspec.kernels.reference import RowStats

__all__ = ["affinity_apply", "row_stats", "tv_bound", "tv_from_logits"]

_SERIAL = 1 << 17  # elements below which a second thread costs more than it saves
_TASKS = 4  # tasks a thread, so that a disturbed thread can hand work on
_THREADS: int = vars(numba.config)["NUMBA_NUM_THREADS"]


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
    rows = _rows(logits)
    out = np.empty((3, len(rows)))
    _split(lambda first, last: loops.row_stats(rows, out, first, last), len(rows), rows.size, threads)
    return RowStats(*out.reshape(3, *logits.shape[:-1]))


def tv_from_logits(a: NDArray[Any], b: NDArray[Any], threads: int | None = None) -> NDArray[np.float64]:
    """Twin of `reference.tv_from_logits` for two float32 or two float64 arrays of one shape (..., V).

    >>> a = np.zeros(5000); b = np.where(np.arange(5000) < 2500, 0.0, -np.inf)
    >>> float(tv_from_logits(a, b))
    0.5
    """
    x, y = _rows(a), _rows(b)
    out = np.empty(len(x))
    _split(lambda first, last: loops.tv(x, y, out, first, last), len(x), x.size, threads)
    return out.reshape(a.shape[:-1])


def affinity_apply(
    v: NDArray[Any],
    U: NDArray[Any],
    lam: NDArray[Any],
    diag: NDArray[Any],
    temperature: float,
    threads: int | None = None,
) -> NDArray[np.float64]:
    """Twin of `reference.affinity_apply` for float64 arrays, forming only rows i where some v[..., i] is not zero.

    The first pass finds each row's shift and normaliser, the second forms each block of columns again and adds it to
    the result, so a column belongs to one thread and rows are added in their order.  Extra memory: U once more and a
    few chunks a thread.

    >>> affinity_apply(np.ones(2), np.zeros((2, 1)), np.zeros(1), np.zeros(2), 1.0).tolist()
    [1.0, 1.0]
    """
    vocab = v.shape[-1]
    batch = _rows(v)
    kept = np.flatnonzero((batch != 0).any(axis=0))
    rank = -(-U.shape[1] // 4) * 4  # a multiple of four: the inner loop takes four columns of U at a time
    right = np.zeros((rank, vocab))
    right[: U.shape[1]] = U.T
    left = np.zeros((len(kept), rank))
    left[:, : U.shape[1]] = U[kept] * (lam / temperature)
    own = diag[kept] / temperature
    shift, total = np.empty(len(kept)), np.empty(len(kept))
    work = len(kept) * vocab
    _split(
        lambda i, j: loops.normalise(left, right, own, kept, shift, total, i, j), len(kept), work, threads, loops.ROWS
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        weights = np.ascontiguousarray(batch[:, kept].T) / total[:, None]
    out = np.zeros(batch.shape)
    _split(
        lambda i, j: loops.move(left, right, own, kept, shift, weights, out, i, j), vocab, work, threads, loops.CHUNK
    )
    return out.reshape(v.shape)


def _rows(x: NDArray[Any]) -> NDArray[Any]:
    """A read-only (rows, V) view, or a copy: read-only always, as Numba would compile once more for either kind."""
    rows = np.ascontiguousarray(x).reshape(math.prod(x.shape[:-1]), x.shape[-1]).view()
    rows.flags.writeable = False
    return rows


def _split(task: Callable[[int, int], None], n: int, work: int, threads: int | None, step: int = 1) -> None:
    """Run task(first, last) over ranges that cover 0 .. n - 1 and start at multiples of `step`."""
    steps = -(-n // step)
    workers = min(threads or _THREADS, steps) if work >= _SERIAL else 1
    if workers <= 1:
        return task(0, n)
    parts = min(steps, workers * _TASKS)
    ends = [min(n, steps * k // parts * step) for k in range(parts + 1)]
    task(0, 0)  # compile once, not once a thread
    with ThreadPoolExecutor(workers) as pool:
        for future in [pool.submit(task, i, j) for i, j in zip(ends, ends[1:], strict=False)]:
            future.result()
