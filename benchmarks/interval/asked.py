"""What the benchmark of the time to an interval asks: the acceptance, the gain of a relaxed rule, and both by levels."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.synthetic import Case
from simspec.engine.study import Cell, Rows
from simspec.studies import Mean, Study
from simspec.studies.levels import ENOUGH, bounds, chosen, levelled, row_spread, whole_rows
from simspec.studies.pairs import synthetic_acceptance

__all__ = ["ENOUGH", "HALF_WIDTH", "TOLERANCE", "acceptance_study", "gain_study", "levels_study"]

TOLERANCE = 0.1
"""EARS' β; what it gains lies between 0 and β (claim ears.bias-bound.residual), which bounds the difference."""
HALF_WIDTH = 1e-3


def _cell(case: Case) -> Cell:
    cell = {"vocab": case.vocab, "scale": case.scale, "rho": case.rho}
    return cell if case.df == math.inf else cell | {"df": case.df}


def _alpha(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    return {"alpha": synthetic_acceptance(cell, rows, np.float32)}


def _rules(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    """Both rules on the same laws, of float32 draws with sums in float64."""
    alpha, gain = whole_rows(cell, rows)
    return {"SD": alpha, "EARS": (alpha + gain).clip(0, 1)}


def acceptance_study(case: Case) -> Study:
    """The acceptance of one kind of pair.

    >>> from benchmarks.synthetic import CASES
    >>> acceptance_study(CASES[0]).measures
    {'alpha': Mean(low=0, high=1)}
    """
    return Study("interval acceptance", "?", (_cell(case),), _alpha, rows=16, measures={"alpha": Mean()})


def gain_study(case: Case) -> Study:
    """What EARS gains over SD on the same pairs: a paired study, with the bounds of the difference that are proved.

    >>> from benchmarks.synthetic import CASES
    >>> gain_study(CASES[0]).measures["gain"]
    Difference(low=0, high=0.1, first='EARS', second='SD')
    """
    measures = {"SD": Mean(), "EARS": Mean(), "gain": Mean(0, TOLERANCE)}
    pair = {"gain": ("EARS", "SD")}
    cell = {**_cell(case), "tolerance": TOLERANCE}
    return Study("interval gain", "?", (cell,), _rules, rows=16, measures=measures, pair=pair)


def levels_study(case: Case, value: str = "alpha") -> Study:
    """Acceptance and gain of the same pairs by a cut that a pilot has chosen for one of the two.

    >>> from benchmarks.synthetic import CASES
    >>> small = CASES[0]._replace(vocab=1000, scale=0.5)
    >>> study = levels_study(small)
    >>> study.measures["alpha"], study.grid[0]["tokens"]
    (Mean(low=-11.0, high=12.0), 4)
    """
    tokens, copies = _designed(case, value)
    (low, high), (gain_low, gain_high) = bounds(1, TOLERANCE)
    cell = {**_cell(case), "tolerance": TOLERANCE, "tokens": tokens, "copies": copies}
    return Study(
        "interval levels",
        "?",
        (cell,),
        _levels,
        rows=4,
        measures={"alpha": Mean(low, high), "gain": Mean(gain_low, gain_high)},
    )


@lru_cache
def _designed(case: Case, value: str) -> tuple[float, int]:
    """A cut, and draws at it: such that `ENOUGH` rows are about enough for Student's interval, and no fewer would be taken."""
    spread = row_spread(HALF_WIDTH)  # as the studies that ship choose it
    (tokens,), (copies,) = chosen({**_cell(case), "tolerance": TOLERANCE}, spread, value)
    return tokens, copies


def _levels(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    alpha, gain = levelled(cell, rows, (cell["tokens"],), (cell["copies"],))
    return {"alpha": alpha, "gain": gain}
