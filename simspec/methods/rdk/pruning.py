"""Which tokens a pruned drafter keeps: masks from a ranking of the vocabulary."""

from __future__ import annotations

import numpy as np

from simspec.laws import Array

__all__ = ["keep_first", "most_frequent", "pruning_order"]

ORDERS = ("frequency", "random", "worst")


def keep_first(order: Array, kept: int) -> Array:
    """Mask of the first `kept` tokens of a ranking.

    >>> keep_first(np.array([2, 0, 1]), 2).tolist()
    [True, False, True]
    """
    order = np.asarray(order)
    if not 1 <= kept <= order.shape[-1]:
        raise ValueError(f"kept: {kept}; expected 1 <= kept <= {order.shape[-1]}, the vocabulary size")
    mask = np.zeros(order.shape[-1], dtype=bool)
    mask[order[:kept]] = True
    return mask


def most_frequent(counts: Array, kept: int) -> Array:
    """FR-Spec's shared vocabulary: the `kept` most frequent tokens of a corpus (RDK, Algorithm 3).

    Of equally frequent tokens the one with the lower number is kept.

    >>> most_frequent(np.array([5, 0, 7, 5]), 2).tolist()
    [True, False, True, False]
    """
    return keep_first(pruning_order("frequency", counts), kept)


def pruning_order(order: str, weights: Array, rng: np.random.Generator | None = None) -> Array:
    """Ranking of the vocabulary by which tokens are kept, first to last.

    Parameters
    ----------
    order : "frequency" (heaviest kept first), "worst" (lightest kept first: the most frequent tokens are pruned
        first) or "random" (needs `rng`)
    weights : array (V,); counts or mean probabilities

    >>> pruning_order("worst", np.array([5, 0, 7])).tolist()
    [1, 0, 2]
    """
    weights = np.asarray(weights)
    if order == "frequency":
        return np.argsort(-weights.astype(np.float64), kind="stable")
    if order == "worst":
        return np.argsort(weights, kind="stable")
    if order == "random" and rng is not None:
        return rng.permutation(weights.shape[-1])
    raise ValueError(f"order: {order!r} (rng {'given' if rng is not None else 'missing'}); expected one of {ORDERS}")
