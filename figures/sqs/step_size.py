"""Latency (above) and resampling (below) of C-SQS over its step size, one curve a temperature, cold to hot."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows

INKS = ("#2166AC", "#67A9CF", "#9AA9B5", "#E7A97B", "#EF8A62", "#B2182B")


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each quantity and kind of laws."""
    order = sorted(rows.panels(), key=lambda panel: not panel.startswith("latency"))
    for axes, panel in zip(ax, order, strict=False):
        for name, ink in zip(rows.of(panel).series(), INKS, strict=False):
            curve(axes, rows.of(panel, name), color=ink, marker="o", linestyle="-")
        axes.set_xscale("log")
        axes.set_title(panel)
        axes.set_xlabel("step size η")
        latency = panel.startswith("latency")
        axes.set_ylim(bottom=0 if latency else min(rows.of(panel).column("low")) - 0.02)
        axes.set_ylabel("seconds per token" if latency else "resampled tokens per batch")
    ax[1].legend(loc="upper left", bbox_to_anchor=(1.01, 1), title="temperature")
