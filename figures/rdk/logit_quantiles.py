"""RDK, Figures 3 and 8: observed over fitted quantiles of the logits, and below them what was fitted."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, guide, titled
from simspec.figures.table import Rows

NAMES = {"gpt2": "GPT-2", "Gaussian logits": "control"}
TITLES = {
    "wiki": "wiki",
    "stories": "stories",
    "gpt2": "GPT-2 (five vectors)",
    "Gaussian logits": "control: Gaussian logits",
    "1/df of the fit": "1/df of the Student-t (0: a normal)",
    "scale of the fit, in standard deviations": "scale of the Student-t\n(1: one standard deviation)",
    "positions where AIC prefers it": "share of positions where\nAIC prefers the Student-t",
    "Kolmogorov–Smirnov distance": "Kolmogorov–Smirnov\ndistance from the fit",
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw a quantile plot for each source; a family that describes it lies on the diagonal."""
    titled(ax, rows, TITLES, NAMES, _quantiles)
    ax[0].set_ylabel("observed, in standard deviations")
    ax[0].legend(loc="upper left")
    guide(ax[6], [-0.5, 3.5], [0.5, 0.5])


def _quantiles(axes: Any, own: Rows) -> None:
    for name in own.series():
        curve(axes, own.of(series=name), markersize=3, linewidth=0.7)
    ends = [min(own.column("y")), max(own.column("y"))]
    guide(axes, ends, ends)
    axes.set_xlabel("fitted quantile")
