"""RDK, Figure 1: share of the occurrences over the share of the vocabulary, most frequent tokens first."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.figures.marks import curves, guide
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw both rankings and the mean law of each bank, on the scale that shows the head."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        curves(axes, rows.of(panel), markersize=3)
        even = np.geomspace(1e-3, 1, 60).tolist()
        guide(axes, even, even)
        axes.annotate("all equally frequent", (0.13, 0.14), color="0.35", fontsize=8, ha="right")
        guide(axes, [1e-3, 1], [0.95, 0.95], linestyle=":")
        guide(axes, [0.126], [0.95], marker="*", markersize=11, color="0.2", linestyle="", zorder=5)
        axes.set_xscale("log")
        axes.set_xticks([1e-3, 1e-2, 1e-1, 1], ["0.1 %", "1 %", "10 %", "100 %"])
        axes.set_title(panel)
        axes.set_xlabel("most frequent share of the vocabulary")
        axes.set_ylim(-0.02, 1.04)
    ax[0].annotate("the paper: 12.6 % carry 95 %", (0.1, 0.97), fontsize=8, color="0.2", ha="right")
    ax[1].legend(loc="upper left", bbox_to_anchor=(0, 0.92))
    ax[0].set_ylabel("share of the occurrences")
