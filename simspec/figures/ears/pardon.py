"""Tokens accepted by pardon: how many there are, and how far the law of each way in lies from the target's."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures.data import SYNTHETIC, WIKI, in_blocks, interval, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.laws import Array, kl, normalise
from simspec.methods import accepted_mass, ears

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


def _study(effort: str) -> Study:
    return Study(
        name="ears-pardon",
        question="Which tokens does the pardon let in?",
        grid=(SYNTHETIC, WIKI),
        simulate=_simulate,
        rows={"quick": 8, "default": 300, "deep": 300}[effort],
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        name, values = words(result.cell), result.values
        for i, beta in enumerate(BETAS):
            yield point("share of drafts pardoned", name, beta, interval(result, values["share"][:, i]))
        for i, beta in enumerate(BETAS):
            found = interval(result, values["pardon"][:, i], highest=np.inf)
            yield point("divergence", f"pardoned, {name}", beta, found)
        for beta in BETAS:
            found = interval(result, values["standard"], highest=np.inf)
            yield point("divergence", f"standard, {name}", beta, found)


PARDON = Figure(
    name="ears.pardon",
    title="Tokens accepted by pardon lie far from the target's law, and their share grows with β",
    source="EARS, next check 3",
    study=_study,
    compact=_compact,
    data="Gaussian logits (scale 2, correlation 0.9, V = 1,000) and the wiki bank; right: KL, in nats, of the law of a "
    "token accepted on each path to the target's law, mean over contexts",
    intervals="95 % each: Student-t over simulated pairs, bootstrap over documents of the bank",
    claims=("ears.two-paths", "ears.two-paths-order", "ears.support"),
    shape=(1, 2),
    size=(9.6, 3.8),
)
