"""Tokens per target call of each drafter, one group of bars a task: own outputs above, a model's texts below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.figures.tasc.drafts import BOOTSTRAP, SETTINGS, SIZES, per_call, with_record
from simspec.figures.tasc.tasks import LIBRARY, LIVE, NAMES, RECORDED, place, recorded_only, simulated_only
from simspec.studies.tasc.recorded import said

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SPEED"]

_WAYS = {
    "reference": "verified against the task's own outputs",
    "sampled": "verified by sampling from a small language model (left of the line) or an n-gram stand-in (right)",
}
_DRAFTERS = {
    "N-Grammys": ("corpus n-grammys", "N-Grammys"),
    "N-Grammys, mixed": ("mixed n-grammys", "N-Grammys, mixed"),
    "corpus alone": ("corpus", "corpus"),
    "TASC-spec": ("mixed", "mixed"),
    "TASC-spec, rare n-grams too": ("mixed all", "mixed, rare n-grams too"),
}
"""Series: the column of a study of drafts, and the name on record."""


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for way, panel in _WAYS.items():
        for series, (column, name) in _DRAFTERS.items():
            for result in recorded_only(results):
                task = result.cell["recorded"]
                yield point(panel, series, place(task), said(result, f"sampling/{way}/{name}"), NAMES[task])
            for result in (r for r in simulated_only(results) if r.cell["verify"] == way):
                at = len(RECORDED) + 0.3 + list(LIVE).index(result.cell["corpus"])
                label = f"{LIVE[result.cell['corpus']]}\n(words)"
                yield point(panel, series, at, per_call(result, column), label)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the bars of both ways to verify; one token per call is what no draft gives."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        marks.bars(axes, own)
        axes.set_title(panel)
        marks.guide(axes, (7.65, 7.65), (0, max(own.column("high"))), linestyle=":")
        axes.set_ylabel("tokens per target call")
        marks.guide(axes, (-0.5, max(own.column("x")) + 0.5), (1, 1))
        axes.set_xlim(-0.5, max(own.column("x")) + 0.5)
    ax[0].legend(loc="upper center")


SPEED = Figure(
    name="tasc.ngram-speed",
    title="Tokens per target call of n-gram drafters: the task's texts help where the target writes like them",
    source="TASC, Table 3",
    study=with_record,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=f"{SETTINGS}; N-Grammys drafts from the target's own bigrams, TASC-spec from the task's texts and the "
    "prompt; left of the line recorded corpora in the tokens of a small language model, which is not tuned to the "
    f"tasks and writes, at temperature 1, what is below; right {LIBRARY}, a token is a word, the model below an n-gram "
    "stand-in with a cache of the prompt",
    intervals=BOOTSTRAP,
    claims=("tasc.beats-ngrammys", "tasc.beats-ngrammys-corrected", "tasc.spec-lossless"),
    shape=(2, 1),
    size=(10.0, 6.4),
    missing="the paper times fine-tuned models of 0.5 to 8 billion parameters on Asclepius, MedQuAD and EUR-LEX; here "
    "tokens per call of a small model, no run time",
)
