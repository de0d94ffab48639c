"""The pivot classifier: ranking figures against their definitions, and a network that learns what is there to learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.engine.estimates.intervals import document_weights
from simspec.methods.pad.process import Process
from simspec.studies.pad.classifier import auc, auc_interval, features, fit, roc


def _by_definition(score, y, weight):
    up, down = np.flatnonzero(y), np.flatnonzero(~y)
    wins = sum(weight[i] * weight[j] * ((score[i] > score[j]) + 0.5 * (score[i] == score[j])) for i in up for j in down)
    return wins / (weight[up].sum() * weight[down].sum())


def test_area_by_hand():
    assert auc(np.array([3.0, 2.0, 1.0]), np.array([True, False, True])) == 0.5
    assert auc(np.array([1.0, 1.0]), np.array([True, False])) == 0.5


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans(), st.integers(0, 3)), min_size=4, max_size=20))
def test_area_is_the_chance_that_a_pivot_scores_higher(rows):
    score, y, _problem = (np.array(x) for x in zip(*rows, strict=True))
    if not (y.any() and (~y).any()):
        return
    plain = _by_definition(score, y, np.ones(len(y)))
    assert np.isclose(auc(score, y), plain)
    fpr, tpr = roc(score, y)
    assert np.isclose(np.trapezoid(tpr, fpr), plain)
    assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0, 0, 1, 1)


def test_resampled_areas_are_those_of_the_resampled_candidates():
    rng = np.random.default_rng(1)
    problem = np.repeat(np.arange(6), 8)
    y, score = rng.random(48) < 0.4, np.round(rng.random(48), 1)
    interval = auc_interval(score, y, problem, 0.9, resamples=40)
    drawn = [_by_definition(score, y, weight[problem]) for weight in document_weights(6, 40)]
    assert np.isclose(interval.estimate, auc(score, y))
    assert np.allclose([interval.low, interval.high], np.quantile(drawn, [0.05, 0.95]))


def test_one_label_or_one_problem_is_refused():
    with pytest.raises(ValueError, match="0 pivots among 2 labels"):
        auc(np.zeros(2), np.zeros(2, dtype=bool))
    with pytest.raises(ValueError, match="problem: 1 problem"):
        auc_interval(np.zeros(2), np.array([True, False]), np.zeros(2))


def test_features_by_hand():
    p = np.array([[0.25, 0.75], [1.0, 0.0]])
    x = features(Process(p, p, np.zeros((2, 2), int), np.ones(2), 0, 1), np.array([[7.0], [8.0]]))
    assert x.shape == (2, 2, 3) and x[:, :, 0].tolist() == p.tolist()
    assert np.allclose(x[0, :, 1], -(0.25 * np.log(0.25) + 0.75 * np.log(0.75))) and (x[1, :, 1] == 0).all()
    assert x[:, :, 2].tolist() == [[7, 7], [8, 8]]


def _data(seed):
    """One label in ten is a pivot; two features together tell which, six tell nothing."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(1500, 8))
    return x, x[:, 0] + x[:, 1] > 1.81, np.repeat(np.arange(30), 50)


def test_the_network_learns_and_shuffled_labels_teach_nothing():
    """The second half is the negative control: on problems held back, no epoch does better than a uniform by a tenth."""
    x, y, problem = _data(0)
    classifier = fit(x, y, problem, epochs=20)
    other, truth, _ = _data(1)
    score = classifier.score(other)
    assert auc(score, truth) > 0.95
    assert ((score > 0.5) == truth).mean() > 0.8 and (score > 0.5)[truth].mean() > 0.85  # weighted: recall is not lost
    assert classifier.losses.min() < 0.5 * np.log(2)
    shuffled = fit(x, np.random.default_rng(2).permutation(y), problem, epochs=5)
    assert 0.9 * np.log(2) < shuffled.losses.min() < 1.2 * np.log(2)


def test_scores_keep_the_shape_and_do_not_depend_on_company():
    x, y, problem = _data(0)
    classifier = fit(x, y, problem, epochs=2)
    cube = x[:24].reshape(4, 6, 8)
    assert classifier.score(cube).shape == (4, 6)
    assert np.allclose(classifier.score(cube).ravel(), classifier.score(x[:24]), atol=1e-12)
    assert np.array_equal(fit(x, y, problem, epochs=2).score(x), classifier.score(x))


def test_every_fifth_problem_is_held_back_and_both_parts_need_both_labels():
    x, _, problem = _data(0)
    with pytest.raises(ValueError, match="0 pivots among 300 labels held back"):
        fit(x, problem == 3, problem)
    with pytest.raises(ValueError, match="0 pivots among 1200 labels to train on"):
        fit(x, problem == 4, problem)
