"""The study of PAD's whole pipeline: label on some problems, choose the threshold on others, decode on yet others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates import stopping
from simspec.engine.estimates.intervals import student
from simspec.engine.estimates.statistics import Mean
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels import random as philox
from simspec.laws import Array
from simspec.methods.ears.acceptance import ears
from simspec.methods.method import Method
from simspec.methods.pad.labels import label_error
from simspec.methods.pad.pivots import pad, pivots, replacement_pivots, strict
from simspec.methods.pad.process import Process, Rule, values
from simspec.methods.sd import SD
from simspec.studies.pad.classifier import Classifier, features, fit
from simspec.studies.pad.labels import JUDGE, Candidates, beside, candidate_rows, harvest, label, target_visits
from simspec.studies.pad.pivots import GAMMA, NOTHING, decoding
from simspec.studies.pad.problems import Pairs, Problem, Sources, ended, hidden, make_problem, once

__all__ = ["ANSWER", "BETAS", "GUARDRAIL", "SIGMAS", "pipeline"]

SIGMAS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Thresholds of the classifier's score."""
BETAS = (0.05, 0.1, 0.2, 0.3, 0.5, 0.8, 1.2, 2.0)
"""Tolerances of EARS tried beside."""
GUARDRAIL = 1e-4
"""Likelihood under the target below which PAD keeps no draft against speculative decoding."""

ANSWER: Cell = {
    "family": "answer",
    "laws": "synthetic",
    "vocab": 16,
    "horizon": 28,
    "states": 20,
    "noise": 1.0,
    "candidates": 24,
    "rollouts": 20,
    "training": 40,
    "choosing": 20,
}
"""A cell of `pipeline`."""


_TRAINING = 2**30
_CHOOSING = 2**31
_RANDOM = 48
_SHUFFLE = 49


class _Known(NamedTuple):
    """What is learnt before the test problems are seen."""

    classifier: Classifier
    shuffled: Classifier
    sigma: int
    beta: int
    flagged: float


class _Seen(NamedTuple):
    """A problem with the features of its tokens, and labelled candidates."""

    problem: Problem
    x: Array
    candidates: Candidates


def _seen(cell: Cell, key: int, number: int, pairs: Pairs | None, half: int | None) -> _Seen:
    problem = make_problem(cell, key, number, pairs, half)
    states = len(problem.process.utility)
    x = features(problem.process, hidden(states, key, number, noise=cell["noise"]))
    candidates = harvest(problem.process, key, number, texts=8)
    return _Seen(problem, x, Candidates(*(field[: cell["candidates"]] for field in candidates)))


def _labels(observations: Sequence[_Seen], cell: Cell, key: int, numbers: Sequence[int]) -> list[Array]:
    """Labels of the candidates of each problem, drawn for all of them at once."""
    problem, first = beside([observation.problem for observation in observations])
    parts = [observation.candidates for observation in observations]
    sizes = [len(candidates.state) for candidates in parts]
    state = np.concatenate([candidates.state + at for candidates, at in zip(parts, first, strict=True)])
    position, token = (
        np.concatenate([getattr(candidates, name) for candidates in parts]) for name in ("position", "token")
    )
    rows = np.concatenate([candidate_rows(n, size) for n, size in zip(numbers, sizes, strict=True)])
    labels = label(problem, Candidates(state, position, token), key, rows, count=cell["rollouts"], judge=JUDGE)
    return np.split(labels.pivot, np.cumsum(sizes)[:-1])


def _together(*methods: Method) -> Method:
    """Rules side by side on a leading axis, each of which may be several."""

    def all_of(name: str) -> Callable[[Array, Array], Array]:
        def maps(p: Array, d: Array) -> Array:
            shaped = []
            for method in methods:
                accepted = method.accept(p, d)
                mapped = getattr(method, name)(p, d)
                shaped.append(np.broadcast_to(mapped, accepted.shape).reshape(-1, *d.shape))
            return np.concatenate(shaped)

        return maps

    return replace(SD, accept=all_of("accept"), residual=all_of("residual"))


_EARS = _together(*(ears(beta) for beta in BETAS))


def _flags(score: Array) -> Array:
    """Tokens (sigmas, S, V) called pivots: score above sigma."""
    return score > np.array(SIGMAS)[:, None, None]


def _learn(cell: Cell, key: int, pairs: Pairs | None) -> _Known:
    """Train the classifier on labelled problems and choose its threshold, and a β of like speed, on others."""
    half = None if pairs is None else 0
    numbers = range(_TRAINING, _TRAINING + cell["training"])
    observations = [_seen(cell, key, number, pairs, half) for number in numbers]
    x = [observation.x[observation.candidates.state, observation.candidates.token] for observation in observations]
    owner = np.repeat(np.arange(len(x)), [len(feature_rows) for feature_rows in x])
    training_set = np.concatenate(x), np.concatenate(_labels(observations, cell, key, numbers)), owner
    order = np.argsort(philox.uniform(key, [0], range(len(training_set[1])), _SHUFFLE)[0], kind="stable")
    classifier = fit(*training_set)
    # a control that sees the same features with labels that mean nothing
    shuffled = fit(training_set[0], training_set[1][order], training_set[2], epochs=10)
    rows = []
    for i in range(cell["choosing"]):
        observation = _seen(cell, key, _CHOOSING + i, pairs, half)
        process = observation.problem.process
        flags = _flags(classifier.score(observation.x))
        pad_decoding = decoding(process, pad(flags, GUARDRAIL))
        ears_decoding = decoding(process, _EARS)
        sd_utility = decoding(process, SD).utility
        # excess draft mass over the target, weighted by visits: the tokens a rejection could concern
        over = target_visits(process).sum(axis=0)[:, None] * np.maximum(process.draft - process.target, 0)
        over = over * ~ended(process)[:, None]
        flagged_share = (flags * over).sum(axis=(1, 2)) / over.sum()
        rows.append((sd_utility - pad_decoding.utility, pad_decoding.speed, flagged_share, ears_decoding.speed))
    loss, speed, flagged_share, rival = (np.array(column) for column in zip(*rows, strict=True))
    sigma = _choose(loss, speed)
    beta = int(np.argmin(abs(rival.mean(axis=0) - speed.mean(axis=0)[sigma])))
    return _Known(classifier, shuffled, sigma, beta, float(flagged_share.mean(axis=0)[sigma]))


def _choose(loss: Array, speed: Array) -> int:
    """The fastest threshold whose loss is below one point with confidence 95 %, or else the one that loses least."""
    high = np.array([student(column, 0.9).high for column in loss.T])
    fast = np.where(high < 0.01, speed.mean(axis=0), -1)
    return int(np.argmax(fast)) if fast.max() > 0 else int(np.argmin(loss.mean(axis=0)))


_RULES = ("sd", "random", "ears", "definition", "replacement", "strict")
"""Rules beside the classifier: random flags as frequent as its own, EARS of like speed, three rules that know the values."""


def _blind(flags: Array, learned: _Known, uniforms: Array) -> Method:
    """PAD at each threshold, then the first three of `_RULES`."""
    random = pad(uniforms < learned.flagged, GUARDRAIL)
    return _together(pad(flags, GUARDRAIL), SD, random, ears(BETAS[learned.beta]))


def _informed(process: Process) -> Rule:
    """The last three of `_RULES`."""

    def rule(t: int, here: Array, after: Array) -> Method:
        printed = pivots(here, after, NOTHING)
        corrected = replacement_pivots(process.target, process.draft, after, NOTHING)
        return _together(pad(printed, GUARDRAIL), pad(corrected, GUARDRAIL), strict(printed))

    return rule


def _tested(observation: _Seen, labels: Array, cell: Cell, key: int, number: int, learned: _Known) -> dict[str, Any]:
    """Return one row of results: utility, speed and share of every rule, and what marks each candidate."""
    process = observation.problem.process
    (state, position, token) = observation.candidates
    score = learned.classifier.score(observation.x)
    states, vocab = score.shape
    uniforms = philox.uniform(key, range(number * states, (number + 1) * states), range(vocab), _RANDOM)
    blind = decoding(process, _blind(_flags(score), learned, uniforms))
    informed = decoding(process, _informed(process))
    row: dict[str, Any] = {}
    for measure in ("utility", "speed", "share"):
        blind_values = getattr(blind, measure)
        row[measure] = blind_values[: len(SIGMAS)]
        others = np.append(blind_values[len(SIGMAS) :], getattr(informed, measure))
        row |= {f"{name} {measure}": value for name, value in zip(_RULES, others, strict=True)}
    table = values(process)
    here = table[position, state]
    after = table[position + 1, process.step[state, token]]
    marks = {
        "label": labels,
        "score": score[state, token],
        "shuffled": learned.shuffled.score(observation.x[state, token]) if len(state) else np.zeros(0),
        "likelihood": process.target[state, token],
        "definition": pivots(here, after[:, None], NOTHING)[:, 0],
        "label rule": after < 0.9 * here - NOTHING,
        "chance": label_error(np.clip(here, 0, 1), np.clip(after, 0, 1), cell["rollouts"]),
    }
    # rows have equal shapes: places without a candidate hold NaN
    pad_count = cell["candidates"] - len(state)
    row |= {name: np.append(np.asarray(mark, dtype=float), np.full(pad_count, np.nan)) for name, mark in marks.items()}
    return row | {"sigma": learned.sigma, "beta": learned.beta, "flagged": learned.flagged}


def pipeline(grid: tuple[Cell, ...] | None = None, pairs: Sources | None = None, rows: int = 40) -> Study:
    """PAD from labels to decoding: a row is a test problem, on which rules are evaluated exactly.

    A cell names a problem (`make_problem`), the ``noise`` of the hidden state, ``candidates`` for each problem,
    ``rollouts`` for each label, and the numbers of problems for ``training`` and for ``choosing``; these and the test
    problems are kept apart, as are the documents that real laws come from.  The threshold of the classifier is the
    fastest that loses less than a point on the problems for choosing.

    Values: ``utility``, ``speed`` and ``share`` (of accepted drafts) of PAD at each of `SIGMAS`, and "sd utility" and
    so on for speculative decoding, ``random`` flags as frequent as the classifier's, ``ears`` at the tolerance of
    `BETAS` nearest in speed, PAD with the pivots of the ``definition`` and judged against the ``replacement``, and the
    ``strict`` rule; ``sigma`` and ``beta``, the places of what was chosen; for each candidate (NaN where there were
    fewer) its ``label``, ``score``, ``shuffled`` (the score of a network trained on shuffled labels), ``likelihood``
    p(x), whether it is a pivot by ``definition`` or by the ``label rule`` on exact values, and the exact ``chance``
    that its rollouts call it a pivot, before the judge.

    Parameters
    ----------
    grid : cells, optional; by default answers on synthetic laws at three levels of noise
    pairs : {laws of a cell: vocabulary size -> pairs}, optional
        called when a cell first needs it; other laws are synthetic.
    rows : int; test problems
    """
    cells = grid or tuple({**ANSWER, "noise": noise} for noise in (0.0, 1.0, 4.0))
    laws_of = once(pairs)

    learned_by_place: dict[tuple[Any, ...], _Known] = {}

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        real = laws_of(cell["laws"], cell["vocab"])
        place = (rows.key, *sorted(cell.items()))
        if place not in learned_by_place:
            learned_by_place[place] = _learn(cell, rows.key, real)
        half = None if real is None else 1
        observations = [_seen(cell, rows.key, number, real, half) for number in rows.numbers]
        labels = _labels(observations, cell, rows.key, rows.numbers)
        tested_rows = [
            _tested(observation, mark, cell, rows.key, number, learned_by_place[place])
            for observation, mark, number in zip(observations, labels, rows.numbers, strict=True)
        ]
        return {name: np.array([row[name] for row in tested_rows], dtype=np.float64) for name in tested_rows[0]}

    speeds = {"speed": Mean(0, GAMMA + 1)} | {f"{name} speed": Mean(0, GAMMA + 1) for name in _RULES}
    shares = {f"{name} {measure}": Mean() for name in _RULES for measure in ("utility", "share")}
    return Study(
        name="pivots",
        question="How much faster does a classifier of pivots make decoding, and how much utility does it cost?",
        grid=cells,
        simulate=simulate,
        summary="utility and speed of PAD and its controls, exact for each test problem; scores and labels of candidates",
        rows=rows,
        measures={"utility": Mean(), "share": Mean(), **speeds, **shares},
        stop=stopping.Rows(rows),
    )
