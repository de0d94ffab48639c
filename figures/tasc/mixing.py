"""Tokens per target call over the weight of the corpus."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import GUIDE, curve, labelled
from simspec.figures.table import Rows

INKS = {"own outputs": "#0072B2", "stand-in": "#D55E00"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw both ways to verify, and the range in which the paper finds the best weight."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for at, name in enumerate(rows.of(panel).series()):
            curve(axes, rows.of(panel, name), color=INKS[name], marker="os"[at])
        axes.axvspan(0.5, 0.75, color="0.93", zorder=0).set_gid(GUIDE)
        axes.set_title(panel)
        axes.set_xlabel("weight of the corpus, λ")
        axes.set_ylim(bottom=1)
        labelled(axes)
    ax[0].set_ylabel("tokens per target call")
