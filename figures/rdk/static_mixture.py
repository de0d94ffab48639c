"""Gain in acceptance over TLI against the share of tokens kept, a panel for each bank."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, labelled
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw every scheme's gain with its interval; nothing is gained on the line at zero."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            look = {"color": "black", "marker": "", "linestyle": "--"} if name == "static, ceiling" else {}
            curve(axes, own.of(series=name), **look)
        axes.set_xscale("log")
        axes.invert_xaxis()
        guide(axes, [max(own.column("x")), min(own.column("x"))], [0, 0])
        axes.annotate(
            "TLI", (max(own.column("x")), 0), xytext=(24, -10), textcoords="offset points", fontsize=8, color="0.35"
        )
        axes.set_xticks([25, 5, 1, 0.25], ["25", "5", "1", "0.25"])
        axes.minorticks_off()
        axes.set_xlabel("tokens kept, %")
        axes.set_title(panel)
        labelled(axes, 0.06)
    ax[0].set_ylabel("acceptance rate less TLI's")
