"""Mean dropped mass of three texts over the number of tokens, inside the certificate, at three step sizes."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide
from simspec.figures.table import Rows

INKS = ("#0072B2", "#009E73", "#CC79A7", "#000000", "#000000")


def draw(ax: Any, rows: Rows) -> None:
    """Draw texts as thin lines, both sides of the certificate dashed, the target as a guide."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name, ink in zip(rows.of(panel).series(), INKS, strict=True):
            dashes = "--" if name.startswith("certificate") else "-"
            curve(axes, rows.of(panel, name), color=ink, marker="", linestyle=dashes, linewidth=1)
        axes.set_xscale("log")
        guide(axes, axes.get_xlim(), (0.05, 0.05), linestyle=":")
        axes.set_ylim(-0.02, 1.02)
        axes.set_title(panel)
    for axes in ax[-3:]:
        axes.set_xlabel("tokens")
    for axes in (ax[0], ax[3]):
        axes.set_ylabel("mean dropped mass")
