"""Linked texts: finding, counting and merging agree with plain lists; bad token ids are named."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.methods.enrich import count_ngrams, merge_text
from simspec.methods.enrich_merge import Texts, borders, checked_texts
from tests.methods.enrich_cases import Case, corpora


def test_by_hand() -> None:
    texts = Texts([[0, 0, 0, 1], [], [0, 0]], vocab=2)
    assert texts.find((0, 0)).tolist() == [0, 4] and texts.find((0, 0), overlapping=True).tolist() == [0, 1, 4]
    assert texts.follow(texts.find((0, 1)), 3).tolist() == [[0, 1, -1]]
    change: Counter = Counter()
    assert texts.merge((0, 0), 2, change, n_max=2) == 2
    assert texts.lists() == [[2, 0, 1], [], [2]] and texts.total == 4 and texts.counts.tolist() == [1, 1, 2]
    assert {g: n for g, n in change.items() if n} == {(0, 0): -3, (2, 0): 1}


@given(corpora(), st.lists(st.integers(0, 1000), max_size=6), st.integers(2, 4))
def test_merges_and_changes_agree_with_plain_lists(case: Case, choices, n_max) -> None:
    linked, plain = Texts(case.texts, case.vocab), case.texts
    for step, choice in enumerate(choices):
        counts = count_ngrams(plain, n_max, "occurrences")
        if not counts:
            break
        ngram, new = sorted(counts)[choice % len(counts)], case.vocab + step
        assert len(linked.find(ngram, overlapping=True)) == counts[ngram]
        assert len(linked.find(ngram)) == count_ngrams(plain, n_max)[ngram]
        change: Counter = Counter()
        merged = linked.merge(ngram, new, change, n_max)
        plain = [merge_text(text, ngram, new) for text in plain]
        assert linked.lists() == plain and merged == sum(text.count(new) for text in plain)
        after = count_ngrams(plain, n_max, "occurrences")
        assert {g: n for g, n in change.items() if n} == {
            g: after.get(g, 0) - counts.get(g, 0) for g in {*counts, *after} if after.get(g, 0) != counts.get(g, 0)
        }
        assert linked.total == sum(map(len, plain))
        assert linked.counts.tolist() == [sum(x.count(t) for x in plain) for t in range(len(linked.counts))]


@given(st.lists(st.integers(0, 2), min_size=1, max_size=6).map(tuple))
def test_borders_are_overlaps(ngram) -> None:
    """An n-gram can overlap itself exactly if, put over itself at some shift, it agrees."""
    shifts = range(1, len(ngram))
    assert borders(ngram) == any(all(a == b for a, b in zip(ngram[s:], ngram, strict=False)) for s in shifts)


def test_an_ngram_that_is_nowhere_is_not_found() -> None:
    texts = Texts([[0, 1]], vocab=3)
    assert texts.find((1, 0)).size == texts.find((2, 0)).size == Texts([], vocab=1).find((0, 0)).size == 0
    assert texts.merge((1, 0), 3) == 0 and texts.lists() == [[0, 1]]
    assert Texts([], vocab=1).lists() == [] and Texts([[], []], vocab=1).lists() == [[], []]


def test_arrays_and_tuples_are_texts_too() -> None:
    assert checked_texts([np.array([1, 0]), (0,), iter([1])], vocab=2) == [[1, 0], [0], [1]]


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        ([[0, -1]], "texts: token -1 in text 0"),
        ([[0], [5]], "texts: token 5 in text 1"),
        ([0, 1], "texts: 0 at 0; expected a list of texts"),
        ([[0.5]], "texts: text 0 holds float64"),
        (["ab"], "texts: text 0 holds <U1"),
        ([[True]], "texts: text 0 holds bool"),
    ],
)
def test_bad_texts_are_named(texts, message) -> None:
    with pytest.raises(ValueError) as raised:
        Texts(texts, vocab=2)
    assert str(raised.value).startswith(message)
