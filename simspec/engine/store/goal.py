"""What a run was asked, kept beside its results as plain values, so that they can be read without the study's code.

The manifest says what was simulated; `run.json` says how it is read: the measures with their bounds, the stopping
rule, the level, and where the study was found.  It is written before the first block.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass
from pathlib import Path
from typing import Any

from simspec.engine.estimates import derived, estimators, sharing, statistics, stopping
from simspec.engine.estimates.statistics import Measure
from simspec.engine.estimates.stopping import Rule
from simspec.engine.store.manifest import Manifest, join, read_manifest, write_manifest
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.files import digested, parse_json, undigested, write_file

__all__ = ["FILE", "Goal", "read_goal", "recorded", "write_goal"]

FILE = "run.json"
FORMAT = 1
_SEVERAL: dict[str, Any] = {"AnyOf": stopping.AnyOf, "AllOf": stopping.AllOf}
_RULES: dict[str, Any] = {
    name: getattr(stopping, name)
    for name in ("HalfWidth", "RelativeError", "Decision", "Comparison", "Rows", "Seconds")
} | {"Shared": sharing.Shared}
_MEASURES: dict[str, Any] = {
    kind.__name__: kind
    for kind in (
        statistics.Mean,
        statistics.Share,
        statistics.Counts,
        derived.Difference,
        derived.Controlled,
        estimators.Conditional,
        estimators.Levels,
    )
}


@dataclass(frozen=True)
class Goal:
    """What was asked of a run.

    Attributes
    ----------
    reference : str
        where the study was found, as `simspec.studies.catalogue.find` takes it.
    measures : {name: measure}
    stop : rule or None
        None also for a rule of one's own, which is not plain data: cells then read as undecided.
    level : float
    simultaneous : bool

    Examples
    --------
    >>> goal = Goal("coin.py:coin", {"heads": statistics.Share()}, stopping.HalfWidth("heads", 0.01))
    >>> Goal.of(goal.plain()) == goal
    True
    """

    reference: str
    measures: Mapping[str, Measure]
    stop: Rule | None = None
    level: float = 0.95
    simultaneous: bool = False
    parameters: tuple[str, ...] = ()

    def plain(self) -> dict[str, Any]:
        """The same as JSON values."""
        return {
            "format": FORMAT,
            "reference": self.reference,
            "measures": {name: _plain(measure) for name, measure in self.measures.items()},
            "stop": _plain(self.stop),
            "level": self.level,
            "simultaneous": self.simultaneous,
            "parameters": list(self.parameters),
        }

    @staticmethod
    def of(values: Mapping[str, Any]) -> Goal:
        """The goal that `plain` turned into JSON values."""
        if values["format"] != FORMAT:
            raise ValueError(f"format {values['format']}; expected {FORMAT}")
        return Goal(
            reference=values["reference"],
            measures={name: _measure(measure) for name, measure in values["measures"].items()},
            stop=_rule(values["stop"]),
            level=values["level"],
            simultaneous=values["simultaneous"],
            parameters=tuple(values["parameters"]),
        )


def _plain(value: Any) -> dict[str, Any] | None:
    kind = type(value).__name__
    if kind in _SEVERAL and type(value) is _SEVERAL[kind]:
        parts = [_plain(rule) for rule in value.rules]
        return None if None in parts else {"kind": kind, "rules": parts}
    if type(value) is not (_RULES | _MEASURES).get(kind) or not is_dataclass(value):
        return None
    return {"kind": kind, **{f.name: getattr(value, f.name) for f in fields(value)}}


def _rule(values: Mapping[str, Any] | None) -> Rule | None:
    if values is None:
        return None
    rest = {name: value for name, value in values.items() if name != "kind"}
    if values["kind"] in _SEVERAL:
        return _SEVERAL[values["kind"]](*(_rule(part_values) for part_values in rest["rules"]))
    return _RULES[values["kind"]](**rest)


def _measure(values: Mapping[str, Any] | None) -> Measure:
    if values is None:
        raise ValueError("a measure that is none of Mean, Share and Counts")
    rest = {name: tuple(v) if isinstance(v, list) else v for name, v in values.items() if name != "kind"}
    return _MEASURES[values["kind"]](**rest)


def write_goal(folder: Path, manifest: Manifest, goal: Goal, accept_code: bool = False) -> None:
    """Write `run.json` and the manifest of a directory before anything is simulated; each whole or not at all.

    Raises
    ------
    ValueError
        where the directory holds another study, seed or block size, or (unless it is accepted) rows of other code.
    """
    there = read_manifest(folder)
    joined_manifest = join([there, manifest], accept_code) if there else manifest
    folder.mkdir(parents=True, exist_ok=True)
    if joined_manifest != there:
        write_manifest(folder, joined_manifest)
    write_file(folder / FILE, (json.dumps(digested(goal.plain()), indent=1) + "\n").encode())


def read_goal(folder: Path) -> Goal | None:
    """What was asked of the run in a directory, or None where nothing says so.

    Raises
    ------
    ValueError
        naming the file, where it is damaged.
    """
    path = folder / FILE
    try:
        return Goal.of(undigested(parse_json(path.read_text(encoding="utf-8"))))
    except FileNotFoundError:
        return None
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise ValueError(
            f"{path}: not the record of a run ({error}); remove the file and name the study with --study"
        ) from None


def _only_read(cell: Cell, rows: Rows, device: str) -> Values:
    raise ValueError(
        "study: simulate is not available, because only the results were read; load the study itself to simulate"
    )


def recorded(folder: Path) -> tuple[Study, int, Goal | None]:
    """The study in a directory as its manifest and `run.json` describe it (it simulates nothing), its seed and its goal.

    Raises
    ------
    ValueError
        where there is no such directory or no manifest.
    """
    if not folder.is_dir():
        raise ValueError(f"DIR: {folder}; expected a directory of results")
    manifest = read_manifest(folder)
    goal = read_goal(folder)
    if manifest is None:
        raise ValueError(f"DIR: {folder} has no manifest; expected a directory that `simspec study run` fills")
    order = goal.parameters if goal else ()
    study = Study(
        name=manifest.study,
        question=manifest.question,
        grid=tuple({n: c[n] for n in dict.fromkeys((*order, *c)) if n in c} for c in manifest.grid),
        simulate=_only_read,
        rows=manifest.block_size,
        measures=goal.measures if goal else {},
        stop=goal.stop if goal else None,
    )
    return study, manifest.seed, goal
