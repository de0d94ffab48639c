"""The plain runner: values by hand, row caps, replay of single rows, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from simspec.engine import run as engine
from simspec.engine.estimates.statistics import Mean
from simspec.engine.row_values import gather
from simspec.engine.study import Result, Rows, Study, remembered, select
from simspec.kernels import random as philox


def _uniform(cell, rows, device):
    return {"u": philox.uniform(rows.key, rows.numbers, [0])[:, 0] + cell.get("shift", 0)}


def test_values_by_hand():
    study = Study(
        "powers", "?", ({"power": 1}, {"power": 3}), lambda c, r, d: {"y": np.array(r.numbers) ** c["power"]}, rows=3
    )
    assert [r.values["y"].tolist() for r in gather(study)] == [[0, 1, 2], [0, 1, 8]]
    assert [len(r.values["y"]) for r in gather(study, rows=1)] == [1, 1]


def test_a_cell_may_have_fewer_rows():
    study = Study("u", "?", ({"rows": 2}, {}), _uniform, rows=5)
    assert [len(r.values["u"]) for r in gather(study)] == [2, 5]


def test_draws_depend_on_seed_study_and_cell_and_on_nothing_else():
    study = Study("u", "?", ({"a": 1}, {"a": 2}), _uniform, rows=4)
    first, again = gather(study, seed=1), gather(study, seed=1, rows=2)
    assert first[0].values["u"][:2].tolist() == again[0].values["u"].tolist()
    assert first[0].values["u"][0] != first[1].values["u"][0]
    assert first[0].values["u"][0] != gather(study, seed=2)[0].values["u"][0]
    other = Study("v", "?", study.grid, _uniform, rows=4)
    assert first[0].values["u"][0] != gather(other, seed=1)[0].values["u"][0]


def test_progress_is_told_after_each_cell():
    seen: list[tuple[int, int]] = []
    gather(Study("u", "?", ({}, {"a": 1}), _uniform), progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 2), (2, 2)]


def test_remembered_simulates_each_cell_and_range_once():
    calls = []

    def simulate(cell, rows, device):
        calls.append((cell["a"], rows.numbers))
        return {"y": np.zeros(len(rows.numbers))}

    kept = remembered(simulate)
    for cell in ({"a": 1}, {"a": 2}, {"a": 1}):
        kept(cell, Rows(0, range(2)), "cpu")
    kept({"a": 1}, Rows(0, range(3)), "cpu")
    assert calls == [(1, range(2)), (2, range(2)), (1, range(3))]


def test_refusals():
    with pytest.raises(ValueError, match="rows: 0; expected at least one row"):
        gather(Study("u", "?", ({},), _uniform), rows=0)
    with pytest.raises(ValueError, match=r"returned 'y' of shape \(2,\); expected 3 rows"):
        gather(Study("short", "?", ({},), lambda c, r, d: {"y": np.zeros(2)}, rows=3))


def test_select_by_values_of_the_cell():
    results = [Result({"a": 1, "b": 1}, {}), Result({"a": 1, "b": 2}, {})]
    assert select(results, a=1, b=2) == [results[1]] and select(results, a=3) == []


def _changes_its_cell(cell, rows, device):
    cell["bias"].append(2)
    return {"y": np.zeros(len(rows.numbers))}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda n: np.zeros(n, complex), "'y' of dtype complex128; expected real numbers"),
        (lambda n: np.ma.masked_array(np.zeros(n), [True] * n), "'y' as a masked array; expected plain numbers"),
        (lambda n: np.array(["a"] * n), "'y' of dtype <U1; expected real numbers"),
        (lambda n: np.array([None] * n), "'y' of dtype object; expected real numbers"),
    ],
    ids=["complex", "masked", "text", "objects"],
)
def test_values_that_are_no_real_numbers_are_refused_by_name(values, message) -> None:
    study = Study(
        "odd", "?", ({},), lambda cell, rows, device: {"y": values(len(rows.numbers))}, rows=3, measures={"y": Mean()}
    )
    with pytest.raises(ValueError, match=message):
        gather(study)
    (result,) = engine.run(study, max_rows=3)
    assert result.error is not None and message in result.error


def test_a_study_that_changes_its_cell_is_refused_by_name() -> None:
    study = Study("changing", "?", ({"bias": [1]},), _changes_its_cell, rows=3)
    with pytest.raises(ValueError, match=r"study 'changing' changed its cell from .*; expected it unchanged"):
        gather(study)


def test_the_seed_is_zero_by_default():
    study = Study("u", "?", ({},), _uniform, rows=4)
    assert gather(study)[0].values["u"].tolist() == gather(study, seed=0)[0].values["u"].tolist()
