"""Statistics of a tokenised corpus by hand; counts after merges equal to a recount; rows of new tokens."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods.tasc.encoding import expansions
from simspec.methods.tasc.enrichment import enrich
from simspec.methods.tasc.statistics import (
    mean_logits,
    mean_rows,
    ngram_counts,
    surprisals,
    token_law,
    typical_set_size,
)
from tests import strategies as some
from tests.methods.tasc.enrichment_cases import Case, corpora


def test_token_law_is_exact_on_request() -> None:
    law = token_law([[0, 1, 1], [1]], vocab=2, exactly=True)
    some.assert_exact(law)
    assert law.tolist() == [Fraction(1, 4), Fraction(3, 4)]


def test_ngrams_of_words_stay_within_texts() -> None:
    assert ngram_counts([["a", "b", "a"], ["b", "a"]], 2).tolist() == [2, 1]
    assert ngram_counts([["a"]], 2).tolist() == []


@pytest.mark.parametrize(
    ("counts", "share", "size"),
    [([8, 1, 1], 0.8, 1), ([8, 1, 1], 0.81, 2), ([1, 1, 1, 1, 1], Fraction(4, 5), 4), ([0, 3], 1, 1), ([1, 1], 1, 2)],
)
def test_typical_sets_by_hand(counts, share, size) -> None:
    assert typical_set_size(np.array(counts), share) == size
    assert typical_set_size(np.array(counts) / sum(counts), share) == size


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8).filter(any), st.integers(1, 20))
def test_typical_set_is_the_smallest_that_covers(counts, part) -> None:
    share = Fraction(part, 20)
    size = typical_set_size(np.array(counts), share)
    ordered = sorted(counts, reverse=True)
    assert sum(ordered[:size]) >= share * sum(counts) > sum(ordered[: size - 1])


@given(corpora(), some.batches(4, rows=3))
def test_new_logits_are_means_of_logits(case: Case, states) -> None:
    """Head rows that are means give logits that are means, exactly, whatever the hidden state; nested merges too."""
    done = enrich(case.texts, 4, 4, n_max=3)
    head = exact(np.arange(16).reshape(4, 4) ** 2 % 7)
    rows = mean_rows(head, done.ngrams)
    logits = states @ head.T
    some.assert_exact(rows)
    if len(rows):
        assert (states @ rows.T == mean_logits(logits, done.ngrams)).all()


def test_nested_means_weigh_base_tokens_unequally() -> None:
    """(a b) c weighs c by a half; over its base tokens a b c each has a third."""
    done = enrich([[0, 1, 2, 0, 1, 2]], budget=2, vocab=3)
    rows = exact(np.array([[0], [0], [1]]))
    assert mean_rows(rows, done.ngrams).ravel().tolist() == [0, Fraction(1, 2)]
    assert mean_rows(rows, expansions(done)).ravel().tolist() == [0, Fraction(1, 3)]


def test_means_keep_dtype_and_shape() -> None:
    logits = np.zeros((2, 3, 5), dtype=np.float32)
    assert mean_logits(logits, [(0, 1), (5, 2)]).shape == (2, 3, 2)
    assert mean_logits(logits, [(0, 1, 2)]).dtype == np.float32
    assert mean_rows(np.zeros((2, 3)), []).shape == (0, 3) and mean_logits(logits, []).shape == (2, 3, 0)


def test_surprisals_by_hand() -> None:
    costs = surprisals([[0, 1, 1]], np.array([0.5, 0.25, 0.25]))
    assert np.allclose(costs[0], [math.log(2), math.log(4), math.log(4)])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: token_law([[]], 2), "texts: no token"),
        (lambda: typical_set_size(np.array([1]), 0), "share: 0; expected 0 < share <= 1"),
        (lambda: typical_set_size(np.array([0])), "counts: shape (1,), or no mass"),
        (lambda: ngram_counts([[1]], 0), "n: 0; expected"),
        (lambda: mean_rows(np.array([0.0]), []), "rows: float64 of shape (1,); expected"),
        (lambda: mean_rows(np.zeros((2, 1), dtype=int), []), "rows: int64 of shape (2, 1); expected"),
        (lambda: mean_rows(np.zeros((2, 1)), [(0, 2)]), "ngrams: (0, 2); expected ids in [0, 2)"),
        (lambda: mean_rows(np.zeros((2, 1)), [()]), "ngrams: (); expected ids"),
    ],
)
def test_bad_arguments_are_named(call, message) -> None:
    with pytest.raises(ValueError) as raised:
        call()
    assert str(raised.value).startswith(message)
