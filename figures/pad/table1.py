"""Printed speed-ups over printed shares, and the formula's lines."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

STYLES: tuple[dict[str, Any], ...] = (  # hollow and of several sizes, so that marks on the same place are all seen
    {"color": "#0072B2", "marker": "o", "markersize": 10, "markeredgewidth": 1.3},
    {"color": "#D55E00", "marker": "s", "markersize": 6, "markeredgewidth": 1.3},
    {"color": "#009E73", "marker": "D", "markersize": 7, "markeredgewidth": 1.3},
)


def draw(ax: Any, rows: Rows) -> None:
    """Draw the formula's lines in greys, the printed points in colour."""
    for at, name in enumerate(rows.series()):
        if name.startswith("γ"):
            curve(ax, rows.of(series=name), color=str(0.75 - 0.13 * at), marker="")
    labelled(ax)
    for name, style in zip(rows.series()[-3:], STYLES, strict=True):
        curve(ax, rows.of(series=name), linestyle="", markerfacecolor="none", **style)
    ax.legend(handles=ax.get_lines()[-3:], loc="upper left")
    ax.set_xlabel("share of drafts accepted, η")
    ax.set_ylabel("speed-up S")
