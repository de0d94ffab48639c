"""What the n-gram kernels mean, in plain NumPy: prompt lookup, and counts of what follows a context."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["after", "lookup", "search"]

Array = NDArray[Any]


def search(rows: Array, lengths: Array, settings: tuple[Any, ...], tokens: Array, about: Array) -> None:
    """`lookup` in the first `lengths` tokens of rows (R, T): fills tokens (R, num) and order, start and number (3, R).

    >>> tokens, about = np.empty((1, 2), int), np.empty((3, 1), int)
    >>> search(np.array([[1, 2, 1, 9]]), [3], (2, 1, 2, False, None, ()), tokens, about)
    >>> tokens.tolist(), about.tolist()
    ([[2, 1]], [[1], [1], [2]])
    """
    for text, size, out, row in zip(rows, lengths, tokens, about.T, strict=True):
        order, start, drafts = lookup(text[:size], *settings)
        out[: len(drafts)], out[len(drafts) :] = drafts, -1
        row[:] = order, start, len(drafts)


def lookup(
    text: Array, n_max: int, n_min: int, num: int, latest: bool, limit: int | None, stop: Sequence[int]
) -> tuple[int, int, Array]:
    """Order, start and tokens of the proposal after one text (T,); see `simspec.kernels.ngram.prompt_lookup`.

    >>> order, start, tokens = lookup(np.array([1, 2, 3, 1, 2]), 2, 1, 2, False, None, ())
    >>> order, start, tokens.tolist()
    (2, 2, [3, 1])
    """
    size = len(text)
    end = size if limit is None else min(size, limit)
    if limit == size + 1:
        return 0, 0, text[:0]
    for n in range(min(n_max, size - 1), n_min - 1, -1):
        windows = np.lib.stride_tricks.sliding_window_view(text, n)
        starts = np.flatnonzero((windows == text[size - n :]).all(axis=1)) + n
        starts = starts[starts < end]
        if starts.size:
            start = int(starts[-1 if latest else 0])
            tokens = text[start : min(start + num, end)]
            ends = np.flatnonzero(np.isin(tokens, np.asarray(stop, dtype=np.int64)))
            return n, start, tokens[: ends[0]] if ends.size else tokens
    return 0, 0, text[:0]


def after(text: Array, context: Array, n_max: int, n_min: int, min_count: int) -> tuple[int, Array, Array]:
    """Order, tokens and counts after the longest known suffix of a context; see `TextNgrams.match`.

    >>> order, tokens, counts = after(np.array([1, 2, 1, 2, 1, 1]), np.array([1]), 3, 1, 1)
    >>> order, tokens.tolist(), counts.tolist()
    (2, [1, 2], [1, 2])
    """
    for order in range(min(n_max, len(context) + 1, len(text)), n_min - 1, -1):
        windows = np.lib.stride_tricks.sliding_window_view(text, order)
        next_tokens = windows[(windows[:, :-1] == context[len(context) - order + 1 :]).all(axis=1), -1]
        tokens, counts = np.unique(next_tokens, return_counts=True)
        is_frequent = counts >= min_count
        if is_frequent.any():
            return order, tokens[is_frequent], counts[is_frequent]
    token_counts = np.unique(text, return_counts=True) if len(text) else (np.zeros(1, dtype=np.int64), np.ones(1))
    return 0, token_counts[0][[token_counts[1].argmax()]], np.array([1])
