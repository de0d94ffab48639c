"""Both errors of a label over the number of rollouts, on a logarithmic scale."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, labelled
from simspec.figures.table import Rows

INKS = ("#D55E00", "#0072B2", "#009E73")


def draw(ax: Any, rows: Rows) -> None:
    """Draw exact errors as lines, simulated ones as marks with whiskers; the paper's N = 20 and the level 5 % as guides."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        exact = [name for name in rows.of(panel).series() if "simulated" not in name]
        for name, ink in zip(exact, INKS, strict=True):
            curve(axes, rows.of(panel, name), color=ink, marker="", linestyle="-")
        axes.set_xscale("log")
        labelled(axes)
        for name, ink in zip(exact, INKS, strict=True):
            own = rows.of(panel, f"{name}, simulated")
            ends = [[p.y - p.low for p in own], [p.high - p.y for p in own]]
            axes.errorbar(own.column("x"), own.column("y"), ends, fmt="o", color=ink, markersize=3, elinewidth=0.9)
        guide(axes, (5, 1200), (0.05, 0.05))
        axes.annotate("5 %", (5, 0.05), fontsize=7, color="0.35", xytext=(0, 3), textcoords="offset points")
        guide(axes, (20, 20), (0, 0.5))
        axes.annotate("N = 20", (20, 0.49), fontsize=7, color="0.35", xytext=(3, 0), textcoords="offset points")
        axes.set_title({"false alarm": "no drop, called a pivot", "miss": "drop of 20 %, not called a pivot"}[panel])
        axes.set_xlabel("rollouts N")
        axes.set_ylim(0, 0.5)
    ax[0].set_ylabel("probability of a wrong label")
