"""Latency (above) and resampling (below) of schemes over temperature, on real and on synthetic laws."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

STYLES = {
    "dense": ("#000000", "o", ":"),
    "K = 8": ("#BFD9EC", "s", "-"),
    "K = 32": ("#56B4E9", "s", "-"),
    "K = 128": ("#0072B2", "s", "-"),
    "C-SQS from 0.01": ("#D9A5C7", "D", "--"),
    "C-SQS from 0.001": ("#5E3C99", "D", "--"),
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each quantity and kind of laws; K-SQS in blues, C-SQS in violets."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            ink, mark, dashes = STYLES[name]
            curve(axes, rows.of(panel, name), color=ink, marker=mark, linestyle=dashes)
        axes.set_title(panel)
        axes.set_xlabel("temperature")
        axes.set_ylim(bottom=0)
        labelled(axes)
    ax[0].set_ylabel("seconds per token")
    ax[-2].set_ylabel("resampled tokens per batch")
