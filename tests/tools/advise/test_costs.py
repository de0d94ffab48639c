"""Costs with the spread of the steps that were timed: by hand, how often the intervals hold, and in the advice."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspec.engine.estimates.intervals import Interval
from simspec.tools.advise import Plan, advise
from simspec.tools.advise.costs import (
    cost_interval,
    fewest_repetitions,
    median_interval,
    quotient,
    speed_with_time,
    verify_interval,
)
from simspec.tools.advise.show import json_text
from simspec.tools.reading import Pairs

RUNS = 4_000


@pytest.mark.parametrize(("count", "rank"), [(6, 1), (8, 1), (9, 2), (11, 2), (12, 3), (20, 6)])
def test_ranks_are_those_of_the_tables(count, rank) -> None:
    """Ranks of a 95 % interval of a median, as tables of the sign test print them."""
    interval = median_interval(range(1, count + 1))
    assert (interval.low, interval.high) == (rank, count + 1 - rank)


def test_few_repetitions_have_no_interval() -> None:
    assert fewest_repetitions() == 6
    for count in range(1, 6):
        assert math.isnan(median_interval(range(1, count + 1)).low)


@pytest.mark.parametrize("samples", [[], [0.0], [-1.0], [math.nan], [math.inf]])
def test_what_are_no_times_is_refused(samples) -> None:
    with pytest.raises(ValueError, match="samples: .*expected times"):
        median_interval(samples)


@pytest.mark.parametrize("count", [6, 9, 15])
def test_the_interval_of_a_cost_holds_it(count) -> None:
    """Times with outliers, of medians 1 and 4: at least 94 % of 4,000 runs (less by chance in 1 of 500 at 95 %).

    The negative control is a true cost that is a third higher, which the interval holds far less often.
    """
    rng = np.random.default_rng(count)
    held = 0
    held_wrong = 0
    for _ in range(RUNS):
        shape = (2, count)
        times = np.exp(rng.normal(0, 0.1, shape)) * np.where(rng.random(shape) < 0.1, 1 + rng.exponential(2, shape), 1)
        interval = cost_interval(times[0], 4 * times[1])
        held += interval.low <= 0.25 <= interval.high
        held_wrong += interval.low <= 0.25 * 4 / 3 <= interval.high
    assert held >= 0.94 * RUNS and held_wrong <= 0.6 * RUNS


def test_a_quotient_by_hand() -> None:
    """Factors of 2 and 1 up, 3 and 4 down: exp of the hypotenuse of the logarithms."""
    ratio = quotient(Interval(6.0, 2.0, 12.0, 0.95), Interval(1.0, 1.0, 4.0, 0.95))
    assert ratio.estimate == 6 and ratio.high == pytest.approx(12)
    assert ratio.low == pytest.approx(6 / math.exp(math.hypot(math.log(3), math.log(4))))
    exact = verify_interval([4.0] * 9, [3.0] * 9, 8)
    assert exact == (0, 0, 0, 0.95)  # a step on more tokens that is faster by noise costs nothing


def test_the_speed_allows_for_the_spread_of_the_costs() -> None:
    """Drafts accepted in half of the contexts; at two drafts a step takes 1.5 target steps, or 1.2 to 2."""
    rng = np.random.default_rng(0)
    first = np.where(rng.random(40) < 0.5, 0.9, 0.4)
    pairs = Pairs(np.stack([first, 1 - first], 1), np.tile([0.5, 0.5], (40, 1)), np.arange(40), "by hand")
    exact = Plan(rules=("sd",), gammas=(2,), cost=0.25)
    spread = exact._replace(cost_range=(0.1, 0.5))
    (plain,) = advise(pairs, exact)
    advice = advise(pairs, spread)
    (row,) = advice
    assert row.speedup.estimate == pytest.approx(plain.speedup.estimate)
    assert row.speedup.low < plain.speedup.low and row.speedup.high > plain.speedup.high
    time = Interval(1.5, 1.2, 2.0, 0.95)
    assert row.speedup == pytest.approx(speed_with_time(row.tokens, time))
    assert advice.cost_range == (0.1, 0.5) and '"cost_range": [\n  0.1,\n  0.5\n ]' in json_text(advice)
    verified = exact._replace(verify=0.1, verify_range=(0.05, 0.2), cost_range=(0.1, 0.5))
    assert advise(pairs, verified).cost_range == pytest.approx((0.15, 0.7))
    with pytest.raises(
        ValueError, match=r"cost_range: \(0\.3, 0\.5\); expected the lowest and the highest cost, with 0\.25"
    ):
        advise(pairs, exact._replace(cost_range=(0.3, 0.5)))


def test_a_rule_without_a_draft_model_has_no_spread_of_it() -> None:
    pairs = Pairs(np.tile([0.5, 0.5], (6, 1)), np.tile([0.5, 0.5], (6, 1)), np.arange(6), "by hand")
    text = [[0, 1, 0, 1, 0][: 2 + n % 3] for n in range(6)]
    known = pairs.known._replace(text=text)
    plan = Plan(rules=("prompt-lookup", "sd"), gammas=(2,), cost=0.25)
    source = pairs._replace(known=known)
    (lookup, drafted), (lookup_spread, drafted_spread) = (
        advise(source, p) for p in (plan, plan._replace(cost_range=(0.1, 0.5)))
    )
    assert lookup_spread.speedup == lookup.speedup and drafted_spread.speedup.high > drafted.speedup.high
