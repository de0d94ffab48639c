"""RDK, Figures 2 and 4: histograms over positions of what single positions' logits and probabilities look like."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np

from simspec.engine.estimates.intervals import Interval, each
from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.laws import Array
from simspec.logits.bank import SHIPPED, open_bank
from simspec.studies.rdk.positions import positions

__all__ = ["LOGIT_STATISTICS", "PROBABILITY_HISTOGRAM"]

_BINS = 16
_FEW = 20
"""Fewer positions than this have no intervals."""
_LOGITS = {"mean": "logit mean", "standard deviation": "logit sd", "maximum": "logit max"}
_PROBABILITIES = {  # title: measure, width of a bin in decades
    "mean probability": ("probability mean", 0.125),
    "standard deviation": ("probability sd", 0.125),
    "least probability": ("probability min", 0.5),
    "largest probability": ("probability max", 0.125),
}
_DATA = "first contexts of the banks wiki and stories, and the five recorded GPT-2 vectors of the bank gpt2"


def _study(effort: str) -> Study:
    return positions({name: open_bank(name) for name in SHIPPED}, {"quick": 40}.get(effort, 300))


def _histogram(panel: str, series: str, values: Array, document: Array, edges: Array) -> Iterator[Point]:
    """Share of the positions in each bin, from its left edge to the next; the first and the last point close the outline."""
    inside = np.eye(len(edges) - 1)[np.digitize(values, edges[1:-1])]
    few = len(values) < _FEW
    ends = (float("nan"),) * 2 if few else (0.0, 0.0)
    yield Point(panel, series, float(edges[0]), 0.0, *ends)
    if few:
        shares = [Interval(float(share), *ends, 0.95) for share in inside.mean(axis=0)]
    else:
        shares = each(inside, document)
    yield from (point(panel, series, edge, share) for edge, share in zip(edges[:-1], shares, strict=True))
    yield Point(panel, series, float(edges[-1]), 0.0, *ends)


def _single(panel: str, series: str, values: Array, low: float, high: float) -> Iterator[Point]:
    """Each of a few positions with its share, and a point of none at either end."""
    yield Point(panel, series, float(low), 0.0)
    yield from (Point(panel, series, float(value), 1 / len(values)) for value in np.sort(values))
    yield Point(panel, series, float(high), 0.0)


def _rounded(values: Array, step: float) -> tuple[float, float]:
    """Multiples of a step around some values."""
    return step * np.floor(values.min() / step), step * (np.floor(values.max() / step) + 1)


def _compact_logits(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        name, v = result.cell["bank"], result.values
        for title, measure in _LOGITS.items():
            low, high = _rounded(v[measure], 0.5)
            if len(v[measure]) < _FEW:
                yield from _single(f"{name}: {title}", name, v[measure], low, high)
            else:
                edges = np.linspace(low, high, _BINS + 1)
                yield from _histogram(f"{name}: {title}", name, v[measure], v["document"], edges)


def _compact_probabilities(results: Sequence[Result]) -> Iterator[Point]:
    for title, (measure, step) in _PROBABILITIES.items():
        for result in results:
            name, logs = result.cell["bank"], np.log10(result.values[measure])
            low, high = _rounded(logs, step)
            edges = np.linspace(low, high, round((high - low) / step) + 1)
            made = _histogram(title, name, logs, result.values["document"], edges)
            yield from (p._replace(x=10.0**p.x) for p in made)


_figure: Any = partial(
    Figure,
    study=_study,
    data=_DATA,
    intervals="documents resampled, 95 % each; none for the five vectors",
    claims=("rdk.logit-statistics",),
)

LOGIT_STATISTICS = _figure(
    name="rdk.logit-statistics",
    title="Raw logits of a position: their sign is the model's own offset, their spread differs from model to model",
    source="RDK, Figure 2",
    compact=_compact_logits,
    shape=(3, 3),
    size=(9.6, 6.4),
    missing="the paper's sample of GPT-2 positions is not at hand; five recorded GPT-2 vectors stand below the banks",
)

PROBABILITY_HISTOGRAM = _figure(
    name="rdk.probability-histogram",
    title="Probabilities of a position span many orders of magnitude; only their mean is fixed",
    source="RDK, Figure 4",
    compact=_compact_probabilities,
    shape=(2, 2),
    size=(9.6, 5.8),
    missing="the paper's sample of GPT-2 positions is not at hand; five recorded GPT-2 vectors stand beside the banks",
)
