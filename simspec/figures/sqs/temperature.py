"""Latency (above) and resampling (below) of schemes over temperature, on real and on synthetic laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.sqs.link import (
    DATA,
    INTERVALS,
    LATENCY,
    MISSING,
    RESAMPLING,
    SIZES,
    over,
    study,
)
from simspec.figures.table import Point, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TEMPERATURE"]


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    names = ("dense", "K = 8", "K = 32", "K = 128", "C-SQS from 0.01", "C-SQS from 0.001")
    for quantity in (LATENCY, RESAMPLING):
        yield from over(results, {name: name for name in names}, quantity)


STYLES = {
    "dense": ("dense", "#000000", "o", ":"),
    "K = 8": ("K-SQS, K = 8", "#8CC3E8", "s", "-"),
    "K = 32": ("K-SQS, K = 32", "#3D9AD1", "s", "-"),
    "K = 128": ("K-SQS, K = 128", "#00507D", "s", "-"),
    "C-SQS from 0.01": ("C-SQS, β₁ = 0.01", "#B88BC9", "D", "--"),
    "C-SQS from 0.001": ("C-SQS, β₁ = 0.001", "#5E3C99", "D", "--"),
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a panel for each quantity and kind of laws; K-SQS in blues, C-SQS in violets."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            words, ink, mark, dashes = STYLES[name]
            marks.curve(axes, rows.of(panel, name), words, color=ink, marker=mark, linestyle=dashes)
        marks.framed(axes, rows.of(panel), panel, "temperature")
    ax[0].set_ylabel("seconds per token")
    ax[4].set_ylabel("resampled tokens per batch")
    marks.legend(ax[3], loc="upper left", bbox_to_anchor=(1.01, 1))


TEMPERATURE = Figure(
    name="sqs.temperature",
    title="Latency per token and resampling over temperature",
    source="SQS, Figures 2 and 6",
    study=study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=DATA,
    intervals=INTERVALS,
    claims=("csqs.crossover", "sqs.k-latency", "sqs.against-dense"),
    shape=(2, 4),
    size=(15.6, 7.0),
    missing=MISSING,
)
