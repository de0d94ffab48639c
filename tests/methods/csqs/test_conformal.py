"""C-SQS: Algorithm 1 by hand, against a loop over lists, at its edges, and what its last line forgets."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods import is_lossless
from simspec.methods.csqs.conformal import (
    Rejections,
    checkpoint,
    checkpoint_printed,
    count_rejections,
    csqs,
    draft_thresholds,
    update,
)
from simspec.methods.sqs.quantised import sqs
from tests import strategies as some

Q = laws.exact(np.array([0.5, 0.25, 0.25]))


def loop(rows: list[list], threshold, step_size, target, keep_top: bool) -> tuple[list, list]:
    """The update (8) on lists of numbers: thresholds and dropped masses."""
    thresholds, dropped = [threshold], []
    for row in rows:
        kept = [v for v in row if v >= thresholds[-1]] or ([max(row)] if keep_top else [])
        dropped.append(1 - sum(kept))
        thresholds.append(thresholds[-1] - step_size * (dropped[-1] - target))
    return thresholds, dropped


def test_one_batch_by_hand() -> None:
    # 1/2 keeps the first token: 1/2 dropped, down by 1/2 (1/2 - 1/4); 3/8 the same; 1/4 keeps all: up by 1/8
    out = draft_thresholds(np.stack([Q, Q, Q]), F(1, 2), F(1, 2), F(1, 4))
    assert out.thresholds.tolist() == [F(1, 2), F(3, 8), F(1, 4), F(3, 8)]
    assert out.dropped.tolist() == [F(1, 2), F(1, 2), 0]
    assert out.masks.tolist() == [[True, False, False], [True, False, False], [True, True, True]]
    some.assert_exact(out.thresholds)


def test_the_next_batch_by_hand() -> None:
    out = draft_thresholds(np.stack([Q, Q, Q]), F(1, 2), F(1, 2), F(1, 4))  # two drafts and the law after them
    assert [checkpoint(out.thresholds, n) for n in range(3)] == [F(3, 8), F(1, 4), F(3, 8)]
    printed = [
        checkpoint_printed(out.thresholds, out.dropped[:2], n, F(1, 2), F(1, 4), otherwise=F(1, 2)) for n in range(3)
    ]
    assert printed == [F(1, 2), F(3, 8), F(1, 4)]  # one update behind: the new token is not counted
    some.assert_exact([*printed, checkpoint(out.thresholds, 1)])


@given(st.data(), st.booleans())
def test_thresholds_are_the_loop(data, keep_top) -> None:
    vocab, length = data.draw(some.vocabularies()), data.draw(st.integers(0, 4))
    rows = data.draw(some.batches(vocab, rows=length)) if length else np.zeros((0, vocab), dtype=object)
    threshold = data.draw(some.fractions(-1, 2, 8))
    step_size, target = data.draw(some.fractions(F(1, 8), 3, 8)), data.draw(some.shares())
    out = draft_thresholds(rows, threshold, step_size, target, keep_top)
    thresholds, dropped = loop(rows.tolist(), threshold, step_size, target, keep_top)
    assert out.thresholds.tolist() == thresholds and out.dropped.tolist() == dropped
    assert out.masks.shape == rows.shape
    some.assert_exact(out.thresholds)
    floats = draft_thresholds(some.as_float(rows), float(threshold), float(step_size), float(target), keep_top)
    assert floats.thresholds.dtype == np.float64 and floats.thresholds.shape == (length + 1,)


@given(st.data())
def test_a_batch_of_links_is_each_link(data) -> None:
    vocab = data.draw(some.vocabularies())
    stack = np.stack([data.draw(some.batches(vocab)) for _ in range(2)])
    starts = laws.exact(np.array([0, 0.5]))
    out = draft_thresholds(stack, starts, F(1, 3), F(1, 4))
    for i in range(2):
        one = draft_thresholds(stack[i], starts[i], F(1, 3), F(1, 4))
        assert [x[i].tolist() for x in out] == [x.tolist() for x in one]
    accepted = np.array([2, 0])
    expected = [checkpoint(out.thresholds[i], accepted[i]) for i in range(2)]
    assert checkpoint(out.thresholds, accepted).tolist() == expected
    printed = checkpoint_printed(out.thresholds, out.dropped, accepted, F(1, 3), F(1, 4), otherwise=starts)
    assert printed.tolist() == [out.thresholds[0, 2], starts[1]]


@given(st.data())
def test_checkpoint_is_the_update_once_over_each_accepted_token_and_the_new_one(data) -> None:
    rows = data.draw(some.batches(data.draw(some.vocabularies()), rows=4))  # three drafts and the law after them
    accepted = data.draw(st.integers(0, 3))
    numbers = data.draw(some.fractions(0, 1, 8)), F(1, 2), F(1, 8)
    out = draft_thresholds(rows, *numbers)
    assert checkpoint(out.thresholds, accepted) == loop(rows[: accepted + 1].tolist(), *numbers, True)[0][-1]
    if accepted:
        printed = checkpoint_printed(out.thresholds, out.dropped, accepted, *numbers[1:])
        assert printed == loop(rows[:accepted].tolist(), *numbers, True)[0][-1]


# ---- edges ----


def test_literally_nothing_kept_drops_everything_and_the_threshold_falls_until_drafting_resumes() -> None:
    out = draft_thresholds(np.stack([Q] * 3), F(3, 4), F(1, 4), F(1, 2), keep_top=False)
    assert out.dropped.tolist() == [1, 1, F(1, 2)]
    assert out.thresholds.tolist() == [F(3, 4), F(5, 8), F(1, 2), F(1, 2)]
    assert out.masks.any(axis=-1).tolist() == [False, False, True]
    assert checkpoint(out.thresholds[:2], accepted=0) == F(5, 8)  # a batch without drafts still moves it


def test_a_draft_law_of_one_point_lets_the_threshold_rise_for_ever() -> None:
    point = laws.exact(np.array([[1, 0]] * 9))
    out = draft_thresholds(point, F(1), F(1), F(1, 2))
    assert out.thresholds[-1] == 1 + F(9, 2) and not out.dropped.any()
    literal = draft_thresholds(point, F(1), F(1), F(1, 2), keep_top=False)
    assert set(literal.thresholds[1:].tolist()) == {F(3, 2), F(1)}


def test_below_zero_everything_is_kept_and_the_threshold_rises() -> None:
    out = draft_thresholds(np.array([[1.0, 0.0]]), -0.25, 0.5, 0.5)
    assert out.masks.all() and out.thresholds.tolist() == [-0.25, 0.0]


def test_no_positions() -> None:
    out = draft_thresholds(np.zeros((2, 0, 3)), 0.5, 1, 0.5)
    assert out.thresholds.tolist() == [[0.5], [0.5]] and out.dropped.shape == (2, 0) and out.masks.shape == (2, 0, 3)
    assert checkpoint_printed(out.thresholds, out.dropped, 0, 1, 0.5, otherwise=0.25).tolist() == [0.25, 0.25]


def test_update_takes_any_step() -> None:
    assert update(F(1, 2), 1, 0, F(1, 2)) == F(1, 2)
    assert update(np.array([0.5, 1.0]), np.array([1.0, 0.0]), 0.5, 0.5).tolist() == [0.25, 1.25]


# ---- one step as a method ----


@given(st.data())
def test_the_method_is_sqs_of_what_is_kept(data) -> None:
    p, q = data.draw(some.pairs())
    resolution = data.draw(st.integers(1, 8))
    distinct = len(set(q.tolist())) == len(q)
    threshold = data.draw(st.sampled_from(q.tolist()))
    method = csqs(threshold, resolution)
    assert is_lossless(method, p, q)
    if distinct and threshold > 0:
        assert method.propose(q).tolist() == sqs(int((q >= threshold).sum()), resolution).propose(q).tolist()


def test_methods_with_a_threshold_for_each_row() -> None:
    q = np.array([[0.5, 0.5], [0.75, 0.25]])
    assert csqs(np.array([0.25, 0.5]), 2).propose(q).tolist() == [[0.5, 0.5], [1.0, 0.0]]
    assert csqs(2, 2).propose(q).tolist() == [[1, 0], [1, 0]]


# ---- rejections ----


def test_rejections_by_hand() -> None:
    """Of 4 drafts 1 is accepted (1 resampled, 3 discarded), of 2 both (none), of 3 none (1 and 3), of 0 none (none)."""
    assert count_rejections([4, 2, 3, 0], [1, 2, 0, 0]) == Rejections(resampled=2, discarded=6)
    rows = count_rejections(np.array([[4, 2], [3, 0]]), np.array([[1, 2], [0, 0]]))
    assert rows.resampled.tolist() == [1, 1] and rows.discarded.tolist() == [3, 3]
    assert count_rejections(5, np.array([5, 4, 0])) == Rejections(2, 6)  # every batch of five


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: csqs(0.5, 0), "resolution: 0; expected an integer >= 1"),
        (lambda: csqs(0.75, 2, keep_top=False).propose(Q), "threshold: 0.75 lies above the largest probability"),
        (lambda: draft_thresholds(Q, 0, 1, 0.5), "laws: shape .3,.; expected"),
        (lambda: draft_thresholds(Q[None] / 2, 0, 1, 0.5), "laws: row .0,. sums to 1/2"),
        (lambda: draft_thresholds(Q[None], 0, 0, 0.5), "step_size: 0; expected a positive number"),
        (lambda: draft_thresholds(Q[None], 0, np.nan, 0.5), "step_size: nan; expected a positive number"),
        (lambda: draft_thresholds(Q[None], 0, 1, F(3, 2)), "dropped_target: 3/2; expected a mass between 0 and 1"),
        (lambda: draft_thresholds(Q[None], np.nan, 1, 0.5), "threshold: nan; expected a number"),
        (lambda: checkpoint(np.zeros(3), 2), "accepted: 2; .* between 0 and 1 .the law of the new token"),
        (lambda: checkpoint(np.zeros(3), -1), "accepted: -1; expected"),
        (lambda: checkpoint(np.zeros(3), 0.5), "accepted: 0.5; expected whole numbers"),
        (lambda: checkpoint_printed(np.zeros(3), np.zeros(2), 3, 1, 0.5), "accepted: 3; .* between 0 and 2"),
        (lambda: checkpoint_printed(np.zeros(3), np.zeros(2), 0, 1, 0.5), "accepted: 0; expected at least 1"),
        (lambda: count_rejections([2], [3]), "accepted: .3.; expected between 0 and the number drafted"),
        (lambda: count_rejections([2], [-1]), "accepted: .-1.; expected"),
        (lambda: count_rejections([2.0], [1]), "lengths: dtype float64; expected whole numbers"),
        (lambda: count_rejections([2], [True]), "accepted: dtype bool; expected whole numbers"),
    ],
)
def test_bad_input_is_named(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
