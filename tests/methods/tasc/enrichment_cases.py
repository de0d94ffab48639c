"""Small corpora for the tests of the enrichment."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import strategies as st


class Case(NamedTuple):
    """A corpus and what its tokens stand for."""

    texts: list[list[int]]
    vocab: int
    strings: list[str]


@st.composite
def corpora(draw: st.DrawFn) -> Case:
    """Up to four texts of up to 25 tokens over at most four; runs, overlaps and empty texts come up often."""
    vocab = draw(st.integers(1, 4))
    texts = draw(st.lists(st.lists(st.integers(0, vocab - 1), max_size=25), max_size=4))
    strings = draw(st.lists(st.text("ab", min_size=1, max_size=3), min_size=vocab, max_size=vocab))
    return Case(texts, vocab, strings)
