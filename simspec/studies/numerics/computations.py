"""The study of a measurement: a cell for each pair of computations, and one for the greedy texts of each number format."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from simspec.engine.study import Cell, Rows, Study, Values
from simspec.laws import Array
from simspec.numerics import greedy_margin
from simspec.studies.numerics.measurement import FORMATS, PAIRS, SHIPPED, Measurement, read_measurement

__all__ = ["computations"]


def computations(measurement: Measurement | None = None) -> Study:
    """Differences of logits by pair of computations, a row a position; then greedy texts by number format, a row a text.

    Values of a pair: ``epsilon``, ``margin``, ``tv``, ``flips``, ``near`` (1 where the margin is at most 2 epsilon) and
    ``document``.  Values of a format: ``seen``, 1 where decoding leaves the text of float32; ``predicted``, 1 where a token of
    the text is not the likeliest one in prefill; ``certain``, 1 where no margin is within 2 epsilon of prefill's difference from
    float32; and ``document``.

    Parameters
    ----------
    measurement : by default the one that ships
    """
    measured = read_measurement(SHIPPED) if measurement is None else measurement
    label = f"{measured.facts['model']['name']}: {measured.facts['prompts']} greedy texts"
    positions = len(measured.document)
    texts = len(measured.lengths)
    pairs = tuple({"data": label, "pair": pair, "rows": positions} for pair in PAIRS)
    formats = tuple({"data": label, "format": name, "rows": texts} for name in FORMATS[1:])
    return Study(
        name="computations",
        question="How far do two computations of one model differ, and do greedy texts leave each other where prefill says so?",
        grid=(*pairs, *formats),
        simulate=partial(_simulate, measured),
        summary="differences of logits, by pair of computations",
        rows=positions,
    )


def _simulate(measured: Measurement, cell: Cell, rows: Rows, device: str) -> Values:
    at = np.asarray(rows.numbers)
    return _positions(measured, cell["pair"], at) if "pair" in cell else _texts(measured, cell["format"], at)


def _positions(measured: Measurement, name: str, at: NDArray[np.int64]) -> Values:
    pair = PAIRS.index(name)
    epsilon = measured.epsilon[pair, at]
    margin = measured.margin[pair, at]
    return {
        "document": measured.document[at].astype(float),
        "epsilon": epsilon,
        "margin": margin,
        "tv": measured.tv[pair, at],
        "flips": measured.flips[pair, at].astype(float),
        "near": (margin <= greedy_margin(epsilon)).astype(float),
    }


def _texts(measured: Measurement, name: str, at: NDArray[np.int64]) -> Values:
    pair = PAIRS.index(f"prefill: float32 and {name}")
    near = measured.margin[pair] <= greedy_margin(measured.epsilon[pair])
    return {
        "document": at.astype(float),
        "seen": (measured.common[FORMATS.index(name)] < measured.lengths)[at].astype(float),
        "predicted": _any_by_text(measured, measured.flips[pair])[at],
        "certain": 1.0 - _any_by_text(measured, near)[at],
    }


def _any_by_text(measured: Measurement, holds: NDArray[np.bool_]) -> Array:
    """1 for each text with a position at which something holds."""
    counts = np.bincount(measured.document, weights=holds, minlength=len(measured.lengths))
    return (counts > 0).astype(float)
