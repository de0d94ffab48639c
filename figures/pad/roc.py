"""ROC of the pivot classifier on test problems, beside a network trained on shuffled labels."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each kind of problem; the diagonal is a guess."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name, ink, dashes in zip(rows.of(panel).series(), ("#CC79A7", "#777777"), ("-", ":"), strict=True):
            own = rows.of(panel, name)
            curve(axes, own, own[0].label, color=ink, marker="", linestyle=dashes)
        guide(axes, (0, 1), (0, 1))
        axes.set_title(f"target {panel}")
        axes.set_xlabel("other tokens called pivots")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize=8)
    ax[0].set_ylabel("pivots called pivots")
