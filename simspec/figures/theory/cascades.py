"""A middle model: where it pays, over how much of the draft it accepts and how much of it the target accepts.

The picture: speed of the cascade over that of the same draft without it, a map for each cost of the middle model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.methods import mean_acceptance_length
from simspec.methods.cascade import cascade_speed
from simspec.methods.speed import tree_speedup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CASCADES"]

_RATES = tuple(round(0.5 + 0.05 * k, 2) for k in range(10))
_COSTS = (0.1, 0.3)
_DRAFT_COST = 0.02
_LONGEST = 12
_ROUNDS = 4


def _study(direct: float = 0.5) -> Study:
    cells = tuple({"middle cost": cost, "lower": lower, "rows": len(_RATES)} for cost in _COSTS for lower in _RATES)
    return Study(
        name="cascades",
        question="Where does a middle model pay?",
        grid=cells,
        simulate=partial(_simulate, direct),
        rows=len(_RATES),
    )


def _simulate(direct: float, cell: Cell, rows: Rows, device: str) -> Values:
    """Best speed of the cascade and of the draft alone, over their lengths, for every acceptance of the middle model."""
    uppers = np.array(_RATES)[np.asarray(rows.numbers)]
    lengths = np.arange(1, _LONGEST + 1)
    tokens = np.array([float(mean_acceptance_length(direct, int(gamma))) for gamma in lengths])
    alone = float(tree_speedup(tokens, levels=lengths, nodes=lengths, cost=_DRAFT_COST).max())
    cascaded = [
        max(
            float(cascade_speed(cell["lower"], upper, _DRAFT_COST, cell["middle cost"], gamma, rounds))
            for gamma in range(1, _LONGEST + 1)
            for rounds in range(1, _ROUNDS + 1)
        )
        for upper in uppers
    ]
    return {"upper": uppers, "gain": np.array(cascaded) / max(alone, 1.0)}


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel = f"a middle step costs {result.cell['middle cost']:g} target steps"
        for upper, gain in zip(result.values["upper"], result.values["gain"], strict=True):
            yield Point(panel, "gain", result.cell["lower"], float(upper), z=float(np.log2(gain)))


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a map of doublings for each cost, white where the middle model neither gains nor loses."""
    largest = max(abs(p.z) for p in rows)
    for axes, panel in zip(ax, rows.panels(), strict=True):
        mesh = marks.spread(axes, rows.of(panel), cmap="RdBu", vmin=-largest, vmax=largest)
        axes.set_title(panel)
        axes.set_xlabel("middle model accepts of the draft")
        axes.figure.colorbar(mesh, ax=axes, label="doublings of the speed")
    ax[0].set_ylabel("target accepts of the middle model")


CASCADES = Figure(
    name="theory.cascades",
    title="A middle model pays where the target accepts most of its tokens (blue), and costs elsewhere (red)",
    source="beyond the papers",
    study=_study,
    compact=_compact,
    draw=_draw,
    data="independent steps in closed form; a draft step costs 0.02 target steps, and the target accepts half of the draft's "
    "tokens; both with their best lengths",
    claims=("cascade.pays.rounds", "cascade.pays.folk"),
    shape=(1, 2),
    size=(11.0, 4.4),
)
