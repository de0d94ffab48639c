"""Cells of a study whose rows share launches: the results of cells that are simulated one by one, also where something fails."""

from __future__ import annotations

from dataclasses import replace

import pytest

from simspec.engine import cells
from simspec.engine import run as engine
from simspec.engine.cells import Task, work, work_together
from simspec.engine.design import designs
from simspec.engine.estimates.statistics import Mean
from simspec.engine.estimates.stopping import HalfWidth
from simspec.engine.study import Study, cross
from simspec.kernels import random as philox


def uniforms(cell, rows, device):
    return {"y": cell["most"] * philox.uniform(rows.key, rows.numbers, [0])[:, 0]}


CALLS = []


def all_uniforms(requests, device):
    CALLS.append(len(requests))
    return [uniforms(cell, rows, device) for cell, rows in requests]


STUDY = Study(
    "uniforms",
    "?",
    (*cross(most=(0.25, 0.5, 1.0)), {"most": 0.75, "rows": 21}),
    uniforms,
    rows=8,
    measures={"y": Mean()},
    stop=HalfWidth("y", 0.2),
    devices=("cpu", "gpu"),
    together=all_uniforms,
)


@pytest.fixture(autouse=True)
def device(monkeypatch):
    """A GPU in name: its arrays are NumPy's."""
    CALLS.clear()
    monkeypatch.setattr(engine, "use", lambda device: None)
    monkeypatch.setattr(cells, "use", lambda device: None)


def tasks(study=STUDY):
    numbers = ((0, 2), (1,), (0,), (1, 2))
    return [
        Task(study, cell, 7, design, blocks, "gpu")
        for cell, design, blocks in zip(study.grid, designs(study, 7), numbers, strict=True)
    ]


def statistics(blocks):
    return [(block.design, block.block, block.rows, block.statistics, block.error) for block in blocks]


def test_blocks_of_several_cells_are_those_of_each():
    together = work_together(tasks())
    assert CALLS == [6]
    assert [statistics(blocks) for blocks in together] == [statistics(work(task)) for task in tasks()]
    assert [len(blocks) for blocks in together] == [2, 1, 1, 2] and together[3][1].rows == 5
    assert all(block.seconds > 0 for blocks in together for block in blocks)


def test_two_tasks_of_a_cell_stay_two():
    first = tasks()[0]
    again = [first._replace(blocks=(5,)), first]
    assert [statistics(blocks) for blocks in work_together(again)] == [statistics(work(task)) for task in again]


def fails(requests, device):
    raise MemoryError("too many rows")


@pytest.mark.parametrize(
    "together",
    [
        fails,
        lambda requests, device: all_uniforms(requests, device)[:-1],
        lambda requests, device: [{"y": values["y"][1:]} for values in all_uniforms(requests, device)],
    ],
)
def test_where_it_fails_each_task_is_worked_on_alone(together):
    study = replace(STUDY, together=together)
    assert [statistics(blocks) for blocks in work_together(tasks(study))] == [
        statistics(work(task)) for task in tasks()
    ]


def test_a_cell_at_fault_alone_carries_its_traceback():
    def wrong(cell, rows, device):
        if cell["most"] == 0.5:
            raise ZeroDivisionError("this cell")
        return uniforms(cell, rows, device)

    blocks = work_together(tasks(replace(STUDY, simulate=wrong, together=fails)))
    errors = [block.error for task in blocks for block in task]
    assert [error is not None and "this cell" in error for error in errors] == [False, False, True, False, False, False]


def test_a_run_on_a_gpu_asks_for_all_waiting_cells_at_once():
    alone = engine.run(STUDY, seed=3)
    assert CALLS == []
    together = engine.run(STUDY, seed=3, device="gpu")
    assert CALLS[0] == len(STUDY.grid) and len(CALLS) < sum(CALLS)
    assert [(r.rows, r.estimates, r.decided) for r in together] == [(r.rows, r.estimates, r.decided) for r in alone]
    without = engine.run(replace(STUDY, together=None), seed=3, device="gpu")
    assert [r.estimates for r in without] == [r.estimates for r in alone]


def test_what_is_no_function_is_refused():
    with pytest.raises(ValueError, match="together: 3; expected a function of cells with rows and a device, or None"):
        replace(STUDY, together=3)
