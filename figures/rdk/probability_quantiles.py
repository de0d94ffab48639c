"""RDK, Figures 9 and 10: observed over fitted quantiles of the probabilities, and how far the fits are off."""

from __future__ import annotations

import math
from typing import Any

from simspec.figures.marks import curve, guide, titled
from simspec.figures.rdk.quantiles import WIDTH
from simspec.figures.table import Rows

NAMES = {"gpt2": "GPT-2", "Gaussian logits": "control"}
TITLES = {
    "wiki": "wiki",
    "stories": "stories",
    "gpt2": "GPT-2 (five vectors)",
    "Gaussian logits": "control: softmax of Gaussian logits",
    "1/df of the fit": "1/df of the Student-t (0: a normal)",
    "Kolmogorov–Smirnov distance": "Kolmogorov–Smirnov distance\n(dashed: 0.05, above it a misfit)",
}


def draw(ax: Any, rows: Rows) -> None:
    """Draw a quantile plot for each source, on a scale that is linear near 0 and logarithmic beyond."""
    titled(ax, rows, TITLES, NAMES, _quantiles)
    ax[0].set_ylabel("observed probability × V")
    ax[0].legend(loc="upper left")
    guide(ax[5], [-0.5, 3.5], [0.05, 0.05])


def _quantiles(axes: Any, own: Rows) -> None:
    for name in own.series():
        curve(axes, own.of(series=name), markersize=3, linewidth=0.7)
    _scales(axes, own)
    guide(axes, [0, max(own.column("y"))], [0, max(own.column("y"))])
    guide(axes, [0, 0], [0, max(own.column("y"))], linestyle=":")
    axes.set_xlabel("fitted quantile × V")
    axes.text(0.03, 0.3, "fitted quantiles\nbelow 0", transform=axes.transAxes, fontsize=8, color="0.35")


def _scales(axes: Any, own: Rows) -> None:
    """Powers of ten on both sides of 0, as many as can be read."""
    axes.set_xscale("asinh", linear_width=WIDTH)
    axes.set_yscale("asinh", linear_width=WIDTH)
    top = math.ceil(math.log10(max(own.column("x"))))
    powers = sorted({top // 2, top})
    marks = [-(10.0**k) for k in reversed(powers)] + [0.0] + [10.0**k for k in powers]
    names = [f"$-10^{{{k}}}$" for k in reversed(powers)] + ["0"] + [f"$10^{{{k}}}$" for k in powers]
    axes.set_xticks(marks, names)
    heights = range(-1, math.ceil(math.log10(max(own.column("y")))) + 1)
    axes.set_yticks([0.0] + [10.0**k for k in heights], ["0"] + [f"$10^{{{k}}}$" for k in heights])
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_ticks([], minor=True)
