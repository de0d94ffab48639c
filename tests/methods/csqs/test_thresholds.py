"""The threshold along a text: bisection in sorted laws against masks, and the path against Algorithm 1's batch."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods.csqs.conformal import draft_thresholds
from simspec.methods.csqs.thresholds import kept_count, ranked, threshold_path
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask
from tests import strategies as some

Q = laws.exact(np.array([[0.25, 0.5, 0.25], [0, 0.75, 0.25]]))


def test_by_hand() -> None:
    table = ranked(Q)
    assert table.values.tolist() == [[F(1, 2), F(1, 4), F(1, 4)], [F(3, 4), F(1, 4), 0]]
    assert table.tails.tolist() == [[1, F(1, 2), F(1, 4), 0], [1, F(1, 4), 0, 0]]
    assert kept_count(table.values, F(1, 4)).tolist() == [3, 2]  # ties are kept
    assert kept_count(table.values, 0).tolist() == [3, 3]  # also what has no probability
    assert kept_count(table.values, F(7, 8)).tolist() == [1, 1]
    assert kept_count(table.values, F(7, 8), keep_top=False).tolist() == [0, 0]
    path = threshold_path(table, F(1, 2), F(1, 2), F(1, 4), order=np.array([0, 1, 0]))
    # 1/2 dropped: down by 1/8; 1/4 dropped: stays at 3/8; 1/2 dropped again
    assert path.thresholds.tolist() == [F(1, 2), F(3, 8), F(3, 8), F(1, 4)]
    assert path.dropped.tolist() == [F(1, 2), F(1, 4), F(1, 2)] and path.kept.tolist() == [1, 1, 1]


@given(st.data(), st.booleans())
def test_bisection_counts_what_the_mask_holds(data, keep_top) -> None:
    q = data.draw(some.batches(data.draw(some.vocabularies(high=9))))
    edges = [*q.ravel().tolist(), F(-1), F(2)]
    thresholds = laws.exact(np.array([data.draw(st.sampled_from(edges)) for _ in q]))
    table = ranked(q)
    mask = threshold_mask(q, thresholds, keep_top)
    number = kept_count(table.values, thresholds, keep_top=keep_top)
    assert number.tolist() == mask.sum(axis=-1).tolist()
    assert table.tails[np.arange(len(q)), number].tolist() == dropped_mass(q, mask).tolist()


@given(st.data(), st.booleans())
def test_the_path_is_one_long_batch(data, keep_top) -> None:
    q = data.draw(some.batches(data.draw(some.vocabularies()), rows=4))
    numbers = data.draw(some.fractions(-1, 2, 8)), F(1, 3), F(1, 4)
    path, batch = threshold_path(ranked(q), *numbers, keep_top=keep_top), draft_thresholds(q, *numbers, keep_top)
    assert path.thresholds.tolist() == batch.thresholds.tolist()
    assert path.dropped.tolist() == batch.dropped.tolist()
    assert path.kept.tolist() == batch.masks.sum(axis=-1).tolist()
    some.assert_exact(path.thresholds)


def test_many_texts_are_each_text() -> None:
    rng = np.random.default_rng(5)
    table = ranked(rng.dirichlet(np.full(50, 0.2), size=7))
    order, starts = rng.integers(7, size=(5, 30)), rng.random(5)
    paths = threshold_path(table, starts, 0.05, 0.1, order)
    assert paths.thresholds.shape == (5, 31) and paths.kept.shape == (5, 30)
    for i in range(5):
        one = threshold_path(table, starts[i], 0.05, 0.1, order[i])
        assert all((x[i] == y).all() for x, y in zip(paths, one, strict=True))
    shared = threshold_path(table, starts, 0.05, 0.1, order[0])  # one text, five thresholds
    assert shared.thresholds[0].tolist() == paths.thresholds[0].tolist()


def test_no_tokens() -> None:
    path = threshold_path(ranked(Q), np.array([0.5, 0.25]), 1, 0.5, order=np.zeros((2, 0), dtype=int))
    assert path.thresholds.tolist() == [[0.5], [0.25]] and path.dropped.shape == path.kept.shape == (2, 0)


def test_tails_of_float32_are_added_in_float64() -> None:
    q = laws.softmax(np.random.default_rng(0).standard_normal(128_256).astype(np.float32))
    table = ranked(q)
    assert table.tails.dtype == np.float64
    assert abs(table.tails[128_000] - np.sort(q)[:256].astype(np.float64).sum()) < 1e-15
    assert table.values.dtype == np.float32


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: ranked(Q / 2), "q: row .0,. sums to 1/2"),
        (lambda: kept_count(Q[0], 0.5), "values: shape .3,.; expected .R, V."),
        (lambda: threshold_path(ranked(Q), 0.5, -1, 0.5), "step_size: -1; expected a positive number"),
        (lambda: threshold_path(ranked(Q), 0.5, 1, -0.5), "dropped_target: -0.5; expected a mass between 0 and 1"),
        (lambda: threshold_path(ranked(Q), np.nan, 1, 0.5), "threshold: nan; expected a number"),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
