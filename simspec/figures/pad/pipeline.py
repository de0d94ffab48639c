"""PAD from labels to decoding: speed against utility over the classifier's threshold, and its ROC."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Cell, Result, Study, remembered
from simspec.figures.figure import Figure
from simspec.figures.table import Point
from simspec.laws import Array
from simspec.studies.pad.classifier import auc_interval, roc
from simspec.studies.pad.pipeline import ANSWER, SIGMAS, pipeline

__all__ = ["ROC", "SPEED"]

_KINDS = {(0.05, 1.0): "right in 0.9 of answers", (0.3, 1.0): "right in half of the answers"}
_CLEAR = {(0.3, 0.0): "right in half, states seen clearly"}
_RULES = {
    "sd": "SD",
    "random": "random flags",
    "ears": "EARS",
    "definition": "exact pivots, as printed",
    "replacement": "exact pivots, corrected",
    "strict": "strict rule",
}
_PLACES = 80
"""Points of a ROC curve that are kept."""


def _cell(ceiling: float, noise: float, effort: str) -> Cell:
    training, choosing, states = {"quick": (6, 2, 12), "default": (50, 12, 20), "deep": (120, 30, 20)}[effort]
    sizes = {"training": training, "choosing": choosing, "states": states, "horizon": states + 8}
    return {**ANSWER, **sizes, "candidates": 32, "ceiling": ceiling, "noise": noise}


@cache
def _study(effort: str) -> Study:
    grid = tuple(_cell(*kind, effort) for kind in (*_KINDS, *_CLEAR))
    rows = {"quick": 4, "default": 60, "deep": 200}[effort]
    study = pipeline(grid if effort != "quick" else grid[:1], rows=rows)
    return replace(study, simulate=remembered(study.simulate))


def _kind(result: Result) -> str:
    return {**_KINDS, **_CLEAR}[result.cell["ceiling"], result.cell["noise"]]


def _speed(results: Sequence[Result]) -> Iterator[Point]:
    """Utility gained on speculative decoding, paired by problem, at the mean speed of each rule."""
    for result in results:
        if (result.cell["ceiling"], result.cell["noise"]) not in _KINDS:
            continue
        v, panel = result.values, _kind(result)
        for place, sigma in enumerate(SIGMAS):
            yield _mark(panel, "PAD", v["speed"][:, place], v["utility"][:, place] - v["sd utility"], f"σ = {sigma:g}")
        for rule, name in _RULES.items():
            yield _mark(panel, name, v[f"{rule} speed"], v[f"{rule} utility"] - v["sd utility"], "")


def _mark(panel: str, series: str, speed: Array, gain: Array, label: str) -> Point:
    found = student(100 * gain, 0.95, -100, 100)
    return Point(panel, series, float(speed.mean()), found.estimate, found.low, found.high, label=label)


def _roc(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        there = np.isfinite(result.values["label"])
        problem = np.nonzero(there)[0]
        label = result.values["label"][there] > 0
        for name, series in (("score", "classifier"), ("shuffled", "trained on shuffled labels")):
            score = result.values[name][there]
            area = auc_interval(score, label, problem)
            said = f"{series}: AUC {area.estimate:.2f} [{area.low:.2f}, {area.high:.2f}]"
            false, true = roc(score, label)
            for at in np.unique(np.linspace(0, len(false) - 1, _PLACES).round().astype(int)):
                yield Point(_kind(result), series, float(false[at]), float(true[at]), label=said)


_DATA = (
    "answers in 20 steps of which 5 are critical, on synthetic laws over 16 tokens; labels by 20 rollouts and a judge; "
    "a perceptron on noisy states; problems for training, for choosing and for the test are kept apart"
)

SPEED = Figure(
    name="pad.speed-utility",
    title="Speed and utility as PAD's classifier grows lenient",
    source="PAD, Figure 2 and Table 1",
    study=_study,
    compact=_speed,
    data=f"{_DATA}; speed of whole blocks, γ = 10, draft 3.94 times as fast as the target",
    intervals="Student-t over problems, 95 % each, of the utility less that of speculative decoding on the same problem",
    claims=("pad.tradeoff", "pad.tradeoff-controls"),
    shape=(1, 2),
    size=(9.6, 4.0),
    missing="Table 1 rests on Qwen3 models and an LLM judge; families of decision processes stand in their place",
)

ROC = Figure(
    name="pad.roc",
    title="Can the features tell pivots from other tokens?",
    source="PAD, Figure 3",
    study=_study,
    compact=_roc,
    data=f"{_DATA}; AUC with its 95 % bootstrap interval over test problems",
    claims=("pad.classifier",),
    shape=(1, 3),
    size=(10.5, 3.9),
    missing="the paper's network reads the hidden states of Qwen3 models; here a noisy projection of the process' state",
)
