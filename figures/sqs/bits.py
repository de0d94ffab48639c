"""Bits over the number of tokens kept: what is sent as marks, the formula as lines, the dense lattice across."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows

INKS = {"100": "#0072B2", "1000": "#D55E00"}
STYLE: dict[str, dict[str, Any]] = {  # hollow marks, so that the line is seen within them
    "sent": {"marker": "o", "linestyle": "", "markersize": 7, "markerfacecolor": "none"},
    "formula": {"marker": "", "linestyle": "-"},
    "dense": {"marker": "", "linestyle": ":"},
}
WORDS = {"sent": "sent by the codec", "formula": "formula", "dense": "dense lattice"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw one colour a resolution."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            kind, resolution = name.split(", ℓ = ")
            words = f"{WORDS[kind]}, ℓ = {int(resolution):,}"
            curve(axes, rows.of(panel, name), words, color=INKS[resolution], **STYLE[kind])
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(panel)
        axes.set_xlabel("tokens kept, K")
    ax[0].set_ylabel("bits of a draft law")
    ax[1].legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
