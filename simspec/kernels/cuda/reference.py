"""What the CUDA kernels mean that no reference of `simspec.kernels` defines, in plain NumPy and float64.

The others mean what the `reference` of their kernel says.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels.softmax.reference import softmax
from simspec.kernels.synthetic import reference as synthetic_reference

__all__ = ["SyntheticRows", "synthetic_rows"]

Floats = NDArray[np.float64]


class SyntheticRows(NamedTuple):
    """Of each row the two log-sum-exps and the overlap, (n,); of all together the sum of overlaps in units of 2^-32."""

    target_logsumexp: Floats
    draft_logsumexp: Floats
    overlap: Floats
    total: int


def synthetic_rows(
    rows: int,
    vocab: int,
    *,
    key: int,
    rho: float,
    df: float = math.inf,
    location: ArrayLike = 0,
    scale: ArrayLike = 1,
    first_row: int = 0,
    purpose: int = 0,
    draft_purpose: int = 1,
) -> SyntheticRows:
    """Log-sum-exps and overlap of the rows that `synthetic_reference.logits` draws, in float64.

    >>> synthetic_rows(2, 3, key=1, rho=1).total == 2 * 2**32
    True
    """
    centre, spread = np.asarray(location, dtype=np.float64), np.asarray(scale, dtype=np.float64)
    numbers, purposes = range(first_row, first_row + rows), (purpose, draft_purpose)
    target, draft = synthetic_reference.logits(numbers, vocab, key, rho, df, centre, spread, purposes, np.float64)
    overlap = np.minimum(softmax(target), softmax(draft)).sum(axis=-1)
    total = int(np.floor(overlap * 2.0**32 + 0.5).astype(np.uint64).sum())
    return SyntheticRows(_logsumexp(target), _logsumexp(draft), overlap, total)


def _logsumexp(z: Floats) -> Floats:
    m = z.max(axis=-1)
    with np.errstate(invalid="ignore"):
        return m + np.log(np.exp(z - m[..., None]).sum(axis=-1))
