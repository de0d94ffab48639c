"""Tokens per target call over the weight of the corpus."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import GUIDE, curve, dots
from simspec.figures.table import Rows

INKS = {"own outputs": "#0072B2", "n-gram stand-in": "#D55E00"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw both ways to verify, and the range in which the paper finds the best weight."""
    *weights, corpora = rows.panels()
    for axes, panel in zip(ax[:2], weights, strict=True):
        for at, name in enumerate(rows.of(panel).series()):
            curve(axes, rows.of(panel, name), color=INKS[name], marker="os"[at])
        axes.axvspan(0.5, 0.75, color="0.93", zorder=0).set_gid(GUIDE)
        axes.set_title(panel)
        axes.set_xlabel("weight of the corpus, λ")
        axes.set_ylim(bottom=1)
    ax[0].legend(loc="lower right")
    for at, name in enumerate(rows.of(corpora).series()):
        own = rows.of(corpora, name)
        dots(ax[2], Rows(p._replace(x=p.x + 0.2 * (at - 1)) for p in own), name, markersize=5)
        ax[2].set_xticks(own.column("x"), own.column("label"), rotation=45, ha="right", fontsize=8)
    ax[2].set_title(corpora)
    ax[2].set_xlabel("task, at one weight each")
    ax[2].set_ylim(bottom=1)
    ax[2].legend(loc="upper right")
    ax[0].set_ylabel("tokens per target call")
