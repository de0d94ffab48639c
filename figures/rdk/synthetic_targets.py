"""RDK, Figure 5: probability over rank, both on logarithmic axes, a panel for each law of the logits."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, labelled
from simspec.figures.table import Rows

_LOOKS = {
    "real laws": {"color": "#7F4F24", "linestyle": "-.", "marker": ""},
    "drawn": {"color": "#000000", "linestyle": "-", "marker": ""},
    "family": {"color": "#E69F00", "linestyle": ":", "marker": ""},
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw the median of the laws with the range of most of them, and the family's quantiles."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            curve(axes, own.of(series=name), **_LOOKS[name])
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(1e-12, 2)
        guide(axes, [1, 2e5], [5e-6, 5e-6])
        axes.set_title(f"Student-t logits, {panel}")
        axes.set_xlabel("rank of the token")
        labelled(axes, 0.07)
    ax[0].annotate("uniform", (1.3, 5e-6), xytext=(0, -10), textcoords="offset points", color="0.35", fontsize=8)
    ax[0].set_ylabel("probability")
