"""RDK, Figure 7: acceptance against pruning at 200,000 tokens, scheme by scheme, with uniform and unigram controls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.studies.rdk.pruning import KEPT, ORDERS, synthetic_pruning

__all__ = ["PRUNING"]

_LOGITS = ((30, 0.5), (10, 1), (5, 2))
_SERIES = {"none": "no transfer", "tli": "TLI", "rdk prior": "RDK", "rdk leaking": "RDK, leaking"}
_FLAT = {"uniform": "uniform", "unigram": "unigram"}


def _study(effort: str) -> Study:
    rows, tuning, vocab = {"quick": (2, 2, 2_000), "default": (24, 8, 200_000), "deep": (100, 16, 200_000)}[effort]
    return synthetic_pruning(vocab, _LOGITS, tilt=(0,), rho=(1,), rows=rows, tuning=tuning)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    order = ORDERS.index("frequency")
    for result in results:
        panel = f"df {result.cell['df']:g}, scale {result.cell['scale']:g}"
        for measure, series in _SERIES.items():
            for i, kept in enumerate(KEPT):
                yield point(panel, series, 1 - kept, student(result.values[measure][:, order, i], 0.95, 0, 1))
        for measure, series in _FLAT.items():
            for kept in KEPT:
                yield point(panel, series, 1 - kept, student(result.values[measure], 0.95, 0, 1))


PRUNING = Figure(
    name="rdk.pruning",
    title="Acceptance as the drafter's vocabulary is pruned",
    source="RDK, Figure 7",
    study=_study,
    compact=_compact,
    data="synthetic Student-t logits of equal law, V = 200,000; the drafter is the pruned target; tokens kept at random",
    intervals="Student-t, 95 % each",
    claims=("rdk.plateau-flat", "rdk.plateau-wins"),
    shape=(1, 3),
    size=(10.5, 3.6),
)
