"""ROC of the pivot classifier on test problems, beside a network trained on shuffled labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.pad.pipeline import DATA, SIZES, kind, study
from simspec.figures.table import Point, Points
from simspec.studies.pad.classifier import auc_interval, roc

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ROC"]

_PLACES = 80
"""Points of a ROC curve that are kept."""


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        there = np.isfinite(result.values["label"])
        problem = np.nonzero(there)[0]
        label = result.values["label"][there] > 0
        for name, series in (("score", "classifier"), ("shuffled", "trained on shuffled labels")):
            score = result.values[name][there]
            area = auc_interval(score, label, problem)
            said = f"{series}: AUC {area.estimate:.2f} [{area.low:.2f}, {area.high:.2f}]"
            false, true = roc(score, label)
            for at in np.unique(np.linspace(0, len(false) - 1, _PLACES).round().astype(int)):
                yield Point(kind(result), series, float(false[at]), float(true[at]), label=said)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a panel for each kind of problem; the diagonal is a guess."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name, ink, dashes in zip(rows.of(panel).series(), ("#CC79A7", "#777777"), ("-", ":"), strict=True):
            own = rows.of(panel, name)
            marks.curve(axes, own, own[0].label, color=ink, marker="", linestyle=dashes)
        marks.guide(axes, (0, 1), (0, 1))
        axes.set_title(f"target {panel}")
        axes.set_xlabel("other tokens called pivots")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.16), fontsize=8)
    ax[0].set_ylabel("pivots called pivots")


ROC = Figure(
    name="pad.roc",
    title="Can the features tell pivots from other tokens?",
    source="PAD, Figure 3",
    study=study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=f"{DATA}; AUC with its 95 % bootstrap interval over test problems",
    claims=("pad.classifier",),
    shape=(1, 3),
    size=(10.5, 3.9),
    missing="the paper's network reads the hidden states of Qwen3 models; here a noisy projection of the process' state",
)
