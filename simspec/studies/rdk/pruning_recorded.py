"""What was measured of pruned drafters on the shipped banks, as a study whose rows are read from a file.

Exact RDK at V = 49,152 takes minutes: the rows of `simspec.studies.rdk.pruning_halves` on SmolLM2 with each of its drafts, on the
target's own answers and on corpus texts apart, and those of `simspec.studies.rdk.real_pruning` on the small pair, are measured
once by `python -m simspec.tools.pruning FILE` and ship.  Values are those of the two studies, in float32.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.logits.npz import facts_in, read_npz, write_npz

__all__ = ["SHIPPED", "facts_of", "read_pruning", "recorded_pruning", "save_pruning"]

SHIPPED = Path(__file__).with_name("data") / "pruning.npz"
"""What was measured on the banks smollm2 and wiki."""


def save_pruning(results: Sequence[Result], facts: dict[str, Any], path: Path) -> None:
    """Write the rows of some cells as an ``.npz`` file, each value (contexts,) under its cell's number and its name.

    Parameters
    ----------
    results : of cells that say how many ``rows`` they have
    facts : what was measured, on what, and with which versions
    path : Path
    """
    arrays: dict[str, Any] = {
        f"{n}/{name}": v.astype(np.float32) for n, r in enumerate(results) for name, v in r.values.items()
    }
    write_npz(path, arrays, {**facts, "cells": [dict(result.cell) for result in results]})


def read_pruning(path: Path = SHIPPED) -> list[Result]:
    """Cells and rows that `save_pruning` wrote; by default those that ship.

    Raises ValueError for a file that holds none.

    >>> results = read_pruning()
    >>> all(len(values) == result.cell["rows"] for result in results for values in result.values.values())
    True
    """
    arrays = read_npz(path)
    cells = _facts(arrays, path)["cells"]
    values: list[Values] = [{} for _ in cells]
    for key in arrays:
        number, _, name = key.partition("/")
        if name:
            values[int(number)][name] = arrays[key].astype(float)
    return [Result(cell, of_cell) for cell, of_cell in zip(cells, values, strict=True)]


def facts_of(path: Path = SHIPPED) -> dict[str, Any]:
    """What was measured, on what, and with which versions.

    >>> sorted(facts_of()["banks"])
    ['smollm2', 'wiki']
    """
    return _facts(read_npz(path), path)


def _facts(arrays: Any, path: Path) -> dict[str, Any]:
    if "facts" not in arrays:
        raise ValueError(f"{str(path)!r} has no facts; expected a file of `python -m simspec.tools.pruning`")
    return facts_in(arrays)


def recorded_pruning(path: Path = SHIPPED) -> Study:
    """The study whose rows are those of a file; its cells are those of the studies that were measured.

    >>> sorted({cell["bank"] for cell in recorded_pruning().grid})
    ['main', 'quantised:4', 'texts', 'texts, quantised:4', 'wiki']
    """
    results = read_pruning(path)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        values = next(result.values for result in results if result.cell == cell)
        return {name: of_all[rows.numbers.start : rows.numbers.stop] for name, of_all in values.items()}

    return Study(
        name="pruning-recorded",
        question="Which methods restore the acceptance of a pruned drafter on the banks that ship?",
        grid=tuple(result.cell for result in results),
        simulate=simulate,
        summary="acceptance rates, exact for each context",
        rows=max(result.cell["rows"] for result in results),
    )
