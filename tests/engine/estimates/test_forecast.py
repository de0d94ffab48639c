"""Rows that a rule will take: by hand, and against runs that went to their end."""

from __future__ import annotations

import math
import time

import pytest

from simspec.engine import run as engine
from simspec.engine.cells import Estimate
from simspec.engine.estimates.forecast import rows_left, rows_to_stop
from simspec.engine.estimates.sharing import Shared
from simspec.engine.estimates.statistics import Share
from simspec.engine.estimates.stopping import (
    AllOf,
    AnyOf,
    Comparison,
    Decision,
    HalfWidth,
    RelativeError,
    Rows,
    Seconds,
)
from simspec.engine.study import Study
from simspec.kernels import random as philox

ESTIMATES = {"x": Estimate(0.5, 0.4, 0.6), "y": Estimate(0.25, 0.2, 0.3), "zero": Estimate(0, -0.1, 0.1)}


@pytest.mark.parametrize(
    ("rule", "rows"),
    [
        (HalfWidth("x", 0.01), 10_000),  # a tenth as wide: a hundred times as many
        (HalfWidth("x", 0.2), 25),  # it would have been reached with a quarter
        (RelativeError("x", 0.25), 100),  # 0.1 of at least 0.4
        (RelativeError("zero", 0.25), math.inf),
        (Decision("x", 0.55), 400),  # half the width to 0.05
        (Decision("x", 0.5), math.inf),
        (Comparison("x", "y"), 36),  # 0.1 + 0.05 to 0.25
        (Comparison("x", "x"), math.inf),
        (Rows(12), 12),
        (Seconds(3), math.inf),
        (Shared("x", 0.1), math.inf),
        (HalfWidth("absent", 0.1), math.inf),
        (AnyOf(HalfWidth("x", 0.05), Rows(300)), 300),
        (AllOf(HalfWidth("x", 0.05), Rows(300)), 400),
        (None, math.inf),
    ],
)
def test_rows_by_hand(rule, rows) -> None:
    assert rows_to_stop(rule, 100, ESTIMATES) == pytest.approx(rows)


def test_what_is_left_by_hand() -> None:
    assert rows_left([400.0, None], [100, 0], [900, 1000]) == 300 + 400
    assert rows_left([None, None], [0, 0], [900, 1000]) == 1900
    assert rows_left([5.0], [10], [90]) == 0
    assert rows_left([math.inf, None], [100, 0], [200, 1000]) == 200 + 300  # the average is of what can be reached
    assert rows_left([], [], []) == 0


def test_a_run_takes_about_what_was_foretold(monkeypatch) -> None:
    """What is left is foretold within a factor of two once a tenth is done, and far below the limit of a million rows."""
    monkeypatch.setattr(engine, "SHOW_SECONDS", 0.0)

    def coin(cell, rows, device):
        time.sleep(0.01)  # long enough that the blocks travel in several tasks
        return {"heads": philox.uniform(rows.key, rows.numbers, [0])[:, 0] < 0.5}

    study = Study("coin", "?", ({},), coin, rows=100, measures={"heads": Share()})
    snapshots: list[engine.Snapshot] = []
    (result,) = engine.run(study, stop=HalfWidth("heads", 0.02), progress=snapshots.append)
    early = [snapshot for snapshot in snapshots if result.rows / 10 < snapshot.rows < result.rows / 2]
    assert early
    for snapshot in early:
        foretold = snapshot.rows + snapshot.expected * snapshot.rate
        assert result.rows / 2 < foretold < 2 * result.rows
        assert snapshot.left > 10 * snapshot.expected
    assert snapshots[-1].expected == snapshots[-1].left == 0
