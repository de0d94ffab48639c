r"""Quantised laws of floats in compiled code: those of `simspec.methods.sqs.quantised.quantised_law`, without a mask or a sort.

The kernels take the laws' rows in C order and round in the order that `sqs` does on such rows, so the integers are the
same, ties and rounding included (on a device: except where rounding decides, see `simspec.kernels.lattice`).  Fractions
and other number types are not taken here (`takes`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.kernels.cuda.launch import host
from simspec.kernels.lattice import quantise_above, quantise_top
from simspec.laws import Array, Scalar

__all__ = ["above_law", "takes", "top_law"]


def takes(q: Array, threshold: Scalar | Array = 0) -> bool:
    """Whether laws, and thresholds for them, are of types that the kernels compute with: float32 or float64 laws.

    >>> takes(np.array([0.5, 0.5])), takes(np.array([0.5, 0.5]), 0.25), takes(np.array([1, 0], dtype=object))
    (True, True, False)
    """
    edges = threshold.dtype if hasattr(threshold, "dtype") else np.asarray(threshold).dtype
    return q.dtype in (np.float32, np.float64) and edges.kind in "iuf" and edges.itemsize <= 8


def top_law(q: Array, k: int, resolution: int) -> Array:
    """Laws (..., V) of K-SQS, :math:`b / \\ell`: the k largest masses of each row, rounded to the lattice.

    Arguments and errors as in `simspec.kernels.lattice.quantise_top`; the result has the type of q.

    >>> top_law(np.array([0.5, 0.25, 0.25]), k=2, resolution=4).tolist()
    [0.75, 0.25, 0.0]
    """
    rounded = quantise_top(q, k, resolution)
    rows = np.arange(rounded.tokens.size // k).repeat(k)
    return _filled(q.shape, q, rows, rounded.tokens.reshape(-1), rounded.counts.reshape(-1), resolution)


def above_law(q: Array, threshold: Any, resolution: int, keep_top: bool = True) -> Array:
    r"""Laws (..., V) of C-SQS, :math:`b / \ell`: masses of at least the threshold, rounded to the lattice.

    Arguments and errors as in `simspec.kernels.lattice.quantise_above`, but q and the thresholds (...) broadcast; the
    result has the type of q, and zeros throughout where nothing is kept (``keep_top=False``).

    >>> above_law(np.array([0.625, 0.25, 0.125]), 0.25, resolution=4).tolist()
    [0.75, 0.25, 0.0]
    """
    shape = (*np.broadcast_shapes(q.shape[:-1], np.shape(threshold)), q.shape[-1])
    rounded = quantise_above(np.broadcast_to(q, shape), threshold, resolution, keep_top)
    rows = np.arange(len(rounded.offsets) - 1).repeat(np.diff(host(rounded.offsets)))
    return _filled(shape, q, rows, rounded.tokens, rounded.counts, resolution)


def _filled(shape: tuple[int, ...], like: Array, rows: Array, tokens: Array, counts: Array, resolution: int) -> Array:
    laws = np.zeros_like(like, shape=shape, order="C")
    laws.reshape(-1, shape[-1])[rows, tokens] = counts / resolution
    return laws
