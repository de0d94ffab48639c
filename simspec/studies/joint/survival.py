r"""Rules that verify a whole draft at once, by name, measured along a text: how many of the drafts survive from each position.

A rule here is a statistic of drafts drawn at single positions, and how the statistics of neighbours give the probability
that the first i drafts of a block are kept, :math:`S_i`, when the block begins at each position.  As in
`simspec.methods.steps` a law depends on the position in the text, not on the drafts before it.  The rules
themselves are in `simspec.methods.registry`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from simspec.kernels import random as philox
from simspec.laws import Array
from simspec.methods.registry import REGISTRY

__all__ = ["share", "survival"]

DRAWS = 64
"""Drafts that are drawn at each position."""
KEY = 0x6A6F696E74


def survival(name: str, parts: Iterable[tuple[slice, Array, Array]], count: int, depth: int) -> Array:
    """Probability (n, most) that the first 1, ..., most drafts of a block that begins at each position are kept.

    Parameters
    ----------
    name : of a rule that has `along` in the registry
    parts : (rows, target laws, draft laws), which together are n positions in the order of the text, read again and again
    count : n
    depth : int

    A mean over `DRAWS` drafts at each position; the draws are the same at every call.

    >>> p, q = np.array([[0.5, 0.5]]), np.array([[1.0, 0.0]])
    >>> survival("block", [(slice(0, 1), p, q)], 1, 2).tolist()
    [[0.5, 0.25]]
    """
    along = REGISTRY[name].along
    if along is None:
        raise ValueError(f"name: {name!r}; expected a rule that judges whole drafts, such as block")
    uniforms = philox.uniform(KEY, range(count), range(DRAWS))
    statistic = np.empty((count, DRAWS))
    for rows, p, q in parts:
        statistic[rows] = along.measure(p, q, uniforms[rows])
    return along.survive(statistic, depth)


def share(survived: Array, best: Array) -> Array:
    """Accepted drafts of a call over the most, by the position where it begins (n,); 1 where nothing can be accepted.

    >>> share(np.array([[0.5, 0.25], [0.0, 0.0]]), np.array([[0.75, 0.25], [0.0, 0.0]])).tolist()
    [0.75, 1.0]
    """
    accepted = survived.sum(axis=1)
    largest = best.sum(axis=1)
    return np.divide(accepted, largest, out=np.ones_like(accepted), where=largest > 0)
