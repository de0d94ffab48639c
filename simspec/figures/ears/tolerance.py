"""Throughput of EARS against its tolerance and the length of the draft: tokens per target call, from exact acceptance.

The picture: tokens per call under EARS over those of speculative decoding: a panel for each kind of laws, a curve for each γ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.data import IN_WORDS, LAWS, cells, in_blocks, interval, words
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.laws import Array
from simspec.methods import acceptance_rate, ears, mean_acceptance_length

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TOLERANCE"]

BETAS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.3, 0.5)
GAMMAS = (1, 3, 5, 10, 20)


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    def values(p: Array, q: Array) -> dict[str, Array]:
        return {"acceptance": np.stack([acceptance_rate(ears(beta), p, q) for beta in BETAS], axis=-1)}

    return in_blocks(cell, rows, values)


def _study(rows: int = 300, vocab: int = 1000, temperature: float = 1) -> Study:
    return Study(
        name="ears-tolerance",
        question="How much does the tolerance gain with drafts of different lengths?",
        grid=cells(LAWS, vocab, temperature, rows),
        simulate=_simulate,
        rows=rows,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Ratio of tokens per call to speculative decoding's, from the mean acceptance of each tolerance."""
    for result in results:
        rates = result.values["acceptance"]
        for gamma in GAMMAS:
            base = mean_acceptance_length(float(rates[:, 0].mean()), gamma)
            for i, beta in enumerate(BETAS):
                alpha = interval(result, rates[:, i])
                mean, low, high = (mean_acceptance_length(min(1.0, a), gamma) / base for a in alpha[:3])
                yield Point(words(result.cell), f"γ = {gamma}", beta, mean, low, high)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the ratio over β; longer drafts are darker."""
    top = 1.03 * max(rows.column("high"))
    for axes, panel in zip(ax, rows.panels(), strict=True):
        names = rows.of(panel).series()
        for at, name in enumerate(names):
            marks.curve(axes, rows.of(panel, name), place=at, color=str(0.72 - 0.72 * at / (len(names) - 1)))
        marks.guide(axes, (0, 0.5), (1, 1))
        axes.annotate("speculative decoding", (0.5, 1), fontsize=8, color="0.35", ha="right", va="top", xytext=(0, -3),
                      textcoords="offset points")  # fmt: skip
        axes.set_title(panel)
        axes.set_xlabel("tolerance β")
        axes.set_ylim(0.8, top)
        marks.labelled(axes, 0.06)
    for axes in ax[::2]:
        axes.set_ylabel("tokens per call, over speculative decoding's")


TOLERANCE = Figure(
    name="ears.tolerance",
    title="Tokens per target call under EARS, over those of speculative decoding",
    source="EARS, Key Results and next check 2",
    study=_study,
    sizes={"quick": {"rows": 8}},
    compact=_compact,
    draw=_draw,
    data=f"{IN_WORDS}, at temperature 1; tokens per call by the i.i.d. formula from the mean acceptance, relative to "
    "tolerance 0",
    intervals="95 % each, of the acceptance: Student-t over simulated pairs, bootstrap over documents of a bank",
    claims=("ears.throughput", "ears.gamma-scaling"),
    shape=(2, 2),
    size=(9.0, 6.8),
)
