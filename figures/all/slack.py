"""Relative slack of every proved bound: where its instances lie, source by source, and the tightest that is known."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import GUIDE, points
from simspec.figures.table import Rows

_LOOKS = {
    "fractions": {"color": "#777777", "marker": "o", "markersize": 3.5},
    "synthetic logits": {"color": "#0072B2", "marker": "s", "markersize": 3.5},
    "real logits": {"color": "#D55E00", "marker": "D", "markersize": 3.5},
    "tightest instance": {"color": "#000000", "marker": "_", "markersize": 9, "markeredgewidth": 1.6},
}
_SIDE = {"fractions": -0.2, "synthetic logits": 0.0, "real logits": 0.2, "tightest instance": 0.0}


def draw(ax: Any, rows: Rows) -> None:
    """Draw a place for each claim, paper by paper, tight ones to the left."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name, look in _LOOKS.items():
            some = own.of(series=name)
            if some:
                points(axes, Rows(p._replace(x=p.x + _SIDE[name]) for p in some), **look)
        places = dict(zip(own.column("x"), own.column("label"), strict=True))
        papers, names = zip(*(name.split(".", 1) for name in places.values()), strict=True)
        axes.set_xticks(list(places), names, rotation=55, ha="right", rotation_mode="anchor", fontsize=7)
        axes.set_xlim(-0.7, max(places) + 0.7)
        for paper in dict.fromkeys(papers):
            first, last = papers.index(paper), len(papers) - 1 - papers[::-1].index(paper)
            axes.text((first + last) / 2, 1.03, paper.upper(), ha="center", va="bottom", fontsize=9, weight="bold")
            if first:
                axes.axvline(first - 0.5, color="0.5", linewidth=0.9).set_gid(GUIDE)
        axes.set_ylabel("relative slack")
        axes.set_ylim(-0.04, 1.12)
    ax[0].legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=4, borderaxespad=0.2)
