"""Bits over the number of tokens kept: what is sent as marks, the formula as lines, the dense lattice across."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

INKS = {"100": "#0072B2", "1000": "#D55E00"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw one colour a resolution."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            kind, resolution = name.split(", ℓ = ")
            mark, dashes = {"sent": ("o", ""), "formula": ("", "-"), "dense": ("", ":")}[kind]
            named: dict[str, Any] = {} if kind != "formula" else {"label": "_formula"}
            curve(axes, rows.of(panel, name), color=INKS[resolution], marker=mark, linestyle=dashes, **named)
        axes.set_xscale("log", base=2)
        axes.set_yscale("log")
        axes.set_title(panel)
        axes.set_xlabel("tokens kept, K")
        labelled(axes)
    ax[0].set_ylabel("bits of a draft law")
