"""Errors of PAD's labels over the number of rollouts: closed form, the labelling pipeline, and the corrected number.

The picture: both errors of a label over the number of rollouts, on a logarithmic scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.claims.pad.label_noise import ENOUGH
from simspec.engine.study import Cell, Result, Rows, Study, Values, cross
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.methods import label_error
from simspec.studies.pad.accuracy import wilson
from simspec.studies.pad.labels import Candidates, label, pair

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["LABELS"]

ROLLOUTS = (5, 10, 20, 50, 100, 200, 500, ENOUGH)
VALUES = (0.3, 0.5, 0.9)
DROP = 0.2
_SIMULATED = 200
"""Most rollouts that are drawn; beyond, the closed form stands alone."""


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    """Labels of a candidate without a drop and of one with it, and the exact probability of each error."""
    base = cell["base"]
    count = cell["rollouts"]
    exact = float(label_error(base, base, count)), 1 - float(label_error(base, (1 - DROP) * base, count))
    if count > _SIMULATED:
        return {"exact": np.tile(exact, (len(rows.numbers), 1))}
    zero = np.zeros(len(rows.numbers), dtype=np.int64)
    numbers = np.array(rows.numbers)
    marks = [
        label(pair(base, (1 - drop) * base), Candidates(zero, zero, zero + 1), rows.key, numbers, count).pivot
        for drop in (0.0, DROP)
    ]
    return {
        "false alarm": marks[0].astype(float),
        "miss": 1.0 - marks[1],
        "exact": np.tile(exact, (len(numbers), 1)),
    }


def _study(rows: int = 2_000, *, rollouts: tuple[int, ...] = ROLLOUTS) -> Study:
    return Study(
        name="label-errors",
        question="How many rollouts does a label need?",
        grid=cross(base=VALUES, rollouts=rollouts),
        simulate=_simulate,
        rows=rows,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for error_index, panel in enumerate(("false alarm", "miss")):
        for result in results:
            count = result.cell["rollouts"]
            series = f"U = {result.cell['base']:g}"
            yield Point(panel, series, count, float(result.values["exact"][0, error_index]))
        for result in results:
            if result.cell["rollouts"] > _SIMULATED:
                continue
            marks = result.values[panel]
            error_share = wilson(float(marks.sum()), len(marks))
            series = f"U = {result.cell['base']:g}, simulated"
            yield Point(panel, series, result.cell["rollouts"], error_share.estimate, error_share.low, error_share.high)


INKS = ("#D55E00", "#0072B2", "#009E73")
_NAME_PLACES = {"U = 0.3": (5, (7, 4)), "U = 0.5": (4, (-40, -16)), "U = 0.9": (2, (-44, -16))}
"""At which point of its line a name stands, and how far from it: where the lines are apart."""
TITLES = {"false alarm": "no drop of U, called a pivot", "miss": "drop of U by 20 %, not called a pivot"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw exact errors as lines, simulated ones as marks with whiskers; the paper's N = 20 and the level 5 % as guides."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        exact = [name for name in rows.of(panel).series() if "simulated" not in name]
        for name, ink in zip(exact, INKS, strict=True):
            line = marks.curve(axes, rows.of(panel, name), color=ink, marker="", linestyle="-")
            at, beside = _NAME_PLACES[name]
            marks.named(axes, line, at=min(at, len(line.get_xdata()) - 1), xytext=beside, fontsize=9)
        axes.set_xscale("log")
        for name, ink in zip(exact, INKS, strict=True):
            own = rows.of(panel, f"{name}, simulated")
            ends = [[p.y - p.low for p in own], [p.high - p.y for p in own]]
            axes.errorbar(own.column("x"), own.column("y"), ends, fmt="o", color=ink, markersize=3, elinewidth=0.9)
        marks.guide(axes, (5, 1200), (0.05, 0.05))
        axes.annotate("5 %", (5, 0.05), fontsize=8, color="0.35", xytext=(0, 3), textcoords="offset points")
        marks.guide(axes, (20, 20), (0, 0.6))
        axes.annotate("the paper's N = 20", (20, 0.585), fontsize=8, color="0.35", xytext=(3, 0), va="top",
                      textcoords="offset points")  # fmt: skip
        axes.set_title(TITLES[panel])
        axes.set_xlabel("rollouts N")
        axes.set_ylim(0, 0.6)
    ax[0].set_ylabel("probability of a wrong label")
    ax[1].text(0.98, 0.86, "U: share of the target's\nrollouts that end right", transform=ax[1].transAxes, fontsize=8,
               color="0.35", ha="right", va="top")  # fmt: skip


LABELS = Figure(
    name="pad.label-noise",
    title="Twenty rollouts do not tell a pivot",
    source="PAD, 3.3",
    study=_study,
    sizes={"quick": {"rows": 50, "rollouts": ROLLOUTS[:3]}, "deep": {"rows": 20_000}},
    compact=_compact,
    draw=_draw,
    data="labels at ratio 0.9: lines exact, marks simulated by the labelling pipeline without a judge; left no drop of "
    f"utility, right a drop of 20 %; the last point is N = {ENOUGH:,}, which suffices everywhere from U = 0.3",
    intervals="Wilson, 95 % each, of the simulated shares",
    claims=("pad.label-noise", "pad.label-noise-corrected"),
    shape=(1, 2),
    size=(9.0, 3.8),
)
