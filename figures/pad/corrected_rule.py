"""Utility and speed of both ways to judge a draft with exact pivots, the strict rule beside them as hollow marks."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import bars, dots, guide
from simspec.figures.table import Rows

FAMILIES = {
    "answer": "answer\nin steps",
    "needle": "few tokens\nmatter",
    "recoverable": "errors can\nbe mended",
    "counting": "a count\ndecides",
    "random": "random\nautomaton",
    "counterexample": "COUNTER-\nEXAMPLE",
}
STRICT = "strict rule"


def draw(ax: Any, rows: Rows) -> None:
    """Draw bars by family; below zero the target's utility is lost."""
    for axes, panel, level in zip(ax, rows.panels(), (0, 1), strict=True):
        own = Rows(p._replace(label=FAMILIES[p.label]) for p in rows.of(panel))
        bars(axes, Rows(p for p in own if p.series != STRICT))
        dots(axes, own.of(series=STRICT), color="#000000", marker="D", markersize=5, markerfacecolor="white", zorder=4)
        axes.tick_params(axis="x", labelsize=7.5)
        guide(axes, (-0.6, 5.6), (level, level), linestyle="-", color="0.3")
        guide(axes, (4.5, 4.5), axes.get_ylim(), linestyle=":")
        axes.set_xlim(-0.6, 5.6)
    lost = next(p for p in rows.of("utility") if p.label == "counterexample")
    ax[0].annotate(f"{-lost.y:g} points\nlost", (lost.x - 0.45, lost.y), fontsize=9, color="#0072B2",
                   fontweight="bold", ha="right", va="bottom")  # fmt: skip
    ax[0].set_ylabel("utility less the target's, points")
    ax[1].set_ylabel("speed over speculative decoding's")
    ax[0].legend(loc="upper left", bbox_to_anchor=(0.0, 1.02))
