"""RDK, Figures 2 and 4: histograms over positions of what single positions' logits and probabilities look like."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from simspec.engine.estimates.intervals import Interval, each
from simspec.engine.study import Study
from simspec.figures.figure import point
from simspec.figures.table import Point
from simspec.laws import Array
from simspec.logits.bank import open_bank
from simspec.studies.rdk.positions import positions

__all__ = ["DATA", "FEW", "INTERVALS", "histogram", "rounded", "study"]


BANKS = ("smollm2", "wiki", "stories", "gpt2")
FEW = 20
"""Fewer positions than this have no intervals."""


DATA = (
    "SmolLM2-135M-Instruct (bank smollm2, the 52 contexts with whole rows, "
    "answers and corpus texts together), first contexts of the banks wiki and stories, and "
    "the five recorded GPT-2 vectors of the bank gpt2"
)
INTERVALS = "documents resampled, 95 % each; none for the five vectors"


def study(contexts: int = 300) -> Study:
    """Statistics of the first positions of each bank."""
    return positions({name: open_bank(name) for name in BANKS}, contexts)


def histogram(panel: str, series: str, values: Array, document: Array, edges: Array) -> Iterator[Point]:
    """Share of the positions in each bin, from its left edge to the next; the first and the last point close the outline."""
    inside = np.eye(len(edges) - 1)[np.digitize(values, edges[1:-1])]
    few = len(values) < FEW
    ends = (float("nan"),) * 2 if few else (0.0, 0.0)
    yield Point(panel, series, float(edges[0]), 0.0, *ends)
    if few:
        shares = [Interval(float(share), *ends, 0.95) for share in inside.mean(axis=0)]
    else:
        shares = each(inside, document)
    yield from (point(panel, series, edge, share) for edge, share in zip(edges[:-1], shares, strict=True))
    yield Point(panel, series, float(edges[-1]), 0.0, *ends)


def rounded(values: Array, step: float) -> tuple[float, float]:
    """Multiples of a step around some values."""
    return step * np.floor(values.min() / step), step * (np.floor(values.max() / step) + 1)
