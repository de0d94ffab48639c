"""Speed of drafting: worked by hand, against the formula for chains, and by simulating what a step takes."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.methods import latency, speedup, speedup_of_accepted
from simspec.methods.speed import step_time, tree_speedup
from simspec.methods.tree.best import accepted_drafts
from simspec.methods.tree.shapes import height, nodes


@pytest.mark.parametrize("gamma", [0, 1, 4, 16])
@pytest.mark.parametrize("cost", [F(0), F(1, 10), F(3, 2)])
def test_a_chain_is_the_formula_of_the_papers(gamma, cost) -> None:
    accepted = F(2, 3) * gamma
    assert step_time(gamma, cost) == latency(gamma, cost)
    assert tree_speedup(1 + accepted, gamma, gamma, cost) == speedup_of_accepted(accepted, gamma, cost)


def test_verification_costs_as_much_as_drafts_that_cost_more() -> None:
    """A chain drafts and verifies each token: only the sum of both costs counts."""
    rate, gamma = F(3, 5), 3
    tokens = 1 + sum(rate**i for i in range(1, gamma + 1))
    assert tree_speedup(tokens, gamma, gamma, F(1, 10), F(1, 50)) == speedup(rate, gamma, F(3, 25))


def test_a_tree_by_hand() -> None:
    """Two children, the first with one child: shares 1/2 and 1/4 by child, so 1 + 3/4 + 1/4 tokens in 1 + 2/5 + 3/10."""
    shape = (((),), ())
    shares = np.array([F(1, 2), F(1, 4)], dtype=object)
    tokens = 1 + accepted_drafts(shape, shares)
    assert (tokens, height(shape), nodes(shape)) == (2, 2, 3)
    assert tree_speedup(tokens, height(shape), nodes(shape), F(1, 5), F(1, 10)) == F(20, 17)


def test_steps_one_after_another_take_as_long_as_the_formula_says() -> None:
    """Tokens of 500 steps over the clock, which ticks 1 for the target, c for a level, v for a node."""
    rng = np.random.default_rng(0)
    emitted = rng.integers(1, 4, size=500)
    clock = 0.0
    for _ in emitted:
        clock += 1.0
        clock += 0.25 + 0.25
        clock += 6 * 0.125
    assert emitted.sum() / clock == pytest.approx(tree_speedup(emitted.mean(), 2, 6, 0.25, 0.125), rel=1e-12)


def test_arrays_are_taken_element_by_element() -> None:
    speeds = tree_speedup(np.array([1.5, 2.0]), np.array([1, 2]), np.array([1, 4]), 0.5, 0.25)
    assert speeds.tolist() == [1.5 / 1.75, 2.0 / 3.0]


@pytest.mark.parametrize(("name", "costs"), [("cost", (-0.1, 0)), ("verify", (0.1, -1)), ("cost", (float("nan"), 0))])
def test_a_negative_time_is_refused(name, costs) -> None:
    with pytest.raises(ValueError, match=f"{name}: .*not negative"):
        tree_speedup(2, 1, 1, *costs)
