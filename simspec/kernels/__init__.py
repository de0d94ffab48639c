"""Compiled kernels and the one place that chooses between them and their reference.

The array decides: large NumPy float arrays go to the Numba twin, CuPy arrays to the CUDA twin, everything small to
the NumPy reference, which defines the result.  All accumulate in float64; float32 inputs differ from the reference by
the bounds stated in `simspec.kernels.softmax.compiled` and `simspec.kernels.softmax.device`.  Kernels know arrays and
integers, no method, claim or file; Numba and CuPy are loaded on first use.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels.cuda.launch import on_device, together
from simspec.kernels.softmax import reference
from simspec.kernels.softmax.reference import RowStats

__all__ = ["RowStats", "affinity_apply", "affinity_first_order", "row_stats", "tv_from_logits"]

SMALL = 4096
"""Below this many elements loading or compiling a kernel costs more than it saves."""
SMALL_MATRIX = 256 * 256
"""The same for an affinity matrix: NumPy forms one of this size in about a millisecond."""


def row_stats(logits: ArrayLike) -> RowStats:
    r"""Maximum, log-sum-exp and softmax entropy (nats) of each row of logits, in one pass.

    :math:`m = \max_x z_x`, :math:`\ell = m + \log\sum_x e^{z_x - m}`, :math:`H = \ell - \sum_x p_x z_x` with
    :math:`p_x = e^{z_x - \ell}`.

    Parameters
    ----------
    logits : float array (..., V)
        in nats, V >= 1; minus infinity marks a token that cannot be drawn.

    Returns
    -------
    RowStats
        `maximum`, `logsumexp`, `entropy`: float64 arrays (...,).  A row with NaN, plus infinity or nothing but minus
        infinity has no softmax: log-sum-exp and entropy are NaN there.

    Raises
    ------
    ValueError
        when there is no last axis of at least one token.

    Examples
    --------
    >>> stats = row_stats(np.array([0.0, 0.0, 0.0, 0.0]))
    >>> round(float(stats.entropy / np.log(2)), 12)
    2.0
    """
    z = _floats(logits, "logits")
    return _implementation(z.size, logits=z).row_stats(z)


def tv_from_logits(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    r"""Total-variation distance :math:`\tfrac12\sum_x|\mathrm{softmax}(a)_x - \mathrm{softmax}(b)_x|` of two logit rows.

    Parameters
    ----------
    a, b : float arrays (..., V)
        in nats, V >= 1, leading axes broadcast; minus infinity marks a token that cannot be drawn.

    Returns
    -------
    float64 array (...,)
        in [0, 1] up to rounding; NaN where a row of `a` or `b` has NaN, plus infinity or nothing but minus infinity.

    Raises
    ------
    ValueError
        when the last axes differ or are empty, or the leading axes do not broadcast.

    Examples
    --------
    >>> round(float(tv_from_logits(np.log([0.5, 0.5]), np.log([0.25, 0.75]))), 12)
    0.25
    """
    x, y = _floats(a, "a"), _floats(b, "b")
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"b: {y.shape[-1]} tokens; expected as many as a has, {x.shape[-1]}")
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ValueError(f"b: shape {y.shape}; expected leading axes that broadcast with a, {x.shape}") from None
    dtype = np.result_type(x.dtype, y.dtype)
    x, y = (np.broadcast_to(z.astype(dtype, copy=False), shape) for z in (x, y))
    return _implementation(x.size, a=x, b=y).tv_from_logits(x, y)


def affinity_apply(
    v: ArrayLike, U: ArrayLike, lam: ArrayLike, diag: ArrayLike, temperature: float
) -> NDArray[np.floating[Any]]:
    r"""Move the mass of `v` along a softmax affinity, :math:`r = M^\top v`, without forming the V x V matrix.

    :math:`M_{ij} = e^{\Omega_{ij}/\tau} / \sum_k e^{\Omega_{ik}/\tau}` with
    :math:`\Omega = U\,\mathrm{diag}(\lambda)\,U^\top + \mathrm{diag}(d)`.  Only rows i with some :math:`v_i \ne 0` are
    formed, a block at a time: time O(K V R) for K such rows, extra memory O(V R).  `affinity_first_order` is its form in
    linear time.

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

    Returns
    -------
    array (..., V)
        float32 when all four arrays are, else float64.  Computed in float64, or on a CPU in float32 for arrays of
        float32 where the worst case, `cpu.affinity_bound`, is at most 2^-12 of the sum of abs(v), over all tokens
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
    arrays, dtype = _factors(v, U, lam, diag, temperature)
    chosen = _implementation(len(arrays["diag"]) ** 2, SMALL_MATRIX, **arrays)
    return chosen.affinity_apply(*arrays.values(), float(temperature)).astype(dtype, copy=False)


def affinity_first_order(
    v: ArrayLike, U: ArrayLike, lam: ArrayLike, diag: ArrayLike, temperature: float
) -> NDArray[np.floating[Any]]:
    r"""The softmax affinity to first order in :math:`1/\tau`, in linear time: time O(V R) for each row of v.

    :math:`\hat r = \frac1V[1 + (u - \bar u)/\tau]` with :math:`u = \Omega v` and :math:`\Omega` as in `affinity_apply`, whose
    arguments it has.  Entries sum to one, whatever v; they are a law while :math:`\tau \ge \bar u - \min_j u_j`.

    Returns
    -------
    array (..., V)
        float32 when all four arrays are, else float64; computed in float64.  For laws v two implementations differ by at
        most 2^-51 ((V + R + 20) B / temperature + 1) / V, and a rounding, where B bounds the entries of :math:`\Omega`.

    Raises
    ------
    ValueError
        for shapes that do not fit, a temperature that is not positive, and numbers that are not finite (arrays on a device
        are not looked at: NaN comes of NaN).

    Examples
    --------
    >>> U, lam, diag = np.array([[1.0], [0.0]]), np.ones(1), np.zeros(2)
    >>> affinity_first_order(np.array([1.0, 0.0]), U, lam, diag, 2.0).tolist()
    [0.625, 0.375]
    """
    arrays, dtype = _factors(v, U, lam, diag, temperature, least=0)
    chosen = _implementation(arrays["U"].size, **arrays)
    return chosen.first_order(*arrays.values(), float(temperature)).astype(dtype, copy=False)


def _factors(
    v: ArrayLike, U: ArrayLike, lam: ArrayLike, diag: ArrayLike, temperature: float, least: float = -np.inf
) -> tuple[dict[str, Any], type[np.floating[Any]]]:
    """The arrays of an affinity by name, checked and of one type, and that type; `diag` may hold `least`."""
    w, factors = _floats(v, "v"), _array(U)
    if factors.ndim != 2 or len(factors) != w.shape[-1]:
        raise ValueError(f"U: shape {factors.shape}; expected ({w.shape[-1]}, R), a row for each token of v")
    scales, own = _array(lam), _array(diag)
    if scales.shape != factors.shape[1:]:
        raise ValueError(f"lam: shape {scales.shape}; expected {factors.shape[1:]}, a number for each column of U")
    if own.shape != w.shape[-1:]:
        raise ValueError(f"diag: shape {own.shape}; expected {w.shape[-1:]}, a number for each token")
    if not 0 < temperature < np.inf:
        raise ValueError(f"temperature: {temperature}; expected a positive finite number")
    arrays = {"v": w, "U": factors, "lam": scales, "diag": own}
    for name, x in arrays.items():
        if not on_device(x) and not _finite(x, least if name == "diag" else 0):
            raise ValueError(f"{name}: holds NaN or infinity; expected finite numbers")
    dtype = np.float32 if all(x.dtype == np.float32 for x in arrays.values()) else np.float64
    return {name: x.astype(dtype, copy=False) for name, x in arrays.items()}, dtype


def _finite(x: NDArray[Any], besides: float) -> bool:
    """Whether all numbers are finite or the one given besides."""
    with np.errstate(over="ignore", invalid="ignore"):
        if np.isfinite(x.sum()):  # quick, and certain: what is not finite stays so in a sum
            return True
    return bool((np.isfinite(x) | (x == besides)).all())


def _floats(x: ArrayLike, name: str) -> NDArray[Any]:
    """`x` as float32 or float64 (half precision widens to float32, all else, fractions too, to float64)."""
    z = _array(x)
    if z.ndim == 0 or z.shape[-1] == 0:
        raise ValueError(f"{name}: shape {z.shape}; expected a last axis of at least one token")
    if z.dtype == np.float16:
        return z.astype(np.float32)
    return z if z.dtype in (np.float32, np.float64) else z.astype(np.float64)


def _array(x: Any) -> Any:
    """`x` as an array where it is: on a device or in NumPy."""
    return x if on_device(x) else np.asarray(x)


def _implementation(size: int, small: int = SMALL, **arrays: Any) -> ModuleType:
    if together(**arrays):
        from simspec.kernels.softmax import device as gpu

        return gpu
    if size < small:
        return reference
    from simspec.kernels.softmax import compiled as cpu

    return cpu
