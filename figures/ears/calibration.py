"""Each context's uncertainty by two cheap signals over its entropy, and how well they rank."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve
from simspec.figures.table import Rows

SIGNALS = {"one minus max": "1 − max p", "variance": "1 − Σ p²"}
INKS = ("#0072B2", "#D55E00")


def draw(ax: Any, rows: Rows) -> None:
    """Draw a mark for each context, one colour a signal, and its rank correlation in the legend."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for at, (name, words) in enumerate(SIGNALS.items()):
            own = rows.of(panel, name)
            style: dict[str, Any] = {"linestyle": "", "markersize": 2.5, "alpha": 0.6}
            curve(axes, own, f"{words}: {own[0].label}", color=INKS[at], marker="o^"[at], **style)
        axes.set_title(panel)
        axes.set_xlabel("entropy of the target's law, nats")
        axes.set_ylim(0, 1.02)
        axes.legend(loc="lower right", markerscale=2)
    ax[0].set_ylabel("signal of uncertainty")
