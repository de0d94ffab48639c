"""The n-grams of a corpus in the order of their merge reward, kept up to date while n-grams are merged.

What is not here: which of them may become tokens (`enrich`), and how they are counted (`simspec.kernels.merges`).
"""

from __future__ import annotations

from simspec.methods.tasc.merging import Ngram, Texts

__all__ = ["Queue"]


class Queue:
    """The n-grams of 2 to `n_max` tokens by merge reward, of equals the shorter, then the one first in the order of ids.

    >>> queue = Queue(Texts([[0, 1, 2, 0, 1]], vocab=3), n_max=2, counting="occurrences", min_count=1)
    >>> queue.best()
    ((0, 1), 2)
    >>> queue.merge((0, 1), 3), queue.best()  # 3 2 3
    ((2, 3), ((2, 3), 1))
    """

    def __init__(self, corpus: Texts, n_max: int, counting: str, min_count: int) -> None:
        self.corpus = corpus
        corpus.corpus.begin(n_max, counting, min_count)

    def best(self) -> tuple[Ngram, int]:
        """The n-gram of highest reward, which is then used up, and its reward; an empty one when none is left."""
        return self.corpus.corpus.best()

    def merge(self, ngram: Ngram, new: int) -> tuple[int, int]:
        """Merge an n-gram; the occurrences merged and the corpus's length after it."""
        return self.corpus.merge(ngram, new), self.corpus.total
