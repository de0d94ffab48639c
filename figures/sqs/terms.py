"""The three terms of the bound stacked, and the measured rejections as marks, over the number of tokens kept."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import guide
from simspec.figures.table import Rows

INKS = ("#BBBBBB", "#56B4E9", "#E69F00")


def draw(ax: Any, rows: Rows) -> None:
    """Draw each term on top of the one before; a height above 1 says nothing."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        *terms, measured = rows.of(panel).series()
        below = [0.0] * len(rows.of(panel, measured))
        for name, ink in zip(terms, INKS, strict=True):
            own = rows.of(panel, name)
            axes.bar(own.column("x"), own.column("y"), 0.7, bottom=below, color=ink, label=name)
            below = [b + p.y for b, p in zip(below, own, strict=True)]
        own = rows.of(panel, measured)
        ends = [[p.y - p.low for p in own], [p.high - p.y for p in own]]
        axes.errorbar(own.column("x"), own.column("y"), ends, fmt="D", color="#000000", capsize=3, label=measured)
        guide(axes, (-0.45, 4.45), (1, 1), color="0.2", zorder=3)
        axes.annotate("a bound above 1 says nothing", (3.55, 1), fontsize=8, color="0.2", ha="right", xytext=(0, 3),
                      textcoords="offset points", bbox={"color": "white", "alpha": 0.75, "pad": 0.5})  # fmt: skip
        axes.set_xticks(own.column("x"), own.column("label"))
        axes.set_title(panel)
        axes.set_xlabel("tokens kept, K")
        axes.set_ylim(0, 2)
    ax[0].set_ylabel("probability of a rejection, and its bound")
    ax[0].legend(loc="upper left")
