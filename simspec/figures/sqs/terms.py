"""Theorem 1 term by term: the draft's own distance, the dropped mass and the lattice, against measured rejections.

The picture: the three terms of the bound stacked, and the measured rejections as marks, over the number of tokens kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.data import IN_WORDS, LAWS, cells, in_blocks, interval, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.laws import Array, tv
from simspec.methods import acceptance_rate, dropped_mass, sqs, top_mask

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TERMS"]

SIZES = (2, 8, 32, 128, 512)
RESOLUTION = 100
NAMES = ("draft and target, TV(q, p)", "dropped mass", "lattice, K/(4ℓ)")


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    def values(p: Array, q: Array) -> dict[str, Array]:
        dropped = np.stack([dropped_mass(q, top_mask(q, k)) for k in SIZES], axis=-1)
        rates = [acceptance_rate(sqs(k, RESOLUTION), p, q) for k in SIZES]
        return {"own": tv(q, p), "dropped": dropped, "rejected": 1 - np.stack(rates, axis=-1)}

    return in_blocks(cell, rows, values)


def _study(rows: int = 300, vocab: int = 1000, temperature: float = 1, *, laws: tuple[str, ...] = LAWS) -> Study:
    return Study(
        name="sqs-terms",
        question="Which term of the bound on rejections matters?",
        grid=cells(laws, vocab, temperature, rows),
        simulate=_simulate,
        rows=rows,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel = words(result.cell)
        v = result.values
        for at, k in enumerate(SIZES):
            parts = (float(v["own"].mean()), float(v["dropped"][:, at].mean()), k / (4 * RESOLUTION))
            for name, term in zip(NAMES, parts, strict=True):
                yield Point(panel, name, at, term, label=f"{k}")
            yield point(panel, "rejected, measured", at, interval(result, v["rejected"][:, at]), f"{k}")


INKS = ("#BBBBBB", "#56B4E9", "#E69F00")


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw each term on top of the one before; a height above 1 says nothing."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        *terms, measured = rows.of(panel).series()
        below = [0.0] * len(rows.of(panel, measured))
        for name, ink in zip(terms, INKS, strict=True):
            own = rows.of(panel, name)
            axes.bar(own.column("x"), own.column("y"), 0.7, bottom=below, color=ink, label=name)
            below = [b + p.y for b, p in zip(below, own, strict=True)]
        own = rows.of(panel, measured)
        ends = [[p.y - p.low for p in own], [p.high - p.y for p in own]]
        axes.errorbar(own.column("x"), own.column("y"), ends, fmt="D", color="#000000", capsize=3, label=measured)
        marks.guide(axes, (-0.45, 4.45), (1, 1), color="0.2", zorder=3)
        axes.annotate("a bound above 1 says nothing", (3.55, 1), fontsize=8, color="0.2", ha="right", xytext=(0, 3),
                      textcoords="offset points", bbox={"color": "white", "alpha": 0.75, "pad": 0.5})  # fmt: skip
        axes.set_xticks(own.column("x"), own.column("label"))
        axes.set_title(panel)
        axes.set_ylim(0, 2)
    for axes in ax[2:]:
        axes.set_xlabel("tokens kept, K")
    for axes in ax[::2]:
        axes.set_ylabel("probability of a rejection, and its bound")
    ax[0].legend(loc="upper left")


TERMS = Figure(
    name="sqs.terms",
    title="The bound on rejections, term by term, against the rejections",
    source="SQS, Theorem 1",
    study=_study,
    sizes={"quick": {"rows": 4, "laws": LAWS[:1]}},
    compact=_compact,
    draw=_draw,
    data=f"{IN_WORDS}; K-SQS at ℓ = 100, one draft a context",
    intervals="95 % each, of the rejections: Student-t over simulated pairs, bootstrap over documents of a bank",
    claims=("sqs.rejection-bound", "sqs.rejection-bound-sharp", "sqs.rejection"),
    shape=(2, 2),
    size=(9.6, 7.2),
)
