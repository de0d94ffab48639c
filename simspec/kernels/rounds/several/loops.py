"""The compiled twin of `simspec.kernels.rounds.several.reference.run`: the same integers on every path.

First drafts, independent drafts and last tokens are found as in `simspec.kernels.rounds.loops`, what is left of the target
without replacement as in `simspec.kernels.rounds.block.loops`; the same float64 operations in the same order as the
reference do the rest.  The words of first drafts are made many at a time, those of the others only where they are read.

What a position costs: for each draft that is tested what a draft of token verification costs; without replacement a
refusal beyond the first also takes a bisection for the mass that it leaves, and a correction the tables in order of q/p.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.random import core
from simspec.kernels.rounds.block import loops as block
from simspec.kernels.rounds.block.reference import block_laws
from simspec.kernels.rounds.loops import WORDS, Guided, _compiled, _find, _spread, guided
from simspec.kernels.rounds.reference import Plan
from simspec.kernels.rounds.several.reference import SeveralLaws

__all__ = ["Packed", "pack", "paths"]

_philox, _narrow, _32 = core.rounds, core.narrow, np.uint64(32)
_missing, _place, _last = block._missing, block._place, block._last


class Packed(NamedTuple):
    """What the compiled loop reads: `residual` with replacement, `cells` and `sorted` without, otherwise those of one token.

    `cells` holds the sum of q up to each token and p/q of it, side by side (S, V, 2).
    """

    draft: Guided
    target: Guided
    ratio: NDArray[np.float64]
    following: NDArray[np.int32]
    shift: NDArray[np.float64]
    scale: NDArray[np.float64]
    residual: Guided
    cells: NDArray[np.float64]
    sorted: block.Packed


def pack(laws: SeveralLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    one = np.ones((1, 1))
    following, tests = laws.following.astype(np.int32), (laws.shift.copy(), laws.scale.copy())
    if laws.sorted is not None:
        made = block.pack(laws.sorted)
        cells = np.stack([laws.draft, laws.ratio], axis=-1)
        return Packed(made.draft, made.target, made.ratio, following, *tests, guided(one), cells, made)
    none = block.pack(block_laws(one, one, np.zeros(1, dtype=np.int64)))
    draft, target, residual = (guided(x) for x in (laws.draft, laws.target, laws.residual))
    return Packed(draft, target, laws.ratio, following, *tests, residual, np.ones((1, 1, 2)), none)


@_compiled
def _independent(packed, s, shift, draw, coin, at, who):
    """The draft that is kept, or -1: word and coin of the first, the counter from which the others are read."""
    draft, ratio, us, ds = packed[0], packed[2], packed[4], packed[5]
    for j in range(us.shape[1]):
        if j:
            w = _philox(_narrow(at + np.uint32(j)), *who)
            draw, coin = w[0], w[1]
        x = _find(draft, s, draw, shift)
        if (coin + 0.5) * 2.0**-32 < max(ratio[s, x] - us[s, j], 0.0) / ds[s, j]:
            return x
    return np.int64(-1)


@_compiled
def _another(cells, guide, s, tried, count, part):
    """The token that a part of the mass outside the tokens tried (rising) draws; V where rounding leaves none."""
    for j in range(count):
        x = tried[j]
        below = cells[s, x - 1, 0] if x else 0.0
        if part >= below:
            part = max(part + (cells[s, x, 0] - below), cells[s, x, 0])
    vocab, parts = cells.shape[1], guide.shape[1] - 1
    if part >= 1.0:
        return np.int64(vocab)
    at = np.int64(part * parts)  # a guide of words is off by half a word: one further to the left
    low = np.int64(guide[s, at - 1]) if at else np.int64(0)
    high = np.int64(guide[s, at + 1]) if at + 1 < parts else np.int64(vocab - 1)
    while low < high:
        middle = (low + high) >> 1
        if cells[s, middle, 0] > part:
            high = middle
        else:
            low = middle + 1
    return low


@_compiled
def _insert(tried, count, x):
    """Put a token among those tried, rising."""
    while count and tried[count - 1] > x:
        tried[count] = tried[count - 1]
        count -= 1
    tried[count] = x


@_compiled
def _distinct(packed, s, shift, draw, coin, at, who, tried):
    """The draft that is kept, or -1; the u of which (p - u q)_+ is left of the target, and the one before."""
    guide, us, cells, sums = packed[0][1], packed[4], packed[7], packed[8]
    u, after, left, rest = 0.0, 0.0, 1.0, 1.0
    for j in range(us.shape[1]):
        if j:
            w = _philox(_narrow(at + np.uint32(j)), *who)
            draw, coin = w[0], w[1]
            mass = after * _missing(sums, s, 1.0 / after)[1]
            if mass > 0:
                u, left = after, mass
            x = _another(cells, guide, s, tried, j, (draw + 0.5) * 2.0**-32 * rest)
            if x == cells.shape[1]:
                after = u
                break
        else:
            x = np.int64(_find(packed[0], s, draw, shift))
        if (coin + 0.5) * 2.0**-32 < max(cells[s, x, 1] - u, 0.0) * rest / left:
            return x, u, u
        after = u + left / rest
        rest -= cells[s, x, 0] - (cells[s, x - 1, 0] if x else 0.0)
        if rest <= 0:
            break
        _insert(tried, j, x)
    return np.int64(-1), after, u


@_compiled
def _left(sums, s, u, before, word, coin, further, shift):
    """A token of (p - u q)_+: two tries with one of (p - q)_+, then a bisection."""
    order, rising = sums[3], sums[4]
    many, missing = _missing(sums, s, 1.0)
    if missing == 0:
        return _find(sums[1], s, word, shift)
    for _ in range(2):
        at = _place(sums, s, 1.0, many, missing, word, shift)
        w = rising[s, at]
        if (coin + 0.5) * 2.0**-32 * (1.0 - w) < 1.0 - u * w:
            return np.int64(order[s, at])
        word, coin = further[0], further[1]
    many, missing = _missing(sums, s, 1.0 / u)
    if missing == 0:
        u = before
        many, missing = _missing(sums, s, 1.0 / u)
    return _last(sums, s, 1.0 / u, many, missing, further[2], shift)


@_compiled
def _run(packed, replace, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, *rest):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled; two buffers to work in."""
    tried, draws, first, last = rest
    target, following, residual, sums = packed[1], packed[3], packed[6], packed[8]
    shift = np.int64(32)
    while (target[1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    width, each = gamma + 1, packed[4].shape[1]
    few = draws.shape[1] // width
    for i in range(first, last):
        low, high = _narrow(rows[i]), _narrow(rows[i] >> _32)
        who = low, high, purpose, k0, k1
        s, length = start, 0
        for t0 in range(0, rounds, few):
            some = min(few, rounds - t0)
            base = np.uint32(t0 * width * each)
            for j in range(some * width):
                w = _philox(_narrow(base + np.uint32(j * each)), low, high, purpose, k0, k1)
                draws[0, j] = w[0]
                draws[1, j] = w[1]
                draws[2, j] = w[2]
                draws[3, j] = w[3]
            for t in range(some):
                for j in range(width):
                    n = t * width + j
                    at = base + np.uint32(n * each)
                    x, u, before = np.int64(-1), 0.0, 0.0
                    if j < gamma and replace:
                        x = _independent(packed, s, shift, draws[0, n], draws[1, n], at, who)
                    elif j < gamma:
                        x, u, before = _distinct(packed, s, shift, draws[0, n], draws[1, n], at, who, tried)
                    going = x >= 0
                    if not going:
                        if j == gamma:
                            x = np.int64(_find(target, s, draws[2, n], shift))
                        elif replace:
                            x = np.int64(_find(residual, s, draws[2, n], shift))
                        else:
                            further = draws[0, n + 1], draws[1, n + 1], draws[2, n + 1]
                            x = np.int64(_left(sums, s, u, before, draws[2, n], draws[3, n], further, shift))
                        accepted[i, t0 + t] = j
                    if tokens.size:
                        tokens[i, length] = x
                    if counts.size:
                        counts[s, x] += 1
                    length += 1
                    s = 0 if len(target[0]) == 1 else following[x]
                    if not going:
                        break
        if tokens.size:
            for j in range(length, tokens.shape[1]):
                tokens[i, j] = -1
        state[i] = s


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Twin of `reference.paths`; see `simspec.kernels.rounds.several.run_several_rounds` for the arguments."""
    packed, replace = rule.packed, rule.laws.sorted is None
    positions = max(1, WORDS // (plan.gamma + 1)) * (plan.gamma + 1)

    def run(*given: Any) -> None:
        tried, draws = np.empty(rule.drafts, dtype=np.int64), np.empty((4, positions), dtype=np.uint32)
        _run(packed, replace, *given[:-2], tried, draws, *given[-2:])

    return _spread(run, rule, plan, tokens, counts, threads, rule.drafts)
