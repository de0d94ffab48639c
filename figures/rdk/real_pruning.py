"""RDK, Appendix C.4: a panel for each bank and order of pruning, three levels of pruning for each scheme."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, dots, guide
from simspec.figures.table import Rows

BANKS = ("wiki", "stories")
ORDERS = {
    "frequency": "most frequent tokens kept",
    "random": "random tokens kept",
    "worst": "least frequent tokens kept",
}
EDGES = {"TLI and RDK": -0.5, "controls": 4.5, "fixed laws": 7.5}
"""Where each kind of scheme begins."""


def draw(ax: Any, rows: Rows) -> None:
    """Draw every scheme as three marks, the most pruned at the right, below the acceptance of the unpruned drafter."""
    panels = [f"{bank}: {order}" for bank in BANKS for order in ORDERS]
    for axes, panel in zip(ax, panels, strict=True):
        own = rows.of(panel)
        axes.set_visible(bool(own))
        if own:
            _panel(axes, own)
            bank, order = panel.split(": ")
            axes.set_title(f"{bank}: {ORDERS[order]}")
    for axes in ax[:3]:
        axes.tick_params(axis="x", labelbottom=False)
    for axes in ax[::3]:
        axes.set_ylabel("acceptance rate")
    levels = ", ".join(p.label for p in rows.of(panels[0], "TLI"))
    ax[0].text(
        0.98, 0.05, f"left to right: {levels} kept", transform=ax[0].transAxes, fontsize=8, color="0.3", ha="right"
    )


def _panel(axes: Any, own: Rows) -> None:
    schemes = [name for name in own.series() if name != "unpruned"]
    curve(axes, own.of(series="unpruned"), linewidth=1)
    for place, name in enumerate(schemes):
        dots(axes, own.of(series=name), place=place, linestyle="-", linewidth=0.8)
    top = 1.16 * max(own.column("high"))
    axes.set_ylim(0, top)
    axes.set_xlim(-0.5, len(schemes) - 0.5)
    axes.set_xticks(range(len(schemes)), schemes, rotation=40, ha="right", rotation_mode="anchor")
    for word, edge in EDGES.items():
        if edge > 0:
            guide(axes, [edge, edge], [0, top], linestyle="-", color="0.8")
        axes.annotate(word, (edge + 0.08, 0.985 * top), fontsize=7.5, color="0.35", va="top")
    level = own.of(series="unpruned")[0]
    axes.annotate("unpruned draft", (4.55, level.high), xytext=(0, 2), textcoords="offset points", fontsize=8)
    axes.grid(axis="x", visible=False)
