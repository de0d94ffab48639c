"""TASC, Table 1: entropy and coverage of word bigrams, inputs against outputs, task by task.

The picture: entropy and coverage of bigrams, inputs beside outputs, one place a task.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simspec.claims.tasc.typical_set_bigrams import PAPER
from simspec.engine.estimates.intervals import Interval
from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.figures.tasc.tasks import CORPORA, LIBRARY, NAMES, place
from simspec.logits.corpora import TASKS, standard_library
from simspec.studies.tasc.corpus_statistics import corpus_statistics, row
from simspec.studies.tasc.recorded import beside, said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CORPUS_TABLE"]

_PANELS = {"entropy": "entropy of word bigrams, bits", "cover": "different bigrams that cover 80 %"}
_PRINTED = {"ud-ewt": "POS tagging", "slurp": "intent classification and slot fill"}
"""Rows of the printed table on the same task; its sizes are others."""


def _study(resamples: int = 100) -> Study:
    return beside(corpus_statistics([standard_library(task) for task in TASKS], resamples), CORPORA)


def _intervals(result: Result) -> tuple[str, dict[str, Interval]]:
    if "recorded" not in result.cell:
        table_row = row(result)
        return table_row.name, dict(table_row.values)
    names = [
        f"{equal}{side} {measure}" for equal in ("", "equal ") for side in ("input", "output") for measure in _PANELS
    ]
    return result.cell["recorded"], {name: said(result, f"bigram statistics/{name}") for name in names}


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    intervals_by_name = dict(sorted((_intervals(result) for result in results), key=lambda entry: place(entry[0])))
    for panel_index, (measure, panel) in enumerate(_PANELS.items()):
        for prefix, words in (("", ", all bigrams"), ("equal ", "")):
            for side in ("input", "output"):
                for name, values in intervals_by_name.items():
                    bigram_interval = values[f"{prefix}{side} {measure}"]
                    yield point(panel, f"{side}s{words}", place(name), bigram_interval, NAMES[name])
        for at, side in enumerate(("input", "output")):
            for name, printed in _PRINTED.items():
                yield Point(panel, f"{side}s, printed", place(name), PAPER[printed][at][panel_index], label=NAMES[name])


INKS = {"inputs": "#777777", "outputs": "#0072B2"}
MARKS = {"inputs": "s", "outputs": "o"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the step from inputs to outputs; pale marks are samples of unequal size, crosses what is printed."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            side = name.split(",")[0]
            style: dict[str, Any] = {"color": INKS[side], "marker": MARKS[side], "markersize": 6, "label": name}
            points = own.of(series=name)
            if "printed" in name:
                style |= {"marker": "x", "markersize": 6, "markeredgewidth": 1.6}
                points = Points(p._replace(x=p.x + 0.2) for p in points)
            elif "," in name:
                style |= {"alpha": 0.35, "markersize": 4}
            marks.dots(axes, points, **style)
        for one, two in zip(own.of(series="inputs"), own.of(series="outputs"), strict=True):
            marks.guide(axes, (one.x, two.x), (one.y, two.y), linestyle="-")
        places = {p.x: p.label for p in own}
        axes.set_xticks(sorted(places), [places[x] for x in sorted(places)], rotation=45, ha="right", fontsize=8)
        axes.set_ylabel(panel)
    ax[1].set_yscale("log")
    ax[1].legend(loc="center left", bbox_to_anchor=(1.0, 0.5))


CORPUS_TABLE = Figure(
    name="tasc.corpus-table",
    title="The outputs of constrained tasks vary less than their inputs, those of free tasks more",
    source="TASC, Table 1",
    study=_study,
    sizes={"quick": {"resamples": 3}, "deep": {"resamples": 1000}},
    compact=_compact,
    draw=_draw,
    data="word bigrams of inputs and outputs: six corpora recorded earlier (their texts do not ship) and "
    f"{LIBRARY}; full marks: the longer side thinned to as many bigrams as the shorter; pale marks: all bigrams; "
    "crosses: the printed table on the same treebank, and on the translation of SLURP that the paper uses",
    intervals="bootstrap over pairs of texts, 95 % each",
    claims=("tasc.output-entropy", "tasc.table1-columns", "tasc.typical-set-bigrams"),
    shape=(1, 2),
    size=(11.0, 4.4),
    missing="of the printed table's eleven corpora one is at hand, UD-EWT (its development part), and SLURP, of which "
    "MASSIVE is made; six other tasks stand beside them",
)
