"""PAD from labels to decoding: speed against utility over the classifier's threshold, and its ROC."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from simspec.engine.study import Cell, Result, Study, remembered
from simspec.studies.pad.pipeline import ANSWER, pipeline

__all__ = ["CLEAR", "DATA", "KINDS", "kind", "study"]

KINDS = {(0.05, 1.0): "right in 0.9 of answers", (0.3, 1.0): "right in half of the answers"}
CLEAR = {(0.3, 0.0): "right in half, states seen clearly"}


def _cell(ceiling: float, noise: float, effort: str) -> Cell:
    training, choosing, states = {"quick": (6, 2, 12), "default": (50, 12, 20), "deep": (120, 30, 20)}[effort]
    sizes = {"training": training, "choosing": choosing, "states": states, "horizon": states + 8}
    return {**ANSWER, **sizes, "candidates": 32, "ceiling": ceiling, "noise": noise}


@cache
def study(effort: str) -> Study:
    """The whole pipeline on three kinds of problems; both figures share what it simulates."""
    grid = tuple(_cell(*kind, effort) for kind in (*KINDS, *CLEAR))
    rows = {"quick": 4, "default": 60, "deep": 200}[effort]
    study = pipeline(grid if effort != "quick" else grid[:1], rows=rows)
    return replace(study, simulate=remembered(study.simulate))


def kind(result: Result) -> str:
    """How hard a cell's problems are, in words."""
    return {**KINDS, **CLEAR}[result.cell["ceiling"], result.cell["noise"]]


DATA = (
    "answers in 20 steps of which 5 are critical, on synthetic laws over 16 tokens; labels by 20 rollouts and a judge; "
    "a perceptron on noisy states; problems for training, for choosing and for the test are kept apart"
)
