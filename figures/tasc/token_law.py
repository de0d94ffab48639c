"""Masses of tokens over their rank, both on logarithmic axes."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows

INKS = {"before": "#777777", "500 more tokens": "#56B4E9", "1,000 more tokens": "#0072B2"}
DASHES = {"before": "--", "500 more tokens": "-", "1,000 more tokens": "-"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw the law before and after, task by task."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.of(panel).series():
            curve(axes, rows.of(panel, name), color=INKS[name], linestyle=DASHES[name], marker="")
        axes.set_title(panel)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("rank of the token")
        axes.set_ylim(1e-5, 1)
    ax[0].set_ylabel("share of the text")
    ax[1].legend(loc="upper right")
