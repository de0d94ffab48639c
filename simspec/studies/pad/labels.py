"""How PAD labels pivots: candidates are harvested where speculative decoding rejects, and judged by rollouts of the target.

Candidates.  The target writes texts; at each position the draft writes a token beside it, which speculative decoding
would accept or reject; rejected ones are candidates.  So token x in state s at position t is a candidate with
probability P(target is in s at t) · (d - p)₊(x), independently of the text's own next token.

Labels.  N rollouts of the target from the state and N after the candidate; a rollout is correct with the probability
that its last state has for utility (drawn, where that is not 0 or 1).  Pivot: fewer correct ones after the candidate
than `label_ratio` times those from the state (PAD, 3.3).  A judge then looks at the correct rollout of median length among
those after a candidate labelled non-pivot, and turns the label to pivot when it calls that rollout unsound.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from simspec.engine.estimates import stopping
from simspec.engine.estimates.statistics import Share
from simspec.engine.study import Cell, Rows, Study, Values, cross
from simspec.kernels import random as philox
from simspec.laws import Array, Scalar, cdf
from simspec.methods.pad.process import Process
from simspec.studies.pad.problems import Problem, ended

__all__ = [
    "JUDGE",
    "Candidates",
    "Judge",
    "Labels",
    "beside",
    "candidate_rows",
    "harvest",
    "label",
    "labelling",
    "pair",
    "rollouts",
    "target_visits",
    "write",
]

_TEXT, _DRAFT, _ACCEPT, _ROLL, _CORRECT, _SOUND, _JUDGED = range(32, 39)  # purposes of draws
_CANDIDATES = 2**16  # room for the candidates of a problem, in row numbers
_ROLLOUTS = 2**8


class Candidates(NamedTuple):
    """Drafts that speculative decoding rejected: state (n,), position (n,) and token (n,), in order of text and position."""

    state: Array
    position: Array
    token: Array


class Judge(NamedTuple):
    """Probabilities that an unsound rollout is called unsound, and that a sound one is called sound."""

    sensitivity: float = 0.8
    specificity: float = 0.95


JUDGE = Judge()


class Labels(NamedTuple):
    """Label (n,), label before the judge (n,), correct rollouts of each side (n,), lengths after candidates (n, N)."""

    pivot: Array
    first: Array
    base: Array
    candidate: Array
    length: Array


def target_visits(process: Process) -> Array:
    """Probability (T, S) of each state at each position, when the target writes.

    >>> p, step = np.array([[0.5, 0.5], [0, 1.0]]), np.array([[0, 1], [1, 1]])
    >>> target_visits(Process(p, p, step, np.ones(2), 0, 3)).tolist()
    [[1.0, 0.0], [0.5, 0.5], [0.25, 0.75]]
    """
    states = len(process.utility)
    here = (np.arange(states) == process.start).astype(float)
    visits = []
    for _ in range(process.horizon):
        visits.append(here)
        next_mass = (here[:, None] * process.target).ravel()
        here = np.bincount(process.step.ravel(), weights=next_mass, minlength=states)
    return np.stack(visits) if visits else np.zeros((0, states))


def _table(laws: Array) -> Array:
    """Cumulative laws, row s shifted by s, so that one sorted search draws from every row."""
    return (cdf(laws) + np.arange(len(laws))[:, None]).ravel()


def _drawn(table: Array, state: Array, u: Array, vocab: int) -> Array:
    return np.searchsorted(table, state + u) - state * vocab


def write(process: Process, state: Array, position: Array, u: Array) -> tuple[Array, Array]:
    """Let the target write to the end: last state (n,) and tokens written (n,), from uniforms (n, at most T).

    >>> p, step = np.array([[0.5, 0.5], [0, 1.0]]), np.array([[0, 1], [1, 1]])
    >>> last, length = write(Process(p, p, step, np.ones(2), 0, 3), np.array([0]), np.array([1]), np.array([[0.3, 0.9]]))
    >>> last.tolist(), length.tolist()
    ([1], [2])
    """
    over = ended(process)
    table = _table(process.target)
    vocab = process.target.shape[-1]
    state, length = state.copy(), np.zeros(len(state), dtype=np.int64)
    for i in range(u.shape[1]):
        active = np.flatnonzero((position + i < process.horizon) & ~over[state])
        if not len(active):
            break
        here = state[active]
        state[active] = process.step[here, _drawn(table, here, u[active, i], vocab)]
        length[active] += 1
    return state, length


def harvest(process: Process, key: int, number: int, texts: int) -> Candidates:
    """Candidates beside `texts` texts of the target, problem `number`."""
    over = ended(process)
    vocab = process.target.shape[-1]
    horizon = process.horizon
    target = _table(process.target)
    draft = _table(process.draft)
    rows = range(number * _CANDIDATES, number * _CANDIDATES + texts)
    u, x, uniform = (philox.uniform(key, rows, range(horizon), purpose) for purpose in (_TEXT, _DRAFT, _ACCEPT))
    state = np.full(texts, process.start)
    states, tokens, is_candidate = (np.zeros((texts, horizon), dtype=kind) for kind in (np.int64, np.int64, bool))
    for t in range(horizon):
        token = _drawn(draft, state, x[:, t], vocab)
        states[:, t] = state
        tokens[:, t] = token
        is_candidate[:, t] = (uniform[:, t] * process.draft[state, token] >= process.target[state, token]) & ~over[
            state
        ]
        state = process.step[state, _drawn(target, state, u[:, t], vocab)]
    position = np.broadcast_to(np.arange(horizon), is_candidate.shape)
    return Candidates(states[is_candidate], position[is_candidate], tokens[is_candidate])


def rollouts(
    problem: Problem, state: Array, position: Array, key: int, rows: Array, side: int, count: int
) -> tuple[Array, Array, Array]:
    """Correct (n, N), sound (n, N) and length (n, N) of `count` rollouts of the target from each state and position.

    `rows` (n,) are the numbers of the candidates, `side` is 0 before the candidate and 1 after it.
    """
    if not 1 <= count <= _ROLLOUTS:
        raise ValueError(f"count: {count}; expected between 1 and {_ROLLOUTS} rollouts")
    rollout_rows = (((rows * 2 + side) * _ROLLOUTS)[:, None] + np.arange(count)).ravel()
    u = philox.uniform(key, rollout_rows, range(max(problem.process.horizon, 1)), _ROLL)
    last, length = write(problem.process, np.repeat(state, count), np.repeat(position, count), u)
    correct, sound = (philox.uniform(key, rollout_rows, [0], purpose)[:, 0] for purpose in (_CORRECT, _SOUND))
    shape = (len(state), count)
    solved = correct < problem.process.utility[last]
    judged = sound < problem.sound[last]
    return solved.reshape(shape), judged.reshape(shape), length.reshape(shape)


def label(
    problem: Problem,
    candidates: Candidates,
    key: int,
    rows: Array,
    count: int = 20,
    label_ratio: Scalar = Fraction(9, 10),
    judge: Judge | None = None,
) -> Labels:
    """Label candidates by rollouts, and let a judge turn labels to pivot.

    The representative rollout is the lower median by length (by number among equals) of the correct ones; without a
    correct one nothing is judged.  A candidate's draws depend on its number in `rows` alone (`candidate_rows`).
    """
    state, position, token = candidates
    label_ratio = Fraction(str(label_ratio)) if isinstance(label_ratio, float) else Fraction(label_ratio)
    base = rollouts(problem, state, position, key, rows, 0, count)[0].sum(axis=1)
    after = problem.process.step[state, token]
    correct, sound, length = rollouts(problem, after, position + 1, key, rows, 1, count)
    correct_count = correct.sum(axis=1)
    first = correct_count * label_ratio.denominator < base * label_ratio.numerator
    pivot = first
    if judge is not None and len(state):
        order = np.argsort(np.where(correct, length, np.iinfo(np.int64).max), axis=1, kind="stable")
        judged_index = np.take_along_axis(order, np.maximum(correct_count - 1, 0)[:, None] // 2, axis=1)
        argued = np.take_along_axis(sound, judged_index, axis=1)[:, 0]
        judge_uniform = philox.uniform(key, rows, [0], _JUDGED)[:, 0]
        unsound = judge_uniform < np.where(argued, 1 - judge.specificity, judge.sensitivity)
        pivot = first | (unsound & (correct_count > 0))
    return Labels(pivot, first, base, correct_count, length)


def candidate_rows(number: int, count: int) -> Array:
    """Numbers of the first `count` candidates of a problem.

    >>> (candidate_rows(1, 2) - candidate_rows(0, 2)).tolist()
    [65536, 65536]
    """
    return number * _CANDIDATES + np.arange(count)


def beside(problems: Sequence[Problem]) -> tuple[Problem, Array]:
    """Problems of one horizon as one, whose states are numbered on; the first state of each.

    >>> p = np.array([[1.0, 0.0]])
    >>> one = Problem(Process(p, p, np.array([[0, 0]]), np.ones(1), 0, 3), np.ones(1))
    >>> beside([one, one])[0].process.step.tolist()
    [[0, 0], [1, 1]]
    """
    sizes = [len(problem.sound) for problem in problems]
    first = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    parts = [problem.process for problem in problems]
    step = np.concatenate([component.step + at for component, at in zip(parts, first, strict=True)])
    target, draft, utility = (
        np.concatenate([getattr(component, name) for component in parts]) for name in ("target", "draft", "utility")
    )
    process = Process(target, draft, step, utility, parts[0].start, parts[0].horizon)
    return Problem(process, np.concatenate([problem.sound for problem in problems])), first


# --- the study --------------------------------------------------------------------------------------------------------


def labelling(rows: int = 1000) -> Study:
    """How often the labelling pipeline calls a candidate a pivot; a row is one label.

    Cells: ``base``, value of the state; ``drop``, relative loss of value by the candidate; ``rollouts``; ``judge``.
    One token decides: the process is a state worth `base` and a candidate worth (1 - drop) base.

    >>> from simspec.engine.row_values import gather
    >>> from simspec.engine.study import select
    >>> made = gather(labelling(rows=200))
    >>> [r.values["pivot"].mean() < 0.5 for r in made if r.cell["base"] == 1 and not r.cell["judge"]]
    [np.True_, np.False_]
    """

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        problem = pair(cell["base"], (1 - cell["drop"]) * cell["base"])
        zero = np.zeros(len(rows.numbers), dtype=np.int64)
        numbers = np.array(rows.numbers)
        judge = JUDGE if cell["judge"] else None
        is_pivot = label(
            problem, Candidates(zero, zero, zero + 1), rows.key, numbers, cell["rollouts"], judge=judge
        ).pivot
        return {"pivot": is_pivot.astype(float)}

    return Study(
        name="pivot-labels",
        question="How often do 20 rollouts label a token as a pivot?",
        grid=cross(base=(0.3, 0.5, 0.7, 0.9, 1.0), drop=(0.0, 0.2), rollouts=(20,), judge=(False, True)),
        simulate=simulate,
        summary="labels by the whole pipeline, to be held against the binomial law",
        rows=rows,
        measures={"pivot": Share()},
        stop=stopping.Rows(rows),
    )


def pair(base: float, candidate: float, sound: float = 0.5) -> Problem:
    """A text of one token: the target always writes token 0, worth `base`; token 1 is worth `candidate`.

    >>> pair(0.5, 0.25).process.utility.tolist()
    [0.0, 0.5, 0.25]
    """
    p, q = (np.array([[a, 1 - a], [1.0, 0.0], [1.0, 0.0]]) for a in (1.0, 0.0))
    q[1:] = p[1:]
    step = np.array([[1, 2], [1, 1], [2, 2]])
    return Problem(Process(p, q, step, np.array([0, base, candidate]), 0, 1), np.full(3, sound))
