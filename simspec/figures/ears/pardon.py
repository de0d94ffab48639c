"""Tokens accepted by pardon: how many there are, and how far the law of each way in lies from the target's.

The picture: left: how many drafts the pardon lets in; right: how far their law lies from the target's, beside the others'.
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
from simspec.laws import Array, kl, normalise
from simspec.methods import accepted_mass, ears

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PARDON"]

BETAS = (0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    def values(p: Array, q: Array) -> dict[str, Array]:
        standard = np.minimum(p, q)
        pardoned = [np.maximum(accepted_mass(ears(beta), p, q) - standard, 0) for beta in BETAS]
        return {
            "share": np.stack([g.sum(axis=-1) for g in pardoned], axis=-1),
            "standard": kl(normalise(standard), p),
            "pardon": np.stack([kl(normalise(g), p) for g in pardoned], axis=-1),
        }

    return in_blocks(cell, rows, values)


def _study(rows: int = 300, vocab: int = 1000, temperature: float = 1) -> Study:
    return Study(
        name="ears-pardon",
        question="Which tokens does the tolerance let in?",
        grid=cells(LAWS, vocab, temperature, rows),
        simulate=_simulate,
        rows=rows,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        name = words(result.cell)
        values = result.values
        for i, beta in enumerate(BETAS):
            yield point("share of drafts pardoned", name, beta, interval(result, values["share"][:, i]))
        for i, beta in enumerate(BETAS):
            estimate = interval(result, values["pardon"][:, i], highest=np.inf)
            yield point("divergence", f"pardoned, {name}", beta, estimate)
        for beta in BETAS:
            estimate = interval(result, values["standard"], highest=np.inf)
            yield point("divergence", f"standard, {name}", beta, estimate)


INKS = {
    "Gaussian logits": "#0072B2",
    "wiki bank": "#D55E00",
    "SmolLM2, 3-bit draft": "#5E3C99",
    "SmolLM2, 4-bit draft": "#009E73",
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw both quantities over β; each pair of laws keeps its colour."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.of(panel).series():
            dashes, mark = (":", "s") if name.startswith("standard") else ("-", "o")
            marks.curve(
                axes,
                rows.of(panel, name),
                color=INKS[name.removeprefix("pardoned, ").removeprefix("standard, ")],
                linestyle=dashes,
                marker=mark,
            )
        axes.set_xlabel("tolerance β")
        axes.set_ylim(bottom=0)
        marks.labelled(axes, 0.06)
    ax[0].set_ylabel("share of drafts accepted by pardon")
    ax[1].set_ylabel("KL of accepted tokens to the target, nats")


PARDON = Figure(
    name="ears.pardon",
    title="Tokens accepted by pardon lie far from the target's law, and their share grows with β",
    source="EARS, next check 3",
    study=_study,
    sizes={"quick": {"rows": 8}},
    compact=_compact,
    draw=_draw,
    data=f"{IN_WORDS}; right: KL, in nats, of the law of a token accepted on each path to the target's law, mean over "
    "contexts",
    intervals="95 % each: Student-t over simulated pairs, bootstrap over documents of a bank",
    claims=("ears.two-paths", "ears.two-paths-order", "ears.support"),
    shape=(1, 2),
    size=(9.6, 3.8),
)
