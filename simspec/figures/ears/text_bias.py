"""Bias accumulated over a text: the distance of the law of T tokens from the target's, with its exact bounds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from simspec.engine.estimates.intervals import Interval, student
from simspec.engine.study import Result, Study
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point
from simspec.studies.ears.relaxed import LENGTHS, sequence_bias

__all__ = ["TEXT_BIAS"]

_RULES = {
    ("SD", 0.0): "SD",
    ("ears", 0.05): "EARS, β = 0.05",
    ("ears", 0.1): "EARS, β = 0.1",
    ("ears", 0.2): "EARS, β = 0.2",
    ("lenience", 0.8): "lenience, 0.8",
}
_BOUNDED = ("ears", 0.1)
_BOUNDS = {"summed bias": "sum of the tokens' biases", "root low": "lower bound", "root high": "upper bound"}


def _study(effort: str) -> Study:
    whole = sequence_bias()
    grid = tuple(c for c in whole.grid if (c["rule"], c["strength"]) in _RULES and c["model"] == 0 and c["rho"] == 0.9)
    return replace(whole, grid=grid, rows={"quick": 64, "default": 20_000, "deep": 100_000}[effort])


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        rule = result.cell["rule"], result.cell["strength"]
        for i, length in enumerate(LENGTHS):
            found = student(result.values["tv"][:, i], 0.95, 0, 1)
            yield point("rules", _RULES[rule], length, found)
    for result in results:
        if (result.cell["rule"], result.cell["strength"]) == _BOUNDED:
            for i, length in enumerate(LENGTHS):
                found = student(result.values["tv"][:, i], 0.95, 0, 1)
                yield point("bounds", _RULES[_BOUNDED], length, found)
            for bound, name in _BOUNDS.items():
                for i, length in enumerate(LENGTHS):
                    exact = float(result.values[bound][0, i])
                    yield point("bounds", name, length, Interval(exact, exact, exact, 1.0))


TEXT_BIAS = Figure(
    name="ears.text-bias",
    title="The bias of a relaxed rule grows with the length of the text",
    source="EARS, open question 2",
    study=_study,
    compact=_compact,
    data="Markov chains over 64 tokens with Gaussian logits of scale 2, draft of correlation 0.9; total variation of the "
    "laws of whole texts, estimated along texts of the target; right: EARS at β = 0.1 with exact bounds",
    intervals="Student-t, 95 % each",
    claims=("ears.sequence-bias",),
    shape=(1, 2),
    size=(9.6, 3.8),
)
