"""Theorem 1 term by term: the draft's own distance, the dropped mass and the lattice, against measured rejections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures.data import SYNTHETIC, WIKI, in_blocks, interval, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.laws import Array, tv
from simspec.methods import acceptance_rate, dropped_mass, sqs, top_mask

__all__ = ["TERMS"]

SIZES = (2, 8, 32, 128, 512)
RESOLUTION = 100
NAMES = ("draft and target, TV(q, p)", "dropped mass", "lattice, K/(4ℓ)")


def _simulate(cell: Cell, rows: Rows, device: str) -> Values:
    def values(p: Array, q: Array) -> dict[str, Array]:
        dropped = np.stack([dropped_mass(q, top_mask(q, k)) for k in SIZES], axis=-1)
        kept = [acceptance_rate(sqs(k, RESOLUTION), p, q) for k in SIZES]
        return {"own": tv(q, p), "dropped": dropped, "rejected": 1 - np.stack(kept, axis=-1)}

    return in_blocks(cell, rows, values)


def _study(effort: str) -> Study:
    return Study(
        name="sqs-terms",
        question="Which term of the bound on rejections matters?",
        grid=(SYNTHETIC, WIKI) if effort != "quick" else (SYNTHETIC,),
        simulate=_simulate,
        rows={"quick": 4, "default": 300, "deep": 300}[effort],
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        panel, v = words(result.cell), result.values
        for at, k in enumerate(SIZES):
            parts = (float(v["own"].mean()), float(v["dropped"][:, at].mean()), k / (4 * RESOLUTION))
            for name, part in zip(NAMES, parts, strict=True):
                yield Point(panel, name, at, part, label=f"{k}")
            yield point(panel, "rejected, measured", at, interval(result, v["rejected"][:, at]), f"{k}")


TERMS = Figure(
    name="sqs.terms",
    title="The bound on rejections, term by term, against the rejections",
    source="SQS, Theorem 1",
    study=_study,
    compact=_compact,
    data="Gaussian logits (scale 2, correlation 0.9, V = 1,000) and the wiki bank; K-SQS at ℓ = 100, one draft a context",
    intervals="95 % each, of the rejections: Student-t over simulated pairs, bootstrap over documents of the bank",
    claims=("sqs.rejection-bound", "sqs.rejection-bound-sharp", "sqs.rejection"),
    shape=(1, 2),
    size=(9.6, 4.0),
)
