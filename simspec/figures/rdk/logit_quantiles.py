"""RDK, Figures 3 and 8: observed over fitted quantiles of the logits, and below them what was fitted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.rdk.quantiles import DATA, INTERVALS, SIZES, compact, study
from simspec.figures.table import Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LOGIT_QUANTILES"]


NAMES = {"smollm2": "SmolLM2", "gpt2": "GPT-2", "Gaussian logits": "control"}
TITLES = {
    "smollm2": "SmolLM2",
    "wiki": "wiki",
    "stories": "stories",
    "gpt2": "GPT-2 (five vectors)",
    "Gaussian logits": "control: Gaussian logits",
    "1/df of the fit": "1/df of the Student-t (0: a normal)",
    "scale of the fit, in standard deviations": "scale of the Student-t\n(1: one standard deviation)",
    "positions where AIC prefers it": "share of positions where\nAIC prefers the Student-t",
    "Kolmogorov–Smirnov distance": "Kolmogorov–Smirnov\ndistance from the fit",
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a quantile plot for each source; a family that describes it lies on the diagonal."""
    marks.titled(ax, rows, TITLES, NAMES, _quantiles)
    for axes in (ax[0], ax[3]):
        axes.set_ylabel("observed, in standard deviations")
    ax[0].legend(loc="upper left")
    marks.guide(ax[7], [-0.5, 4.5], [0.5, 0.5])


def _quantiles(axes: Axes, own: Points) -> None:
    for name in own.series():
        marks.curve(axes, own.of(series=name), markersize=3, linewidth=0.7)
    ends = [min(own.column("y")), max(own.column("y"))]
    marks.guide(axes, ends, ends)
    axes.set_xlabel("fitted quantile")


LOGIT_QUANTILES = Figure(
    name="rdk.logit-quantiles",
    title="Logits beside fitted laws: SmolLM2's are near a Student-t, the small models' follow neither law",
    source="RDK, Figures 3 and 8",
    study=partial(study, kind="logits"),
    sizes=SIZES,
    compact=partial(compact, kind="logits"),
    draw=_draw,
    data=DATA,
    intervals=INTERVALS,
    claims=("rdk.student-t-logits",),
    shape=(3, 3),
    size=(10.8, 9.0),
    missing="the paper's sample of GPT-2 positions is not at hand; five recorded GPT-2 vectors stand beside the banks",
)
