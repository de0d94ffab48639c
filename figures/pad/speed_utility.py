"""Utility gained on speculative decoding, in points, over speed: PAD's thresholds as a line, other rules as marks."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each difficulty; above the line is better than speculative decoding, right is faster."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for at, name in enumerate(rows.of(panel).series()):
            own = rows.of(panel, name)
            if name == "PAD":
                curve(axes, own)
                for p in (own[0], own[-1]):
                    axes.annotate(p.label, (p.x, p.y), fontsize=7, xytext=(3, 5), textcoords="offset points")
            else:
                line = curve(axes, own, place=at + 2, linestyle="", markersize=7)
                ends = [[own[0].y - own[0].low], [own[0].high - own[0].y]]
                axes.errorbar([own[0].x], [own[0].y], ends, fmt="none", ecolor=line.get_color(), elinewidth=0.9)
        guide(axes, axes.get_xlim(), (0, 0))
        axes.set_title(f"target {panel}")
        axes.set_xlabel("speed against the target alone")
    ax[0].set_ylabel("utility less speculative decoding's, points")
    ax[0].legend(loc="lower left")
