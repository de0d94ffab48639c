"""Watermarked drafts: acceptance where both models draw with one key, beside the acceptance rate without keys.

The picture: acceptance of quantile keys and of Gumbel keys over the total variation of random laws.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.kernels.random import normal
from simspec.laws import overlap, softmax
from simspec.methods.watermark import keyed_acceptance, quantile_keys

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["WATERMARKS"]

_NEARNESS = (0.0, 0.125, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0)
_SCALE = 2.0
_WITHOUT = "without keys"
_QUANTILE = "quantile keys"
_GUMBEL = "Gumbel keys"


def _study(rows: int = 300, tokens: int = 6) -> Study:
    return Study(
        name="watermarks",
        question="What does drawing with a common key cost of the acceptance?",
        grid=tuple({"nearness": nearness, "tokens": tokens} for nearness in _NEARNESS),
        simulate=_simulate,
        rows=rows,
    )


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    """Acceptances of a random target and a draft between it and another random law."""
    vocab = cell["tokens"]
    logits = normal(rows.key, rows.numbers, range(2 * vocab)).reshape(-1, 2, vocab)
    acceptances = []
    for p, other in softmax(_SCALE * logits):
        q = cell["nearness"] * p + (1 - cell["nearness"]) * other
        # Gumbel keys: both choose x where x is the first of a race with rates max(p_y/p_x, q_y/q_x)
        races = np.maximum(p / p[:, None], q / q[:, None]).sum(axis=1)
        acceptances.append((overlap(p, q), keyed_acceptance(quantile_keys(p, q)), (1 / races).sum()))
    columns = np.array(acceptances, dtype=float).T
    return dict(zip((_WITHOUT, _QUANTILE, _GUMBEL), columns, strict=True))


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        x = 1 - float(result.values[_WITHOUT].mean())
        for name in (_WITHOUT, _GUMBEL, _QUANTILE):
            yield point("", name, x, student(result.values[name], 0.95, 0, 1))


def _draw(ax: Axes, rows: Points) -> None:
    """Draw acceptance over the mean total variation."""
    for place, name in enumerate(rows.series()):
        marks.curve(ax, rows.of(series=name), place=place)
    tv = np.linspace(0, max(rows.column("x")), 50)
    marks.guide(ax, tv.tolist(), ((1 - tv) / (1 + tv)).tolist(), "(1 − TV)/(1 + TV)")
    ax.set_xlabel("mean total variation of target and draft")
    ax.set_ylabel("acceptance")
    ax.set_ylim(0, 1.02)
    ax.legend()


WATERMARKS = Figure(
    name="theory.watermarks",
    title="One-hot watermarks cost acceptance, quantile keys most",
    source="Hu and Huang 2024",
    study=_study,
    sizes={"quick": {"rows": 20}},
    compact=_compact,
    draw=_draw,
    data="random laws (Gaussian logits of scale 2, V = 6), drafts at several distances from the target; "
    "acceptances in closed form",
    intervals="Student-t over laws, 95 % each",
    claims=("watermark.acceptance", "watermark.no-go", "coupling.minhash-bound"),
)
