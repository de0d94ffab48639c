"""Total variation of whole texts over their length, on a logarithmic scale: by rule, and one rule with its bounds."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

TITLES = {"rules": "by rule", "bounds": "EARS at β = 0.1 and what bounds it"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw the distance of the text laws over the number of tokens."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for at, name in enumerate(rows.of(panel).series()):
            bound: dict[str, Any] = (
                {"linestyle": "--", "marker": "", "color": str(0.3 + 0.15 * at)} if panel == "bounds" and at else {}
            )
            curve(axes, rows.of(panel, name), place=at + 1, **bound)
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(rows.column("x"))), [f"{x:g}" for x in sorted(set(rows.column("x")))])
        axes.set_title(TITLES[panel])
        axes.set_xlabel("tokens of the text")
        axes.set_ylim(-0.02, 1.02)
        labelled(axes)
    ax[0].set_ylabel("total variation of the text laws")
