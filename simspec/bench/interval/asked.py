"""What the benchmark of the time to an interval asks: the acceptance, the gain of a relaxed rule, and both by levels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.bench.synthetic import Case
from simspec.engine.study import Cell, Rows
from simspec.laws import softmax
from simspec.logits import Draws, synthetic
from simspec.methods import SD, ears
from simspec.methods.step import kept_mass
from simspec.studies import Mean, Study
from simspec.studies.levels import levelled
from simspec.studies.pairs import synthetic_acceptance

__all__ = ["LEVELS", "TOLERANCE", "acceptance_study", "gain_study", "levels_study"]

TOLERANCE = 0.1
"""EARS' β; what it gains lies between 0 and β (claim ears.bias-bound.residual), which bounds the difference."""
LEVELS = ((16, 512), (256, 32), (2048, 4))
"""Tokens that pass each cut, and how many draws of them a row has; cuts above a quarter of the vocabulary are left out."""


def _cell(case: Case) -> Cell:
    cell = {"vocab": case.vocab, "scale": case.scale, "rho": case.rho}
    return cell if case.df == math.inf else cell | {"df": case.df}


def _alpha(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    return {"alpha": synthetic_acceptance(cell, rows, np.float32)}


def _rules(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    """Both rules on the same laws, in float32 with sums in float64, in which a larger kept mass has no smaller sum."""
    draws, df, scale = Draws(*rows, dtype=np.float32), float(cell.get("df", np.inf)), float(cell["scale"])
    x = synthetic.student_t(draws, int(cell["vocab"]), df=df, scale=scale)
    y = synthetic.correlated(x, cell["rho"], draws, df=df, location=0, scale=scale)
    p, q = softmax(x), softmax(y)
    kept = {"SD": kept_mass(SD, p, q), "EARS": kept_mass(ears(TOLERANCE), p, q)}
    return {name: mass.sum(axis=-1, dtype=np.float64).clip(0, 1) for name, mass in kept.items()}


def acceptance_study(case: Case) -> Study:
    """The acceptance of one kind of pair.

    >>> from simspec.bench.synthetic import CASES
    >>> acceptance_study(CASES[0]).measures
    {'alpha': Mean(low=0, high=1)}
    """
    return Study("interval acceptance", "?", (_cell(case),), _alpha, rows=16, measures={"alpha": Mean()})


def gain_study(case: Case) -> Study:
    """What EARS gains over SD on the same pairs: a paired study, with the bounds of the difference that are proved.

    >>> from simspec.bench.synthetic import CASES
    >>> gain_study(CASES[0]).measures["gain"]
    Difference(low=0, high=0.1, first='EARS', second='SD')
    """
    measures = {"SD": Mean(), "EARS": Mean(), "gain": Mean(0, TOLERANCE)}
    pair = {"gain": ("EARS", "SD")}
    return Study("interval gain", "?", (_cell(case),), _rules, rows=16, measures=measures, pair=pair)


def _levels(cell: Cell, rows: Rows, device: str) -> dict[str, NDArray[Any]]:
    vocab = int(cell["vocab"])
    chosen: list[tuple[float, int]] = [level for level in LEVELS if 4 * level[0] <= vocab] or [
        (vocab / 4, LEVELS[-1][1])
    ]
    tokens, copies = zip(*chosen, strict=True)
    alpha, gain = levelled(cell, rows, tokens, copies)
    return {"alpha": alpha, "gain": gain}


def levels_study(case: Case) -> Study:
    """Acceptance and gain of the same pairs by levels.

    >>> from simspec.bench.synthetic import CASES
    >>> levels_study(CASES[0]).measures["alpha"]
    Mean(low=-3, high=4)
    """
    most = len(LEVELS)
    measures = {"alpha": Mean(-most, most + 1), "gain": Mean(-most * TOLERANCE, (most + 1) * TOLERANCE)}
    cell = {**_cell(case), "tolerance": TOLERANCE}
    return Study("interval levels", "?", (cell,), _levels, rows=4, measures=measures)
