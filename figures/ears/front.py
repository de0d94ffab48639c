"""Acceptance over total variation of the output law: each rule's curve, and the most that any rule can have."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows

STYLE: dict[str, dict[str, Any]] = {  # hollow and of three sizes, so that rules on the same line are all seen
    "SD": {"marker": "*", "markersize": 11},
    "EARS": {"markersize": 9, "markerfacecolor": "none", "linestyle": ""},
    "lenience": {"markersize": 6, "markerfacecolor": "none", "linestyle": ""},
    "mixture": {"markersize": 4, "linestyle": ""},
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw every rule; nothing lies above the dashed line."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for at, name in enumerate(rows.of(panel).series()):
            curve(axes, rows.of(panel, name), place=at, **{"zorder": 3, **STYLE.get(name, {})})
        axes.set_title(panel)
        axes.set_xlabel("bias: total variation of output and target")
        axes.set_xlim(-0.02, 0.46)
        axes.set_ylim(0.48, 1.02)
    ax[0].set_ylabel("acceptance rate")
    ax[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
