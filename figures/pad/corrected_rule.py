"""Utility and speed of three rules with exact pivots, side by side for each family."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import bars, guide
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw bars by family; below zero the target's utility is lost."""
    for axes, panel, level in zip(ax, rows.panels(), (0, 1), strict=True):
        bars(axes, rows.of(panel))
        axes.tick_params(axis="x", labelsize=7.5, rotation=20)
        guide(axes, axes.get_xlim(), (level, level))
    ax[0].set_ylabel("utility less the target's, points")
    ax[1].set_ylabel("speed over speculative decoding's")
    ax[0].legend(loc="lower left")
