"""Acceptance by position of the draft: given all before, and of all calls."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows

STYLE: dict[str, dict[str, Any]] = {
    "once all before were accepted": {"color": "#0072B2", "marker": "o"},
    "of all calls": {"color": "#777777", "marker": "s", "linestyle": "--"},
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw both shares on one scale, task by task and way by way."""
    for axes, panel in zip(ax, [*rows.panels(), *[""] * (len(ax) - len(rows.panels()))], strict=True):
        for name in rows.of(panel).series():
            curve(axes, rows.of(panel, name), **STYLE[name])
        axes.set_title(panel)
        axes.set_ylim(0, 1)
        axes.set_xlim(0.8, 8.2)
        axes.set_xlabel("position of the draft")
    ax[0].set_ylabel("share accepted")
    ax[0].legend(loc="upper right")
    ax[1].text(0.97, 0.97, "calls that get far are a\nselection of the easier ones", transform=ax[1].transAxes, fontsize=8,
               color="0.35", ha="right", va="top")  # fmt: skip
