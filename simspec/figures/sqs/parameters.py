"""Latency over K (above) and over the first threshold (below), one curve a temperature, cold to hot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result
from simspec.figures.figure import Figure, point
from simspec.figures.sqs.link import (
    DATA,
    FIRSTS,
    INTERVALS,
    KINDS,
    LATENCY,
    MISSING,
    SIZES,
    TOKENS_KEPT,
    draw_by_temperature,
    study,
)
from simspec.figures.table import Point, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PARAMETERS"]


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Latency over K and over the first threshold, a curve for each temperature."""
    for result in results:
        kind = KINDS[result.cell["data"]]
        series = f"T = {result.cell['temperature']:g}"
        for k in TOKENS_KEPT:
            yield point(f"K-SQS, {kind}", series, k, student(result.values[f"{LATENCY}; K = {k}"], 0.95, 0))
        for first in FIRSTS:
            found = student(result.values[f"{LATENCY}; C-SQS from {first:g}"], 0.95, 0)
            yield point(f"C-SQS, {kind}", series, first, found)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a panel for each scheme and kind of laws."""
    parameters = {True: "tokens kept, K", False: "first threshold β₁"}
    draw_by_temperature(ax, rows, "K-SQS", lambda panel: (parameters[panel.startswith("K-SQS")], "seconds per token"))


PARAMETERS = Figure(
    name="sqs.parameters",
    title="Latency over the number of tokens kept and over the first threshold",
    source="SQS, Figure 4",
    study=study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=DATA,
    intervals=INTERVALS,
    claims=("sqs.k-latency",),
    shape=(2, 4),
    size=(15.6, 7.0),
    missing=MISSING,
)
