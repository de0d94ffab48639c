"""Recorded tasks as cells of a study: their numbers are those of the file, and nothing else changes."""

from __future__ import annotations

import math

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Study
from simspec.studies.tasc.recorded import beside, numbers, said
from simspec.studies.tasc.task_record import read_tasks

LIVE = Study("live", "?", ({"x": 1},), lambda cell, rows, device: {"y": np.array(rows.numbers, dtype=float)}, rows=3)


def test_recorded_tasks_are_cells_of_one_row_beside_the_others() -> None:
    live, slurp = gather(beside(LIVE, ["slurp"]))
    assert live.values["y"].tolist() == [0.0, 1.0, 2.0]
    entry = read_tasks()["slurp"]
    assert slurp.cell["source"] == entry["source"] and slurp.values["pairs"].tolist() == [[entry["pairs"]]]
    calls = entry["sampling"]["reference"]["N-Grammys, mixed"]
    found = said(slurp, "sampling/reference/N-Grammys, mixed")
    assert [found.estimate, found.low, found.high] == [calls["estimate"], *calls["interval"]]


def test_words_and_flags_are_no_numbers_and_lists_count_from_zero() -> None:
    entry = {
        "unit": "words",
        "known": True,
        "steps": [{"added": 5}, {"held out": {"estimate": None, "interval": [1, 2]}}],
    }
    found = dict(numbers(entry))
    assert set(found) == {"steps/0/added", "steps/1/held out"}
    assert found["steps/0/added"] == (5.0,) and math.isnan(found["steps/1/held out"][0])


def test_a_task_that_is_not_on_record_is_named() -> None:
    with pytest.raises(ValueError, match="names: nothing; expected of gsm8k"):
        beside(LIVE, ["nothing"])
