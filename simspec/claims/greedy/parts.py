"""What greedy claims share: laws whose mode is a refused token, the nearest of them, and criteria as sets of refused tokens."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, exact
from simspec.claims.relaxed.certificate_additive import level, limit
from simspec.claims.relaxed.parts import divergence

__all__ = ["likeliest", "nearest", "nonuniform", "positive_law", "radius", "with_mode"]


def positive_law(draw: Draw, vocab: int) -> Array:
    """A law that is nowhere zero."""
    q = draw.law(vocab)
    return q if (q > 0).all() else (q + exact([F(1, vocab)] * vocab)) / 2


def with_mode(draw: Draw, refused: Array) -> Array:
    """A law that is nowhere zero and largest at a refused token, alone or among others."""
    q = positive_law(draw, len(refused))
    tokens = np.flatnonzero(refused)
    mode = tokens[draw.integer(0, len(tokens) - 1)]
    top = int(np.argmax(q))
    if q[mode] < q[top]:
        q[[mode, top]] = q[[top, mode]]
    return q


def nonuniform(draw: Draw, vocab: int) -> Array:
    """A law in which some token is less likely than another."""
    p = draw.law(vocab)
    return p if (p < p.max()).any() else exact([F(int(x == 0)) for x in range(vocab)])


def likeliest(p: Array, refused: Array) -> int:
    """The first of the likeliest refused tokens.

    >>> likeliest(exact([F(1, 2), F(1, 4), F(1, 4)]), np.array([False, True, True]))
    1
    """
    return min(np.flatnonzero(refused).tolist(), key=lambda x: (-p[x], x))


def radius(p: Array, refused: Array) -> Any:
    """Pool(b; S) of the likeliest refused token b: Σ p log(p/c) over b and the tokens above their common mean c.

    >>> round(float(radius(exact([F(3, 4), F(1, 4)]), np.array([False, True]))), 6)
    0.130812
    """
    return limit(p, likeliest(p, refused))


def nearest(p: Array, refused: Array) -> Any:
    """KL(p‖u) of u, which is p cut down to c on b and the tokens above c: its mode is b."""
    height, members = level(p, likeliest(p, refused))
    return divergence(p, np.where(members, height, p))
