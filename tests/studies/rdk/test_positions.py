"""Moments of positions by hand; the study reads the rows it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from simspec.engine.row_values import gather
from simspec.engine.study import Rows
from simspec.logits import open_bank
from simspec.studies.rdk.positions import positions, statistics


def test_by_hand():
    found = statistics(np.log([[1.0, 1.0, 2.0], [1.0, 1.0, 1.0]]))
    assert found["probability max"] == pytest.approx([1 / 2, 1 / 3]) and found["probability min"][0] == 0.25
    assert found["probability mean"] == pytest.approx([1 / 3, 1 / 3])
    assert found["probability sd"][0] == pytest.approx((1 / 72) ** 0.5)
    assert found["logit mean"][0] == pytest.approx(np.log(2) / 3) and found["logit max"][0] == np.log(2.0)
    assert found["logit sd"][0] == pytest.approx(np.log(2) * 2**0.5 / 3) and found["logit sd"][1] == 0


def test_a_constant_moves_the_logits_only():
    z = np.random.default_rng(0).normal(size=(4, 30))
    here, there = statistics(z), statistics(z - 100)
    for name in here:
        moved = 100 if name in ("logit mean", "logit max") else 0
        assert here[name] - moved == pytest.approx(there[name])


def test_the_study_reads_the_rows_it_is_asked_for():
    banks: dict[str, Any] = {name: open_bank(name) for name in ("stories", "gpt2")}
    study = positions(banks, rows=8)
    stories, gpt2 = gather(study)
    assert [len(r.values["document"]) for r in (stories, gpt2)] == [8, 5]
    some = study.simulate(study.grid[0], Rows(0, range(3, 6)), "cpu")
    for name, values in some.items():
        assert values.tolist() == stories.values[name][3:6].tolist()
    assert gpt2.values["logit max"] == pytest.approx(banks["gpt2"].target(raw=True).max(axis=1))
