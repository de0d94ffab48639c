"""What an estimator saved, by hand for each kind; what its interval promises; and rows of before, which are found."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from simspec.engine import run as engine
from simspec.engine.design import designs
from simspec.engine.estimates.derived import Controlled, Difference
from simspec.engine.estimates.estimators import Conditional, Estimator, Levels, estimator_name, saving, saving_above
from simspec.engine.estimates.statistics import Counts, bounded, proportion
from simspec.engine.estimates.stopping import EVERY_LAW, IN_THE_LIMIT, ONE_LOOK, AllOf, HalfWidth, Rows, validity
from simspec.engine.store.fingerprint import fingerprint
from simspec.engine.store.goal import Goal
from simspec.kernels import random as philox
from simspec.studies import Control, Mean, Share, Study
from simspec.studies.catalogue import acceptance, blocks

A = np.array([0.0, 1.0])
"""Variance 1/2."""
B = np.array([0.25, 0.75])
"""Variance 1/8, mean 1/2: a coin with this mean has the variance 1/4."""


def totals(**columns):
    return {key: total for name, column in columns.items() for key, total in bounded(name, column).items()}


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        (Conditional(), 2),  # (1/4) / (1/8)
        (Conditional(0, 1, of="a"), 4),  # (1/2) / (1/8)
        (Levels(0, 1, of="a"), 2),  # the same, and a row draws twice the tokens
        (Controlled(0, 1, "a", "x"), 4),
        (Difference(0, 1, "a", "c"), 8),  # 1/2 and 1/2 over 1/8
        (Mean(), None),
        (Conditional(0, 1, of="absent"), None),
    ],
)
def test_savings_by_hand(measure, expected) -> None:
    measures = {"a": Mean(), "c": Mean(), "b": measure}
    cell = {"vocab": 100, "levels": [4, 25]}
    assert saving(measures, cell, totals(a=A, b=B, c=A), "b") == (expected and pytest.approx(expected, rel=1e-6))


def test_bounds_and_places_are_those_of_the_measures() -> None:
    """The same rows in another unit save as much, and each place is held against its own."""
    wide = {"a": Mean(0, 8), "b": Conditional(0, 8, of="a")}
    rows = dict(bounded("a[1]", 8 * A, 0, 8)) | dict(bounded("b[1]", 8 * B, 0, 8))
    assert saving(wide, {}, rows, "b[1]") == pytest.approx(4, rel=1e-6)
    assert saving({"a": Share(), "b": Conditional(of="a")}, {}, {**proportion("a", A == 1), **totals(b=B)}, "b") == 4


def test_rows_that_do_not_vary_and_single_rows_say_nothing() -> None:
    for column in (np.array([0.5, 0.5]), np.array([0.5, 0.5 + 1e-9]), np.array([0.5])):
        assert saving({"b": Conditional()}, {}, totals(b=column), "b") is None


CELL = {"vocab": 100, "levels": [4, 25]}


def _bound(column, measure, plain=0.01 * A):
    measures = {"a": Mean(), "b": measure}
    sums = totals(a=plain) | dict(bounded("b", column, measure.low, measure.high))
    return saving_above(measures, CELL, sums, "b")


def test_rows_that_vary_less_than_rounding_save_more_than_a_bound() -> None:
    """Whole rows of variance 1/20,000, levels of none: rounding is 23²/2³² of a variance, and a row draws twice the tokens."""
    measure = Levels(-11, 12, of="a")
    rounding = 23**2 / 2**32
    bound = _bound(np.array([0.5, 0.5]), measure)
    assert bound == pytest.approx(1 / 20_000 / (2 * rounding) / 2, rel=1e-3)
    # the saving itself, where a wider scale can tell: a row of spread 1e-4 saves more than the bound says
    column = np.array([0.5, 0.5001])
    above = _bound(column, measure)
    own = saving({"a": Mean(), "b": Levels(0, 1, of="a")}, CELL, totals(a=0.01 * A, b=column), "b")
    assert above is not None and own is not None and 1 < above < own
    assert _bound(A, measure) is None  # a saving that is known
    assert _bound(np.array([0.5, 0.5]), measure, plain=1e-5 * A) is None  # nothing that rounding shows
    assert _bound(np.array([0.5]), Conditional()) is _bound(np.array([0.5, 0.5]), Mean()) is None
    assert _bound(np.array([0.5, 0.5]), Conditional(0, 1, of="absent")) is None


def test_names() -> None:
    kinds = (Share(), Mean(), Conditional(), Difference(), Controlled(), Levels(), Counts((1.0,)))
    assert [estimator_name(kind) for kind in kinds] == [
        "single draws",
        "rows",
        "conditional expectation",
        "paired difference",
        "control variate",
        "levels",
        "rows",
    ]
    with pytest.raises(ValueError, match=r"low, high: 0, 8; expected 0 and 1 .* Conditional\(low, high, of=NAME\)"):
        Conditional(0, 8)


def test_promises() -> None:
    limit = HalfWidth("a", 0.1, asymptotic=100)
    assert validity(AllOf(limit, Rows(3)), "a") == IN_THE_LIMIT
    assert validity(AllOf(limit, Rows(3)), "b") == validity(None, "a") == EVERY_LAW
    assert validity(Rows(9, once=True), "a") == ONE_LOOK


def _arms(cell, rows, device):
    u = philox.uniform(rows.key, rows.numbers, [0])[:, 0]
    return {"a": u, "b": u * u, "heads": u < 0.5}


ARMS = Study(
    "arms",
    "?",
    ({},),
    _arms,
    rows=1024,
    measures={"a": Conditional(), "b": Mean(), "heads": Share()},
    pair={"gain": ("a", "b")},
    control={"steady": Control("b", "a", lambda cell: 0.5)},
)


def test_a_run_says_what_each_estimate_is_and_saved() -> None:
    """Uniform a and b = a²: variances 1/12, 4/45, of b − a 1/180; known to 3 % with 2**16 rows: false alarm below 1e-6."""
    (result,) = engine.run(ARMS, stop=Rows(2**16))
    gain = result.estimators["gain"]
    assert gain.name == "paired difference" and gain.validity == EVERY_LAW
    assert gain.saving == pytest.approx((1 / 12 + 4 / 45) * 180, rel=0.03)
    assert result.estimators["steady"].saving == pytest.approx(16, rel=0.03)
    assert result.estimators["a"].saving == pytest.approx(3, rel=0.03)  # a coin of 1/2: 1/4 over 1/12
    assert result.estimators["heads"] == Estimator("single draws", None, EVERY_LAW, None, True)
    (once,) = engine.run(ARMS, stop=Rows(2048, once=True))
    assert {e.validity for e in once.estimators.values()} == {ONE_LOOK}
    (early,) = engine.run(ARMS, stop=Rows(4096, once=True), max_rows=1024)
    assert {e.validity for e in early.estimators.values()} == {EVERY_LAW}


def test_the_frame_and_a_stored_goal_hold_it() -> None:
    frame = engine.run(ARMS, max_rows=1024).records()[0]
    assert (frame["gain.valid"], frame["gain.estimator"]) == (EVERY_LAW, "paired difference")
    assert frame["gain.saving"] > 10 and frame["heads.saving"] is None
    goal = Goal("x", {"a": Conditional(0, 8, of="b"), "b": Mean(0, 8), "c": Levels(-1, 2, of="b")})
    assert Goal.of(goal.plain()) == goal


def test_rows_of_before_are_found_where_the_values_are_the_same() -> None:
    """Acceptance measured as a mean has the design and the code that it had; accepted drafts of a block have not."""
    now = acceptance()
    before = replace(now, measures={"alpha": Mean()})
    assert designs(now) == designs(before) and fingerprint(now) == fingerprint(before)
    assert designs(now)[0] == "d6705448b4d54e5681388b10d136627c"
    assert designs(blocks()) != designs(replace(blocks(), measures={**blocks().measures, "accepted": Mean(0, 8)}))
