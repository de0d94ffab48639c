r"""Sparsify and quantise many laws at once: the message of SQS, only the kept tokens, in time linear in V.

The reference and the Numba backend give the same integers, ties included, whatever the number of threads; the CUDA backend, which
gives CuPy arrays, others only where rounding decides.

Accuracy.  With u = 2^-24 (float32) or 2^-53 the division by the kept mass is off by u for each token relative to the
others, and the mass's own error cancels in the second scaling; so :math:`\ell\,\tilde q_x` has relative error at most
2 u plus 2^-53 (30 + log2 V) (`error_bound`; underflow apart).  Counts differ from those of exact arithmetic only where a
token is that close to a tie, and are then as near to the law up to 2 ℓ times the bound, in sum of distances.

Memory: the result, and at most 64 V bytes a thread.  Nothing is sorted; laws are copied only where they are not
contiguous, or hold minus zero.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import whole_number
from simspec.kernels.choose import choose
from simspec.kernels.cuda.launch import as_array, host, on_device
from simspec.kernels.lattice.reference import Kept, Top

__all__ = ["Kept", "Top", "error_bound", "quantise_above", "quantise_top"]

SMALL = 4096
"""Masses below which the reference does the work."""


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
    k = whole_number("k", k, 1, rows.shape[1], f"a number of tokens between 1 and V = {rows.shape[1]}")
    resolution = whole_number("resolution", resolution, 1, 2**44 - 1, "an integer from 1 to 2^44 - 1")
    quantise = choose("lattice", "quantise_top", rows.size, SMALL, device=on_device(rows), threads=threads)
    quantised = quantise(rows, k, resolution)
    return Top(quantised.tokens.reshape(*shape, k), quantised.counts.reshape(*shape, k))


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
    resolution = whole_number("resolution", resolution, 1, 2**44 - 1, "an integer from 1 to 2^44 - 1")
    edges = host(threshold).astype(np.float64)
    if np.isnan(edges).any():
        raise ValueError(f"threshold: {edges}; expected a number")
    try:
        edges = np.broadcast_to(edges, shape).reshape(-1)
    except ValueError:
        raise ValueError(f"threshold: shape {edges.shape}; expected one that broadcasts to {shape}") from None
    quantise = choose("lattice", "quantise_above", rows.size, SMALL, device=on_device(rows), threads=threads)
    return quantise(rows, edges, resolution, bool(keep_top))


# ---- checks ----


def _rows(q: ArrayLike) -> tuple[NDArray[Any], tuple[int, ...]]:
    """`q` as contiguous rows (R, V) of float32 or float64 (half precision widens to float32), and its leading axes."""
    z: Any = as_array(q)
    if z.ndim == 0 or z.shape[-1] == 0:
        raise ValueError(f"q: shape {z.shape}; expected a last axis of at least one token")
    if z.shape[-1] >= 2**31:
        raise ValueError(f"q: {z.shape[-1]} tokens; expected fewer than 2^31")
    if z.dtype.kind not in "fiu" or z.dtype.itemsize > 8:
        raise ValueError(f"q: dtype {z.dtype}; expected float32 or float64 masses")
    if z.dtype not in (np.float32, np.float64):
        z = z.astype(np.float32 if z.dtype == np.float16 else np.float64)
    shape = z.shape[:-1]
    rows = z if on_device(z) else np.ascontiguousarray(z)
    return rows.reshape(math.prod(shape), z.shape[-1]).view(), shape
