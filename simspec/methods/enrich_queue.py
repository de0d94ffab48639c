"""The n-grams of a corpus in the order of their merge reward, kept up to date while n-grams are merged.

What is not here: which of them may become tokens (`enrich`), and how texts are merged (`enrich_merge`).
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable

from simspec.methods.enrich_merge import Ngram, Texts, borders

__all__ = ["Queue"]


class Queue:
    """The n-grams of 2 to `n_max` tokens by merge reward, of equals the shorter, then the one first in the order of ids.

    Examples
    --------
    >>> queue = Queue(Texts([[0, 1, 2, 0, 1]], vocab=3), n_max=2, counting="occurrences", min_count=1)
    >>> queue.best()
    ((0, 1), 2)
    >>> queue.merge((0, 1), 3), queue.best()  # 3 2 3
    ((2, 3), ((2, 3), 1))
    """

    # Once a token has been made, occurrences of n-grams that hold it can only disappear, so a heap entry is never too low:
    # one whose n-gram has become rarer goes back with its present reward.  Entries below `floor`, most of all the n-grams
    # that occur once, wait outside until nothing better is left.  Non-overlapping frequencies differ from occurrences only
    # for n-grams that can overlap themselves; those are counted when they come to the top.

    def __init__(self, corpus: Texts, n_max: int, counting: str, min_count: int) -> None:
        self.corpus, self.n_max, self.min_count = corpus, n_max, min_count
        self.apart = counting == "non-overlapping"
        self.counts: Counter[Ngram] = Counter()  # all occurrences
        for n in range(2, n_max + 1):
            self.counts.update(corpus.ngrams(n))
        self.used: set[Ngram] = set()
        self.known: dict[Ngram, tuple[int, int]] = {}  # occurrences of an n-gram, and those of them that are merged
        self.floor = n_max
        self.heap = self._entries(self.counts)
        heapq.heapify(self.heap)

    def _entries(self, ngrams: Iterable[Ngram]) -> list[tuple[int, int, Ngram]]:
        rewards = ((self.counts[g] * (len(g) - 1), g) for g in ngrams)
        return [(-reward, len(g), g) for reward, g in rewards if reward >= self.floor]

    def best(self) -> tuple[Ngram, int]:
        """The n-gram of highest reward, which is then used up, and its reward; an empty one when none is left."""
        while True:
            while self.heap:
                key, n, ngram = heapq.heappop(self.heap)
                if ngram in self.used:
                    continue
                count = self._frequency(ngram)
                reward = count * (n - 1)
                if reward == -key and count >= self.min_count:
                    self.used.add(ngram)
                    return ngram, reward
                if count >= self.min_count and reward >= self.floor:
                    heapq.heappush(self.heap, (-reward, n, ngram))
            if self.floor == 1:
                return (), 0
            self.floor = 1
            self.heap = self._entries(g for g in self.counts if g not in self.used)
            heapq.heapify(self.heap)

    def _frequency(self, ngram: Ngram) -> int:
        count = self.counts.get(ngram, 0)
        if not (self.apart and count > 1 and borders(ngram)):
            return count
        if self.known.get(ngram, (-1, 0))[0] != count:
            self.known[ngram] = (count, len(self.corpus.find(ngram)))
        return self.known[ngram][1]

    def merge(self, ngram: Ngram, new: int) -> tuple[int, int]:
        """Merge an n-gram; the occurrences merged and the corpus's length after it."""
        change: Counter[Ngram] = Counter()
        merged = self.corpus.merge(ngram, new, change, self.n_max)
        for other, by in change.items():
            left = self.counts[other] + by
            if left:
                self.counts[other] = left
            else:
                del self.counts[other]
        for entry in self._entries(g for g, by in change.items() if by > 0):
            heapq.heappush(self.heap, entry)
        return merged, self.corpus.total
