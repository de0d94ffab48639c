"""What merging means, in plain Python: every step counts all texts anew.  The compiled backend is in `merges`.

The n-grams of 2 to n_max tokens within texts have the reward ``frequency * (n - 1)``; the best is that of the highest
reward, of equals the shorter, then the one first in the order of ids.  A text of weight w counts as w equal texts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory

__all__ = ["COUNTINGS", "NOT_BEGUN", "Corpus", "Ngram", "check_counting", "check_merge", "count_ngrams", "merge_text"]

COUNTINGS = ("non-overlapping", "occurrences")
"""Frequencies: the occurrences that a pass from the left would merge, or all (``a a a`` holds ``a a`` once or twice)."""

NOT_BEGUN = "best: n-grams are not counted yet; expected a call of begin(n_max, counting, min_count) before"

Ngram = tuple[int, ...]


def count_ngrams(
    texts: Iterable[Sequence[int]],
    n_max: int,
    counting: str = "non-overlapping",
    weights: Sequence[int] | None = None,
) -> dict[Ngram, int]:
    """Frequency of every n-gram of 2 to `n_max` tokens, within texts; `weights` says how often each text counts.

    >>> count_ngrams([[0, 0, 0]], 2), count_ngrams([[0, 0, 0]], 2, "occurrences")
    ({(0, 0): 1}, {(0, 0): 2})
    """
    counts: dict[Ngram, int] = {}
    for number, text in enumerate(texts):
        weight = 1 if weights is None else weights[number]
        for n in range(2, min(n_max, len(text)) + 1):
            free: dict[Ngram, int] = {}  # where the next occurrence may begin
            for i in range(len(text) - n + 1):
                ngram = tuple(text[i : i + n])
                if counting == "occurrences" or i >= free.get(ngram, 0):
                    counts[ngram] = counts.get(ngram, 0) + weight
                    free[ngram] = i + n
    return counts


def merge_text(text: Sequence[int], ngram: Sequence[int], new: int) -> list[int]:
    """A text with each occurrence of the n-gram, from the left, replaced by the token `new`.

    >>> merge_text([0, 0, 0, 1], (0, 0), 2)
    [2, 0, 1]
    """
    out = []
    i = 0
    n = len(ngram)
    pattern = tuple(ngram)
    while i < len(text):
        fits = tuple(text[i : i + n]) == pattern
        out.append(new if fits else text[i])
        i += n if fits else 1
    return out


def check_merge(ngram: Sequence[int], new: int, minimum: int) -> None:
    """Raise a ValueError for an n-gram of less than two tokens, or an id that is out of range or has been used.

    >>> check_merge((0, 1), 1, minimum=2)
    Traceback (most recent call last):
    ...
    ValueError: new: 1; expected an id >= 2
    """
    if not isinstance(new, int | np.integer) or new < minimum:
        raise ValueError(f"new: {new}; expected an id >= {minimum}")
    if np.ndim(ngram) != 1 or len(ngram) < 2:
        raise ValueError(f"ngram: {ngram}; expected at least two tokens")


def check_counting(n_max: int, counting: str, min_count: int) -> None:
    """Raise a ValueError for n-grams that cannot be counted.

    >>> check_counting(1, "occurrences", 1)
    Traceback (most recent call last):
    ...
    ValueError: n_max: 1; expected a whole number >= 2
    """
    for name, value, minimum in (("n_max", n_max, 2), ("min_count", min_count, 1)):
        if not isinstance(value, int | np.integer) or value < minimum:
            raise ValueError(f"{name}: {value}; expected a whole number >= {minimum}")
    if counting not in COUNTINGS:
        raise ValueError(f"counting: {counting!r}; expected one of {', '.join(COUNTINGS)}")


class Corpus:
    """Texts in which n-grams are found and merged; see `simspec.kernels.merges.corpus`.

    >>> texts = Corpus([0, 1, 0, 1, 2], [5], vocab=3)
    >>> texts.find((0, 1)).tolist(), texts.merge((0, 1), 3), texts.lists()
    ([0, 2], 2, [[3, 3, 2]])
    """

    def __init__(self, tokens: ArrayLike, lengths: ArrayLike, vocab: int, weights: ArrayLike | None = None) -> None:
        self._token = np.asarray(tokens).tolist()  # -1: merged into one before it
        self._ids = vocab
        sizes = np.asarray(lengths).tolist()
        self._starts = list(accumulate(sizes, initial=0))
        self._weights = [1] * len(sizes) if weights is None else np.asarray(weights).tolist()
        self._used: set[Ngram] = set()
        self._rule: tuple[int, str] | None = None

    def _places(self) -> list[list[int]]:
        """Where the tokens of each text are."""
        ranges = zip(self._starts, self._starts[1:], strict=False)
        return [[i for i in range(a, b) if self._token[i] >= 0] for a, b in ranges]

    @property
    def token(self) -> NDArray[np.int64]:
        return np.array(self._token, dtype=np.int64)

    @property
    def counts(self) -> NDArray[np.int64]:
        check_memory("vocab", self._ids, 8 * self._ids)
        counts = np.zeros(self._ids, dtype=np.int64)
        for text, weight in zip(self.lists(), self._weights, strict=True):
            np.add.at(counts, text, weight)
        return counts

    @property
    def total(self) -> int:
        return sum(len(text) * weight for text, weight in zip(self.lists(), self._weights, strict=True))

    def lists(self) -> list[list[int]]:
        return [[self._token[i] for i in places] for places in self._places()]

    def find(self, ngram: Sequence[int], overlapping: bool = False) -> NDArray[np.int64]:
        n = len(ngram)
        matches = []
        for places in self._places() if n else []:
            i = 0
            while i + n <= len(places):
                fits = all(self._token[place] == t for place, t in zip(places[i:], ngram, strict=False))
                if fits:
                    matches.append(places[i])
                i += n if fits and not overlapping else 1
        return np.array(matches, dtype=np.int64)

    def follow(self, places: ArrayLike, n: int) -> NDArray[np.int64]:
        rows = []
        for place in np.asarray(places).tolist():
            (suffix,) = [row[row.index(place) :] for row in self._places() if place in row]
            rows.append([self._token[i] for i in suffix[:n]] + [-1] * (n - len(suffix)))
        return np.array(rows, dtype=np.int64).reshape(-1, n)

    def merge(self, ngram: Sequence[int], new: int) -> int:
        check_merge(ngram, new, self._ids if self._rule else 0)
        heads = {int(head) for head in self.find(ngram)}
        merged = 0
        n = len(ngram)
        for places, weight in zip(self._places(), self._weights, strict=True):
            for i, place in enumerate(places):
                if place in heads:
                    self._token[place] = new
                    for gone in places[i + 1 : i + n]:
                        self._token[gone] = -1
                    merged += weight
        self._ids = max(self._ids, new + 1)
        return merged

    def begin(self, n_max: int, counting: str, min_count: int) -> None:
        check_counting(n_max, counting, min_count)
        self._rule, self._min_count = (n_max, counting), min_count
        self._used = set()

    def best(self) -> tuple[Ngram, int]:
        if self._rule is None:
            raise ValueError(NOT_BEGUN)
        counts = count_ngrams(self.lists(), *self._rule, weights=self._weights)
        candidates = [g for g, count in counts.items() if count >= self._min_count and g not in self._used]
        if not candidates:
            return (), 0
        best_ngram = min(candidates, key=lambda g: (-counts[g] * (len(g) - 1), len(g), g))
        self._used.add(best_ngram)
        return best_ngram, counts[best_ngram] * (len(best_ngram) - 1)
