"""RDK, Figure 7: a panel for each law of the logits, acceptance over the tokens that are kept, few to the right."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, curves, guide, labelled
from simspec.figures.table import Rows

_BELOW = ("no transfer", "uniform", "unigram")


def draw(ax: Any, rows: Rows) -> None:
    """Draw the controls as broad bands of grey, so that what lies on them is seen to do so, and the schemes on top."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in _BELOW:
            curve(axes, own.of(series=name), linewidth=6, alpha=0.35, marker="", linestyle="-")
        curves(axes, Rows(p for p in own if p.series not in _BELOW))
        axes.set_xscale("log")
        axes.invert_xaxis()
        axes.set_title(panel)
        axes.set_ylim(-0.03, 1.03)
        labelled(axes, 0.07)
    guide(ax[1], [200, 2e5], [0.267, 0.267])
    ax[1].annotate("printed: 26.7 %", (3e4, 0.267), xytext=(0, 7), textcoords="offset points", color="0.35", fontsize=8)
    for axes in ax[3:]:
        axes.set_xlabel("tokens kept of 200,000")
    for axes in (ax[0], ax[3]):
        axes.set_ylabel("acceptance rate")
