"""Total variation of softmax laws, straight from logits."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels.choose import choose
from simspec.kernels.cuda.launch import as_array, as_floats, together

__all__ = ["tv_from_logits"]

HALVES = ("float16", "bfloat16")
"""Types that are read as they are, two bytes a logit, where both arrays have one."""

SMALL = 4096
"""Logits below which the reference does the work."""


def tv_from_logits(a: ArrayLike, b: ArrayLike) -> NDArray[np.float64]:
    r"""Total-variation distance :math:`\tfrac12\sum_x|\mathrm{softmax}(a)_x - \mathrm{softmax}(b)_x|` of two logit rows.

    Parameters
    ----------
    a, b : float arrays (..., V)
        in nats, V >= 1, leading axes broadcast; minus infinity marks a token that cannot be drawn.  Two arrays of float16,
        or two of bfloat16 (of the package ml_dtypes), are read without a copy; the result is that of float32 logits.

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
    x = as_array(a)
    y = as_array(b)
    halves = x.dtype == y.dtype and x.dtype.name in HALVES
    if not halves or 0 in (x.ndim, y.ndim, *x.shape[-1:], *y.shape[-1:]):
        x = as_floats(x, "a")
        y = as_floats(y, "b")
    if x.shape[-1] != y.shape[-1]:
        raise ValueError(f"b: {y.shape[-1]} tokens; expected as many as a has, {x.shape[-1]}")
    try:
        shape = np.broadcast_shapes(x.shape, y.shape)
    except ValueError:
        raise ValueError(f"b: shape {y.shape}; expected leading axes that broadcast with a, {x.shape}") from None
    if x.dtype != y.dtype:
        dtype = np.result_type(x.dtype, y.dtype)
        x, y = (z.astype(dtype, copy=False) for z in (x, y))
    x, y = (np.broadcast_to(z, shape) for z in (x, y))
    return choose("tv", "tv_from_logits", x.size, SMALL, device=together(a=x, b=y))(x, y)
