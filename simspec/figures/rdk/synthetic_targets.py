"""RDK, Figure 5: the synthetic target laws, sorted, beside the quantiles of their family and beside real laws."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure
from simspec.figures.table import Point
from simspec.logits.bank import open_bank
from simspec.studies.rdk.synthetic_laws import ranks, synthetic_laws

__all__ = ["SYNTHETIC_TARGETS"]

_LOGITS = ((30, 0.5), (30, 2), (5, 2))


def _study(effort: str) -> Study:
    rows, vocab = {"quick": (4, 2_000), "default": (100, 200_000), "deep": (400, 200_000)}[effort]
    return synthetic_laws(vocab, _LOGITS, {"wiki": open_bank("wiki")}, rows)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    drawn = [r for r in results if "df" in r.cell]
    real = [r for r in results if "df" not in r.cell]
    for result in drawn:
        cell = result.cell
        panel = f"df {cell['df']:g}, scale {cell['scale']:g}"
        for name, one in [("real laws", real[0]), ("drawn", result)]:
            found = np.quantile(one.values["sorted"], [0.5, 0.05, 0.95], axis=0)
            for rank, (y, low, high) in zip(ranks(one.cell["vocab"]), found.T, strict=True):
                yield Point(panel, name, float(rank), float(y), float(low), float(high))
        for rank, y in zip(ranks(cell["vocab"]), result.values["family"][0], strict=True):
            yield Point(panel, "family", float(rank), float(y))


SYNTHETIC_TARGETS = Figure(
    name="rdk.synthetic-targets",
    title="Synthetic target laws: one family from nearly uniform to nearly one-hot",
    source="RDK, Figure 5",
    study=_study,
    compact=_compact,
    data="softmax of 200,000 independent Student-t logits, sorted; the family's own quantiles; the 300 contexts of the bank "
    "wiki (V = 16,384)",
    intervals="not of an estimate: the range of 90 % of the laws, around their median",
    shape=(1, 3),
    size=(11, 3.7),
)
