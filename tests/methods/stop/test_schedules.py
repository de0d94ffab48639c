"""Schedules: the fastest of all by enumeration, by hand, and with a planted error."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import numpy as np
import pytest

from simspec.laws import exact
from simspec.methods.stop.schedules import best_schedule, schedule_speed, schedule_tokens, threshold_lengths

WEIGHTS = exact([F(1, 2), F(1, 2)])
PRODUCTS = np.array([[F(1, 2), F(1, 4)], [F(1), F(1, 2)]], dtype=object)


def test_two_contexts_by_hand() -> None:
    """One draft and two: 2 tokens in 11/8 of a pass."""
    lengths, speed = best_schedule(WEIGHTS, PRODUCTS, F(1, 4))
    assert (lengths, speed) == ([1, 2], F(16, 11))
    assert schedule_tokens(WEIGHTS, PRODUCTS, lengths) == 2


@pytest.mark.parametrize("seed", range(20))
def test_no_schedule_is_faster(seed: int) -> None:
    rng = np.random.default_rng(seed)
    steps = np.array([[F(int(n), 4) for n in row] for row in rng.integers(0, 5, size=(2, 3))], dtype=object)
    products = steps.cumprod(axis=1)
    cost = F(int(rng.integers(0, 5)), 4)
    lengths, speed = best_schedule(WEIGHTS, products, cost)
    assert speed == schedule_speed(WEIGHTS, products, lengths, cost)
    assert speed == max(schedule_speed(WEIGHTS, products, every, cost) for every in product(range(4), repeat=2))
    floats = best_schedule(WEIGHTS.astype(float), products.astype(float), float(cost))
    assert floats[1] == pytest.approx(float(speed))


def test_a_planted_error_is_seen() -> None:
    """A threshold at the cost itself, as if the speed were 1, verifies a draft too many."""
    cost = F(9, 20)
    _, speed = best_schedule(WEIGHTS, PRODUCTS, cost)
    greedy = threshold_lengths(PRODUCTS, cost)
    assert schedule_speed(WEIGHTS, PRODUCTS, greedy, cost) < speed


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="cost: -1; expected a time"):
        schedule_speed(WEIGHTS, PRODUCTS, [0, 0], -1)
