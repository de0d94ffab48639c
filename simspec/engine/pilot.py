"""A pilot: a few rows of a study on random numbers of its own, from which a control's coefficient is fixed before the run."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from simspec.checks import nearest
from simspec.engine.estimates.derived import regression
from simspec.engine.study import Study, simulate
from simspec.laws import Array

__all__ = ["coefficient"]

DIGITS = 3
"""Of a coefficient: more gain nothing, and fewer bits of a rounding enter the design of the rows."""


def coefficient(study: Study, value: str, control: str, rows: int = 256, seed: int = 0) -> float:
    """The coefficient of a control from a pilot: the regression of value on control, pooled over the cells.

    The pilot has a name of its own, hence another key, so that its rows tell nothing of the run's: given it, the
    coefficient is a constant, and what it controls stays unbiased.

    Parameters
    ----------
    study : Study
    value, control : names of values that it simulates
    rows : int; of each cell
    seed : int

    Returns
    -------
    number, to three digits; 0 where the control is constant

    Raises
    ------
    ValueError
        for fewer than two rows, or a name that is not simulated.

    Examples
    --------
    >>> import numpy as np
    >>> from simspec.kernels import random
    >>> def twice(cell, rows, device):
    ...     u = random.uniform(rows.key, rows.numbers, [0])[:, 0]
    ...     return {"y": 2 * u + cell["shift"], "x": u}
    >>> coefficient(Study("twice", "?", ({"shift": 0}, {"shift": 5}), twice), "y", "x")
    2.0
    """
    if rows < 2:
        raise ValueError(f"rows: {rows}; expected at least two of a pilot")
    first = replace(study, name=f"{study.name} pilot", measures={}, pair={}, control={})
    columns: dict[str, list[Array]] = {value: [], control: []}
    for cell in study.grid:
        pilot_values = simulate(first, cell, seed, range(min(rows, int(cell.get("rows", rows)))))
        for name, column in columns.items():
            if name not in pilot_values:
                near = nearest(name, pilot_values)
                raise ValueError(f"value, control: {name!r}{near}; expected one of {', '.join(pilot_values)}")
            column.append(np.asarray(pilot_values[name], dtype=np.float64) - np.mean(pilot_values[name], axis=0))
    c = regression(*(np.concatenate(columns[name]) for name in (value, control)))
    return float(f"{c:.{DIGITS}g}")
