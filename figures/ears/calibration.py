"""Each context's uncertainty by two cheap signals over its entropy, and how well they rank."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows


def draw(ax: Any, rows: Rows) -> None:
    """Draw a mark for each context, one colour a signal, and its rank correlation in the legend."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for at, (name, ink) in enumerate(zip(rows.of(panel).series(), ("#0072B2", "#D55E00"), strict=True)):
            own = rows.of(panel, name)
            style: dict[str, Any] = {"color": ink, "marker": "o^"[at], "linestyle": "", "markersize": 2.5, "alpha": 0.6}
            curve(axes, own, f"{name}: {own[0].label}", **style)
        axes.set_title(panel)
        axes.set_xlabel("entropy of the target's law, nats")
        axes.legend(loc="lower right", markerscale=2)
    ax[0].set_ylabel("signal")
