"""Texts in which is merged: finding and merging agree with plain lists; bad token ids are named."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.kernels import merges
from simspec.methods.tasc.enrichment import count_ngrams, merge_text
from simspec.methods.tasc.merging import Texts, checked_texts
from tests.methods.tasc.enrichment_cases import Case, corpora


def test_by_hand() -> None:
    texts = Texts([[0, 0, 0, 1], [], [0, 0]], vocab=2)
    assert texts.find((0, 0)).tolist() == [0, 4] and texts.find((0, 0), overlapping=True).tolist() == [0, 1, 4]
    assert texts.follow(texts.find((0, 1)), 3).tolist() == [[0, 1, -1]]
    assert texts.merge((0, 0), 2) == 2
    assert texts.lists() == [[2, 0, 1], [], [2]] and texts.total == 4 and texts.counts.tolist() == [1, 1, 2]
    assert texts.token.tolist() == [2, -1, 0, 1, 2, -1] and texts.size == 6


@pytest.mark.parametrize("small", [0, merges.SMALL], ids=["compiled", "reference"])
@given(case=corpora(), choices=st.lists(st.integers(0, 1000), max_size=6), n_max=st.integers(2, 4))
def test_merges_agree_with_plain_lists(small, case: Case, choices, n_max) -> None:
    with mock.patch.object(merges, "SMALL", small):
        linked, plain = Texts(case.texts, case.vocab), case.texts
    for step, choice in enumerate(choices):
        counts = count_ngrams(plain, n_max, "occurrences")
        if not counts:
            break
        ngram, new = sorted(counts)[choice % len(counts)], case.vocab + step
        assert len(linked.find(ngram, overlapping=True)) == counts[ngram]
        assert len(linked.find(ngram)) == count_ngrams(plain, n_max)[ngram]
        merged = linked.merge(ngram, new)
        plain = [merge_text(text, ngram, new) for text in plain]
        assert linked.lists() == plain and merged == sum(text.count(new) for text in plain)
        assert linked.total == sum(map(len, plain))
        assert linked.counts.tolist() == [sum(x.count(t) for x in plain) for t in range(len(linked.counts))]


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
