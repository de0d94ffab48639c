"""PAD from labels to decoding: speed against utility over the classifier's threshold, and its ROC."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

from simspec.engine.study import Cell, Result, Study, remembered
from simspec.studies.pad.pipeline import ANSWER, pipeline

__all__ = ["CLEAR", "DATA", "KINDS", "SIZES", "kind", "study"]

KINDS = {(0.05, 1.0): "right in 0.9 of answers", (0.3, 1.0): "right in half of the answers"}
CLEAR = {(0.3, 0.0): "right in half, states seen clearly"}


def _cell(ceiling: float, noise: float, training: int, choosing: int, states: int) -> Cell:
    sizes = {"training": training, "choosing": choosing, "states": states, "horizon": states + 8}
    return {**ANSWER, **sizes, "candidates": 32, "ceiling": ceiling, "noise": noise}


@cache
def study(
    rows: int = 60,
    training: int = 50,
    choosing: int = 12,
    *,
    states: int = 20,
    problems: tuple[tuple[float, float], ...] = (*KINDS, *CLEAR),
) -> Study:
    """The whole pipeline on three kinds of problems; both figures share what it simulates."""
    grid = tuple(_cell(*problem, training, choosing, states) for problem in problems)
    whole = pipeline(grid, rows=rows)
    return replace(whole, simulate=remembered(whole.simulate))


SIZES: Mapping[str, Mapping[str, Any]] = {
    "quick": {"rows": 4, "training": 6, "choosing": 2, "states": 12, "problems": tuple(KINDS)[:1]},
    "deep": {"rows": 200, "training": 120, "choosing": 30},
}
"""What the efforts change of the study."""


def kind(result: Result) -> str:
    """How hard a cell's problems are, in words."""
    return {**KINDS, **CLEAR}[result.cell["ceiling"], result.cell["noise"]]


DATA = (
    "answers in 20 steps of which 5 are critical, on synthetic laws over 16 tokens; labels by 20 rollouts and a judge; "
    "a perceptron on noisy states; problems for training, for choosing and for the test are kept apart"
)
