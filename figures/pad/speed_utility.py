"""Utility gained on speculative decoding, in points, over speed: PAD's thresholds as a line, other rules as marks."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide
from simspec.figures.table import Rows

STYLE: dict[str, dict[str, Any]] = {  # hollow and of several sizes, so that rules beside one another are all seen
    "SD": {"marker": "*", "color": "#000000", "markersize": 9},
    "random flags": {"marker": "X", "color": "#777777", "markersize": 6},
    "EARS": {"marker": "o", "color": "#0072B2", "markersize": 10, "markerfacecolor": "none"},
    "exact pivots, as printed": {"marker": "v", "color": "#D55E00", "markersize": 10, "markerfacecolor": "none"},
    "exact pivots, corrected": {"marker": "^", "color": "#009E73", "markersize": 6},
    "strict rule": {"marker": "D", "color": "#5E3C99", "markersize": 6},
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each difficulty; above the line is better than speculative decoding, right is faster."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            own = rows.of(panel, name)
            if name == "PAD":
                curve(axes, own, label="PAD, by its threshold σ")
                for p in (own[3], own[5], own[-1]):
                    axes.annotate(p.label, (p.x, p.y), fontsize=7.5, xytext=(4, 4), textcoords="offset points")
            else:
                line = curve(axes, own, linestyle="", **STYLE[name])
                ends = [[own[0].y - own[0].low], [own[0].high - own[0].y]]
                axes.errorbar([own[0].x], [own[0].y], ends, fmt="none", ecolor=line.get_color(), elinewidth=0.9)
        guide(axes, axes.get_xlim(), (0, 0))
        axes.set_title(f"target {panel}")
        axes.set_xlabel("speed against the target alone")
    ax[0].set_ylabel("utility less speculative decoding's, points")
    ax[1].legend(loc="upper right")
    ax[0].text(0.97, 0.97, "σ: what the classifier's score must pass\nfor a token to be called a pivot",
               transform=ax[0].transAxes, fontsize=8, color="0.35", ha="right", va="top")  # fmt: skip
