"""Normalised entropy before and after enrichment, one place a task; outputs left, inputs right."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import dots, guide
from simspec.figures.table import Rows

STYLE: dict[str, dict[str, Any]] = {
    "before": {"color": "#777777", "marker": "s"},
    "500 more tokens": {"color": "#56B4E9", "marker": "D"},
    "1,000 more tokens": {"color": "#0072B2", "marker": "o"},
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw each task's step from before to after, on one scale."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            dots(axes, own.of(series=name), markersize=5.5, **STYLE[name])
        places = {p.x: p.label for p in own}
        for x in places:
            heights = [p.y for p in own if p.x == x]
            guide(axes, (x, x), (min(heights), max(heights)), linestyle="-")
        axes.set_xticks(sorted(places), [places[x] for x in sorted(places)], rotation=45, ha="right", fontsize=8)
        axes.set_title(f"tokens of {panel}")
        axes.set_ylim(0.25, 0.92)
        if max(places) > 8:
            guide(axes, (7.75, 7.75), (0.25, 0.92), linestyle=":")
    ax[0].set_ylabel("entropy / log V")
    ax[1].legend(loc="upper right")
