"""RDK, Figure 7, on real models: acceptance as the drafter's vocabulary is pruned, SmolLM2 beside the small pairs.

The picture: a panel for each pair of models, acceptance over the share of the tokens that are kept, few to the right.  Its
cells are those of `simspec.figures.rdk.real_pruning` with the most frequent tokens kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.rdk.real_pruning import REAL_PRUNING, study
from simspec.figures.table import Point, Points

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MODEL_PRUNING"]

_BELOW = {"none": "no transfer", "uniform": "uniform", "unigram": "unigram"}
_SERIES = {
    "unpruned": "unpruned",
    **_BELOW,
    "tli": "TLI",
    "linear": "RDK, linear time",
    "exact": "RDK",
    "mixture": "TLI with unigram",
}


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for measure, series in _SERIES.items():
        for result in results:
            cell = result.cell
            mean = documents(result.values[measure], result.values["document"])
            yield point(f"{cell['data']}, V = {cell['vocab']:,}", series, 100 * cell["kept"] / cell["vocab"], mean)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the controls as broad bands of grey, so that what lies on them is seen to do so, and the schemes on top."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        panel_points = rows.of(panel)
        for name in _BELOW.values():
            marks.curve(axes, panel_points.of(series=name), linewidth=6, alpha=0.35, marker="", linestyle="-")
        marks.curves(axes, Points(p for p in panel_points if p.series not in _BELOW.values()))
        axes.set_xscale("log")
        axes.invert_xaxis()
        axes.set_xticks([5, 1, 0.25], ["5", "1", "0.25"])
        axes.minorticks_off()
        axes.set_ylim(0, 1.08 * max(panel_points.column("high")))
        axes.set_title(panel)
        axes.set_xlabel("tokens kept, %")
        marks.labelled(axes, 0.06)
    ax[0].set_ylabel("acceptance rate")


MODEL_PRUNING = Figure(
    name="rdk.model-pruning",
    title="Pruned drafters on models: linear-time RDK is near the unigram law's level, exact RDK beats a mixture only on stories",
    source="RDK, Figure 7 on models",
    study=partial(study, orders=("frequency",)),
    sizes={"quick": {"shares": (0.01,), "banks": ("stories",)}},
    compact=_compact,
    draw=_draw,
    data=f"the most frequent tokens kept, by counts of other documents; {REAL_PRUNING.data}",
    intervals="documents resampled, 95 % each",
    claims=("rdk.plateau-wins", "rdk.real-pruning", "rdk.real-controls"),
    shape=(1, 3),
    size=(14.0, 4.2),
)
