"""Whether the rows of a batch are verified separately, where uniforms are arguments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.laws import Array

__all__ = ["DEPENDS", "share_changed"]

DEPENDS = "returns other tokens for a row when the uniforms of other rows of its batch are others"
BATCHES = 12
"""Batches in which other rows are changed: where all rows share one uniform, each shows it only if that one decides."""
ROWS = 8


def share_changed(look: Callable[[NDArray[np.int64], Array], Any], drafts: int, uniforms: int, seed: int) -> float:
    """Share of rows that change where other rows of their batch, and not they, get new uniforms.

    In each of `BATCHES` batches of `ROWS` rows half of the rows, chosen by lot, get new uniforms, and then the other half.

    Parameters
    ----------
    look : what rows emit, (n, ...), for the numbers of their drafts (n,) and their uniforms (n, C)

    >>> share_changed(lambda row, u: u[:, 0] < 0.5, 1, 1, 0)
    0.0
    >>> 0.2 < share_changed(lambda row, u: (u[:1, 0] < 0.5).repeat(len(u)), 1, 1, 0) < 0.8
    True
    """
    rng = np.random.default_rng([seed, 7])
    changes = 0
    for batch in range(BATCHES):
        row = (batch * ROWS + np.arange(ROWS)) % drafts
        u = rng.random((ROWS, uniforms))
        before = np.asarray(look(row, u))
        is_new = rng.permutation(ROWS) < ROWS // 2
        for changed in (is_new, ~is_new):
            after = np.asarray(look(row, np.where(changed[:, None], rng.random(u.shape), u)))
            differs = (before != after).reshape(ROWS, -1).any(axis=1)
            changes += int(differs[~changed].sum())
    return changes / (BATCHES * ROWS)
