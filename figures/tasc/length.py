"""Factors by which outputs become shorter, over the number of new tokens."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, labelled, named
from simspec.figures.table import Rows

TASKS = {"code tags": "#0072B2", "docstrings": "#D55E00"}
LAST = 1000
"""New tokens at the right end."""
KINDS = {"held-out outputs": "-", "bytes per token": ":", "training outputs": "--"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw both tasks of the library in all their measures, then every recorded corpus."""
    left, right = rows.panels()
    for name in rows.of(left).series():
        task, kind = name.split(": ")
        width = 1.8 if kind == "held-out outputs" else 1.1
        curve(ax[0], rows.of(left, name), color=TASKS[task], linestyle=KINDS[kind], marker="", linewidth=width)
    for at, name in enumerate(rows.of(right).series()):
        own = rows.of(right, name)
        ended = own[-1].x < LAST  # its name stands at its end, not in the margin
        line = curve(ax[1], own, f"_{name}" if ended else name, place=at)
        if ended:
            named(ax[1], line, name, at=-1, xytext=(4, -12))
    for axes, panel in zip(ax, (left, right), strict=True):
        axes.set_title(panel)
        axes.set_xlabel("new tokens")
        axes.set_yscale("log")
        axes.set_xlim(-8, 1012)
        guide(axes, (0, 1000), (2.65, 2.65))
        axes.annotate(
            "printed, EUR-LEX",
            (990, 2.65),
            xytext=(0, 3),
            ha="right",
            textcoords="offset points",
            fontsize=8,
            color="0.35",
        )
    ax[0].set_yticks((1, 1.5, 2, 3, 4, 5, 6), ("1", "1.5", "2", "3", "4", "5", "6"))
    ax[1].set_yticks((1, 2, 3, 5, 10, 20), ("1", "2", "3", "5", "10", "20"))
    for axes in ax:
        axes.minorticks_off()
        labelled(axes)
    ax[0].set_ylabel("times shorter")
