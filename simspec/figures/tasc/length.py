"""TASC, Figure 2: how much shorter outputs become with new tokens, held-out ones and those they are made of.

The picture: factors by which outputs become shorter, over the number of new tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any

from simspec.engine.study import Result, Study, remembered
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.figures.tasc.tasks import (
    LIBRARY,
    LIBRARY_SIZES,
    LIVE,
    NAMES,
    RECORDED,
    library_tasks,
    recorded_only,
    simulated_only,
)
from simspec.logits.corpora import TASKS
from simspec.studies.tasc.corpus_statistics import resampled
from simspec.studies.tasc.enrichment import enrichment
from simspec.studies.tasc.recorded import beside, said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LENGTH", "SIZES", "enriched_study"]

_OWN = "base tokenizer trained on the task"
_GENERAL = "base tokenizer of other texts (recorded)"


@cache
def enriched_study(
    resamples: int = 100,
    share: float = 0.4,
    most: int = 40_000,
    *,
    budgets: Sequence[int] = range(0, 1001, 50),
    shown_budgets: tuple[int, ...] = (0, 500, 1000),
    n_max: tuple[int, ...] = (2, 4),
) -> Study:
    """Lengths and entropies by budget on the standard library, and what was recorded on corpora."""
    tasks = partial(library_tasks, share, most)
    study = enrichment(tasks, TASKS, budgets, shown_budgets, n_max=n_max, orders=0, resamples=resamples)
    return beside(replace(study, simulate=remembered(study.simulate)), RECORDED)


SIZES: Mapping[str, Mapping[str, Any]] = {
    "quick": {
        **LIBRARY_SIZES["quick"],
        "budgets": (0, 250, 500),
        "shown_budgets": (0, 500),
        "n_max": (4,),
        "resamples": 10,
    },
    "deep": {**LIBRARY_SIZES["deep"], "budgets": range(0, 1001, 20), "n_max": (2, 3, 4), "resamples": 400},
}
"""What the efforts change of the study."""


def _own(result: Result) -> Iterator[Point]:
    task = LIVE[result.cell["task"]]
    budgets = result.cell["budgets"]
    tokens, size = (result.values[f"{name} merge"] for name in ("tokens", "bytes per token"))
    train = result.values["train tokens"][0]
    for name, ratios in (
        ("held-out outputs", tokens[:, :1] / tokens),
        ("bytes per token", size / size[:, :1]),
    ):
        for budget, ratio in zip(budgets, ratios.T, strict=True):
            yield point(_OWN, f"{task}: {name}", budget, resampled(ratio, ratio=True))
    for budget, length in zip(budgets, train, strict=True):
        yield Point(_OWN, f"{task}: training outputs", budget, float(train[0] / length))


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in simulated_only(results):
        if result.cell["n_max"] == 4:
            yield from _own(result)
    for result in recorded_only(results):
        name = NAMES[result.cell["recorded"]].replace("\n", " ")
        yield Point(_GENERAL, name, 0, 1.0, 1.0, 1.0)
        for at in range(2):
            budget = float(result.values[f"added tokens/{at}/added"][0, 0])
            yield point(_GENERAL, name, budget, said(result, f"added tokens/{at}/held out"))


_TASK_INKS = {"code tags": "#0072B2", "docstrings": "#D55E00"}
LAST = 1000
"""New tokens at the right end."""
KINDS = {"held-out outputs": "-", "bytes per token": ":", "training outputs": "--"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw both tasks of the library in all their measures, then every recorded corpus."""
    left, right = rows.panels()
    for name in rows.of(left).series():
        task, kind = name.split(": ")
        width = 1.8 if kind == "held-out outputs" else 1.1
        marks.curve(
            ax[0], rows.of(left, name), color=_TASK_INKS[task], linestyle=KINDS[kind], marker="", linewidth=width
        )
    for at, name in enumerate(rows.of(right).series()):
        own = rows.of(right, name)
        ended = own[-1].x < LAST  # its name stands at its end, not in the margin
        line = marks.curve(ax[1], own, f"_{name}" if ended else name, place=at)
        if ended:
            marks.named(ax[1], line, name, at=-1, xytext=(4, -12))
    for axes, panel in zip(ax, (left, right), strict=True):
        axes.set_title(panel)
        axes.set_xlabel("new tokens")
        axes.set_yscale("log")
        axes.set_xlim(-8, 1012)
        marks.guide(axes, (0, 1000), (2.65, 2.65))
        axes.annotate(
            "printed, EUR-LEX",
            (990, 2.65),
            xytext=(0, 3),
            ha="right",
            textcoords="offset points",
            fontsize=8,
            color="0.35",
        )
    ax[0].set_yticks((1, 1.5, 2, 3, 4, 5, 6), ("1", "1.5", "2", "3", "4", "5", "6"))
    ax[1].set_yticks((1, 2, 3, 5, 10, 20), ("1", "2", "3", "5", "10", "20"))
    for axes in ax:
        axes.minorticks_off()
        marks.labelled(axes)
    ax[0].set_ylabel("times shorter")


LENGTH = Figure(
    name="tasc.length",
    title="New tokens shorten the outputs of constrained tasks severalfold, those of free tasks little",
    source="TASC, Figure 2",
    study=enriched_study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=f"tokens of held-out outputs before over after; left {LIBRARY}, through the merge table, base of 2,000 tokens "
    "that knows the task's words; right six recorded corpora and the same two tasks under a base of 16,384 tokens of "
    "other texts, which cuts their words to pieces; n-grams up to 4",
    intervals="bootstrap over held-out texts, 95 % each",
    claims=("tasc.length-reduction", "tasc.diminishing"),
    shape=(1, 2),
    size=(10.5, 4.2),
    missing="EUR-LEX is not at hand; its printed factor 2.65 at 1,000 tokens is the dashed line",
)
