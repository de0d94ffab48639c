"""Small corpora in order of size, for exact enumerations and for first counterexamples."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, product

__all__ = ["corpora", "merged_ngrams"]


def corpora(letters: int, longest: int, shortest: int = 0, texts: int = 1) -> Iterator[list[list[int]]]:
    """Corpora of 1 to `texts` texts over the letters 0, 1, …, by their number of tokens; texts in no order within one.

    >>> list(corpora(1, 2, 1))
    [[[0]], [[0, 0]]]
    """
    for tokens in range(longest + 1):
        for number in range(1, texts + 1):
            for sizes in product(range(shortest, tokens + 1), repeat=number):
                if sum(sizes) != tokens or list(sizes) != sorted(sizes, reverse=True):
                    continue
                for flat in product(range(letters), repeat=tokens):
                    cuts = [sum(sizes[:i]) for i in range(number + 1)]
                    yield [list(flat[a:b]) for a, b in pairwise(cuts)]


def merged_ngrams(corpus: list[list[int]], n_max: int) -> list[tuple[int, ...]]:
    """The n-grams of 2 to `n_max` tokens in a corpus, short ones first."""
    ngrams = {tuple(t[i : i + n]) for t in corpus for n in range(2, n_max + 1) for i in range(len(t) - n + 1)}
    return sorted(ngrams, key=lambda g: (len(g), g))
