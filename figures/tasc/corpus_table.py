"""Entropy and coverage of bigrams, inputs beside outputs, one place a task."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import dots, guide
from simspec.figures.table import Rows

INKS = {"inputs": "#777777", "outputs": "#0072B2"}
MARKS = {"inputs": "s", "outputs": "o"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw the step from inputs to outputs; pale marks are samples of unequal size, crosses what is printed."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            side = name.split(",")[0]
            style: dict[str, Any] = {"color": INKS[side], "marker": MARKS[side], "markersize": 6, "label": name}
            points = own.of(series=name)
            if "printed" in name:
                style |= {"marker": "x", "markersize": 6, "markeredgewidth": 1.6}
                points = Rows(p._replace(x=p.x + 0.2) for p in points)
            elif "," in name:
                style |= {"alpha": 0.35, "markersize": 4}
            dots(axes, points, **style)
        for one, two in zip(own.of(series="inputs"), own.of(series="outputs"), strict=True):
            guide(axes, (one.x, two.x), (one.y, two.y), linestyle="-")
        places = {p.x: p.label for p in own}
        axes.set_xticks(sorted(places), [places[x] for x in sorted(places)], rotation=45, ha="right", fontsize=8)
        axes.set_ylabel(panel)
    ax[1].set_yscale("log")
    ax[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
