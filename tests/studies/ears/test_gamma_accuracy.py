"""Speed and utility of EARS as drafts get longer: one draft, and no tolerance, by what is known of them."""

import numpy as np

from simspec.engine.row_values import gather
from simspec.methods import ears, evaluate, values
from simspec.methods.pad.families import needle
from simspec.studies.ears.gamma_accuracy import _one, gamma_accuracy


def test_no_tolerance_gains_and_loses_nothing() -> None:
    found = _one(needle(1, horizon=4), 0.0, (1, 3))
    assert np.allclose([found["gain 1"], found["gain 3"]], 1)
    assert np.allclose([found["utility 1"], found["utility 3"]], found["target"])


def test_more_drafts_are_more_positions_with_a_tolerance() -> None:
    """With γ = 1 every second token at most is drafted; the ratio of calls is what `evaluate` counts."""
    process = needle(1, horizon=4)
    found = _one(process, 0.2, (1, 3))
    assert found["target"] == values(process)[0, process.start]
    assert found["gain 3"] > found["gain 1"] > 1
    assert found["utility 3"] == evaluate(process, ears(0.2), 3).utility


def test_a_cell_for_each_family() -> None:
    results = gather(gamma_accuracy(2, horizon=4, gammas=(1, 2)))
    assert [r.cell["family"] for r in results] == ["needle", "recoverable", "counting", "random"]
    assert all(set(r.values) == {"target", "utility 1", "gain 1", "utility 2", "gain 2"} for r in results)
