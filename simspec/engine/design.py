"""What a study's results are of: the manifest beside them, and a hash of each cell's design."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from simspec.engine.estimates.estimators import Conditional
from simspec.engine.estimates.statistics import Mean
from simspec.engine.store.fingerprint import fingerprint
from simspec.engine.store.manifest import Manifest
from simspec.engine.store.segment import canonical
from simspec.engine.study import Cell, Study

__all__ = ["designs", "manifest", "plan"]


def manifest(study: Study, seed: int) -> Manifest:
    """Manifest of a study's results, with the fingerprint of its code: hashes of its design follow from it.

    >>> study = Study("coin", "?", ({},), lambda cell, rows, device: {})
    >>> manifest(study, 1).seed
    1

    Raises
    ------
    ValueError
        for a measure whose name a statistic cannot have: brackets say its place.
    """
    return replace(plan(study, seed), codes=(fingerprint(study),))


def plan(study: Study, seed: int) -> Manifest:
    """The manifest without the code, which reading does not need.

    >>> plan(Study("coin", "?", ({},), lambda cell, rows, device: {}), 1).codes
    ()
    """
    for name in study.measures:
        if not isinstance(name, str) or not name or set(name) & set("[]") or name.startswith("cell."):
            raise ValueError(
                f"measures: {name!r} of study {study.name!r}; expected text without brackets (which say the place of a "
                "value with further axes) that does not begin with cell."
            )
    return Manifest(study.name, study.question, seed, study.rows, study.grid, tuple(study.measures))


def designs(study: Study, seed: int = 0) -> list[str]:
    """Hash of each cell's design: of study, measures, cell, seed and block size, which decide what its rows mean.

    >>> study = Study("coin", "?", ({"x": 1}, {"x": 2}), lambda cell, rows, device: {})
    >>> one, two = designs(study)
    >>> one == two, one == designs(study, 1)[0]
    (False, False)

    Raises
    ------
    ValueError
        for a cell that the grid holds twice.
    """
    study_plan = plan(study, seed)
    measures = {name: _described(measure) for name, measure in study.measures.items()}
    cell_by_design: dict[str, Cell] = {}
    for cell in study.grid:
        design = study_plan.design([cell, measures])
        if design in cell_by_design:
            raise ValueError(f"grid: {canonical(cell)} occurs twice; expected each cell of {study.name!r} once")
        cell_by_design[design] = cell
    return list(cell_by_design)


def _described(measure: Any) -> list[str]:
    """Kind and values of a measure; the probability of an event is described as the mean that it is: old rows are found."""
    if isinstance(measure, Conditional) and not measure.of:
        measure = Mean(measure.low, measure.high)
    values = [repr(getattr(measure, f.name)) for f in fields(measure)] if is_dataclass(measure) else []
    return [type(measure).__name__, *values]
