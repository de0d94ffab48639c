"""Both errors of a label over the number of rollouts, on a logarithmic scale."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, named
from simspec.figures.table import Rows

INKS = ("#D55E00", "#0072B2", "#009E73")
LABELS = {"U = 0.3": (5, (7, 4)), "U = 0.5": (4, (-40, -16)), "U = 0.9": (2, (-44, -16))}
"""At which point of its line a name stands, and how far from it: where the lines are apart."""
TITLES = {"false alarm": "no drop of U, called a pivot", "miss": "drop of U by 20 %, not called a pivot"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw exact errors as lines, simulated ones as marks with whiskers; the paper's N = 20 and the level 5 % as guides."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        exact = [name for name in rows.of(panel).series() if "simulated" not in name]
        for name, ink in zip(exact, INKS, strict=True):
            line = curve(axes, rows.of(panel, name), color=ink, marker="", linestyle="-")
            at, beside = LABELS[name]
            named(axes, line, at=at, xytext=beside, fontsize=9)
        axes.set_xscale("log")
        for name, ink in zip(exact, INKS, strict=True):
            own = rows.of(panel, f"{name}, simulated")
            ends = [[p.y - p.low for p in own], [p.high - p.y for p in own]]
            axes.errorbar(own.column("x"), own.column("y"), ends, fmt="o", color=ink, markersize=3, elinewidth=0.9)
        guide(axes, (5, 1200), (0.05, 0.05))
        axes.annotate("5 %", (5, 0.05), fontsize=8, color="0.35", xytext=(0, 3), textcoords="offset points")
        guide(axes, (20, 20), (0, 0.6))
        axes.annotate("the paper's N = 20", (20, 0.585), fontsize=8, color="0.35", xytext=(3, 0), va="top",
                      textcoords="offset points")  # fmt: skip
        axes.set_title(TITLES[panel])
        axes.set_xlabel("rollouts N")
        axes.set_ylim(0, 0.6)
    ax[0].set_ylabel("probability of a wrong label")
    ax[1].text(0.98, 0.86, "U: share of the target's\nrollouts that end right", transform=ax[1].transAxes, fontsize=8,
               color="0.35", ha="right", va="top")  # fmt: skip
