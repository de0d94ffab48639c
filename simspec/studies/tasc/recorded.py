"""Recorded measurements of tasks as cells of a study, so that they stand beside what is simulated now.

Their numbers were measured once, on corpora that do not ship (`simspec.studies.tasc.task_record`); nothing is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np

from simspec.engine.estimates.intervals import Interval
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.studies.tasc.task_record import read_tasks

__all__ = ["beside", "numbers", "said"]

_LEVEL = 0.95


@cache
def _tasks() -> Mapping[str, Mapping[str, Any]]:
    return read_tasks()


def numbers(entry: Any, path: str = "") -> Iterator[tuple[str, tuple[float, ...]]]:
    """Numbers of a recorded entry by their path: (x,), or (estimate, low, high) of an interval; words are left out.

    >>> dict(numbers({"pairs": 3, "calls": {"corpus": {"estimate": 2.0, "interval": [1.0, 4.0], "level": 0.95}}}))
    {'pairs': (3.0,), 'calls/corpus': (2.0, 1.0, 4.0)}
    """
    if isinstance(entry, Mapping) and {"estimate", "interval"} <= set(entry):
        yield path, tuple(np.nan if x is None else float(x) for x in (entry["estimate"], *entry["interval"]))
    elif isinstance(entry, (Mapping, list)):
        parts = entry.items() if isinstance(entry, Mapping) else enumerate(entry)
        for name, child in parts:
            yield from numbers(child, f"{path}/{name}".removeprefix("/"))
    elif isinstance(entry, (int, float)) and not isinstance(entry, bool):
        yield path, (float(entry),)


def _values(cell: Cell) -> Values:
    return {name: np.array([recorded_numbers]) for name, recorded_numbers in numbers(_tasks()[cell["recorded"]])}


def beside(study: Study, names: Sequence[str]) -> Study:
    """A study with a cell of one row for each recorded task, whose values are what was recorded.

    Raises ValueError for a task that is not on record.

    >>> none = Study("none", "?", (), lambda cell, rows, device: {})
    >>> [cell["recorded"] for cell in beside(none, ["slurp"]).grid]
    ['slurp']
    """
    unknown = sorted(set(names) - set(_tasks()))
    if unknown:
        raise ValueError(f"names: {', '.join(unknown)}; expected of {', '.join(_tasks())}")
    cells = tuple({"recorded": name, "source": _tasks()[name]["source"], "rows": 1} for name in names)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return _values(cell) if "recorded" in cell else study.simulate(cell, rows, device)

    return replace(study, grid=(*study.grid, *cells), simulate=simulate)


def said(result: Result, name: str) -> Interval:
    """A recorded interval, at the level of 95 % of all of them.

    >>> from simspec.engine.row_values import gather
    >>> none = Study("none", "?", (), lambda cell, rows, device: {})
    >>> (slurp,) = gather(beside(none, ["slurp"]))
    >>> said(slurp, "tokens per call/corpus").estimate > said(slurp, "tokens per call/prompt").estimate
    True
    """
    estimate, low, high = result.values[name][0].tolist()
    return Interval(estimate, low, high, _LEVEL)
