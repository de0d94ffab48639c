"""What rounds of speculative decoding are, in plain NumPy: the yardstick of the compiled backends.

A round drafts gamma tokens, keeps the first few and emits one token more.  Layout of the random numbers, the one thing
the backends share with this file: position i = 0 .. gamma of round t reads the Philox counter (token t (gamma + 1) + i,
row, purpose) of `simspec.kernels.random`, of which

* word 0 draws the draft token of position i (i < gamma),
* word 1 is the uniform that keeps or rejects it (i < gamma),
* word 2 draws the last token of a round that has kept i drafts: from the residual if i < gamma, from the target else;
* word 3 is not read.

Each word is read as (n + 1/2) / 2**32.  Positions after a rejection are not read at all.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels import random as philox

__all__ = ["Laws", "Plan", "cdf", "draw", "paths", "run", "uniforms"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Laws(NamedTuple):
    """Tables of S states and V tokens: three laws as cumulative sums, the share kept of each draft, and the next state."""

    draft: Floats
    share: Floats
    residual: Floats
    target: Floats
    following: Integers


class Plan(NamedTuple):
    """Which rounds are run, as in `simspec.kernels.rounds.run_rounds`."""

    gamma: int
    rounds: int
    key: int
    rows: Any
    start: int = 0
    purpose: int = 0


def cdf(law: Any) -> Floats:
    """Cumulative sums over the last axis, divided by the last of them, so that they end at exactly 1.

    >>> cdf([2.0, 0.0, 2.0]).tolist()
    [0.5, 0.5, 1.0]
    """
    sums = np.cumsum(np.asarray(law, dtype=np.float64), axis=-1)
    return sums / sums[..., -1:]


def draw(table: Floats, u: Any) -> Integers:
    """First token whose cumulative sum exceeds `u`, so never one without mass.

    >>> draw(cdf([0.5, 0.0, 0.5, 0.0]), [0.25, 0.5, 0.75]).tolist()
    [0, 2, 2]
    """
    return np.searchsorted(table, u, side="right")


def uniforms(key: int, rows: Any, gamma: int, step: int, purpose: int) -> Floats:
    """The draws of round `step`, (rows, gamma + 1, 4): position, then word.

    >>> uniforms(0, range(3), 5, 0, 0).shape
    (3, 6, 4)
    """
    return (philox.words(key, rows, range(step * (gamma + 1), (step + 1) * (gamma + 1)), purpose) + 0.5) / 2**32


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool) -> tuple[Any, Any, Any, Any]:
    """`run` for `Tables`, in the types of `simspec.kernels.rounds.Rounds`."""
    return _typed(run(rule.laws, *plan), tokens, counts)


def _typed(outcome: tuple[Any, Any, Any, Any], tokens: bool, counts: bool) -> tuple[Any, Any, Any, Any]:
    """Accepted drafts, last states, tokens and counts of a reference, in the types of `simspec.kernels.rounds.Rounds`."""
    accepted, state, path, times = outcome
    return (
        accepted.astype(np.int32),
        state.astype(np.int32),
        path.astype(np.int32) if tokens else None,
        times if counts else None,
    )


def run(
    laws: Laws, gamma: int, rounds: int, key: int, rows: Any, start: int = 0, purpose: int = 0
) -> tuple[Integers, Integers, Integers, Integers]:
    """Accepted drafts (rows, rounds), last state (rows,), tokens (rows, rounds (gamma + 1)) with -1 at the end, counts (S, V).

    >>> one = np.ones((1, 1))
    >>> accepted, state, tokens, counts = run(Laws(one, one, one, one, np.zeros(1, dtype=int)), 2, 1, 0, range(1))
    >>> accepted.tolist(), tokens.tolist(), counts.tolist()
    ([[2]], [[0, 0, 0]], [[3]])
    """
    size = len(rows)
    state = np.full(size, start)
    length = np.zeros(size, dtype=np.int64)
    accepted = np.zeros((size, rounds), dtype=np.int64)
    tokens = np.full((size, rounds * (gamma + 1)), -1)
    counts = np.zeros(laws.draft.shape, dtype=np.int64)

    def drawn(table: Floats, who: Integers, u: Floats) -> Integers:
        x = np.zeros(who.size, dtype=np.int64)
        for s in np.unique(state[who]):
            here = state[who] == s
            x[here] = draw(table[s], u[here])
        return x

    def emit(who: Integers, x: Integers) -> None:
        tokens[who, length[who]] = x
        length[who] += 1
        np.add.at(counts, (state[who], x), 1)
        state[who] = laws.following[x]

    for t in range(rounds):
        u = uniforms(key, rows, gamma, t, purpose)
        going = np.arange(size)
        for i in range(gamma):
            x = drawn(laws.draft, going, u[going, i, 0])
            is_accepted = u[going, i, 1] < laws.share[state[going], x]
            stopped = going[~is_accepted]
            emit(stopped, drawn(laws.residual, stopped, u[stopped, i, 2]))
            emit(going[is_accepted], x[is_accepted])
            going = going[is_accepted]
            accepted[going, t] += 1
        emit(going, drawn(laws.target, going, u[going, gamma, 2]))
    return accepted, state, tokens, counts
