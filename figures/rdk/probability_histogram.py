"""RDK, Figure 4: histograms of each position's mean, standard deviation, least and largest probability."""

from __future__ import annotations

from typing import Any

from matplotlib.ticker import NullFormatter

from simspec.figures.marks import guide, named, steps
from simspec.figures.table import Rows

NAMES = {"wiki": "wiki", "stories": "stories", "gpt2": "GPT-2, five vectors"}
PRINTED = {"standard deviation": (1e-3, 4e-3), "largest probability": (0.2, 1)}


def draw(ax: Any, rows: Rows) -> None:
    """Draw all banks in each panel, over the logarithm of the probability; what the paper says is marked."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        lines = [steps(axes, rows.of(panel, name), place=place) for place, name in enumerate(rows.series())]
        axes.set_xscale("log")
        axes.xaxis.set_minor_formatter(NullFormatter())
        axes.set_ylim(0, 1.12 * max(rows.of(panel).column("y")))
        low, high = PRINTED.get(panel, (0, 0))
        for edge in PRINTED.get(panel, ()):
            guide(axes, [edge, edge], [0, axes.get_ylim()[1]])
        axes.set_title(panel + f" (printed: {low:g} to {high:g})" * (high > 0))
        if axes is ax[0]:
            axes.set_title("mean probability: 1/V, whatever the model")
            for line in lines:
                named(axes, line, NAMES[line.get_label()])
    for axes in ax[::2]:
        axes.set_ylabel("share of positions")
    for axes in ax[2:]:
        axes.set_xlabel("probability")
