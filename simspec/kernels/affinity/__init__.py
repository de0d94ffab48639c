"""Moving mass along a softmax affinity, without its V x V matrix."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels.affinity.sums import RowSums
from simspec.kernels.choose import choose, which
from simspec.kernels.cuda.launch import as_array, as_floats, on_device, together

__all__ = ["RowSums", "affinity_apply"]

SMALL = 256 * 256
"""Entries of an affinity matrix below which NumPy forms it: one of this size takes about a millisecond."""


def affinity_apply(
    v: ArrayLike,
    U: ArrayLike,
    lam: ArrayLike,
    diag: ArrayLike,
    temperature: float,
    sums: RowSums | None = None,
) -> NDArray[np.floating[Any]]:
    r"""Move the mass of `v` along a softmax affinity, :math:`r = M^\top v`, without forming the V x V matrix.

    :math:`M_{ij} = e^{\Omega_{ij}/\tau} / \sum_k e^{\Omega_{ik}/\tau}` with
    :math:`\Omega = U\,\mathrm{diag}(\lambda)\,U^\top + \mathrm{diag}(d)`.  Only rows i with some :math:`v_i \ne 0` are
    formed, a block at a time: time O(K V R) for K such rows, extra memory O(V R).

    Parameters
    ----------
    v : float array (..., V)
        any finite numbers; mass is conserved, as rows of M sum to one.
    U : float array (V, R)
    lam : float array (R,)
    diag : float array (V,)
        minus infinity: a token that keeps none of its own mass.
    temperature : float
        positive, in the unit of :math:`\Omega`.
    sums : RowSums, optional
        what earlier calls with the same affinity computed of its rows, and this call adds to: a row that had mass before then
        takes half the time.  The result is the same, bit for bit.  Small affinities and arrays on a device do without.

    Returns
    -------
    array (..., V)
        float32 when all four arrays are, else float64.  Computed in float64, or on a CPU in float32 for arrays of
        float32 where the worst case, `numba_affinity.affinity_bound`, is at most 2^-12 of the sum of abs(v), over all tokens
        together; typical errors are a thousand times smaller.

    Raises
    ------
    ValueError
        for shapes that do not fit, a temperature that is not positive, and numbers that are not finite (arrays on a device
        are not looked at: NaN comes of NaN).

    Examples
    --------
    >>> U, lam, diag = np.zeros((2, 1)), np.zeros(1), np.log([3.0, 1.0])
    >>> affinity_apply(np.array([1.0, 0.0]), U, lam, diag, 1.0).round(12).tolist()
    [0.75, 0.25]
    """
    w = as_floats(v, "v")
    factors = as_array(U)
    if factors.ndim != 2 or len(factors) != w.shape[-1]:
        raise ValueError(f"U: shape {factors.shape}; expected ({w.shape[-1]}, R), a row for each token of v")
    scales = as_array(lam)
    diagonal = as_array(diag)
    if scales.shape != factors.shape[1:]:
        raise ValueError(f"lam: shape {scales.shape}; expected {factors.shape[1:]}, a number for each column of U")
    if diagonal.shape != w.shape[-1:]:
        raise ValueError(f"diag: shape {diagonal.shape}; expected {w.shape[-1:]}, a number for each token")
    if not 0 < temperature < np.inf:
        raise ValueError(f"temperature: {temperature}; expected a positive finite number")
    arrays = {"v": w, "U": factors, "lam": scales, "diag": diagonal}
    for name, x in arrays.items():
        if not on_device(x) and not _finite(x, -np.inf if name == "diag" else 0):
            raise ValueError(f"{name}: holds NaN or infinity; expected finite numbers")
    dtype = np.float32 if all(x.dtype == np.float32 for x in arrays.values()) else np.float64
    size = len(diagonal) ** 2
    device = together(**arrays)
    apply = choose("affinity", "affinity_apply", size, SMALL, device=device)
    typed_arrays = [x.astype(dtype, copy=False) for x in arrays.values()]
    if sums is not None and which(size, SMALL, device) == "numba":
        _, typed_factors, typed_scales, typed_diagonal = typed_arrays
        apply = partial(apply, rows_so_far=sums.of(typed_factors, typed_scales, typed_diagonal, float(temperature)))
    return apply(*typed_arrays, float(temperature)).astype(dtype, copy=False)


def _finite(x: NDArray[Any], besides: float) -> bool:
    """Whether all numbers are finite or the one given besides."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(x.sum()):  # quick, and certain: what is not finite stays so in a sum
            return True
    return bool((np.isfinite(x) | (x == besides)).all())
