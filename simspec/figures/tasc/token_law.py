"""TASC, Figure 8: the law of the output tokens by rank, before and after enrichment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure
from simspec.figures.table import Point
from simspec.figures.tasc.tasks import LIBRARY, LIVE, library_tasks
from simspec.logits.corpora import TASKS
from simspec.studies.tasc.token_laws import token_laws

__all__ = ["TOKEN_LAW"]

_RANKS = tuple(np.unique(np.geomspace(1, 3000, 60).round().astype(int)).tolist())
_SERIES = {0: "before", 500: "500 more tokens", 1000: "1,000 more tokens"}


def _study(effort: str) -> Study:
    budgets = (0, 500) if effort == "quick" else tuple(_SERIES)
    return token_laws(lambda: library_tasks(effort), TASKS, budgets, _RANKS)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        for budget in result.cell["budgets"]:
            masses = result.values[f"mass {budget}"][0]
            for rank, mass in zip(_RANKS, masses, strict=True):
                if mass > 0:
                    yield Point(LIVE[result.cell["task"]], _SERIES[budget], rank, float(mass))


TOKEN_LAW = Figure(
    name="tasc.token-law",
    title="New tokens take mass from the most frequent ones",
    source="TASC, Figure 8",
    study=_study,
    compact=_compact,
    data=f"tokens of held-out outputs by rank, through the merge table, n-grams up to 4: {LIBRARY}; a uniform law "
    "would be a level line",
    claims=("tasc.entropy-rises", "tasc.uid"),
    shape=(1, 2),
    size=(9.6, 3.9),
    missing="EUR-LEX, MASSIVE and Asclepius are not at hand",
)
