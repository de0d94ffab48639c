"""Every row's values of a study, on the engine's pools: for statistics that need the rows, as intervals over documents do.

The engine (`simspec.engine.run`) keeps integers only; this keeps nothing and suits studies of some hundred rows.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from simspec.engine.pools import Here, Pool
from simspec.engine.study import Cell, Result, Study, simulate

__all__ = ["RowsTask", "gather", "lost_rows", "rows_of"]


class RowsTask(NamedTuple):
    """Some rows of one cell: all that a worker needs to know."""

    study: Study
    cell: Cell
    place: int
    seed: int
    numbers: range
    device: str


def rows_of(task: RowsTask) -> tuple[RowsTask, Result]:
    """Simulate the rows of a task: the function that workers run."""
    return task, Result(task.cell, simulate(task.study, task.cell, task.seed, task.numbers, task.device))


def lost_rows(task: RowsTask, error: BaseException) -> tuple[RowsTask, Result]:
    """What becomes of a task whose workers died or whose simulation failed: its error, raised here."""
    raise error


def gather(
    study: Study,
    seed: int = 0,
    rows: int | None = None,
    pool: Pool | None = None,
    device: str = "cpu",
    block: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[Result]:
    """Values of every row of every cell, simulated in blocks on a pool.

    Parameters
    ----------
    study : Study
    seed : int
    rows : int, optional
        rows in each cell; by default as many as the study plans, and never more than a cell's ``rows``.
    pool : Pool, optional
        made with `rows_of` and `lost_rows`; by default this process.
    block : int, optional
        rows of a task; by default a cell is one task.
    progress : (tasks done, tasks in all) -> None, optional

    Returns
    -------
    list of Result, in the order of the grid, rows in order

    Raises
    ------
    ValueError
        for less than one row, or a simulation that returns arrays of another length.

    Examples
    --------
    >>> study = Study("rows", "?", ({},), lambda cell, rows, device: {"y": np.array(rows.numbers, dtype=float)}, rows=3)
    >>> gather(study, block=2)[0].values["y"].tolist()
    [0.0, 1.0, 2.0]
    """
    count = study.rows if rows is None else rows
    if count < 1:
        raise ValueError(f"rows: {count}; expected at least one row in each cell")
    tasks = []
    for place, cell in enumerate(study.grid):
        last = min(count, cell.get("rows", count))
        step = block or last
        tasks += [
            RowsTask(study, cell, place, seed, range(at, min(at + step, last)), device) for at in range(0, last, step)
        ]
    parts: dict[int, dict[int, Result]] = {}
    with pool or Here(rows_of, lost_rows) as opened:
        for task in tasks:
            opened.submit(task)
        for number_done, (task, result) in enumerate(opened, start=1):
            parts.setdefault(task.place, {})[task.numbers.start] = result
            if progress is not None:
                progress(number_done, len(tasks))
    return [_joined(study.grid[place], [parts[place][at] for at in sorted(parts[place])]) for place in sorted(parts)]


def _joined(cell: Cell, results: list[Result]) -> Result:
    names = results[0].values
    return Result(cell, {name: np.concatenate([r.values[name] for r in results]) for name in names})
