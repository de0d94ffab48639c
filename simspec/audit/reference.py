"""Speculative decoding as a sampler to audit: the honest reference, and an example of the form that `audit` takes."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array

__all__ = ["speculative"]


def _draw(laws: Array, rng: np.random.Generator) -> NDArray[np.int64]:
    """A token from each row, by inverse CDF; a token without mass is never drawn."""
    sums = laws.cumsum(axis=-1)
    return (rng.random(len(laws))[:, None] * sums[:, -1:] >= sums).sum(axis=-1)


def speculative(p: Array, q: Array, n: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Tokens of n calls of speculative decoding (Leviathan et al. 2023; Chen et al. 2023), all at once.

    >>> p, q = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.0, 1.0]])
    >>> np.unique(speculative(p, q, 100, np.random.default_rng(0)), axis=0).tolist()
    [[0, -1], [1, 0]]
    """
    gamma = len(q)
    tokens = np.full((n, gamma + 1), -1)
    alive = np.arange(n)
    for i in range(gamma):
        drafted = _draw(np.broadcast_to(q[i], (len(alive), q.shape[1])), rng)
        accepted = rng.random(len(alive)) * q[i, drafted] < p[i, drafted]
        tokens[alive[accepted], i] = drafted[accepted]
        residual = np.maximum(p[i] - q[i], 0)
        refused = alive[~accepted]
        tokens[refused, i] = _draw(
            np.broadcast_to(residual if residual.any() else p[i], (len(refused), len(residual))), rng
        )
        alive = alive[accepted]
    tokens[alive, gamma] = _draw(np.broadcast_to(p[gamma], (len(alive), p.shape[1])), rng)
    return tokens
