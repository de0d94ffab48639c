"""Corpora to try n-gram tables on, and the recount that they are compared with."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from hypothesis import strategies as st

VOCAB = 3

texts = st.lists(st.lists(st.integers(0, VOCAB - 1), max_size=12), max_size=4)
text = st.lists(st.integers(0, VOCAB - 1), max_size=12)
settings = st.tuples(st.integers(1, 4), st.integers(1, 3)).flatmap(
    lambda s: st.tuples(st.just(s[0]), st.just(s[1]), st.integers(1, s[0]))
)
"""n_max, min_count, n_min."""


def recount(
    corpus: Sequence[Sequence[int]], context: Sequence[int], n_max: int, min_count: int, n_min: int
) -> dict[int, int]:
    """What follows the longest known context, by reading the whole corpus again for each order."""
    for n in range(min(n_max, len(context) + 1), n_min - 1, -1):
        last = list(context[len(context) - n + 1 :])
        follow = [t[i + n - 1] for t in corpus for i in range(len(t) - n + 1) if list(t[i : i + n - 1]) == last]
        kept = {x: follow.count(x) for x in set(follow) if follow.count(x) >= min_count}
        if kept:
            return kept
    flat = [x for t in corpus for x in t]
    return {max(range(VOCAB), key=lambda x: (flat.count(x), -x)): 1}


def as_law(counts: dict[int, int]) -> list[Fraction]:
    """Counts as an exact law."""
    return [Fraction(counts.get(x, 0), sum(counts.values())) for x in range(VOCAB)]
