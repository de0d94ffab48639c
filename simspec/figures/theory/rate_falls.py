"""The acceptance rate falls as the budget grows, and the speed rises: the rate is no measure of speed.

The picture: accepted over drafted tokens and speed-up, over the number of draft tokens, for three acceptances.
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
from simspec.methods.speed import tree_speedup

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["RATE_FALLS"]

_RATES = (0.5, 0.7, 0.9)
_LONGEST = 12
_TITLES = {"rate": "accepted over drafted tokens", "speed": "speed-up"}


def _study(cost: float = 0.02) -> Study:
    return Study(
        name="rate-falls",
        question="Does a higher acceptance rate mean a higher speed?",
        grid=tuple({"acceptance": rate, "rows": _LONGEST} for rate in _RATES),
        simulate=partial(_simulate, cost),
        rows=_LONGEST,
    )


def _simulate(cost: float, cell: Cell, rows: Rows, device: str) -> Values:
    """Rate and speed-up for every number of draft tokens."""
    gammas = np.asarray(rows.numbers) + 1
    tokens = np.array([float(mean_acceptance_length(cell["acceptance"], int(gamma))) for gamma in gammas])
    return {
        "gamma": gammas.astype(float),
        "rate": (tokens - 1) / gammas,
        "speed": tree_speedup(tokens, levels=gammas, nodes=gammas, cost=cost),
    }


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for name, title in _TITLES.items():
        for result in results:
            series = f"a draft is accepted in {result.cell['acceptance']:.0%} of the cases"
            for gamma, value in zip(result.values["gamma"], result.values[name], strict=True):
                yield Point(title, series, float(gamma), float(value))


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw both over the number of draft tokens."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for place, name in enumerate(rows.of(panel).series()):
            marks.curve(axes, rows.of(panel, name), place=place)
        axes.set_title(panel)
        axes.set_xlabel("draft tokens γ")
        axes.set_ylim(0, None)
    ax[1].legend(loc="upper left", fontsize=7)


RATE_FALLS = Figure(
    name="theory.rate-falls",
    title="With more draft tokens the acceptance rate falls while the speed rises",
    source="beyond the papers",
    study=_study,
    compact=_compact,
    draw=_draw,
    data="independent steps in closed form; a draft step costs 0.02 target steps",
    claims=("metrics.rate-falls.call", "metrics.rate-ranks"),
    shape=(1, 2),
    size=(9.6, 3.8),
)
