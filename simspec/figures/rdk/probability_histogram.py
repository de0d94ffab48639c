"""RDK, Figure 4: histograms of each position's mean, standard deviation, least and largest probability."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.checks import needs
from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.rdk.statistics import DATA, INTERVALS, histogram, rounded, study
from simspec.figures.table import Point, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PROBABILITY_HISTOGRAM"]

_PROBABILITIES = {  # title: measure, width of a bin in decades
    "mean probability": ("probability mean", 0.125),
    "standard deviation": ("probability sd", 0.125),
    "least probability": ("probability min", 0.5),
    "largest probability": ("probability max", 0.125),
}


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for title, (measure, step) in _PROBABILITIES.items():
        for result in results:
            name = result.cell["bank"]
            logs = np.log10(result.values[measure])
            low, high = rounded(logs, step)
            edges = np.linspace(low, high, round((high - low) / step) + 1)
            made = histogram(title, name, logs, result.values["document"], edges)
            yield from (p._replace(x=10.0**p.x) for p in made)


NAMES = {"smollm2": "SmolLM2", "wiki": "wiki", "stories": "stories", "gpt2": "GPT-2, five vectors"}
PRINTED = {"standard deviation": (1e-3, 4e-3), "largest probability": (0.2, 1)}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw all banks in each panel, over the logarithm of the probability; what the paper says is marked."""
    (ticker,) = needs("drawing", "matplotlib.ticker")
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.series():
            dashes = "--" if name == "gpt2" else "-"  # its mean lies on SmolLM2's, as both have about 50,000 tokens
            marks.steps(axes, rows.of(panel, name), NAMES[name], color=marks.colour(name)[0], linestyle=dashes)
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(ticker.NullFormatter())
        axes.set_ylim(0, 1.12 * max(rows.of(panel).column("y")))
        low, high = PRINTED.get(panel, (0, 0))
        for edge in PRINTED.get(panel, ()):
            marks.guide(axes, [edge, edge], [0, axes.get_ylim()[1]])
        axes.set_title(panel + f" (printed: {low:g} to {high:g})" * (high > 0))
        if axes is ax[0]:
            axes.set_title("mean probability: 1/V, whatever the model")
            axes.legend(loc="center", bbox_to_anchor=(0.66, 0.5))
    for axes in ax[::2]:
        axes.set_ylabel("share of positions")
    for axes in ax[2:]:
        axes.set_xlabel("probability")


PROBABILITY_HISTOGRAM = Figure(
    name="rdk.probability-histogram",
    title="Probabilities of a position span many orders of magnitude; only their mean is fixed",
    source="RDK, Figure 4",
    study=study,
    sizes={"quick": {"contexts": 40}},
    compact=_compact,
    draw=_draw,
    data=DATA,
    intervals=INTERVALS,
    claims=("rdk.logit-statistics",),
    shape=(2, 2),
    size=(9.6, 5.8),
    missing="the paper's sample of GPT-2 positions is not at hand; five recorded GPT-2 vectors stand beside the banks",
)
