r"""Sparsify and quantise many laws at once: the message of SQS, only the kept tokens, in time linear in V.

Large NumPy arrays go to the Numba twin (`simspec.kernels.lattice.loops`), small ones to the NumPy reference, which
defines the result (`simspec.kernels.lattice.reference`); both give the same integers, ties included, whatever the
number of threads.  CuPy arrays go to the CUDA twin (`simspec.kernels.lattice.device`), which gives CuPy arrays, and other
integers only where rounding decides.

Accuracy.  With u = 2^-24 (float32) or 2^-53 the division by the kept mass is off by u for each token relative to the
others, and the mass's own error cancels in the second scaling; so :math:`\ell\,\tilde q_x` has relative error at most
2 u plus 2^-53 (30 + log2 V) (`error_bound`; underflow apart).  Counts differ from those of exact arithmetic only where a
token is that close to a tie, and are then as near to the law up to 2 ℓ times the bound, in sum of distances.

Memory: the result, and at most 64 V bytes a thread.  Nothing is sorted; laws are copied only where they are not
contiguous, or hold minus zero.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels.cuda.launch import host, on_device
from simspec.kernels.lattice import reference
from simspec.kernels.lattice.reference import Kept, Top

__all__ = ["Kept", "Top", "error_bound", "quantise_above", "quantise_top"]

SMALL = 4096
"""Below this many elements loading or compiling the twin costs more than it saves."""
_BITS = {np.dtype(np.float32): np.dtype(np.uint32), np.dtype(np.float64): np.dtype(np.uint64)}


def error_bound(vocab: int, dtype: Any) -> float:
    r"""Largest relative error of :math:`\ell\,\tilde q_x`, the kept and scaled masses before they are rounded.

    >>> error_bound(32_000, np.float32) < 2**-22.9, error_bound(1, np.float64) < 2**-47
    (True, True)
    """
    return float(np.finfo(dtype).eps) + 2.0**-53 * (30 + math.log2(vocab))


def quantise_top(q: ArrayLike, k: int, resolution: int, threads: int | None = None) -> Top:
    r"""Lattice points nearest to the laws that keep the k largest masses of each row (K-SQS).

    :math:`b_x = \lfloor \ell\,\tilde q_x + 1/2 \rfloor` with :math:`\tilde q = \mathrm{norm}(q 1_X)`, then one less (more)
    for the tokens rounded up (down) most until :math:`\sum_x b_x = \ell`; of equal masses and of equal errors the lower
    token comes first.

    Parameters
    ----------
    q : float array (..., V)
        masses, finite and not negative; a row need not sum to one.  A CuPy array is worked on where it is.
    k : int
        1 <= k <= V.
    resolution : int
        ℓ, 1 <= ℓ < 2^44.
    threads : int, optional
        default: as many as Numba is told to use.  On a device: of a block, 256 by default.

    Returns
    -------
    Top
        `tokens` (..., k) int32, rising in each row, and their `counts` (..., k) int64, which sum to ℓ.

    Raises
    ------
    ValueError
        for k or ℓ outside their range, a row with a mass that is negative, infinite or NaN, or without any mass.

    Notes
    -----
    SQS, Section 2 and Algorithm 2 on the normalised vector.

    Examples
    --------
    >>> top = quantise_top(np.array([0.25, 0.5, 0.25]), k=2, resolution=4)
    >>> top.tokens.tolist(), top.counts.tolist()
    ([0, 1], [1, 3])
    """
    rows, shape = _rows(q)
    k = _whole("k", k, rows.shape[1] + 1, f"a number of tokens between 1 and V = {rows.shape[1]}")
    resolution = _whole("resolution", resolution, 2**44, "an integer from 1 to 2^44 - 1")
    if on_device(rows):
        from simspec.kernels.lattice import device as lattice_gpu

        made = lattice_gpu.quantise_top(rows, k, resolution, threads)
    elif rows.size < SMALL:
        _sound(rows)
        mass = np.where(reference.top_mask(rows, k), rows, 0).sum(axis=1)
        _massive(mass)
        made = reference.quantise_top(rows, k, resolution)
    else:
        made = _top(rows, k, resolution, threads)
    return Top(made.tokens.reshape(*shape, k), made.counts.reshape(*shape, k))


def quantise_above(
    q: ArrayLike, threshold: ArrayLike, resolution: int, keep_top: bool = True, threads: int | None = None
) -> Kept:
    r"""Lattice points nearest to the laws that keep the masses :math:`q_x \ge \beta` of each row (C-SQS).

    Rounded as by `quantise_top`.

    Parameters
    ----------
    q : float array (..., V)
        masses, finite and not negative; a row need not sum to one.  A CuPy array is worked on where it is.
    threshold : number or array, broadcast to the leading axes of q
        β, compared in float64; ties are kept.
    resolution : int
        ℓ, 1 <= ℓ < 2^44.
    keep_top : bool
        where nothing reaches the threshold: True keeps the largest mass (of equal ones the lower token), False nothing.
    threads : int, optional
        default: as many as Numba is told to use.  On a device: of a block, 256 by default.

    Returns
    -------
    Kept
        `offsets` (R + 1,) over the rows in C order; `tokens`, rising in each row, and `counts`, both (N,).  The counts
        of a row sum to ℓ, unless nothing is kept.

    Raises
    ------
    ValueError
        for ℓ outside its range, a threshold that is NaN or does not broadcast, a row with a mass that is negative,
        infinite or NaN, or whose kept tokens have no mass.

    Notes
    -----
    SQS, Eq. 6 and Algorithm 2 on the normalised vector.  Further memory: 8 bytes a row.

    Examples
    --------
    >>> made = quantise_above(np.array([[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]), 0.5, resolution=4)
    >>> made.offsets.tolist(), made.tokens.tolist(), made.counts.tolist()
    ([0, 1, 2], [0, 0], [4, 4])
    """
    rows, shape = _rows(q)
    resolution = _whole("resolution", resolution, 2**44, "an integer from 1 to 2^44 - 1")
    edges = host(threshold).astype(np.float64)
    if np.isnan(edges).any():
        raise ValueError(f"threshold: {edges}; expected a number")
    try:
        edges = np.broadcast_to(edges, shape).reshape(-1)
    except ValueError:
        raise ValueError(f"threshold: shape {edges.shape}; expected one that broadcasts to {shape}") from None
    if on_device(rows):
        from simspec.kernels.lattice import device as lattice_gpu

        return lattice_gpu.quantise_above(rows, edges, resolution, bool(keep_top), threads)
    if rows.size >= SMALL:
        return _above(rows, edges, resolution, bool(keep_top), threads)
    _sound(rows)
    mask = reference.threshold_mask(rows, edges, keep_top)
    _massive(np.where(mask, rows, 0).sum(axis=1) + ~mask.any(axis=1))
    return reference.quantise_above(rows, edges, resolution, keep_top)


# ---- the compiled twin ----


def _top(rows: NDArray[Any], k: int, resolution: int, threads: int | None) -> Top:
    from simspec.kernels.lattice import loops as lattice_loops
    from simspec.kernels.softmax import compiled as cpu

    offsets = np.arange(len(rows) + 1, dtype=np.int64) * k
    tokens, counts = np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int64)
    mass, plan = np.empty(len(rows)), _plan(rows.shape[1])

    def work(q: NDArray[Any]) -> None:
        bits, infinite = _bits(q)

        def task(i: int, j: int) -> None:
            lattice_loops.top(bits, infinite, k, tokens, mass, i, j)
            lattice_loops.quantise(q, offsets, tokens, resolution, *plan, counts, mass, i, j)

        cpu.split(task, len(q), q.size, threads)

    _on_sound(rows, work, mass)
    _massive(mass)
    return Top(tokens.reshape(len(rows), k), counts.reshape(len(rows), k))


def _above(
    rows: NDArray[Any], edges: NDArray[np.float64], resolution: int, keep_top: bool, threads: int | None
) -> Kept:
    from simspec.kernels.lattice import loops as lattice_loops
    from simspec.kernels.softmax import compiled as cpu

    kept, mass, plan = np.empty(len(rows), np.int64), np.zeros(len(rows)), _plan(rows.shape[1])
    least = _least(edges, rows.dtype.type)

    def count(q: NDArray[Any]) -> None:
        bits, infinite = _bits(q)
        cpu.split(
            lambda i, j: lattice_loops.count(bits, infinite, least, keep_top, kept, i, j), len(q), q.size, threads
        )

    q = _on_sound(rows, count, kept)
    bits, _ = _bits(q)
    offsets = np.concatenate([[0], np.cumsum(kept, dtype=np.int64)])
    made = Kept(offsets, np.empty(offsets[-1], np.int32), np.empty(offsets[-1], np.int64))

    def task(i: int, j: int) -> None:
        lattice_loops.above(bits, least, offsets, made.tokens, i, j)
        lattice_loops.quantise(q, offsets, made.tokens, resolution, *plan, made.counts, mass, i, j)

    cpu.split(task, len(q), q.size, threads)
    _massive(mass)
    return made


def _on_sound(rows: NDArray[Any], task: Callable[[NDArray[Any]], None], mark: NDArray[Any]) -> NDArray[Any]:
    """Run `task`, which marks rows that are not sound by -1; minus zero is cleaned, anything else is refused."""
    task(rows)
    if not (mark == -1).any():
        return rows
    _sound(rows)
    rows = rows + rows.dtype.type(0)
    task(rows)
    return rows


def _bits(q: NDArray[Any]) -> tuple[NDArray[Any], Any]:
    """The bits of the masses as unsigned integers, read-only as `q` is, and those of infinity."""
    q.flags.writeable = False
    kind: Any = _BITS[q.dtype]
    return q.view(kind), np.array(np.inf, q.dtype).view(kind)[()]


def _least(edges: NDArray[np.float64], real: Any) -> NDArray[Any]:
    """Bits of the smallest number of the type that is at least the threshold, or zero."""
    with np.errstate(over="ignore"):
        near = np.maximum(edges, 0).astype(real)
    near = np.where(near.astype(np.float64) < edges, np.nextafter(near, real(np.inf)), near)
    return (near + real(0)).view(_BITS[np.dtype(real)])


@cache
def _plan(vocab: int) -> tuple[NDArray[np.int64], NDArray[np.int64], int]:
    """Where the leaves of `pairwise_sum` end, how many sums to merge after each, and how many wait at most."""

    def leaves(n: int) -> list[list[int]]:
        if n <= reference.LEAF:
            return [[n, 0]]
        half = n // 2 - n // 2 % 8
        left, right = leaves(half), leaves(n - half)
        right[-1][1] += 1
        return left + right

    lengths, merges = np.array(leaves(vocab), dtype=np.int64).T
    waiting = int((1 + np.arange(len(merges)) - np.cumsum(merges) + merges).max())
    return np.cumsum(lengths), np.ascontiguousarray(merges), waiting


# ---- checks ----


def _rows(q: ArrayLike) -> tuple[NDArray[Any], tuple[int, ...]]:
    """`q` as contiguous rows (R, V) of float32 or float64 (half precision widens to float32), and its leading axes."""
    z: Any = q if on_device(q) else np.asarray(q)
    if z.ndim == 0 or z.shape[-1] == 0:
        raise ValueError(f"q: shape {z.shape}; expected a last axis of at least one token")
    if z.shape[-1] >= 2**31:
        raise ValueError(f"q: {z.shape[-1]} tokens; expected fewer than 2^31")
    if z.dtype.kind not in "fiu" or z.dtype.itemsize > 8:
        raise ValueError(f"q: dtype {z.dtype}; expected float32 or float64 masses")
    if z.dtype not in _BITS:
        z = z.astype(np.float32 if z.dtype == np.float16 else np.float64)
    shape = z.shape[:-1]
    rows = z if on_device(z) else np.ascontiguousarray(z)
    return rows.reshape(math.prod(shape), z.shape[-1]).view(), shape


def _whole(name: str, value: Any, limit: int, expected: str) -> int:
    try:
        number = operator.index(value)
    except TypeError:
        number = 0
    if isinstance(value, bool | np.bool_) or not 1 <= number < limit:
        raise ValueError(f"{name}: {value}; expected {expected}")
    return number


def _sound(rows: NDArray[Any]) -> None:
    bad = ~((rows >= 0) & (rows < np.inf))
    if bad.any():
        r, x = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"q: row {r} has {rows[r, x]} at token {x}; expected finite masses that are not negative")


def _massive(mass: NDArray[Any]) -> None:
    bad = ~((mass > 0) & (mass < np.inf))
    if bad.any():
        r = int(np.argmax(bad))
        raise ValueError(f"q: the kept tokens of row {r} have mass {mass[r]}; expected a positive finite sum")
