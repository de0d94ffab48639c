"""Laws of each token as rows, or as levels of a tree: two forms that the audit takes alike.

Rows (length, V): the law of a token depends on its position.  Levels: a sequence whose i-th array has the shape (V,) * i +
(V,), so that ``p[i][prefix]`` is the law of token i + 1 after a prefix of i tokens.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array
from simspec.methods.block import Model

__all__ = ["Laws", "along", "as_levels", "is_tree", "model_of", "rest"]

Laws = Array | Sequence[Array]
"""Rows as one array, or levels of a tree as a tuple of arrays."""


def is_tree(laws: Laws) -> bool:
    """Whether laws depend on the prefix.

    >>> is_tree(np.ones((2, 1))), is_tree((np.ones(1), np.ones((1, 1))))
    (False, True)
    """
    return not isinstance(laws, np.ndarray)


def as_levels(laws: Laws) -> tuple[Array, ...]:
    """Rows as levels of a tree, each row repeated for every prefix; a tree as it is.

    >>> [level.tolist() for level in as_levels(np.array([[0.5, 0.5], [1.0, 0.0]]))]
    [[0.5, 0.5], [[1.0, 0.0], [1.0, 0.0]]]
    """
    return tuple(
        np.array(row if np.ndim(row) == i + 1 else np.broadcast_to(row, (len(row),) * (i + 1)))
        for i, row in enumerate(laws)
    )


def model_of(laws: Laws) -> Model:
    """Laws as a function of the prefix.

    >>> model_of((np.array([0.5, 0.5]), np.eye(2)))((1,)).tolist()
    [0.0, 1.0]
    """
    return lambda prefix: laws[len(prefix)][prefix] if is_tree(laws) else laws[len(prefix)]


def rest(laws: Laws, prefix: tuple[int, ...]) -> Laws:
    """Laws of the tokens after a prefix.

    >>> rest((np.array([0.5, 0.5]), np.eye(2)), (1,))[0].tolist()
    [0.0, 1.0]
    """
    later = laws[len(prefix) :]
    return [level[prefix] for level in later] if is_tree(laws) else later


def along(laws: Laws, drafts: NDArray[np.int64]) -> Array:
    """Laws on drafted paths as a sampler of an engine takes them: rows (n, length, V) for drafts (n, gamma).

    >>> along((np.array([0.5, 0.5]), np.eye(2)), np.array([[1], [0]])).tolist()
    [[[0.5, 0.5], [0.0, 1.0]], [[0.5, 0.5], [1.0, 0.0]]]
    """
    if not is_tree(laws):
        return np.broadcast_to(laws, (len(drafts), *np.shape(laws)))
    levels: list[Any] = [np.broadcast_to(laws[0], (len(drafts), len(laws[0])))] if len(laws) else []
    levels += [level[tuple(drafts[:, :i].T)] for i, level in enumerate(laws) if i]
    return np.stack(levels, axis=1)
