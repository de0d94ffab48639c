"""RDK, Figure 2: histograms of each position's mean, standard deviation and largest logit, bank by bank."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.rdk.statistics import DATA, FEW, INTERVALS, histogram, rounded, study
from simspec.figures.table import Point, Points
from simspec.laws import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LOGIT_STATISTICS"]

_LOGITS = {"mean": "logit mean", "standard deviation": "logit sd", "maximum": "logit max"}
_BINS = 16


def _single(panel: str, series: str, values: Array, low: float, high: float) -> Iterator[Point]:
    """Each of a few positions with its share, and a point of none at either end."""
    yield Point(panel, series, float(low), 0.0)
    yield from (Point(panel, series, float(value), 1 / len(values)) for value in np.sort(values))
    yield Point(panel, series, float(high), 0.0)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        name = result.cell["bank"]
        v = result.values
        for title, measure in _LOGITS.items():
            low, high = rounded(v[measure], 0.5)
            if len(v[measure]) < FEW:
                yield from _single(f"{name}: {title}", name, v[measure], low, high)
            else:
                edges = np.linspace(low, high, _BINS + 1)
                yield from histogram(f"{name}: {title}", name, v[measure], v["document"], edges)


NAMES = {
    "smollm2": "SmolLM2, 49,152 tokens",
    "wiki": "wiki, 16,384 tokens",
    "stories": "stories, 2,048 tokens",
    "gpt2": "GPT-2, 50,257 tokens",
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a row of histograms for each bank, of five vectors each one; what the paper says is marked."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        bank, what = panel.split(": ")
        if bank == "gpt2":
            _vectors(axes, rows.of(panel))
        else:
            marks.steps(axes, rows.of(panel))
            axes.set_ylim(0, None)
        top = axes.get_ylim()[1]
        if what == "standard deviation":
            axes.set_xlim(0, 5.5)
            for edge in (2, 4):
                marks.guide(axes, [edge, edge], [0, top])
        else:
            marks.guide(axes, [0, 0], [0, top])
        if axes in ax[:3]:
            axes.set_title({"standard deviation": "standard deviation\n(printed: mostly 2 to 4)"}.get(
                what, f"{'largest logit' if what == 'maximum' else 'mean logit'}\n(printed: mostly below 0)"
            ))  # fmt: skip
        if what == "mean":
            axes.set_ylabel(f"{NAMES[bank]}\n{'five vectors' if bank == 'gpt2' else 'share of positions'}")


def _vectors(axes: Axes, own: Points) -> None:
    """Draw a stem for each vector, where there are too few for a histogram."""
    axes.vlines(own.column("x"), 0, own.column("y"), color=marks.colour("gpt2")[0], linewidth=1)
    marks.dots(axes, Points(p for p in own if p.y))
    axes.set_ylim(0, 0.4)
    axes.set_yticks([])


LOGIT_STATISTICS = Figure(
    name="rdk.logit-statistics",
    title="Raw logits of a position: their sign is the model's own offset, their spread differs from model to model",
    source="RDK, Figure 2",
    study=study,
    sizes={"quick": {"contexts": 40}},
    compact=_compact,
    draw=_draw,
    data=DATA,
    intervals=INTERVALS,
    claims=("rdk.logit-statistics",),
    shape=(4, 3),
    size=(9.6, 8.4),
    missing="the paper's sample of GPT-2 positions is not at hand; five recorded GPT-2 vectors stand below the banks",
)
