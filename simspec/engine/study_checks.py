"""What a study and the options of a run must be, checked before anything is simulated; a refusal names the part."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from simspec.checks import short, whole_number
from simspec.engine.estimates.statistics import MAX_ROWS, Counts, Mean, Share
from simspec.engine.estimates.stopping import Rule

__all__ = ["check_parts", "finite", "is_rule"]


def check_parts(study: Any) -> None:
    """Refuse a study of which a part is of another kind; `rows` becomes Python's integer.

    >>> from simspec.engine.study import Study
    >>> Study("coin", "?", ({"bias": 0.5},), None)
    Traceback (most recent call last):
    ...
    ValueError: simulate: None; expected a function of a cell, rows and a device
    """
    for name in ("name", "question", "summary"):
        if not isinstance(getattr(study, name), str):
            raise ValueError(f"{name}: {short(getattr(study, name))}; expected text")
    _check_grid(study.grid)
    _check_simulate(study.simulate)
    rows = whole_number("rows", study.rows, 1, MAX_ROWS, f"at least one row in a block, and at most {MAX_ROWS}")
    object.__setattr__(study, "rows", rows)
    if study.stop is not None and not is_rule(study.stop):
        raise ValueError(f"stop: {short(study.stop)}; expected a stopping rule, as Rows(1000), or None")
    is_known = isinstance(study.devices, tuple | list) and set(map(str, study.devices)) <= {"cpu", "gpu"}
    if not is_known or not study.devices:
        raise ValueError(f"devices: {short(study.devices)}; expected a tuple of 'cpu' and 'gpu'")
    for name in ("measures", "pair", "control"):
        if not isinstance(getattr(study, name), Mapping):
            raise ValueError(f"{name}: {short(getattr(study, name))}; expected a mapping from names")
    for name, measure in study.measures.items():
        _check_measure(name, measure)
    if study.steadier is not None and not callable(study.steadier):
        raise ValueError(f"steadier: {short(study.steadier)}; expected a function of a study and a Request, or None")
    if study.advice is not None and not callable(study.advice):
        raise ValueError(f"advice: {short(study.advice)}; expected a function of a study and a Request, or None")
    if study.together is not None and not callable(study.together):
        raise ValueError(
            f"together: {short(study.together)}; expected a function of cells with rows and a device, or None"
        )
    _check_pairs(study.pair)
    _check_controls(study.control)


def _check_pairs(pair: Mapping[str, Any]) -> None:
    for name, arms in pair.items():
        if not isinstance(arms, tuple | list) or len(arms) != 2 or not all(isinstance(arm, str) for arm in arms):
            raise ValueError(f"pair: {name!r} is {short(arms)}; expected the names of two measures")


def _check_controls(controls: Mapping[str, Any]) -> None:
    for name, control in controls.items():
        if not hasattr(control, "coefficient") or not callable(control.mean):
            raise ValueError(
                f"control: {name!r} is {short(control)}; expected a Control with a mean, a function of the cell"
            )
        if not finite(control.coefficient):
            raise ValueError(f"control: coefficient {short(control.coefficient)} of {name!r}; expected a finite number")


def _check_grid(grid: Any) -> None:
    if isinstance(grid, str | Mapping) or not isinstance(grid, Iterable):
        raise ValueError(f"grid: {short(grid)}; expected a tuple of cells, as cross(vocab=(10, 20)) makes it")
    for cell in grid:
        if not isinstance(cell, Mapping):
            raise ValueError(f"grid: holds {short(cell)}; expected cells, mappings from names to plain values")
        if "rows" in cell:
            whole_number("grid", cell["rows"], 0, None, f"a number of rows in {short(dict(cell))}")


def _check_simulate(simulate: Any) -> None:
    expected = "a function of a cell, rows and a device"
    if not callable(simulate):
        raise ValueError(f"simulate: {short(simulate)}; expected {expected}")
    try:
        inspect.signature(simulate).bind(None, None, None)
    except TypeError as error:
        raise ValueError(f"simulate: {short(simulate)} ({error}); expected {expected}") from None
    except ValueError:  # a builtin that does not say what it takes
        return


def _check_measure(name: str, measure: Any) -> None:
    if isinstance(measure, type) or not callable(getattr(measure, "reduce", None)):
        raise ValueError(f"measures: {name!r} is {short(measure)}; expected Mean(low, high), Share() or Counts(edges)")
    if isinstance(measure, Mean | Share | Counts):
        try:
            measure.reduce(name, np.empty(0))  # refuses bounds that are not finite, and edges that fall
        except TypeError:
            raise ValueError(f"measures: {name!r} is {short(measure)}; expected bounds or edges in numbers") from None


def is_rule(rule: Any) -> bool:
    """Whether this is a stopping rule, and not the class of one.

    >>> is_rule("Rows(10)")
    False
    """
    return isinstance(rule, Rule) and not isinstance(rule, type)


def finite(value: object) -> bool:
    """Whether this is a finite real number, and no truth value.

    >>> finite(0.5), finite(float("nan")), finite("0.5"), finite(True), finite(10**400)
    (True, False, False, False, False)
    """
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False
