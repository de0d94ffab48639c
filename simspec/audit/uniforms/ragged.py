"""Batches whose rows have drafts of different lengths: a row that is shorter must be verified as if it were alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Broken, UniformSampler
from simspec.audit.drafting import Drafts, as_paths, as_tree, given_drafts
from simspec.audit.levels import Laws
from simspec.audit.pairs import Pair
from simspec.laws import Array

__all__ = ["shorter_rows"]

GROUP = 8
"""Shorter rows of a batch for each whole row: what a sampler costs is nearly all spent on the rows that are judged."""


def shorter_rows(
    sampler: UniformSampler, pair: Pair, drawn: Laws | Drafts | None = None
) -> tuple[UniformSampler, Pair]:
    """The sampler on rows that are a draft shorter than others in the same batch, and the laws that they should follow.

    Rows of drafts are given with the last position left out, -1.  A row that has all drafts stands behind the first of
    every `GROUP` of them.  What the shorter ones emit must have the law of the pair without the last position.  The batch
    is that of the longest row: the uniforms of a call are as many as `pair` needs, and a shorter row may take the last
    token from any of them.

    Parameters
    ----------
    sampler : (p, q, drafts, uniforms) -> tokens
    pair : laws of the longest row, with at least one draft
    drawn : how drafts of the longest rows come, as in `given_drafts`

    >>> from simspec.audit.pairs import revealing
    >>> def last(p, q, drafts, uniforms):  # emits all drafts, whatever they are
    ...     return np.concatenate([np.maximum(drafts, 0), drafts[:, :1]], axis=1)
    >>> shorter, less = shorter_rows(last, revealing(2, 2)[0])
    >>> shorter(less.p, less.q, np.array([[1]]), np.array([[0.5]]))
    Traceback (most recent call last):
    ...
    simspec.audit.calling.Broken: emits 3 tokens in a row with 1 draft tokens; other rows of the batch have 2
    """
    full_p = pair.p
    full_q = pair.q
    full_drafts, _ = given_drafts(pair.q, drawn)

    def shorter(p: Array, q: Array, drafts: NDArray[np.int64], uniforms: Array) -> NDArray[np.int64]:
        """Call the sampler on padded rows among whole ones, and return what the padded ones emit."""
        # A padded row emits the same tokens wherever it stands, so the rows between may be any that are whole.
        places = np.arange(1, len(drafts) + 1, GROUP)
        whole_rows = full_drafts[np.arange(len(places)) % len(full_drafts)]
        rows = np.insert(_padded(drafts, full_drafts.shape[1:]), places, whole_rows, axis=0)
        with_repeats = np.insert(uniforms, places, uniforms[places - 1], axis=0)
        is_shorter = np.insert(np.ones(len(drafts), dtype=bool), places, False)
        tokens = np.asarray(sampler(full_p.copy(), full_q.copy(), rows, with_repeats))
        if tokens.shape != (len(rows), pair.gamma + 1):
            return tokens
        if (tokens[is_shorter, -1] >= 0).any():
            raise Broken(
                f"emits {pair.gamma + 1} tokens in a row with {pair.gamma - 1} draft tokens; other rows of the "
                f"batch have {pair.gamma}"
            )
        return tokens[is_shorter, :-1]

    return shorter, Pair(f"{pair.name}, rows of unequal length", full_p[:-1], full_q[:-1])


def _padded(drafts: NDArray[np.int64], shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Drafts as rows of a longer batch, filled up with -1: a path, several, or a tree whose last level is empty.

    >>> _padded(np.array([[[1], [0]]]), (4, 2)).tolist()
    [[[1, -1], [1, -1], [0, -1], [0, -1]]]
    """
    gamma = shape[-1]
    if drafts.ndim == 2 or drafts.shape[1] == shape[0]:
        return np.pad(drafts, ((0, 0),) * (drafts.ndim - 1) + ((0, 1),), constant_values=-1)
    siblings = round(shape[0] ** (1 / gamma))
    rows = [as_paths(as_tree(paths), gamma, siblings) for paths in drafts]
    return np.array(rows).reshape(len(drafts), *shape)
