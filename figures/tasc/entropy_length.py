"""Held-out length over entropy as tokens are added, and how well each predictor ranks the lengths."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, dots, guide
from simspec.figures.table import Rows

INKS = {"2-Rényi entropy": "#0072B2", "Shannon entropy": "#D55E00", "the number of new tokens alone": "#000000"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw both tasks' paths from no new token (left, 1) to 1,000, then Kendall's τ by task."""
    *paths, ranks = rows.panels()
    for axes, panel in zip(ax[:2], paths, strict=True):
        for name in rows.of(panel).series():
            ink = "#0072B2" if name.startswith("H₂") else "#D55E00"
            dashes = "-" if name.endswith("4") else ":"
            curve(axes, rows.of(panel, name), color=ink, linestyle=dashes, marker="o", markersize=2.5)
        axes.set_title(panel)
        axes.set_xlabel("entropy of the training outputs' tokens, nats")
    ax[0].legend(loc="upper right")
    ax[0].set_ylabel("held-out length, as a share of that before")
    for at, (name, ink) in enumerate(INKS.items()):
        own = rows.of(ranks, name)
        shifted = Rows(p._replace(x=p.x + 0.22 * (at - 1)) for p in own)
        dots(ax[2], shifted, color=ink, marker="os^"[at], markersize=4.5)
        ax[2].set_xticks(own.column("x"), own.column("label"), rotation=45, ha="right", fontsize=8)
    ax[2].set_title(ranks)
    guide(ax[2], (-0.4, 7.4), (-0.964, -0.964))
    ax[2].legend(loc="upper right")
