"""RDK, Figure 11: the affinity matrix as a map, and how many of its rows are sharp, uniform or neither."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study, select
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.logits.bank import open_bank
from simspec.studies.rdk.affinity import KINDS, TEMPERATURES
from simspec.studies.rdk.affinity_map import affinity_map

__all__ = ["AFFINITY"]

_FLOOR = -4.0
"""Least logarithm of an entry that is told from 0."""
_SPARSE = 0.9
_SHOWN = TEMPERATURES[1:4]


def _study(effort: str) -> Study:
    points, rows = {"quick": (8, 12), "default": (48, 400), "deep": (64, 4_000)}[effort]
    return affinity_map(open_bank("wiki"), points, rows=rows)


def _maps(result: Result) -> Iterator[Point]:
    """Logarithm of each entry over the uniform one, token of rank y to token of rank x."""
    ranks = result.values["rank"]
    for rank, row in zip(ranks, result.values["map"], strict=True):
        shown = np.log10(np.maximum(row * result.cell["vocab"], 10.0**_FLOOR)).round(3)
        for to, value in zip(ranks, shown, strict=True):
            yield Point(f"{result.cell['kind']}: map", "M", float(to), float(rank), z=float(value))


def _spread(result: Result) -> Iterator[Point]:
    for share in _SHOWN:
        for rank, count in zip(result.values["rank"], result.values[f"effective {share:g}"], strict=True):
            yield Point(f"{result.cell['kind']}: rows", f"τ = {share:g}", float(rank), float(count))


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for kind in KINDS:
        (shown,) = select(results, kind=kind, part="map")
        yield from _maps(shown)
        yield from _spread(shown)
    for panel in ("entries near zero", "sparse rows"):
        for kind in KINDS:
            (drawn,) = select(results, kind=kind, part="rows")
            for share in TEMPERATURES:
                near = drawn.values[f"{share:g}"]
                values = near if panel == "entries near zero" else (near > _SPARSE).astype(float)
                yield point(panel, kind, share, student(values, 0.95, 0, 1))


AFFINITY = Figure(
    name="rdk.affinity",
    title="The affinity matrix: at one temperature some rows are sharp, others uniform; sparsity is a choice of τ",
    source="RDK, Figure 11",
    study=_study,
    compact=_compact,
    data="bank wiki, M of Eq. 2 on the covariance of probabilities, of logits and of one-hot tokens; τ as a share of its "
    "largest entry, 0.01 in the maps; near zero is below 1/(10 V), a sparse row has more than 90 % such entries",
    intervals="Student-t over rows drawn at random, 95 % each; maps and rows of chosen tokens are exact",
    claims=("rdk.affinity-sparsity", "rdk.affinity-rows"),
    shape=(2, 4),
    size=(13.0, 6.2),
    missing="the paper's model and the 200 tokens of its map are not at hand; the tokens shown run from the most "
    "frequent to the rarest in equal ratios of rank",
)
