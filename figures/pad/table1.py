"""Printed speed-ups over printed shares, and the formula's lines."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw the formula's lines in greys, the printed points in colour."""
    for at, name in enumerate(rows.series()):
        if name.startswith("γ"):
            curve(ax, rows.of(series=name), color=str(0.75 - 0.13 * at), marker="")
    labelled(ax)
    for name, ink, mark in zip(rows.series()[-3:], ("#0072B2", "#D55E00", "#009E73"), "osD", strict=True):
        curve(ax, rows.of(series=name), color=ink, marker=mark, linestyle="", markersize=6)
    ax.legend(handles=ax.get_lines()[-3:], loc="upper left")
    ax.set_xlabel("share of drafts accepted, η")
    ax.set_ylabel("speed-up S")
