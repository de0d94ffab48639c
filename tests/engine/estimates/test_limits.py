"""Intervals in the limit: by hand, in a run that resumes, where they cover and where they do not, and what is refused."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm

from simspec.engine import run as engine
from simspec.engine.estimates.intervals import student
from simspec.engine.estimates.limits import asymptotic, in_the_limit, once
from simspec.engine.estimates.statistics import SCALE, bounded
from simspec.engine.estimates.stopping import AnyOf, HalfWidth, RelativeError, Rows
from simspec.engine.store.goal import Goal
from tests.engine.coins import COINS

COIN = replace(COINS, grid=({"bias": 0.5},))


def test_students_interval_is_that_of_the_rows() -> None:
    x = np.random.default_rng(3).random(40)
    totals = [bounded("x", part) for part in np.split(x, 4)]
    low, high = once(*([t[f"x.{key}"] for t in totals] for key in ("n", "sum", "squares")))
    expected = student(x)
    assert (low[-1], high[-1]) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert np.isinf(once([1], [SCALE], [SCALE])[1][0])


def test_once_covers_as_often_as_it_says_at_one_look_and_not_at_many() -> None:
    """4,000 sequences of 64 blocks of 16: more misses than 5 % allows with probability 1e-6 are a false alarm."""
    units = np.rint(np.random.default_rng(7).random((4000, 64, 16)) * SCALE)
    sums, squares = units.sum(axis=-1), (units * (units / SCALE)).sum(axis=-1)
    low, high = once(np.full((4000, 64), 16), sums, squares)
    missed, allowed = (low > 0.5) | (high < 0.5), binom.isf(1e-6, 4000, 0.05)
    assert missed[:, -1].sum() <= allowed < missed.any(axis=1).sum()


def test_a_run_stops_and_reports_by_the_interval_that_is_asked_for(tmp_path) -> None:
    """Fewer rows than the sequence for every law, the same result in two goes, and its own interval."""
    (valid,) = engine.run(COIN, stop=HalfWidth("heads", 0.05))
    rule = HalfWidth("heads", 0.05, asymptotic=700)
    engine.run(COIN, tmp_path, stop=rule, max_rows=320)
    resumed, whole = (engine.run(COIN, where, stop=rule)[0] for where in (tmp_path, None))
    assert resumed.estimates == whole.estimates == engine.results(COIN, tmp_path, stop=rule)[0].estimates
    heads, depth = whole.estimates["heads"], whole.estimates["depth[0]"]
    assert whole.decided and 0.045 < (heads.high - heads.low) / 2 <= 0.05 and whole.rows < valid.rows
    assert depth == engine.run(COIN, stop=Rows(whole.rows))[0].estimates["depth[0]"]  # the rule does not name it
    (early,) = engine.run(COIN, stop=rule, max_rows=160)
    assert (early.estimates["heads"].low, early.estimates["heads"].high) == (0, 1)


def test_one_look_is_students_at_its_rows_and_a_sequence_before() -> None:
    rule = Rows(640, once=True)
    (done,), (plain,), (early,) = (
        engine.run(COIN, stop=stop, max_rows=most) for stop, most in ((rule, 640), (Rows(640), 640), (rule, 320))
    )
    share = done.estimates["heads"].mean
    assert done.estimates["heads"].high - share == pytest.approx(1.9637 * (share * (1 - share) / 639) ** 0.5, rel=1e-4)
    assert str(done.totals) == str(plain.totals) and done.estimates["depth[0]"].high < plain.estimates["depth[0]"].high
    assert early.estimates == engine.run(COIN, stop=Rows(320))[0].estimates and not early.decided


def test_rules_are_kept_shown_and_refused() -> None:
    rules = (HalfWidth("x", 0.1, asymptotic=9), RelativeError("x", 0.1, asymptotic=9), Rows(9, once=True), Rows(9))
    for rule in rules:
        assert Goal.of(Goal("", COIN.measures, rule).plain()).stop == rule == eval(repr(rule))
    assert (
        repr(HalfWidth("x", 0.1)) == "HalfWidth(name='x', value=0.1, low=0, high=1)"
        and repr(Rows(9)) == "Rows(count=9)"
    )
    with pytest.raises(ValueError, match="once=True"):
        AnyOf(Rows(9, once=True), HalfWidth("x", 0.1))
    with pytest.raises(ValueError, match="asymptotic: -1"):
        HalfWidth("x", 0.1, asymptotic=-1)
    with pytest.raises(ValueError, match="the rule asks for 'y'; expected one of heads"):
        engine.run(COIN, stop=HalfWidth("y", 0.1, asymptotic=9))


RATE = 1e-3


@pytest.mark.parametrize("best", [0, 1], ids=["one look", "asymptotic"])
@pytest.mark.parametrize("events", [0.26, 1, 3, 10, 20, 40])
def test_rare_events_are_covered(events, best) -> None:
    """2,000 runs of a rare coin: more misses than 5 % allows with probability 1e-6 are a false alarm; no width is 0."""
    runs, rows = 2000, int(events / RATE)
    hits = np.random.default_rng(11).binomial(rows, RATE, runs)[:, None]
    blocks = {"x.n": np.full((runs, 1), rows), "x.hits": hits}
    low, high = in_the_limit(blocks, "x", 0.95, 0, 1, best=best * rows)
    allowed = binom.isf(1e-6, runs, 0.05)
    assert ((low > RATE) | (high < RATE)).sum() <= allowed
    assert (high > low).all()
    if events <= 3 and not best:  # the control: Student's interval alone has the width 0 where no event was seen
        low, high = once(blocks["x.n"], hits * float(SCALE), hits * float(SCALE))
        assert ((low > RATE) | (high < RATE)).sum() > allowed


SIZES = {
    "one": (lambda rng, number: np.ones(number), 1),
    "a hundredth": (lambda rng, number: np.full(number, 0.01), 0.01),
    "uniform": (lambda rng, number: rng.random(number), 0.5),
    "mostly small": (lambda rng, number: rng.random(number) ** 2, 1 / 3),
}


def sums_of_rare_values(size: str, rows: int, rate: float, is_near_one: bool, runs: int):
    """Statistics of runs in which all values are 0, or 1, but for some that occur at a rate; and their true mean."""
    rng = np.random.default_rng([rows, is_near_one])
    draw, mean = SIZES[size]
    blocks = {f"x.{key}": np.zeros((runs, 1)) for key in ("n", "sum", "squares")}
    for run, number in enumerate(rng.binomial(rows, rate, runs)):
        values = draw(rng, number)
        totals = bounded("x", 1 - values if is_near_one else values)
        same = (rows - number) * is_near_one * SCALE
        for key, added in (("n", rows - number), ("sum", same), ("squares", same)):
            blocks[f"x.{key}"][run] = totals[f"x.{key}"] + added
    return blocks, 1 - rate * mean if is_near_one else rate * mean


@pytest.mark.parametrize("is_near_one", [False, True], ids=["near 0", "near 1"])
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(("rows", "rate"), [(10**4, 1e-4), (10**5, 1e-4), (10**6, 1e-4), (10**4, 1e-2)])
def test_means_of_rare_values_are_covered(rows, rate, size, is_near_one) -> None:
    """1,000 runs: more misses than 7 % allows with probability 1e-6 are a false alarm; where there is one event or none
    in most runs Student's interval alone, the control, misses more often."""
    runs = 1000
    blocks, mean = sums_of_rare_values(size, rows, rate, is_near_one, runs)
    allowed = binom.isf(1e-6, runs, 0.07)
    for best in (0, rows):
        low, high = in_the_limit(blocks, "x", 0.95, 0, 1, best=best)
        assert ((low > mean) | (high < mean)).sum() <= allowed
    if rows * rate == 1:
        low, high = once(*(blocks[f"x.{key}"] for key in ("n", "sum", "squares")))
        assert ((low > mean) | (high < mean)).sum() > allowed


@pytest.mark.parametrize("values", ["uniform", "a narrow one", "near 0", "near 1", "many events"])
def test_ordinary_means_have_the_interval_of_the_limit_to_the_bit(values) -> None:
    """Values that vary little are not rare: 64 blocks of 50, within a few thousandths for some."""
    x = np.random.default_rng(5).random((64, 50))
    x = {
        "uniform": x,
        "a narrow one": 0.5 + x / 1000,
        "near 0": x / 2**12,
        "near 1": 1 - x / 2**12,
        "many events": np.where(x < 0.05, 1, 0),
    }[values]
    totals = [bounded("x", part) for part in x]
    blocks = {key: np.array([t[key] for t in totals]) for key in totals[0]}
    sums = [blocks[f"x.{key}"] for key in ("n", "sum", "squares")]
    for best, expected in ((0, once(*sums)), (3200, asymptotic(*sums, best=3200))):
        low, high = in_the_limit(blocks, "x", 0.95, 0, 1, best=best)
        assert low[-1] == max(expected[0][-1], 0) and high[-1] == min(expected[1][-1], 1)


def test_values_that_never_vary_have_an_interval_too() -> None:
    """Ten rows of 1/2: a law that differs from 1/2 in one row of a hundred looks the same."""
    blocks = {"x.n": [10], "x.sum": [5 * SCALE], "x.squares": [5 * SCALE // 2]}
    low, high = in_the_limit(blocks, "x", 0.95, 0, 1)
    assert low[0] < 0.5 < high[0]


def columns(x):
    """Rows, sums and sums of squares of blocks (..., rows)."""
    units = np.rint(x * SCALE)
    squares = np.rint(units * (units / SCALE)).sum(axis=-1).astype(np.int64)
    return np.full(x.shape[:-1], x.shape[-1]), units.astype(np.int64).sum(axis=-1), squares


def test_the_asymptotic_sequence_by_hand() -> None:
    """100 rows with mean 1/2 and variance 1/16, narrowest at 100 rows."""
    n, sums, squares = columns(np.tile([0.25, 0.75], 50)[None])
    a, log = 0.05, math.log(20)
    rho = (2 * log + math.log(1 + 2 * log)) / 100
    radius = 0.25 * math.sqrt(2 * (100 * rho + 1) / (100**2 * rho) * math.log(math.sqrt(100 * rho + 1) / a))
    low, high = asymptotic(n, sums, squares, 0.95, best=100)
    assert (low[0], high[0]) == pytest.approx((0.5 - radius, 0.5 + radius), abs=1e-9)
    with pytest.raises(ValueError, match="level: 1"):
        asymptotic(n, sums, squares, 1.0)


def test_the_asymptotic_sequence_covers_at_every_stop_and_a_normal_interval_does_not() -> None:
    """4,000 sequences of 64 blocks: more misses than 5 % allows with probability 1e-6 are a false alarm."""
    count = 4000
    x = np.random.default_rng(5).random((count, 64, 16))
    n, sums, squares = columns(x)
    allowed = binom.isf(1e-6, count, 0.05)
    low, high = asymptotic(n, sums, squares, 0.95, best=500)
    assert ((low > 0.5) | (high < 0.5)).any(axis=1).sum() <= allowed
    total = np.cumsum(x.sum(axis=-1), axis=-1)
    rows = 16 * np.arange(1, 65)
    once = norm.isf(0.025) * math.sqrt(1 / 12) / np.sqrt(rows)
    assert (abs(total / rows - 0.5) > once).any(axis=1).sum() > allowed
