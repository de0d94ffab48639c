"""Latency (above) and resampling (below) of schemes over temperature, on real and on synthetic laws."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, framed
from simspec.figures.table import Rows

STYLES = {
    "dense": ("dense", "#000000", "o", ":"),
    "K = 8": ("K-SQS, K = 8", "#8CC3E8", "s", "-"),
    "K = 32": ("K-SQS, K = 32", "#3D9AD1", "s", "-"),
    "K = 128": ("K-SQS, K = 128", "#00507D", "s", "-"),
    "C-SQS from 0.01": ("C-SQS, β₁ = 0.01", "#B88BC9", "D", "--"),
    "C-SQS from 0.001": ("C-SQS, β₁ = 0.001", "#5E3C99", "D", "--"),
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each quantity and kind of laws; K-SQS in blues, C-SQS in violets."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            words, ink, mark, dashes = STYLES[name]
            curve(axes, rows.of(panel, name), words, color=ink, marker=mark, linestyle=dashes)
        framed(axes, rows.of(panel), panel, "temperature")
    ax[0].set_ylabel("seconds per token")
    ax[-2].set_ylabel("resampled tokens per batch")
    ax[1].legend(loc="upper left", bbox_to_anchor=(1.01, 1))
