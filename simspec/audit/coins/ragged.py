"""Batches whose rows have drafts of different lengths: a row that is shorter must be verified as if it were alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.audit.calling import Broken, CoinSampler
from simspec.audit.pairs import Pair
from simspec.laws import Array

__all__ = ["shorter_rows"]


def shorter_rows(sampler: CoinSampler, pair: Pair) -> tuple[CoinSampler, Pair]:
    """The sampler on rows that are a draft shorter than others in the same batch, and the laws that they should follow.

    Every second row of a batch is given with its last draft left out, -1; what it emits must have the law of the pair
    without the last position.

    >>> from simspec.audit.pairs import revealing
    >>> def last(p, q, drafts, coins):  # emits all drafts, whatever they are
    ...     return np.concatenate([np.maximum(drafts, 0), drafts[:, :1]], axis=1)
    >>> shorter, less = shorter_rows(last, revealing(2, 2)[0])
    >>> shorter(less.p, less.q, np.array([[1]]), np.array([[0.5]]))
    Traceback (most recent call last):
    ...
    simspec.audit.calling.Broken: emits 3 tokens in a row of 1 drafts; the batch has rows of 2
    """
    full_p, full_q = pair.p, pair.q
    token = int(np.flatnonzero(np.asarray(full_q[-1]).reshape(-1, pair.vocab)[0])[0])

    def shorter(p: Any, q: Any, drafts: NDArray[np.int64], coins: Array) -> NDArray[np.int64]:
        rows = np.repeat(np.pad(drafts, ((0, 0), (0, 1)), constant_values=-1), 2, axis=0)
        rows[1::2, -1] = token
        tokens = np.asarray(sampler(full_p.copy(), full_q.copy(), rows, np.repeat(coins, 2, axis=0)))
        if tokens.shape != (len(rows), pair.gamma + 1):
            return tokens
        if (tokens[::2, -1] >= 0).any():
            raise Broken(
                f"emits {pair.gamma + 1} tokens in a row of {pair.gamma - 1} drafts; the batch has rows of {pair.gamma}"
            )
        return tokens[::2, :-1]

    return shorter, Pair(f"{pair.name}, rows shorter than others", full_p[:-1], full_q[:-1])
