"""RDK, Figure 7: a panel for each law of the logits, acceptance over the share of the vocabulary that is pruned."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curves, labelled
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw every scheme's acceptance, panel by panel, on a scale that shows the last percent of pruning."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        curves(axes, rows.of(panel))
        axes.set_title(f"Student-t logits, {panel}")
        axes.set_xlabel("share of the vocabulary pruned")
        axes.set_ylim(-0.02, 1.02)
        labelled(axes)
    ax[0].set_ylabel("acceptance rate")
