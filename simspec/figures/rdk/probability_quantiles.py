"""RDK, Figures 9 and 10: observed over fitted quantiles of the probabilities, and how far the fits are off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.rdk.quantiles import DATA, INTERVALS, SIZES, WIDTH, compact, study
from simspec.figures.table import Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PROBABILITY_QUANTILES"]


NAMES = {"smollm2": "SmolLM2", "gpt2": "GPT-2", "Gaussian logits": "control"}
TITLES = {
    "smollm2": "SmolLM2",
    "wiki": "wiki",
    "stories": "stories",
    "gpt2": "GPT-2 (five vectors)",
    "Gaussian logits": "control: softmax of Gaussian logits",
    "1/df of the fit": "1/df of the Student-t (0: a normal)",
    "Kolmogorov–Smirnov distance": "Kolmogorov–Smirnov distance\n(dashed: 0.05, above it a misfit)",
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a quantile plot for each source, on a scale that is linear near 0 and logarithmic beyond."""
    ax[-1].axis("off")  # one panel fewer than places
    marks.titled(ax[:-1], rows, TITLES, NAMES, _quantiles)
    for axes in (ax[0], ax[4]):
        axes.set_ylabel("observed probability × V")
    ax[0].legend(loc="upper left")
    marks.guide(ax[6], [-0.5, 4.5], [0.05, 0.05])


def _quantiles(axes: Axes, own: Points) -> None:
    for name in own.series():
        marks.curve(axes, own.of(series=name), markersize=3, linewidth=0.7)
    _scales(axes, own)
    marks.guide(axes, [0, max(own.column("y"))], [0, max(own.column("y"))])
    marks.guide(axes, [0, 0], [0, max(own.column("y"))], linestyle=":")
    axes.set_xlabel("fitted quantile × V")
    axes.text(0.03, 0.3, "fitted quantiles\nbelow 0", transform=axes.transAxes, fontsize=8, color="0.35")


def _scales(axes: Axes, own: Points) -> None:
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


PROBABILITY_QUANTILES = Figure(
    name="rdk.probability-quantiles",
    title="Probabilities beside fitted laws: no symmetric law follows them, not even those of Gaussian logits",
    source="RDK, Figures 9 and 10",
    study=partial(study, kind="probabilities"),
    sizes=SIZES,
    compact=partial(compact, kind="probabilities"),
    draw=_draw,
    data=DATA,
    intervals=INTERVALS,
    claims=("rdk.probability-fit",),
    shape=(2, 4),
    size=(13.4, 6.4),
    missing="the paper's sample of GPT-2 positions is not at hand; five recorded GPT-2 vectors stand beside the banks",
)
