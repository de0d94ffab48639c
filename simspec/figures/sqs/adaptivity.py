"""Latency (above) and resampling (below) of adaptive and held thresholds over temperature."""

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

__all__ = ["ADAPTIVITY"]


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    names = {f"C-SQS from {f:g}": f"adaptive, β₁ = {f:g}" for f in (0.1, 0.01, 0.001)}
    names |= {f"threshold {f:g}": f"held, β = {f:g}" for f in (0.1, 0.01, 0.001)}
    for quantity in (LATENCY, RESAMPLING):
        yield from over(results, names, quantity)


INKS = {"0.1": "#D55E00", "0.01": "#0072B2", "0.001": "#009E73"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw one colour a threshold; solid where it adapts, dotted where it is held."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            dashes, mark = ("-", "D") if name.startswith("adaptive") else (":", "o")
            marks.curve(axes, rows.of(panel, name), color=INKS[name.split(" = ")[1]], marker=mark, linestyle=dashes)
        marks.framed(axes, rows.of(panel), panel, "temperature")
    ax[0].set_ylabel("seconds per token")
    ax[4].set_ylabel("resampled tokens per batch")
    marks.legend(ax[3], loc="upper left", bbox_to_anchor=(1.01, 1))


ADAPTIVITY = Figure(
    name="sqs.adaptivity",
    title="An adaptive threshold beside one that is held where it began",
    source="SQS, Figure 5",
    study=study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=DATA,
    intervals=INTERVALS,
    claims=("csqs.adaptivity", "csqs.adaptive-against-fixed"),
    shape=(2, 4),
    size=(15.6, 7.0),
    missing=MISSING,
)
