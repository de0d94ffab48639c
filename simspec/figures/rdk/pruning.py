"""RDK, Figure 7: acceptance against pruning at 200,000 tokens, scheme by scheme, with uniform and unigram controls.

The picture: a panel for each law of the logits, acceptance over the tokens that are kept, few to the right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.studies.rdk.pruning import HIGH, KEPT, ORDERS, synthetic_pruning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PRUNING"]

_LOGITS = ((30, 0.5), (30, 2), (5, 2))
_MEANS = {0: "equal means", 1: "Zipf means"}
_FLAT = {"uniform": "uniform", "unigram": "unigram"}
_SERIES = {"none": "no transfer", "tli": "TLI", "rdk leaking": "RDK, leaking", "rdk prior": "RDK"}


def _study(vocab: int = 200_000, temperature: float = 1, rows: int = 24, tuning: int = 8) -> Study:
    return synthetic_pruning(
        vocab, _LOGITS, tilt=tuple(_MEANS), rho=(1,), rows=rows, tuning=tuning, temperature=temperature
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    order = ORDERS.index("frequency")
    for result in sorted(results, key=lambda r: float(r.cell["tilt"])):
        cell = result.cell
        panel = f"{_MEANS[cell['tilt']]}, df {cell['df']:g}, scale {cell['scale']:g}"
        kept_counts = [max(1, round(share * cell["vocab"])) for share in KEPT]
        for measure, series in _FLAT.items():
            for count in kept_counts:
                yield point(panel, series, count, student(result.values[measure], 0.95, 0, 1))
        for measure, series in _SERIES.items():
            for i, count in enumerate(kept_counts):
                yield point(panel, series, count, student(result.values[measure][:, order, i], 0.95, 0, 1))
        for i, level in enumerate(HIGH):
            mixed = student(result.values["mixture"][:, order, i], 0.95, 0, 1)
            yield point(panel, "TLI with unigram", kept_counts[level], mixed)


_BELOW = ("no transfer", "uniform", "unigram")


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the controls as broad bands of grey, so that what lies on them is seen to do so, and the schemes on top."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in _BELOW:
            marks.curve(axes, own.of(series=name), linewidth=6, alpha=0.35, marker="", linestyle="-")
        marks.curves(axes, Points(p for p in own if p.series not in _BELOW))
        axes.set_xscale("log")
        axes.invert_xaxis()
        axes.set_title(panel)
        axes.set_ylim(-0.03, 1.03)
        marks.labelled(axes, 0.07)
    fewest = min(rows.column("x"))
    vocab = max(rows.column("x"))
    marks.guide(ax[1], [fewest, vocab], [0.267, 0.267])
    ax[1].annotate(
        "printed: 26.7 %", (0.15 * vocab, 0.267), xytext=(0, 7), textcoords="offset points", color="0.35", fontsize=8
    )
    for axes in ax[3:]:
        axes.set_xlabel(f"tokens kept of {vocab:,.0f}")
    for axes in (ax[0], ax[3]):
        axes.set_ylabel("acceptance rate")


PRUNING = Figure(
    name="rdk.pruning",
    title="Acceptance as the drafter's vocabulary is pruned: RDK's plateau is the uniform or the unigram drafter's",
    source="RDK, Figure 7",
    study=_study,
    sizes={"quick": {"vocab": 2_000, "rows": 2, "tuning": 2}, "deep": {"rows": 100, "tuning": 16}},
    compact=_compact,
    draw=_draw,
    data="synthetic Student-t logits at V = 200,000, of equal law (so that the tokens kept are random ones) or with means that "
    "follow Zipf's law; the drafter is the pruned target; tokens kept by frequency; parameters tuned on other rows",
    intervals="Student-t, 95 % each",
    claims=("rdk.plateau-flat", "rdk.plateau-wins"),
    shape=(2, 3),
    size=(11, 6.6),
)
