"""TASC, Table 9: normalised entropy of the tokens of inputs and outputs, before and after enrichment.

The picture: normalised entropy before and after enrichment, one place a task; outputs left, inputs right.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.figures.tasc.length import SIZES, enriched_study
from simspec.figures.tasc.tasks import LIBRARY, LIVE, NAMES, RECORDED, place, recorded_only, simulated_only
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.recorded import said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TOKEN_ENTROPY"]


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for side in ("output", "input"):
        for result in recorded_only(results):
            yield from _recorded(result, side)
    for at, result in enumerate(r for r in simulated_only(results) if r.cell["shown"]):
        for budget, values in zip(result.cell["shown"], result.values["normalised merge"].T, strict=True):
            label = f"{LIVE[result.cell['task']]}\n(own base)"
            yield point("outputs", _series(budget), len(RECORDED) + 0.5 + at, resampled(values), label)


def _series(budget: float) -> str:
    return "before" if not budget else "500 more tokens" if budget == 500 else "1,000 more tokens"


def _recorded(result: Result, side: str) -> Iterator[Point]:
    name = result.cell["recorded"]
    for at, budget, when in ((0, 0, "before"), (0, 500, "after"), (1, 1000, "after")):
        entropy_interval = said(result, f"added tokens/{at}/normalised entropy/{side}/{when}")
        yield point(f"{side}s", _series(budget), place(name), entropy_interval, NAMES[name])


STYLE: dict[str, dict[str, Any]] = {
    "before": {"color": "#777777", "marker": "s"},
    "500 more tokens": {"color": "#56B4E9", "marker": "D"},
    "1,000 more tokens": {"color": "#0072B2", "marker": "o"},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw each task's step from before to after, on one scale."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            marks.dots(axes, own.of(series=name), markersize=5.5, **STYLE[name])
        places = {p.x: p.label for p in own}
        for x in places:
            heights = [p.y for p in own if p.x == x]
            marks.guide(axes, (x, x), (min(heights), max(heights)), linestyle="-")
        axes.set_xticks(sorted(places), [places[x] for x in sorted(places)], rotation=45, ha="right", fontsize=8)
        axes.set_title(f"tokens of {panel}")
        axes.set_ylim(0.25, 0.92)
        if max(places) > 8:
            marks.guide(axes, (7.75, 7.75), (0.25, 0.92), linestyle=":")
    ax[0].set_ylabel("entropy / log V")
    ax[1].legend(loc="upper right")


TOKEN_ENTROPY = Figure(
    name="tasc.token-entropy",
    title="New tokens even out the law of the output tokens, and hardly touch the inputs'",
    source="TASC, Table 9",
    study=enriched_study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data="Shannon entropy of the tokens of held-out texts over log V, V with the new tokens: recorded corpora under a "
    f"base of 16,384 tokens; right of the line {LIBRARY} under a base of 2,000 tokens of its own; SLURP allows 722 new "
    "tokens only",
    intervals="bootstrap over held-out texts, 95 % each",
    claims=("tasc.entropy-rises", "tasc.entropy-monotone"),
    shape=(1, 2),
    size=(11.0, 4.2),
    missing="EUR-LEX and Asclepius are not at hand; eight other tasks stand in their place",
)
