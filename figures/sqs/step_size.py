"""Latency (above) and resampling (below) of C-SQS over its step size, one curve a temperature, cold to hot."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import WARMTH, curve, framed
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each quantity and kind of laws."""
    order = sorted(rows.panels(), key=lambda panel: not panel.startswith("latency"))
    for axes, panel in zip(ax, order, strict=False):
        for name, ink in zip(rows.of(panel).series(), WARMTH, strict=False):
            curve(axes, rows.of(panel, name), color=ink, marker="o", linestyle="-")
        axes.set_xscale("log")
        framed(axes, rows.of(panel), panel, "step size η")
        axes.set_ylabel("seconds per token" if panel.startswith("latency") else "resampled tokens per batch")
    ax[1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), title="temperature")
