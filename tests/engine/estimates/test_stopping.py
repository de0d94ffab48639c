"""Stopping rules: by hand, never moved by later blocks, the expected stops on data, speed on a million blocks, bad input."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from simspec.engine.estimates.intervals import bonferroni
from simspec.engine.estimates.sequences import beta_binomial, betting, empirical_bernstein
from simspec.engine.estimates.statistics import bounded, proportion
from simspec.engine.estimates.stopping import (
    AllOf,
    AnyOf,
    Comparison,
    Decision,
    HalfWidth,
    RelativeError,
    Rows,
    Rule,
    Seconds,
    intervals,
)

ONE_HIT = {"kept.n": [1], "kept.hits": [1]}  # the interval is [1/40, 1]


def blocks_of(seed: int, count: int, rows: int = 20) -> dict[str, np.ndarray]:
    """Columns of "kept" (a coin), "alpha" (in [0, 1]), "length" (in [1, 5]), "rows" and "seconds"."""
    rng = np.random.default_rng(seed)
    made = [
        {
            **proportion("kept", rng.random(rows) < 0.7),
            **bounded("alpha", rng.beta(2, 3, rows)),
            **bounded("length", 1 + rng.binomial(4, 0.5, rows), 1, 5),
            "rows": rows,
            "seconds": rng.random(),
        }
        for _ in range(count)
    ]
    return {key: np.array([block[key] for block in made]) for key in made[0]}


RULES: list[Rule] = [
    HalfWidth("kept", 0.1),
    HalfWidth("length", 0.5, 1, 5),
    RelativeError("alpha", 0.3),
    Decision("kept", above=0.5),
    Comparison("kept", "alpha"),
    Rows(333),
    Seconds(7.5),
    AnyOf(HalfWidth("alpha", 0.1), Rows(400)),
    AllOf(HalfWidth("alpha", 0.2), Decision("kept", 0.6), AnyOf(Rows(100), Seconds(20))),
]


def test_one_row_by_hand() -> None:
    for rule, fires in (
        (HalfWidth("kept", 0.4875), True),
        (HalfWidth("kept", 0.4874), False),
        (RelativeError("kept", 19.5), True),
        (RelativeError("kept", 19.4), False),
        (Decision("kept", above=0.0249), True),
        (Decision("kept", above=0.0251), False),
    ):
        assert rule.fired(ONE_HIT) == (0 if fires else None), rule
    assert Decision("kept", above=0.0251).fired(ONE_HIT, level=0.9) == 0  # at 90 % the interval is [1/20, 1]


def test_below_decides_as_well_as_above() -> None:
    rare = {"kept.n": [100], "kept.hits": [0]}
    assert Decision("kept", above=0.5).fired(rare) == 0
    assert RelativeError("kept", 0.5).fired(rare) is None  # zero is in the interval


def test_bounds_are_in_the_unit_of_the_values() -> None:
    block = bounded("length", np.full(400, 3.0), 1, 5)
    columns = {key: [value] for key, value in block.items()}
    low, high = intervals(columns, "length", low=1, high=5)
    lower, upper = empirical_bernstein(*([block[f"length.{k}"]] for k in ("n", "sum", "squares")))
    assert (low[0], high[0]) == pytest.approx((1 + 4 * lower[0], 1 + 4 * upper[0]))
    half = (high[0] - low[0]) / 2
    assert HalfWidth("length", half * 1.001, 1, 5).fired(columns) == 0
    assert HalfWidth("length", half * 0.999, 1, 5).fired(columns) is None
    assert RelativeError("length", half / low[0] * 1.001, 1, 5).fired(columns) == 0
    assert RelativeError("length", half / low[0] * 0.999, 1, 5).fired(columns) is None
    assert Decision("length", 2, 1, 5).fired(columns) == 0 and Decision("length", 3, 1, 5).fired(columns) is None


def test_relative_error_of_a_negative_mean() -> None:
    columns = {key: [value] for key, value in bounded("gain", np.full(4000, -0.5), -1, 1).items()}
    assert RelativeError("gain", 0.2, -1, 1).fired(columns) == 0
    wide = {key: [value] for key, value in bounded("gain", np.full(20, 0.0), -1, 1).items()}
    assert RelativeError("gain", 1e9, -1, 1).fired(wide) is None  # the interval is around zero


def test_a_comparison_uses_both_intervals_at_the_shared_level() -> None:
    blocks = blocks_of(1, 60)
    each = bonferroni(0.95, 2)
    kept = beta_binomial(blocks["kept.n"], blocks["kept.hits"], each)
    alpha = empirical_bernstein(blocks["alpha.n"], blocks["alpha.sum"], blocks["alpha.squares"], each)
    stop = Comparison("kept", "alpha").fired(blocks)
    assert stop is not None and stop == int(np.argmax(kept[0] > alpha[1])) == Comparison("alpha", "kept").fired(blocks)
    assert kept[0][stop] > alpha[1][stop] and not (kept[0][:stop] > alpha[1][:stop]).any()


def test_rows_and_seconds_count_what_the_blocks_took() -> None:
    blocks = {"rows": [10, 10, 5], "seconds": [0.5, 0.25, 0.25]}
    assert [Rows(n).fired(blocks) for n in (1, 10, 11, 25, 26)] == [0, 0, 1, 2, None]
    assert [Seconds(s).fired(blocks) for s in (0.5, 0.6, 1, 1.1)] == [0, 1, 2, None]


def test_any_and_all() -> None:
    blocks = {"rows": [10, 10, 10]}
    assert AnyOf(Rows(99), Rows(11), Rows(25)).fired(blocks) == 1
    assert AllOf(Rows(11), Rows(25)).fired(blocks) == 2
    assert AllOf(Rows(11), Rows(99)).fired(blocks) is None and AnyOf(Rows(99)).fired(blocks) is None
    assert AnyOf(Rows(1), Seconds(1)) == AnyOf(Rows(1), Seconds(1)) != AllOf(Rows(1), Seconds(1))
    assert repr(AnyOf(Rows(1))) == f"AnyOf({Rows(1)!r})" and hash(AnyOf(Rows(1))) == hash(AnyOf(Rows(1)))


def test_no_blocks_yet() -> None:
    empty = {key: column[:0] for key, column in blocks_of(0, 1).items()}
    assert [rule.fired(empty) for rule in RULES] == [None] * len(RULES)
    assert all(end.shape == (0,) for end in betting(empty["alpha.n"], empty["alpha.sum"]))


def test_only_time_is_not_reproducible() -> None:
    assert [rule.reproducible for rule in RULES] == [True] * 6 + [False, True, False]
    assert all(isinstance(rule, Rule) for rule in RULES)


@pytest.mark.parametrize("rule", RULES, ids=repr)
def test_later_blocks_never_move_the_stop(rule) -> None:
    for seed in range(5):
        blocks = blocks_of(seed, 60)
        stop = rule.fired(blocks)
        assert stop is not None, "the data of this test make every rule fire"
        for count in range(1, 61):
            part = {key: column[:count] for key, column in blocks.items()}
            assert rule.fired(part) == (stop if count > stop else None)


@given(st.floats(0.02, 0.4), st.floats(0.02, 0.4), st.integers(0, 10**6))
def test_a_higher_goal_or_level_never_stops_sooner(a, b, seed) -> None:
    blocks = blocks_of(seed, 30)
    stops = [HalfWidth("kept", value).fired(blocks) for value in (max(a, b), min(a, b))]
    stops.append(HalfWidth("kept", min(a, b)).fired(blocks, level=0.999))
    order = [30 if stop is None else stop for stop in stops]
    assert order == sorted(order)


def test_decisions_at_the_stop_are_right_as_often_as_stated() -> None:
    """False-alarm rate 1e-6; the same decisions by the fixed-size interval are the control that must fail."""
    replications, level, truth = 1000, 0.95, 0.5
    allowed = binom.isf(1e-6, replications, 1 - level)
    rng = np.random.default_rng(11)
    hits = rng.binomial(10, truth, (replications, 200))
    total, rows = hits.cumsum(axis=1), 10 * np.arange(1, 201)
    naive = (abs(total / rows - truth) > 1.96 * np.sqrt(truth * (1 - truth) / rows)).any(axis=1).sum()
    n = np.full(200, 10)
    wrong = sum(Decision("kept", truth).fired({"kept.n": n, "kept.hits": row}, level) is not None for row in hits)
    assert 0 < wrong <= allowed < naive


def test_a_million_blocks_take_seconds() -> None:
    count = 10**6
    rng = np.random.default_rng(0)
    hits = rng.binomial(4096, 0.7, count)
    blocks = {"kept.n": np.full(count, 4096), "kept.hits": hits, "alpha.n": np.full(count, 4096)}
    blocks |= {"alpha.sum": hits << 32, "alpha.squares": hits << 32, "rows": np.full(count, 4096)}
    start = time.process_time()
    assert AllOf(HalfWidth("kept", 1e-4), HalfWidth("alpha", 1e-4), Rows(4096 * count)).fired(blocks) == count - 1
    assert time.process_time() - start < 30


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: HalfWidth("a", 0), "value: 0; expected a positive number"),
        (lambda: RelativeError("a", -1), "value: -1; expected a positive number"),
        (lambda: Rows(0), "count: 0; expected a positive number"),
        (lambda: Seconds(float("nan")), "limit: nan; expected a positive number"),
        (lambda: AnyOf(), r"rules: \(\); expected one or more stopping rules"),
        (lambda: AllOf(Rows(1), 3), "rules: .*3.; expected one or more stopping rules"),
        (
            lambda: HalfWidth("b", 1).fired(ONE_HIT),
            "blocks: no column 'b.n'; expected it among .'kept.hits', 'kept.n'.",
        ),
        (lambda: Rows(1).fired(ONE_HIT), "blocks: no column 'rows'"),
        (lambda: Rows(1).fired({"rows": 3}), r"blocks: column 'rows' has shape \(\); expected one entry per block"),
        (lambda: intervals(ONE_HIT, "kept", low=0, high=2), "low, high: 0, 2; expected 0, 1 for 'kept', a proportion"),
        (lambda: HalfWidth("kept", 1).fired(ONE_HIT, level=95), "level: 95; expected a confidence"),
    ],
)
def test_bad_input_is_refused(call, message) -> None:
    with pytest.raises(ValueError, match=message):
        call()
