"""Latency (above) and resampling (below) of C-SQS over its step size, one curve a temperature, cold to hot."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result
from simspec.figures.figure import Figure, point
from simspec.figures.sqs.link import (
    DATA,
    INTERVALS,
    KINDS,
    LATENCY,
    MISSING,
    RESAMPLING,
    SIZES,
    STEP_SIZES,
    TITLES,
    draw_by_temperature,
    study,
)
from simspec.figures.table import Point, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STEP_SIZE"]


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        for quantity in (LATENCY, RESAMPLING):
            panel = f"{TITLES[quantity]}, {KINDS[result.cell['data']]}"
            series = f"T = {result.cell['temperature']:g}"
            for step in STEP_SIZES:
                found = student(result.values[f"{quantity}; step {step:g}"], 0.95, 0)
                yield point(panel, series, step, found)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a panel for each quantity and kind of laws."""
    units = {True: "seconds per token", False: "resampled tokens per batch"}
    draw_by_temperature(ax, rows, "latency", lambda panel: ("step size η", units[panel.startswith("latency")]))


STEP_SIZE = Figure(
    name="sqs.step-size",
    title="C-SQS over its step size: small steps adapt late",
    source="SQS, Figure 5, over η",
    study=study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=f"{DATA}; C-SQS from 0.01",
    intervals=INTERVALS,
    claims=("csqs.adaptivity",),
    shape=(2, 4),
    size=(15.6, 7.0),
    missing=MISSING,
)
