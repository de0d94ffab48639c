"""The compiled twin of `simspec.kernels.rounds.several.reference.run`: the same integers on every path.

First drafts, independent drafts and last tokens are found as in `simspec.kernels.rounds.loops`, what is left of the target
without replacement as in `simspec.kernels.rounds.block.loops`; the same float64 operations in the same order as the
reference do the rest.  The words of first drafts are made many at a time, those of the others only where they are read.

What a position costs: for each draft that is tested what a draft of token verification costs; without replacement a
refusal also takes a bisection for the mass that it leaves, and the correction one for its token.
"""

from __future__ import annotations

import threading
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds.block import loops as block
from simspec.kernels.rounds.block.reference import block_laws
from simspec.kernels.rounds.loops import WORDS, Guided, _compiled, _find, guided
from simspec.kernels.rounds.reference import Plan
from simspec.kernels.rounds.several.reference import SeveralLaws, counters
from simspec.kernels.threads import split

__all__ = ["Packed", "pack", "paths"]

_philox, _narrow, _32 = core.rounds, core.narrow, np.uint64(32)
_missing, _last = block._missing, block._last


class Packed(NamedTuple):
    """What the compiled loop reads: `residual` with replacement, `table` (sums of q) and `sorted` without, else of one token."""

    draft: Guided
    target: Guided
    ratio: NDArray[np.float64]
    following: NDArray[np.int32]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]
    residual: Guided
    table: NDArray[np.float64]
    sorted: block.Packed


def pack(laws: SeveralLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    one = np.ones((1, 1))
    following, tests = laws.following.astype(np.int32), (laws.shift.copy(), laws.scale.copy())
    if laws.sorted is not None:
        made = block.pack(laws.sorted)
        return Packed(made.draft, made.target, made.ratio, following, *tests, guided(one), laws.draft, made)
    none = block.pack(block_laws(one, one, np.zeros(1, dtype=np.int64)))
    draft, target, residual = (guided(x) for x in (laws.draft, laws.target, laws.residual))
    return Packed(draft, target, laws.ratio, following, *tests, residual, one, none)


@_compiled
def _independent(packed, s, shift, draw, coin, at, who):
    """The draft that is kept, or -1: word and coin of the first, the counter from which the others are read."""
    draft, ratio, us, ds = packed[0], packed[2], packed[4], packed[5]
    w = draw, coin, draw, coin
    for j in range(us.shape[1]):
        if j & 1:
            w = _philox(_narrow(at + np.uint32((j + 1) >> 1)), *who)
            draw, coin = w[0], w[1]
        elif j:
            draw, coin = w[2], w[3]
        x = _find(draft, s, draw, shift)
        if (coin + 0.5) * 2.0**-32 < max(ratio[s, x] - us[s, j], 0.0) / ds[s, j]:
            return x
    return np.int64(-1)


@_compiled
def _another(table, guide, s, tried, count, part):
    """The token that a part of the mass outside the tokens tried (rising) draws; V where rounding leaves none."""
    for j in range(count):
        x = tried[j]
        below = table[s, x - 1] if x else 0.0
        if part >= below:
            part = max(part + (table[s, x] - below), table[s, x])
    vocab, parts = table.shape[1], guide.shape[1] - 1
    if part >= 1.0:
        return np.int64(vocab)
    at = np.int64(part * parts)  # a guide of words is off by half a word: one further to the left
    low = np.int64(guide[s, at - 1]) if at else np.int64(0)
    high = np.int64(guide[s, at + 1]) if at + 1 < parts else np.int64(vocab - 1)
    while low < high:
        middle = (low + high) >> 1
        if table[s, middle] > part:
            high = middle
        else:
            low = middle + 1
    return low


@_compiled
def _distinct(packed, s, shift, draw, coin, at, who, tried):
    """The draft that is kept, or -1; and u, of which (p - u q)_+ is left of the target."""
    draft, ratio, us, table, sums = packed[0], packed[2], packed[4], packed[7], packed[8]
    u, left, rest = 0.0, 1.0, 1.0
    w = draw, coin, draw, coin
    for j in range(us.shape[1]):
        if j & 1:
            w = _philox(_narrow(at + np.uint32((j + 1) >> 1)), *who)
            draw, coin = w[0], w[1]
        elif j:
            draw, coin = w[2], w[3]
        if j:
            x = _another(table, draft[1], s, tried, j, (draw + 0.5) * 2.0**-32 * rest)
            if x == table.shape[1]:
                break
        else:
            x = _find(draft, s, draw, shift)
        if (coin + 0.5) * 2.0**-32 < max(ratio[s, x] - u, 0.0) * rest / left:
            return x, u
        after = u + left / rest
        mass = after * _missing(sums, s, 1.0 / after)[1]
        if mass > 0:
            u, left = after, mass
        rest -= table[s, x] - (table[s, x - 1] if x else 0.0)
        if rest <= 0:
            break
        place = j
        while place and tried[place - 1] > x:
            tried[place] = tried[place - 1]
            place -= 1
        tried[place] = x
    return np.int64(-1), u


@_compiled
def _refused(packed, replace, s, u, word, shift):
    """The token after the last refusal."""
    if replace:
        return _find(packed[6], s, word, shift)
    if u == 0.0:
        return _find(packed[1], s, word, shift)
    many, missing = _missing(packed[8], s, 1.0 / u)
    return _last(packed[8], s, 1.0 / u, many, missing, word, shift)


@kernel
def _run(packed, replace, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, first, last):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled."""
    target, following = packed[1], packed[3]
    shift = np.int64(32)
    while (target[1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    width, each = gamma + 1, 1 + packed[4].shape[1] // 2
    few = max(1, WORDS // width)
    tried = np.empty(packed[4].shape[1], np.int64)
    draws, coins, ends = (
        np.empty(few * width, np.uint32),
        np.empty(few * width, np.uint32),
        np.empty(few * width, np.uint32),
    )
    for i in range(first, last):
        low, high = _narrow(rows[i]), _narrow(rows[i] >> _32)
        who = low, high, purpose, k0, k1
        s, length = start, 0
        for t0 in range(0, rounds, few):
            some = min(few, rounds - t0)
            base = np.uint32(t0 * width * each)
            for j in range(some * width):
                w = _philox(_narrow(base + np.uint32(j * each)), low, high, purpose, k0, k1)
                draws[j] = w[0]
                coins[j] = w[1]
                ends[j] = w[2]
            for t in range(some):
                for j in range(width):
                    n = t * width + j
                    x, u = np.int64(-1), 0.0
                    if j < gamma:
                        at = _narrow(base + np.uint32(n * each))
                        if replace:
                            x = _independent(packed, s, shift, draws[n], coins[n], at, who)
                        else:
                            x, u = _distinct(packed, s, shift, draws[n], coins[n], at, who, tried)
                    going = x >= 0
                    if not going:
                        if j == gamma:
                            x = np.int64(_find(target, s, ends[n], shift))
                        else:
                            x = np.int64(_refused(packed, replace, s, u, ends[n], shift))
                        accepted[i, t0 + t] = j
                    if tokens.size:
                        tokens[i, length] = x
                    if counts.size:
                        counts[s, x] += 1
                    length += 1
                    s = following[x]
                    if not going:
                        break
        if tokens.size:
            tokens[i, length:] = -1
        state[i] = s


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Twin of `reference.paths`; see `simspec.kernels.rounds.several.run_several_rounds` for the arguments."""
    gamma, rounds, key, rows, start, purpose = plan
    size, width = len(rows), rounds * (gamma + 1)
    accepted, state = np.empty((size, rounds), dtype=np.int32), np.empty(size, dtype=np.int32)
    path = np.empty((size, width) if tokens else (0, 0), dtype=np.int32)
    total = np.zeros((rule.states, rule.vocab) if counts else (0, 0), dtype=np.int64)
    keys = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32)
    replace = rule.laws.sorted is None
    given = rule.packed, replace, gamma, rounds, *keys, rows, start, np.uint32(purpose), accepted, state, path
    lock = threading.Lock()

    def task(first: int, last: int) -> None:
        own = np.zeros_like(total)
        _run(*given, own, first, last)
        with lock:
            np.add(total, own, out=total)

    split(task, size, size * width * counters(rule.drafts), threads)
    return accepted, state, path if tokens else None, total if counts else None
