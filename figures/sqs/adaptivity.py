"""Latency (above) and resampling (below) of adaptive and held thresholds over temperature."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, framed
from simspec.figures.table import Rows

INKS = {"0.1": "#D55E00", "0.01": "#0072B2", "0.001": "#009E73"}


def draw(ax: Any, rows: Rows) -> None:
    """Draw one colour a threshold; solid where it adapts, dotted where it is held."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            dashes, mark = ("-", "D") if name.startswith("adaptive") else (":", "o")
            curve(axes, rows.of(panel, name), color=INKS[name.split(" = ")[1]], marker=mark, linestyle=dashes)
        framed(axes, rows.of(panel), panel, "temperature")
    ax[0].set_ylabel("seconds per token")
    ax[-2].set_ylabel("resampled tokens per batch")
    ax[1].legend(loc="upper left", bbox_to_anchor=(1.01, 1))
