"""Drafts drawn in parallel: the acceptance of the second position with the marginal, and with the best law.

The picture: both over the dependence between the positions, for random joint laws of two tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.kernels.random import normal
from simspec.laws import softmax
from simspec.methods.parallel import best_draft, marginal, product_acceptance

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PARALLEL"]

_DEPENDENCE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
_SCALE = 2.0
_BEST = "best law"
_MARGINAL = "marginal of the target"
_LIMIT = "what no law exceeds"


def _study(rows: int = 200, tokens: int = 6) -> Study:
    return Study(
        name="parallel-drafts",
        question="How much does the best law of a second position gain over the marginal?",
        grid=tuple({"dependence": dependence, "tokens": tokens} for dependence in _DEPENDENCE),
        simulate=_simulate,
        rows=rows,
    )


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    """Acceptance at the second position; each row of the second token's law is a mixture of a common law and of its own."""
    vocab = cell["tokens"]
    logits = normal(rows.key, rows.numbers, range(vocab * (vocab + 2))).reshape(-1, vocab + 2, vocab)
    acceptances = []
    for first, common, *own in softmax(_SCALE * logits):
        laws = (1 - cell["dependence"]) * common + cell["dependence"] * np.array(own)
        best = best_draft(first, laws)
        plain = product_acceptance(first, laws, marginal(first, laws))
        acceptances.append((float(best.acceptance), float(plain)))
    best_rate, marginal_rate = np.array(acceptances).T
    return {_BEST: best_rate, _MARGINAL: marginal_rate}


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        for name in (_BEST, _MARGINAL):
            yield point("", name, result.cell["dependence"], student(result.values[name], 0.95, 0, 1))
        bound = (1 + result.values[_MARGINAL]) / 2
        yield point("", _LIMIT, result.cell["dependence"], student(bound, 0.95, 0, 1))


def _draw(ax: Axes, rows: Points) -> None:
    """Draw acceptance over dependence."""
    for place, name in enumerate((_BEST, _MARGINAL)):
        marks.curve(ax, rows.of(series=name), place=place)
    marks.curve(ax, rows.of(series=_LIMIT), place=2, color="0.6", linestyle="--", marker="")
    ax.set_xlabel("dependence of the second token on the first")
    ax.set_ylabel("acceptance at the second position")
    ax.set_ylim(0, 1.02)
    ax.legend(loc="lower left")


PARALLEL = Figure(
    name="theory.parallel",
    title="A parallel drafter's second position: the marginal is not the best law",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"rows": 10}},
    compact=_compact,
    draw=_draw,
    data="random joint laws of two tokens (Gaussian logits of scale 2, V = 6): each row of the second token's law is a mixture "
    "of a common law and its own; the best law by its concave program",
    intervals="Student-t over laws, 95 % each",
    claims=("parallel.marginal-best", "parallel.marginal-half"),
    size=(6.4, 4.0),
)
