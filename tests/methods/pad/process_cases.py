"""Small exact processes, and the slow and obvious way to play them: every draft, coin and replacement, one by one."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from simspec.laws import exact
from simspec.methods.method import Method
from simspec.methods.pad.process import Process, Rule, ahead, values
from tests import strategies as some

HAND = Process(
    target=exact(np.array([[0.5, 0.5, 0]] * 4)),
    draft=exact(np.array([[0, 0.5, 0.5]] + [[0.5, 0.5, 0]] * 3)),
    step=np.array([[1, 2, 3], [1, 1, 1], [2, 2, 2], [1, 2, 2]]),
    utility=exact(np.array([0, 1, 0, 0])),
    start=0,
    horizon=2,
)
"""Token 0 is good (worth 1), token 1 is bad (0), token 2 leaves it to a coin (1/2); only the first position matters."""


@st.composite
def processes(draw: st.DrawFn, longest: int = 3) -> Process:
    """An exact process: a few states, two or three tokens, any automaton, any utilities."""
    states, vocab = draw(st.integers(1, 4)), draw(st.integers(2, 3))
    target, draft = draw(some.batches(vocab, states)), draw(some.batches(vocab, states))
    step = np.array(draw(st.lists(st.integers(0, states - 1), min_size=states * vocab, max_size=states * vocab)))
    utility = exact(np.array(draw(st.lists(some.shares(), min_size=states, max_size=states)), dtype=object))
    start = draw(st.integers(0, states - 1))
    return Process(target, draft, step.reshape(states, vocab), utility, start, draw(st.integers(0, longest)))


def as_float(process: Process, dtype: Any = np.float64) -> Process:
    """The process in floating point."""
    p, q, u = (some.as_float(x, dtype) for x in (process.target, process.draft, process.utility))
    return process._replace(target=p, draft=q, utility=u)


class Path(NamedTuple):
    """One way to write a text."""

    chance: Any
    states: tuple[int, ...]
    accepted: int
    drafts: int
    calls: int


def play(process: Process, rule: Rule | Method, gamma: int | None = None) -> list[Path]:
    """Every path of a rule, by following drafts one by one."""
    table = values(process)
    methods = []
    for t in range(process.horizon):
        method = rule if isinstance(rule, Method) else rule(t, table[t], ahead(process, table[t + 1]))
        k = method.accept(process.target, method.propose(process.draft))
        r = method.residual(process.target, method.propose(process.draft))
        methods.append((method.propose(process.draft), k, r))

    def go(t: int, state: int, phase: int) -> Iterator[Path]:
        if t == process.horizon:
            yield Path(F(1), (state,), 0, 0, 0)
            return
        started = phase == 0 or gamma is None
        call = int(started)
        drafts = (1 if gamma is None else min(gamma, process.horizon - t)) if started else 0
        if phase == gamma:  # a full block (or no drafts at all): the extra token
            for x, mass in enumerate(process.target[state]):
                yield from after(t, state, x, mass, 0, 0, drafts, call)
            return
        d, k, r = (m[state] for m in methods[t])
        for x in range(len(d)):
            yield from after(t, state, x, k[x], 0 if gamma is None else phase + 1, 1, drafts, call)
            for y in range(len(d)):
                yield from after(t, state, y, (d[x] - k[x]) * r[y], 0, 0, drafts, call)

    def after(t, state, x, mass, phase, accepted, drafts, call) -> Iterator[Path]:
        if mass:
            for end in go(t + 1, int(process.step[state, x]), phase):
                counts = accepted + end.accepted, drafts + end.drafts, call + end.calls
                yield Path(mass * end.chance, (state, *end.states), *counts)

    return list(go(0, process.start, 0))
