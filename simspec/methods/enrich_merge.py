"""Tokenised texts in which n-grams are found, counted and merged without a pass over the rest.

All texts lie in one array of places, chained by `after` and `before`; a merged place is taken out of the chain.  Each
token keeps the list of its places, so that finding an n-gram reads only the places of its rarest token, and merging it
touches its own occurrences and the n-grams that overlap them.  What is not here: which n-gram to merge (`enrich`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.methods.payload import whole_number

__all__ = ["Ngram", "Texts", "borders", "checked_texts"]

Ngram = tuple[int, ...]
Places = NDArray[np.int64]


def checked_texts(texts: Iterable[Iterable[Any]], vocab: int) -> list[list[int]]:
    """The texts as lists of token ids.

    Raises
    ------
    ValueError
        for an id that is no integer in [0, vocab), and for a single text where a list of texts was expected.

    Examples
    --------
    >>> checked_texts([[0, 1], [2]], vocab=2)
    Traceback (most recent call last):
    ...
    ValueError: texts: token 2 in text 1; expected whole numbers in [0, 2)
    """
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
        checked.append(row.tolist())
    return checked


def borders(ngram: Sequence[int]) -> bool:
    """Whether two occurrences of the n-gram can overlap: some start of it is also an end of it.

    >>> borders((0, 1, 0)), borders((0, 0)), borders((0, 1))
    (True, True, False)
    """
    return any(tuple(ngram[:k]) == tuple(ngram[-k:]) for k in range(1, len(ngram)))


class Texts:
    """Texts of token ids in [0, vocab) that can be searched and merged in place.

    Parameters
    ----------
    texts : sequences of token ids
        n-grams never reach from one text into the next.
    vocab : int
        ids of the base tokenizer.

    Examples
    --------
    >>> texts = Texts([[0, 1, 0, 1, 2]], vocab=3)
    >>> texts.find((0, 1)).tolist(), texts.merge((0, 1), 3), texts.lists()
    ([0, 2], 2, [[3, 3, 2]])
    """

    def __init__(self, texts: Iterable[Iterable[Any]], vocab: int) -> None:
        rows = checked_texts(texts, vocab)
        sizes = np.array([len(r) for r in rows], dtype=np.int64)
        self.vocab, self.size, self.total = vocab, int(sizes.sum()), int(sizes.sum())
        self._ends = np.cumsum(sizes)
        self._starts = self._ends - sizes
        end = self.size  # the place before a text's first and after its last; it holds the token -1
        self.token = np.array([t for r in rows for t in r] + [-1], dtype=np.int64)
        self.after, self.before = np.arange(1, end + 2), np.arange(-1, end)
        self.after[self._ends[sizes > 0] - 1] = self.after[end] = end
        self.before[self._starts[sizes > 0]] = self.before[end] = end
        self.counts = np.bincount(self.token[:end], minlength=vocab).astype(np.int64)
        order = np.argsort(self.token[:end], kind="stable")
        parts = np.split(order, np.cumsum(self.counts)[:-1])
        self._places: dict[int, Places] = {int(t): parts[t] for t in np.flatnonzero(self.counts)}

    def lists(self) -> list[list[int]]:
        """The texts as they are now."""
        alive = np.flatnonzero(self.token[: self.size] >= 0)
        cuts = np.searchsorted(alive, self._ends)[:-1]
        return [part.tolist() for part in np.split(self.token[alive], cuts)] if len(self._ends) else []

    def ngrams(self, n: int) -> Counter[Ngram]:
        """How often each n-gram occurs, overlapping occurrences included."""
        found: Counter[Ngram] = Counter()
        for row in self.lists():
            found.update(zip(*(row[k:] for k in range(n)), strict=False))
        return found

    def find(self, ngram: Sequence[int], overlapping: bool = False) -> Places:
        """First places of the occurrences, in order: all, or those that a pass from the left merges."""
        k = min(range(len(ngram)), key=lambda i: len(self._places.get(ngram[i], ())))
        held = self._places.get(ngram[k])
        if held is None:
            return np.empty(0, dtype=np.int64)
        start = self._places[ngram[k]] = held[self.token[held] == ngram[k]]
        for _ in range(k):
            start = self.before[start]
        place, last, fits = start, start, np.ones(len(start), dtype=bool)
        for t in ngram:
            fits &= self.token[place] == t
            last, place = place, self.after[place]
        start, last = start[fits], last[fits]
        return start if overlapping or not borders(ngram) else start[_apart(start, last)]

    def follow(self, place: Places, n: int) -> NDArray[np.int64]:
        """Tokens (K, n) from each place on; -1 after the end of its text."""
        columns = []
        for _ in range(n):
            columns.append(self.token[place])
            place = self.after[place]
        return np.stack(columns, axis=1)

    def merge(self, ngram: Sequence[int], new: int, change: Counter[Ngram] | None = None, n_max: int = 2) -> int:
        """Put the token `new` in the place of each occurrence, from the left; how many there were.

        With `change`, adds to it by how much the count of every n-gram of 2 to `n_max` tokens changes.
        """
        head = self.find(ngram)
        covered = [head]
        for _ in ngram[1:]:
            covered.append(self.after[covered[-1]])
        if change is not None:
            self._count(change, covered, n_max, -1)
        following = self.after[covered[-1]]
        self.after[head] = following
        self.before[following] = head
        self.before[self.size] = self.size
        for gone in covered[1:]:
            self.token[gone] = -1
        self.token[head] = new
        if change is not None:
            self._count(change, [head], n_max, 1)
        if new >= len(self.counts):
            self.counts = np.concatenate([self.counts, np.zeros(new + 1 - len(self.counts), dtype=np.int64)])
        np.subtract.at(self.counts, list(ngram), len(head))
        self.counts[new] += len(head)
        self.total -= len(head) * (len(ngram) - 1)
        self._places[new] = np.union1d(self._places[new], head) if new in self._places else head
        return len(head)

    def _count(self, change: Counter[Ngram], covered: list[Places], n_max: int, sign: int) -> None:
        """Add `sign` for each n-gram that holds one of the covered places (runs that begin at ``covered[0]``)."""
        starts, place = list(covered), covered[0]
        for n in range(2, n_max + 1):
            place = self.before[place]
            starts.append(place)
            rows = self.follow(np.unique(np.concatenate(starts)), n)
            rows = rows[(rows >= 0).all(axis=1)]
            for ngram, times in Counter(map(tuple, rows.tolist())).items():
                change[ngram] += sign * times


def _apart(start: Places, last: Places) -> list[int]:
    """Which occurrences, given by their first and last places in order, a pass from the left takes."""
    taken, free = [], -1
    for i, (a, b) in enumerate(zip(start.tolist(), last.tolist(), strict=True)):
        if a > free:
            taken.append(i)
            free = b
    return taken
