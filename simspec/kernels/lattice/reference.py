r"""What the lattice kernels mean, in plain NumPy: keep tokens of each law, scale what is kept, round it to fractions.

Steps of one row of masses q, of which the tokens X are kept (SQS, Eq. 6, Eq. 17 and Algorithm 2):

1. :math:`\tilde q_x = q_x / \sum_{y \in X} q_y`, sum and division in the type of q;
2. the same once more in float64, so that the sum is one up to 2^-53 whatever the type;
3. :math:`b_x = \lfloor \ell\,\tilde q_x + 1/2 \rfloor`; while the sum is too large (small), one is taken from (given to)
   the largest (smallest) :math:`\zeta_x = b_x - \ell\,\tilde q_x`, of equal ones the lower token first.

Sums are pairwise in one stated order (`pairwise_sum`), so a compiled backend can give the same bits, hence the same
integers, ties included.  Not here: checks and the choice of implementation (`simspec.kernels.lattice`).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Kept", "Top", "check_massive", "check_sound", "pairwise_sum", "quantise"]
__all__ += ["quantise_above", "quantise_top", "threshold_mask", "top_mask"]

Array = NDArray[Any]
LEAF = 128
"""Longest run of tokens that is added in eight lanes; longer ones are halved."""


class Top(NamedTuple):
    """Lattice points with k kept tokens in each row: `tokens` rising and their `counts`, both (..., k)."""

    tokens: NDArray[np.int32]
    counts: NDArray[np.int64]


class Kept(NamedTuple):
    """Lattice points with any number of kept tokens: row r has `tokens` and `counts` offsets[r] .. offsets[r + 1] - 1."""

    offsets: NDArray[np.int64]
    tokens: NDArray[np.int32]
    counts: NDArray[np.int64]


def pairwise_sum(x: Array) -> Array:
    """Sum over the last axis in its own type: halves (the first a multiple of eight) down to 128, then eight lanes.

    This is the order in which NumPy adds a contiguous row, written down; the relative error on numbers that are not
    negative is at most u (25 + log2(V / 128)) for V > 128, u the unit roundoff.

    >>> float(pairwise_sum(np.arange(1000.0)))
    499500.0
    """
    n = x.shape[-1]
    if n > LEAF:
        half = n // 2 - n // 2 % 8
        return pairwise_sum(x[..., :half]) + pairwise_sum(x[..., half:])
    body = n - n % 8
    lanes = np.zeros((*x.shape[:-1], 8), dtype=x.dtype)
    for start in range(0, body, 8):
        lanes = lanes + x[..., start : start + 8]
    pairs = lanes[..., 0::2] + lanes[..., 1::2]
    total = (pairs[..., 0] + pairs[..., 1]) + (pairs[..., 2] + pairs[..., 3])
    for j in range(body, n):
        total = total + x[..., j]
    return total


def top_mask(q: Array, k: int) -> NDArray[np.bool_]:
    """The k largest of each row, of equal ones the first.

    >>> top_mask(np.array([0.25, 0.5, 0.25]), 2).tolist()
    [True, True, False]
    """
    order = np.argsort(-q, axis=-1, kind="stable")
    mask = np.zeros(q.shape, dtype=bool)
    np.put_along_axis(mask, order[..., :k], True, axis=-1)
    return mask


def threshold_mask(q: Array, threshold: Array, keep_top: bool = True) -> NDArray[np.bool_]:
    """Tokens with mass at least the threshold of their row, compared in float64; else (`keep_top`) the largest.

    >>> threshold_mask(np.array([[0.5, 0.25, 0.25]] * 2), np.array([0.25, 0.75])).tolist()
    [[True, True, True], [True, False, False]]
    """
    mask = q.astype(np.float64) >= np.asarray(threshold, dtype=np.float64)[..., None]
    empty = ~mask.any(axis=-1, keepdims=True)
    return mask | (empty & top_mask(q, 1)) if keep_top else mask


def quantise(q: Array, mask: NDArray[np.bool_], resolution: int) -> NDArray[np.int64]:
    """Counts (..., V) of the nearest lattice point to the kept masses; zero throughout where nothing is kept.

    >>> quantise(np.array([0.5, 0.25, 0.25]), np.array([True, True, True]), 2).tolist()
    [1, 0, 1]
    """
    law = np.where(mask, q, q.dtype.type(0))
    some = mask.any(axis=-1, keepdims=True)
    law = law / np.where(some, pairwise_sum(law)[..., None], q.dtype.type(1))
    law = law.astype(np.float64)
    scaled = resolution * (law / np.where(some, pairwise_sum(law)[..., None], 1.0))
    low = np.floor(scaled)
    counts = np.where(mask, low + (2 * (scaled - low) >= 1), 0)
    error = counts - scaled
    excess = (counts.sum(axis=-1, keepdims=True) - resolution * some).astype(np.int64)
    sign = -np.sign(excess)
    ranked = np.where(mask, sign * error, 2)  # an error is at most 1/2: tokens outside come last
    order = np.argsort(ranked, axis=-1, kind="stable")
    rank = np.empty(order.shape, dtype=np.int64)
    np.put_along_axis(rank, order, np.broadcast_to(np.arange(q.shape[-1]), order.shape), axis=-1)
    return (counts + sign * (mask & (rank < np.abs(excess)))).astype(np.int64)


def quantise_top(q: Array, k: int, resolution: int) -> Top:
    """Lattice points of the k largest masses of each row of q (R, V).

    >>> quantise_top(np.array([[0.25, 0.5, 0.25]]), 2, 3).counts.tolist()
    [[1, 2]]
    """
    check_sound(q)
    mask = top_mask(q, k)
    check_massive(np.where(mask, q, 0).sum(axis=1))
    counts = quantise(q, mask, resolution)
    tokens = np.nonzero(mask)[1].reshape(len(q), k)
    return Top(tokens.astype(np.int32), np.take_along_axis(counts, tokens, axis=1))


def quantise_above(q: Array, threshold: Array, resolution: int, keep_top: bool = True) -> Kept:
    """Lattice points of the masses of q (R, V) that are at least the thresholds (R,).

    >>> quantise_above(np.array([[0.25, 0.5, 0.25]]), np.array([0.5]), 3)[:2]
    (array([0, 1]), array([1], dtype=int32))
    """
    check_sound(q)
    mask = threshold_mask(q, threshold, keep_top)
    check_massive(np.where(mask, q, 0).sum(axis=1) + ~mask.any(axis=1))
    counts = quantise(q, mask, resolution)
    offsets = np.concatenate([[0], np.cumsum(mask.sum(axis=1), dtype=np.int64)])
    return Kept(offsets, np.nonzero(mask)[1].astype(np.int32), counts[mask])


def check_sound(rows: Array) -> None:
    """Refuse a mass that is negative, infinite or NaN."""
    bad = ~((rows >= 0) & (rows < np.inf))
    if bad.any():
        r, x = (int(i) for i in np.argwhere(bad)[0])
        raise ValueError(f"q: row {r} has {rows[r, x]} at token {x}; expected finite masses that are not negative")


def check_massive(mass: Array) -> None:
    """Refuse a row whose kept tokens have no mass, or too much."""
    bad = ~((mass > 0) & (mass < np.inf))
    if bad.any():
        r = int(np.argmax(bad))
        raise ValueError(f"q: the kept tokens of row {r} have mass {mass[r]}; expected a positive finite sum")
