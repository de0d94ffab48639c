"""PAD's printed table as a curve: speed-up over accepted share, beside the formula for several lengths of the draft.

The picture: printed speed-ups over printed shares, and the formula's lines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.claims.pad.table1 import COST, PRINTED
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.methods import speedup_of_accepted

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TABLE"]

GAMMAS = (5, 9, 11, 13, 20)
SHARES = tuple(round(0.3 + 0.05 * i, 2) for i in range(11))
TASKS = ("GSM8K", "AIME24", "MBPP")


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    speedups = [[float(speedup_of_accepted(s * g, g, float(COST))) for s in SHARES] for g in GAMMAS]
    printed = np.array(PRINTED, dtype=np.float64)
    return {"formula": np.array([speedups]), "printed": printed[None]}


def _study() -> Study:
    question = "Do the printed speed-ups follow from the printed shares?"
    return Study(name="pad-table", question=question, grid=({"cost": str(COST)},), simulate=_simulate)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    (result,) = results
    for i, gamma in enumerate(GAMMAS):
        for j, share in enumerate(SHARES):
            yield Point("", f"γ = {gamma}", share, float(result.values["formula"][0, i, j]))
    for at, (share, speed) in enumerate(result.values["printed"][0]):
        yield Point("", f"{TASKS[at // 3]}, printed", float(share), float(speed))


STYLES: tuple[dict[str, Any], ...] = (  # hollow and of several sizes, so that marks on the same place are all seen
    {"color": "#0072B2", "marker": "o", "markersize": 10, "markeredgewidth": 1.3},
    {"color": "#D55E00", "marker": "s", "markersize": 6, "markeredgewidth": 1.3},
    {"color": "#009E73", "marker": "D", "markersize": 7, "markeredgewidth": 1.3},
)


def _draw(ax: Axes, rows: Points) -> None:
    """Draw the formula's lines in greys, the printed points in colour."""
    for at, name in enumerate(rows.series()):
        if name.startswith("γ"):
            marks.curve(ax, rows.of(series=name), color=str(0.75 - 0.13 * at), marker="")
    marks.labelled(ax)
    for name, style in zip(rows.series()[-3:], STYLES, strict=True):
        marks.curve(ax, rows.of(series=name), linestyle="", markerfacecolor="none", **style)
    ax.legend(handles=ax.get_lines()[-3:], loc="upper left")
    ax.set_xlabel("share of drafts accepted, η")
    ax.set_ylabel("speed-up S")


TABLE = Figure(
    name="pad.table1",
    title="No single γ gives all nine printed speed-ups within rounding",
    source="PAD, Table 1",
    study=_study,
    compact=_compact,
    draw=_draw,
    data="the nine printed pairs of accepted share and speed-up; lines: (ηγ + 1)/(γc + 1), c = 1/3.94",
    claims=("pad.table1", "pad.table1-sharp"),
    size=(6.4, 4.2),
)
