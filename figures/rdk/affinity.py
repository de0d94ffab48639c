"""RDK, Figure 11: three affinity matrices as maps, how far each of their rows spreads, and how sparse they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.figures.marks import curve, curves, guide, spread
from simspec.figures.table import Rows

KINDS = ("probabilities", "logits", "tokens")
RANKS = (1, 10, 100, 1000, 10000)


def draw(ax: Any, rows: Rows) -> None:
    """Draw maps above, rows below, and on the right what share of entries and of rows is near zero."""
    for place, kind in enumerate(KINDS):
        shown = _map(ax[place], rows.of(f"{kind}: map"))
        ax[place].set_title(f"M, covariance of {kind}")
        _spread(ax[4 + place], rows.of(f"{kind}: rows"))
    bar = ax[2].figure.colorbar(shown, ax=ax[2], pad=0.02, ticks=[-2, -1, 0, 1, 2])
    bar.ax.set_yticklabels(["≤ 0.01", "0.1", "uniform", "10", "≥ 100"])
    bar.ax.set_title("entry × V", fontsize=8, loc="left", pad=9)
    ax[0].set_ylabel("from token of rank")
    ax[4].legend(loc="center right")
    ax[4].set_ylabel("tokens that a row spreads over")
    titles = {
        "entries near zero": "share of entries below 1/(10 V)",
        "sparse rows": "share of rows with 90 % such entries",
    }
    for axes, (panel, title) in zip((ax[3], ax[7]), titles.items(), strict=True):
        curves(axes, rows.of(panel))
        axes.set_xscale("log")
        axes.invert_xaxis()
        axes.set_ylim(-0.03, 1.03)
        axes.set_title(title)
        axes.set_xlabel("τ, share of the largest entry")
    guide(ax[3], [1, 1e-5], [0.9, 0.9])
    ax[3].legend(loc="center right", bbox_to_anchor=(1, 0.68))


def _map(axes: Any, own: Rows) -> Any:
    """Draw a map from the most frequent token, at the top left, to the rarest."""
    shown = spread(axes, own, cmap="cividis", vmin=-2, vmax=2, rasterized=True)
    logs = np.log10(sorted(set(own.column("x"))))
    ticks = [float(np.interp(np.log10(rank), logs, np.arange(len(logs)))) for rank in RANKS]
    axes.set_xticks(ticks, [f"{rank:,}" for rank in RANKS])
    axes.set_yticks(ticks, [f"{rank:,}" for rank in RANKS])
    axes.invert_yaxis()
    axes.grid(False)
    axes.set_xlabel("to token of rank")
    return shown


def _spread(axes: Any, own: Rows) -> None:
    """Draw over how many tokens the rows spread, darker where the temperature is lower."""
    inks = {"o": "0.72", "s": "0.45", "D": "0.0"}
    for (mark, ink), name in zip(inks.items(), own.series(), strict=True):
        curve(axes, own.of(series=name), color=ink, marker=mark, markersize=3, linestyle="")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rank of the token")
