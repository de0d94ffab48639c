"""TASC, Figure 8: the law of the output tokens by rank, before and after enrichment.

The picture: masses of tokens over their rank, both on logarithmic axes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.figures.tasc.tasks import LIBRARY, LIBRARY_SIZES, LIVE, library_tasks
from simspec.logits.corpora import TASKS
from simspec.studies.tasc.token_laws import token_laws

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TOKEN_LAW"]

_RANKS = tuple(np.unique(np.geomspace(1, 3000, 60).round().astype(int)).tolist())
_SERIES = {0: "before", 500: "500 more tokens", 1000: "1,000 more tokens"}


def _study(share: float = 0.4, most: int = 40_000, *, budgets: tuple[int, ...] = tuple(_SERIES)) -> Study:
    return token_laws(partial(library_tasks, share, most), TASKS, budgets, _RANKS)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        for budget in result.cell["budgets"]:
            masses = result.values[f"mass {budget}"][0]
            for rank, mass in zip(_RANKS, masses, strict=True):
                if mass > 0:
                    yield Point(LIVE[result.cell["task"]], _SERIES[budget], rank, float(mass))


INKS = {"before": "#777777", "500 more tokens": "#56B4E9", "1,000 more tokens": "#0072B2"}
DASHES = {"before": "--", "500 more tokens": "-", "1,000 more tokens": "-"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the law before and after, task by task."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.of(panel).series():
            marks.curve(axes, rows.of(panel, name), color=INKS[name], linestyle=DASHES[name], marker="")
        axes.set_title(panel)
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_xlabel("rank of the token")
        axes.set_ylim(1e-5, 1)
    ax[0].set_ylabel("share of the text")
    ax[1].legend(loc="upper right")


TOKEN_LAW = Figure(
    name="tasc.token-law",
    title="New tokens take mass from the most frequent ones",
    source="TASC, Figure 8",
    study=_study,
    sizes={"quick": {**LIBRARY_SIZES["quick"], "budgets": (0, 500)}, "deep": LIBRARY_SIZES["deep"]},
    compact=_compact,
    draw=_draw,
    data=f"tokens of held-out outputs by rank, through the merge table, n-grams up to 4: {LIBRARY}; a uniform law "
    "would be a level line",
    claims=("tasc.entropy-rises", "tasc.uid"),
    shape=(1, 2),
    size=(9.6, 3.9),
    missing="EUR-LEX, MASSIVE and Asclepius are not at hand",
)
