"""The best fixed threshold against every candidate, and the budget rule against plain loops."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec import laws
from simspec.methods.csqs.threshold_rules import BEYOND, best_fixed_threshold, budget_path
from simspec.methods.csqs.thresholds import ranked
from simspec.methods.sqs.quantised import dropped_mass, threshold_mask
from tests import strategies as some

Q = laws.exact(np.array([[0.5, 0.25, 0.25], [0.75, 0.125, 0.125]]))


@pytest.mark.parametrize(
    ("target", "keep_top", "threshold", "kept"),
    [
        (0, True, F(1, 8), [3, 3]),  # an eighth is kept, nothing is dropped
        (F(1, 8), True, F(1, 4), [3, 1]),  # a quarter of the second law
        (F(1, 4), True, F(1, 4), [3, 1]),
        (F(3, 8), True, BEYOND, [1, 1]),  # one half and one quarter: all that can be dropped
        (F(3, 8), False, F(1, 2), [1, 1]),  # beyond ½ the first law would be empty
        (F(5, 8), False, F(3, 4), [0, 1]),
        (1, False, BEYOND, [0, 0]),
    ],
)
def test_best_fixed_threshold_by_hand(target, keep_top, threshold, kept) -> None:
    best = best_fixed_threshold(ranked(Q), target, keep_top)
    assert best.threshold == threshold and best.kept.tolist() == kept


@given(st.data(), st.booleans())
def test_the_best_fixed_threshold_is_the_largest_candidate_that_meets_the_target(data, keep_top) -> None:
    q = data.draw(some.batches(data.draw(some.vocabularies()), rows=data.draw(st.integers(1, 4))))
    target = data.draw(some.fractions(0, 1, 12))
    best = best_fixed_threshold(ranked(q), target, keep_top)

    def average(beta):
        return sum(dropped_mass(q, threshold_mask(q, beta, keep_top)).tolist()) / F(len(q))

    meeting = [beta for beta in [*q.ravel().tolist(), BEYOND] if average(beta) <= target]
    assert best.threshold == max(meeting)
    mask = threshold_mask(q, best.threshold, keep_top)
    assert best.kept.tolist() == mask.sum(axis=-1).tolist() and best.dropped.tolist() == dropped_mass(q, mask).tolist()


@given(st.data(), st.booleans())
def test_the_budget_pays_for_the_least_likely_tokens_it_can(data, keep_top) -> None:
    q = data.draw(some.batches(data.draw(some.vocabularies()), rows=data.draw(st.integers(1, 5))))
    target, left = data.draw(some.fractions(0, 1, 9)), data.draw(some.fractions(0, 1, 9))
    path = budget_path(ranked(q), target, left, keep_top=keep_top)
    for n, masses in enumerate(q.tolist()):
        assert path.budgets[n] == left
        rising, lost = sorted(masses), F(0)
        while len(rising) > keep_top and lost + rising[0] <= left + target:
            lost += rising.pop(0)
        assert (path.dropped[n], path.kept[n]) == (lost, len(rising))
        left = left + target - lost
    assert path.budgets[-1] == left >= 0
    some.assert_exact(path.budgets)


def test_a_budget_follows_the_order_of_the_text() -> None:
    path = budget_path(ranked(Q), F(1, 8), order=np.array([1, 0, 1]), keep_top=False)
    assert path.dropped.tolist() == [F(1, 8), 0, F(1, 4)] and path.budgets.tolist() == [0, 0, F(1, 8), 0]


def test_floats_and_empty_texts() -> None:
    q = ranked(np.random.default_rng(3).dirichlet(np.full(50, 0.1), size=40))
    for keep_top in (False, True):
        path = budget_path(q, F(1, 10), 0.5, keep_top=keep_top)
        assert path.dropped.dtype == np.float64 and path.dropped.mean() <= 0.1 + 0.5 / 40 + 1e-12
        best = best_fixed_threshold(q, 0.1, keep_top)
        assert best.dropped.mean() <= 0.1 and best.threshold in q.values
    none = budget_path(q, 0.1, order=np.zeros(0, dtype=int))
    assert none.budgets.tolist() == [0] and none.dropped.shape == none.kept.shape == (0,)


@pytest.mark.parametrize("target", [-0.1, 1.5, np.nan, "a"])
def test_targets_outside_the_masses_are_refused(target) -> None:
    with pytest.raises(ValueError, match="dropped_target: .*; expected a mass between 0 and 1"):
        best_fixed_threshold(ranked(Q), target)
    with pytest.raises(ValueError, match="dropped_target"):
        budget_path(ranked(Q), target)
    with pytest.raises(ValueError, match="budget: "):
        budget_path(ranked(Q), 0.5, target)


def test_one_law_alone_is_refused() -> None:
    with pytest.raises(ValueError, match=r"laws: shape \(3,\); expected \(R, V\)"):
        best_fixed_threshold(ranked(Q[0]), 0.5)
    with pytest.raises(ValueError, match=r"laws: shape \(3,\); expected \(R, V\)"):
        budget_path(ranked(Q[0]), 0.5)
