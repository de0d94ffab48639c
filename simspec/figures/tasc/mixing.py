"""Tokens per target call over the weight of the corpus."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.figures.tasc.drafts import BOOTSTRAP, DRAWN, SIZES, per_call, with_record
from simspec.figures.tasc.tasks import LIBRARY, LIVE, NAMES, place, recorded_only, simulated_only
from simspec.studies.tasc.ngram_drafts import MIXES
from simspec.studies.tasc.recorded import said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["MIXING"]


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in simulated_only(results):
        panel = LIVE[result.cell["corpus"]]
        for mix in MIXES:
            yield point(panel, DRAWN[result.cell["verify"]], mix, per_call(result, f"mix {mix:g}"))
    for series, name in (("prompt alone", "prompt"), ("corpus alone", "corpus"), ("TASC-spec, λ = 0.75", "mixed")):
        for result in recorded_only(results):
            task = result.cell["recorded"]
            found = said(result, f"tokens per call/{name}")
            yield point("recorded corpora, own outputs", series, place(task), found, NAMES[task])


INKS = {"own outputs": "#0072B2", "n-gram stand-in": "#D55E00"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw both ways to verify, and the range in which the paper finds the best weight."""
    *weights, corpora = rows.panels()
    for axes, panel in zip(ax[:2], weights, strict=True):
        for at, name in enumerate(rows.of(panel).series()):
            marks.curve(axes, rows.of(panel, name), color=INKS[name], marker="os"[at])
        axes.axvspan(0.5, 0.75, color="0.93", zorder=0).set_gid(marks.GUIDE)
        axes.set_title(panel)
        axes.set_xlabel("weight of the corpus, λ")
        axes.set_ylim(bottom=1)
    ax[0].legend(loc="lower right")
    for at, name in enumerate(rows.of(corpora).series()):
        own = rows.of(corpora, name)
        marks.dots(ax[2], Points(p._replace(x=p.x + 0.2 * (at - 1)) for p in own), name, markersize=5)
        ax[2].set_xticks(own.column("x"), own.column("label"), rotation=45, ha="right", fontsize=8)
    ax[2].set_title(corpora)
    ax[2].set_xlabel("task, at one weight each")
    ax[2].set_ylim(bottom=1)
    ax[2].legend(loc="upper right")
    ax[0].set_ylabel("tokens per target call")


MIXING = Figure(
    name="tasc.mixing",
    title="The best weight of corpus and prompt depends on the task",
    source="TASC, Figure 7",
    study=with_record,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=f"{LIBRARY}; n-grams up to 4 seen five times or more, 8 greedy drafts a call; weight 0 is the prompt alone, 1 "
    "the corpus alone; verified against the task's own outputs, or by sampling from an n-gram stand-in; the paper finds "
    "the best weight in the shaded range; right recorded corpora in the tokens of a base of 16,384, every n-gram kept",
    intervals=BOOTSTRAP,
    claims=("tasc.mixture", "tasc.mixture-average"),
    shape=(1, 3),
    size=(12.0, 4.0),
    missing="the paper's tuned models on MedQuAD and Asclepius are not at hand",
)
