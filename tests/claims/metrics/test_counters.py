"""Claims on acceptance lengths and rates: runs by hand, the printed run among them."""

from fractions import Fraction as F

import numpy as np
import pytest

from simspec.claims.authoring import law
from simspec.claims.metrics.conditional_monotone import steps_with
from simspec.claims.metrics.mean_of_positions import PRINTED
from simspec.claims.metrics.parts import overshoot, steps_needed
from simspec.methods.counters import (
    acceptance_length,
    conditional_rates,
    draft_acceptance,
    least_variance_rates,
    position_rates,
)
from tests.claims.cases import counterexample, get


def test_the_printed_run_has_its_printed_rates() -> None:
    """87 steps, 259 drafted, 167 accepted: .805, .632, .483 sum to 1.920, and the acceptance rate is no mean of them."""
    drafted, accepted = PRINTED["drafted"], PRINTED["accepted"]
    assert (len(drafted), drafted.sum(), accepted.sum()) == (87, 259, 167)
    assert (accepted <= drafted).all()
    rates = position_rates(accepted, 3)
    assert [round(float(m), 3) for m in rates] == [0.805, 0.632, 0.483]
    assert acceptance_length(accepted) == 1 + rates.sum() == 1 + F(167, 87)
    rate, mean = get("metrics.mean-of-positions").sides(PRINTED)
    assert (rate, mean) == (F(167, 259), F(167, 261))


def test_conditional_rates_can_rise() -> None:
    found = counterexample("metrics.conditional-monotone")
    rates = position_rates(found["accepted"], 2)
    assert list(conditional_rates(rates)) == [F(1, 2), 1]


def test_conditional_rates_may_have_any_order() -> None:
    """1/2, 1, 1/4 of eight steps: four get over the first draft and the second, one over the third."""
    claim = get("metrics.conditional-monotone-corrected.attained")
    rates = law("1/2", 1, "1/4")
    assert steps_with(rates) == [3, 2, 2, 2, 0, 0, 0, 0]
    assert [side.tolist() for side in claim.sides({"rates": rates})] == [[F(1, 2), 1, F(1, 4)]] * 2


def test_a_step_and_a_half_for_two_tokens() -> None:
    """One or three tokens, a coin each time, against two every time."""
    coin, two = law("1/2", 0, "1/2"), law(0, 1, 0)
    assert [steps_needed(w, 2) for w in (coin, two)] == [F(3, 2), 1]
    assert [overshoot(w, 2) for w in (coin, two)] == [1, 0]


def test_of_two_runs_the_pooled_length_and_the_mean_choose_differently() -> None:
    found = counterexample("metrics.pooled-order")
    t, a, b = found["tokens"], found["a"], found["b"]
    assert t.sum() / a.sum() > t.sum() / b.sum()
    assert sum(t / a) < sum(t / b)


def test_rates_of_least_variance() -> None:
    assert least_variance_rates(F(5, 2), 3) == [1, F(1, 2), 0]
    with pytest.raises(ValueError, match=r"length: 5.0; expected between 1 and 4"):
        least_variance_rates(5.0, 3)


def test_definitions_on_floats_and_integers() -> None:
    drafted, accepted = np.array([3, 3, 2]), np.array([0, 3, 1])
    assert acceptance_length(accepted) == pytest.approx(7 / 3)
    assert draft_acceptance(drafted, accepted) == 0.5
    assert position_rates(accepted, 3).tolist() == pytest.approx([2 / 3, 1 / 3, 1 / 3])
