"""What claims on numerics share: weights computed twice, and the laws of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance

__all__ = ["CLOSE", "OWN", "is_close", "laws_of", "twice"]

OWN = "own statement, on Leviathan et al. 2023 (“lossless”)"
CLOSE = "no logit differs by more than ε"


def is_close(change: Array, rho: F) -> bool:
    """Whether every weight is changed by a factor from 1/ρ to ρ: no logit by more than ε, either way."""
    return bool((change * rho >= 1).all() and (change <= rho).all())


def twice(draw: Draw, lowest: Any = 1) -> Instance:
    """Weights exp(z/T), the factor by which each is changed, and ρ = exp(ε/T)."""
    vocab = draw.vocab()
    rho = draw.number(lowest, 4)
    change = np.array([1 / rho + (rho - 1 / rho) * draw.number(0, 1) for _ in range(vocab)])
    return {"w": draw.weights(vocab), "change": change, "rho": rho}


def laws_of(w: Array, change: Array) -> tuple[Array, Array]:
    """The laws p and p̂ of both computations.

    >>> p, other = laws_of(np.array([F(1), F(1)]), np.array([F(2), F(1, 2)]))
    >>> [str(m) for m in (*p, *other)]
    ['1/2', '1/2', '4/5', '1/5']
    """
    changed = w * change
    return w / w.sum(axis=-1, keepdims=True), changed / changed.sum(axis=-1, keepdims=True)
