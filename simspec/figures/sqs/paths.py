"""Paths of the threshold: how far the mean dropped mass is from its target after each token, and both certificates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values, cross
from simspec.figures.data import SYNTHETIC, WIKI, pair, words
from simspec.figures.figure import Figure
from simspec.figures.table import Point
from simspec.kernels import random as philox
from simspec.methods.csqs.thresholds import ranked, threshold_path
from simspec.studies.csqs.threshold_paths import dropped_bounds

__all__ = ["PATHS"]

STEP_SIZES = (0.01, 0.1, 1.0)
TARGET, FIRST = 0.05, 0.01
TEXTS = 3
_POOL, _ORDER = 60, 6


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    """Texts of contexts drawn from a pool, one text a row; the same pool for every row."""
    _, q = pair(cell, Rows(rows.key, range(_POOL)))
    length = int(cell["length"])
    u = philox.uniform(rows.key, rows.numbers, range(length), _ORDER)
    order = np.minimum((u * len(q)).astype(np.int64), len(q) - 1)
    laws = ranked(q)
    dropped = np.stack(
        [
            np.asarray(threshold_path(laws, FIRST, cell["step_size"], TARGET, one, keep_top=False).dropped, dtype=float)
            for one in order
        ]
    )
    return {"mean": np.cumsum(dropped.reshape(len(order), -1), axis=1) / np.arange(1, length + 1)}


def _study(effort: str) -> Study:
    length = {"quick": 32, "default": 4096, "deep": 4096}[effort]
    return Study(
        name="sqs-paths",
        question="How fast does the mean dropped mass come to its target?",
        grid=tuple(
            {**laws, **cell}
            for laws in ((SYNTHETIC, WIKI) if effort != "quick" else (SYNTHETIC,))
            for cell in cross(step_size=STEP_SIZES, length=(length,))
        ),
        simulate=_simulate,
        rows=TEXTS,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Distances from the target, on which a logarithmic axis shows the rate."""
    for result in results:
        step, length = result.cell["step_size"], result.cell["length"]
        panel = f"{words(result.cell)}, η = {step:g}"
        steps = np.unique(np.geomspace(1, length, 60).round().astype(int))
        for text in range(TEXTS):
            for n in steps:
                yield Point(
                    panel, f"text {text + 1}", float(n), abs(float(result.values["mean"][text, n - 1]) - TARGET)
                )
        for side, name in enumerate(("certificate, below", "certificate, above")):
            for n in steps:
                yield Point(panel, name, float(n), abs(dropped_bounds(FIRST, step, TARGET, int(n))[side] - TARGET))


PATHS = Figure(
    name="sqs.threshold-paths",
    title="The mean dropped mass of C-SQS comes to its target within a certificate for either side",
    source="beyond the paper; SQS, Theorem 2",
    study=_study,
    compact=_compact,
    data="texts of contexts drawn from 60 draft laws of Gaussian logits (V = 1,000) and of the wiki bank; target 0.05, "
    "first threshold 0.01, Eq. 6 read literally; the certificate holds for any laws",
    claims=("csqs.two-sided", "csqs.average-dropped", "csqs.asymptotic"),
    shape=(2, 3),
    size=(10.5, 6.0),
)
