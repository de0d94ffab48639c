"""RDK, Figures 3, 8, 9 and 10: quantiles of logits and of probabilities beside those of fitted families.

Each point is averaged over positions: one place among the order statistics, the fitted quantile there and the observed.
Probabilities span many orders of magnitude and fitted ones are often negative, so that these are averaged, and drawn,
on the scale of asinh(x/w): linear below w, logarithmic above.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np

from simspec.engine.estimates.intervals import Interval, each, student
from simspec.engine.study import Result, Study
from simspec.figures.figure import point
from simspec.figures.table import Point
from simspec.laws import Array
from simspec.logits import Draws, gaussian
from simspec.logits.bank import open_bank
from simspec.studies.rdk.quantile_plots import Source, quantile_plots

__all__ = ["DATA", "INTERVALS", "SIZES", "WIDTH", "compact", "study"]

BANKS = ("smollm2", "wiki", "stories", "gpt2")
WIDTH = 0.01
"""Where the scale of probabilities turns from linear to logarithmic, in multiples of 1/V."""
_FAMILIES = {"Student-t": "student", "normal": "normal"}
_CONTROL = "Gaussian logits"
_FEW = 30
"""Documents; fewer are not resampled."""


def study(
    contexts: int = 300, vocab: int = 16_384, control: int = 40, *, kind: str, banks: tuple[str, ...] = BANKS
) -> Study:
    """Quantiles of the banks' positions and of Gaussian logits, beside those of fitted families."""
    sources = {}
    for name in banks:
        bank = open_bank(name)
        rows = min(contexts, bank.contexts)
        cell = {"vocab": bank.vocab, "rows": rows}
        sources[name] = Source(partial(_logits, name), bank.documents[:rows], cell)
    sources[_CONTROL] = Source(partial(_gaussian, vocab), None, {"vocab": vocab, "rows": control})
    return quantile_plots(sources, kind, rows=max(contexts, control))


SIZES: Mapping[str, Mapping[str, Any]] = {
    "quick": {
        "contexts": 2,
        "vocab": 1_024,
        "control": 2,
        "banks": BANKS[1:3],
    },  # the others have the largest vocabularies
    "deep": {"control": 200},
}
"""What the efforts change of the study."""


def _logits(name: str, numbers: range, key: int) -> Any:
    return open_bank(name).target(slice(numbers.start, numbers.stop))


def _gaussian(vocab: int, numbers: range, key: int) -> Any:
    return gaussian(Draws(key, numbers), vocab, scale=3)


def _means(values: Array, document: Array) -> list[Interval]:
    """Mean of each column (n, k), over positions; documents are resampled where there are enough."""
    if len(np.unique(document)) >= _FEW:
        return each(values, document)
    return [student(column) for column in values.T]


def _curves(panel: str, result: Result, width: float | None) -> Iterator[Point]:
    """Quantile plot of each family; averaged on the scale of asinh(x/width) where there is a width."""
    scaled, back = (_same, _same) if width is None else (partial(_bent, width), partial(_straight, width))
    observed = _means(scaled(result.values["observed"]), result.values["document"])
    for series, measure in _FAMILIES.items():
        fitted = back(scaled(result.values[measure]).mean(axis=0))
        for x, y in zip(fitted, observed, strict=True):
            estimate, low, high = (float(back(end)) for end in y[:3])
            yield point(panel, series, x, Interval(estimate, low, high, y.level))


def _same(x: Any) -> Any:
    return x


def _bent(width: float, x: Any) -> Any:
    return np.arcsinh(x / width)


def _straight(width: float, x: Any) -> Any:
    return width * np.sinh(x)


def _bars(panel: str, series: str, values: Sequence[tuple[Result, Array]]) -> Iterator[Point]:
    for place, (result, column) in enumerate(values):
        (mean,) = _means(column[:, None].astype(np.float64), result.values["document"])
        low = max(mean.low, 0.0)
        high = mean.high
        yield point(panel, series, place, mean._replace(low=low, high=high), label=result.cell["source"])


def compact(results: Sequence[Result], kind: str) -> Iterator[Point]:
    """Points of the quantile plots, source by source, then of what was fitted."""
    for result in results:
        yield from _curves(result.cell["source"], result, None if kind == "logits" else WIDTH)

    def single(measure: str) -> list[tuple[Result, Array]]:
        return [(r, r.values[measure]) for r in results]

    yield from _bars("1/df of the fit", "Student-t", single("inverse df"))
    if kind == "logits":
        yield from _bars("scale of the fit, in standard deviations", "Student-t", single("scale"))
        wins = [(r, r.values["aic gain"] > 0) for r in results]
        yield from _bars("positions where AIC prefers it", "Student-t", wins)
    for series, family in _FAMILIES.items():
        yield from _bars("Kolmogorov–Smirnov distance", series, single(f"ks {family}"))


DATA = (
    "SmolLM2-135M-Instruct (bank smollm2, the 52 contexts with whole rows, "
    "answers and corpus texts together), banks wiki and stories, the five recorded GPT-2 "
    "vectors of the bank gpt2, and synthetic Gaussian logits of scale 3 as control; families fitted to each "
    "position by maximum likelihood"
)
INTERVALS = "95 % each: documents resampled; Student-t for the five vectors and the synthetic positions"
