"""Tokenised texts in which n-grams are found, counted and merged without a pass over the rest.

The work is done in `simspec.kernels.merges`; here texts are lists, and bad ones are named.  What is not here: which n-gram
to merge (`enrich`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import whole_number
from simspec.kernels.merges import corpus
from simspec.kernels.merges.reference import Ngram

__all__ = ["Ngram", "Texts", "checked_texts"]

Places = NDArray[np.int64]


def checked_texts(texts: Iterable[Iterable[Any]], vocab: int) -> list[list[int]]:
    """The texts as lists of token ids.

    Raises ValueError for an id that is no integer in [0, vocab), and for a single text where a list of texts was
    expected.

    >>> checked_texts([[0, 1], [2]], vocab=2)
    Traceback (most recent call last):
    ...
    ValueError: texts: token 2 in text 1; expected whole numbers in [0, 2)
    """
    return [row.tolist() for row in _rows(texts, vocab)]


def _rows(texts: Iterable[Iterable[Any]], vocab: int) -> list[NDArray[Any]]:
    """The texts as arrays of token ids."""
    whole_number("vocab", vocab, 1, None, "a number of tokens >= 1")
    checked = []
    for i, text in enumerate(texts):
        try:
            row = np.asarray(text if isinstance(text, np.ndarray) else list(text))
        except TypeError:
            raise ValueError(f"texts: {text!r} at {i}; expected a list of texts, each a list of token ids") from None
        if row.size == 0:
            row = row.astype(np.int64)
        if row.ndim != 1 or row.dtype.kind not in "iu":
            raise ValueError(f"texts: text {i} holds {row.dtype} of shape {row.shape}; expected a list of token ids")
        outside = (row < 0) | (row >= vocab)
        if outside.any():
            raise ValueError(f"texts: token {row[outside][0]} in text {i}; expected whole numbers in [0, {vocab})")
        checked.append(row)
    return checked


class Texts:
    """Texts of token ids in [0, vocab) that can be searched and merged in place.

    Parameters
    ----------
    texts : sequences of token ids; n-grams never reach from one text into the next
    vocab : int; ids of the base tokenizer

    Attributes
    ----------
    size : int; tokens at first; places are numbered from 0 to size - 1 through all texts
    corpus : `simspec.kernels.merges.Corpus`; what holds them

    >>> texts = Texts([[0, 1, 0, 1, 2]], vocab=3)
    >>> texts.find((0, 1)).tolist(), texts.merge((0, 1), 3), texts.lists()
    ([0, 2], 2, [[3, 3, 2]])
    """

    def __init__(self, texts: Iterable[Iterable[Any]], vocab: int) -> None:
        rows = _rows(texts, vocab)
        self.vocab, self.size = vocab, sum(map(len, rows))
        tokens = np.concatenate(rows, dtype=np.int64) if rows else np.zeros(0, dtype=np.int64)
        self.corpus = corpus(tokens, np.array([len(row) for row in rows], dtype=np.int64), vocab)

    @property
    def token(self) -> Places:
        """The token at each place, -1 where it has been merged into one before it."""
        return self.corpus.token

    @property
    def counts(self) -> Places:
        """How often each token occurs now."""
        return self.corpus.counts

    @property
    def total(self) -> int:
        """Tokens now."""
        return self.corpus.total

    def lists(self) -> list[list[int]]:
        """The texts as they are now."""
        return self.corpus.lists()

    def find(self, ngram: Sequence[int], overlapping: bool = False) -> Places:
        """First places of the occurrences, in order: all, or those that a pass from the left merges."""
        return self.corpus.find(ngram, overlapping)

    def follow(self, place: ArrayLike, n: int) -> Places:
        """Tokens (K, n) from each place on; -1 after the end of its text."""
        return self.corpus.follow(place, n)

    def merge(self, ngram: Sequence[int], new: int) -> int:
        """Put the token `new` in the place of each occurrence, from the left; how many there were."""
        return self.corpus.merge(ngram, new)
