"""Tokens per target call of each drafter, one group of bars a task: own outputs above, a model's texts below."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import bars, guide
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw the bars of both ways to verify; one token per call is what no draft gives."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        bars(axes, own)
        axes.set_title(panel)
        guide(axes, (7.65, 7.65), (0, max(own.column("high"))), linestyle=":")
        axes.set_ylabel("tokens per target call")
        guide(axes, (-0.5, max(own.column("x")) + 0.5), (1, 1))
        axes.set_xlim(-0.5, max(own.column("x")) + 0.5)
    ax[0].legend(loc="upper center")
