"""The compiled twin of `simspec.kernels.rounds.block.reference.run`: the same integers on every path.

Drafts and bonus tokens are found as in `simspec.kernels.rounds.loops`, and so is what follows a prefix with r = 1, which four
in five corrections do: from a law of its own, tabulated for words.  The other tests and residuals use the same float64
operations in the same order as the reference, so that a bisection takes the same turns.  A test that fails for sure is not
evaluated, the mass of the one that passes serves the correction, and no test is made from a draft of ratio zero on: none
can pass.

What a round costs beside one of token verification: it drafts all gamma tokens, where that one stops at the first it
rejects, and makes one test more.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.rounds.block.reference import BlockLaws
from simspec.kernels.rounds.loops import GUIDE_BITS, WORDS, Guided, _compiled, _find, _spread, guided
from simspec.kernels.rounds.reference import Plan

__all__ = ["Packed", "pack", "paths"]

TOGETHER = 16
NEAR, MARGIN = 1e-3, 1e-6
"""Where 1 - r is above the first, a test's rounding is far below the second: what fails by that margin needs no search."""
_philox, _narrow, _32 = core.rounds, core.narrow, np.uint64(32)


class Packed(NamedTuple):
    """What the compiled loop reads: 48 bytes an entry, and four guides (16 more at most, by powers of two 32).

    Attributes
    ----------
    above : sums of p and of q in the order of q/p, side by side (S, V, 2)
    guide : how many q/p are below each k/G (S, G + 2)
    most : mass of (p - q)_+ (S,)
    rest : the law of (p - q)_+ over places in this order, for r = 1, the commonest r by far; guide -1 where it has none
    """

    draft: Guided
    target: Guided
    ratio: NDArray[np.float64]
    order: NDArray[np.int32]
    rising: NDArray[np.float64]
    above: NDArray[np.float64]
    following: NDArray[np.int32]
    guide: NDArray[np.int32]
    most: NDArray[np.float64]
    rest: Guided


def pack(laws: BlockLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    parts = 2 ** min(GUIDE_BITS, (laws.draft.shape[1] - 1).bit_length())
    ends = np.arange(parts + 2) / parts
    guide = np.stack([np.searchsorted(row, ends, side="left") for row in laws.rising]).astype(np.int32)
    above = np.stack([laws.above_p, laws.above_q], axis=-1)
    most = np.array([_mass(sums, many) for sums, many in zip(above, guide[:, parts], strict=True)])
    rest = [_rest(sums, guide[s, parts], parts, most[s]) for s, sums in enumerate(above)]
    last, first = (np.stack(x) for x in zip(*rest, strict=True))
    ratio, rising = (np.ascontiguousarray(x) for x in (laws.ratio, laws.rising))
    order, following = np.ascontiguousarray(laws.order), laws.following.astype(np.int32)
    draft, target = guided(laws.draft), guided(laws.target)
    return Packed(draft, target, ratio, order, rising, above, following, guide, most, Guided(last, first))


def _mass(sums: Any, many: int) -> float:
    """Mass of p - q over the first `many` tokens."""
    return max(sums[many - 1, 0] - sums[many - 1, 1], 0.0) if many else 0.0


def _rest(sums: Any, many: int, parts: int, most: float) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """For each word the first place whose mass of p - q exceeds the word's part of the whole, as `Guided` has it.

    Where rounding lets that mass fall, so that words would differ in what a bisection finds, there is no such law.
    """
    last, guide = np.zeros(len(sums), dtype=np.uint32), np.full(parts + 1, -1, dtype=np.int32)
    if most == 0:
        return last, guide
    mass = sums[:many, 0] - sums[:many, 1]
    below = np.ceil(mass / most * 2.0**32 - 0.5)  # words whose part is less: to one word, and then exactly
    below -= (below - 0.5) * 2.0**-32 * most >= mass
    below += (below + 0.5) * 2.0**-32 * most < mass
    below = np.clip(below, 0, 2**32)
    below[-1] = 2**32
    if (below[1:] < below[:-1]).any():
        return last, guide
    last[:many] = np.maximum(below - 1, 0).astype(np.uint32)
    words = np.append(np.arange(parts) * (2**32 // parts), 2**32 - 1)
    return last, np.searchsorted(below, words, side="right").astype(np.int32)


@_compiled
def _missing(packed, s, r):
    """How many tokens have r p > q, and their mass of r p - q."""
    rising, above, guide = packed[4], packed[5], packed[7]
    if r == 1.0:
        return np.int64(guide[s, guide.shape[1] - 2]), packed[8][s]
    part = np.int64(r * (guide.shape[1] - 2))
    low, high = np.int64(guide[s, part]), np.int64(guide[s, part + 1])
    while low < high:
        middle = (low + high) >> 1
        if rising[s, middle] < r:
            low = middle + 1
        else:
            high = middle
    if low == 0:
        return low, 0.0
    return low, max(r * above[s, low - 1, 0] - above[s, low - 1, 1], 0.0)


@_compiled
def _fails(packed, s, r, u):
    """Whether a test fails for sure: the mass at r is at most r times that at 1, for it is convex and 0 at 0."""
    less, top = 1.0 - r, r * packed[8][s]
    return less > NEAR and u > top / (top + less) + MARGIN


@_compiled
def _kept(packed, coins, n, states, r, b, made):
    """The longest prefix of at most `made` drafts that passes its test; what `_missing` says after it."""
    for i in range(made, 0, -1):
        s, h = states[i, b], r[i, b]
        u = (coins[n + i - 1, b] + 0.5) * 2.0**-32
        if h == 1.0 or not _fails(packed, s, h, u):  # at 1 it passes for sure: every coin is below one
            many, missing = _missing(packed, s, h)
            rest = missing + (1.0 - h)
            if rest == 0.0 or u < missing / rest:
                return i, many, missing
    many, missing = _missing(packed, states[0, b], 1.0)
    return np.int64(0), many, missing


@_compiled
def _place(packed, s, r, many, missing, word, shift):
    """The place in the order of q/p that a word draws from what `_missing` found."""
    above, rest = packed[5], packed[9]
    if r == 1.0 and rest[1][s, 0] >= 0:
        return np.int64(_find(rest, s, word, shift))
    want = (word + 0.5) * 2.0**-32 * missing
    low, high = np.int64(0), many - 1
    while low < high:
        middle = (low + high) >> 1
        if r * above[s, middle, 0] - above[s, middle, 1] > want:
            high = middle
        else:
            low = middle + 1
    return low


@_compiled
def _last(packed, s, r, many, missing, word, shift):
    """The token after a kept prefix that is not the whole block."""
    if missing == 0:
        return np.int64(_find(packed[1], s, word, shift))
    return np.int64(packed[3][s, _place(packed, s, r, many, missing, word, shift)])


@_compiled
def _drafts(packed, gamma, draws, n, shift, group, x, states, r, made):
    """The blocks of all rows, a position at a time: what each leads to, its r, and how many come before the first r of zero."""
    draft, ratio, following = packed[0], packed[2], packed[6]
    one = len(ratio) == 1
    for b in range(group):
        made[b] = 0
    for j in range(gamma):
        for b in range(group):
            s = states[j, b]
            token = _find(draft, s, draws[n + j, b], shift)
            share = min(1.0, r[j, b] * ratio[s, token])
            x[j, b] = token
            r[j + 1, b] = share
            states[j + 1, b] = 0 if one else following[token]
            made[b] += share > 0.0


@_compiled
def _judged(packed, gamma, coins, ends, n, shift, group, x, states, r, made, kept, some):
    """The prefix kept of each row, and the token after it: first of rows that keep the whole block, then of the others."""
    short, whole, few, many = some[0], some[1], 0, 0
    for b in range(group):
        passes = (coins[n + gamma - 1, b] + 0.5) * 2.0**-32 < r[gamma, b]
        short[few] = b
        whole[many] = b
        few += not passes
        many += passes
    for c in range(many):
        b = whole[c]
        kept[b] = gamma
        x[gamma, b] = _find(packed[1], states[gamma, b], ends[n + gamma, b], shift)
    for c in range(few):
        b = short[c]
        k, least, missing = _kept(packed, coins, n, states, r, b, min(made[b], gamma - 1))
        kept[b] = k
        x[k, b] = _last(packed, states[k, b], r[k, b], least, missing, ends[n + k, b], shift)


@kernel
def _run(packed, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, first, last):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled."""
    following = packed[6]
    shift = np.int64(32)
    while (packed[0][1].shape[1] - 1) >> (32 - shift) > 1:
        shift -= 1
    one, width = len(packed[2]) == 1, gamma + 1
    few, size = max(1, WORDS // width), (width, TOGETHER)
    many = few * width, TOGETHER
    draws, coins, ends = np.empty(many, np.uint32), np.empty(many, np.uint32), np.empty(many, np.uint32)
    low, high = np.zeros((2, TOGETHER), np.uint32)
    x, states, r = np.zeros(size, np.int64), np.empty(size, np.int64), np.empty(size, np.float64)
    made, kept, length = np.empty((3, TOGETHER), np.int64)
    lists = np.empty((2, TOGETHER), np.int64)
    for i0 in range(first, last, TOGETHER):
        group = min(TOGETHER, last - i0)
        for b in range(group):
            low[b], high[b] = _narrow(rows[i0 + b]), _narrow(rows[i0 + b] >> _32)
            states[0, b], r[0, b], length[b] = start, 1.0, 0
        for t0 in range(0, rounds, few):
            some = min(few, rounds - t0)
            base = np.uint32(t0 * width)
            for j in range(some * width):  # here, not in a function of its own, which the compiler would not vectorise
                for b in range(TOGETHER):
                    w = _philox(_narrow(base + np.uint32(j)), low[b], high[b], purpose, k0, k1)
                    draws[j, b] = w[0]
                    coins[j, b] = w[1]
                    ends[j, b] = w[2]
            for t in range(some):
                _drafts(packed, gamma, draws, t * width, shift, group, x, states, r, made)
                _judged(packed, gamma, coins, ends, t * width, shift, group, x, states, r, made, kept, lists)
                for b in range(group):
                    k, i = kept[b], i0 + b
                    if tokens.size:
                        for j in range(width):  # those after the last are written over
                            tokens[i, length[b] + j] = x[j, b]
                        length[b] += k + 1
                    if counts.size:
                        for j in range(k + 1):
                            counts[states[j, b], x[j, b]] += 1
                    accepted[i, t0 + t] = k
                    states[0, b] = 0 if one else following[x[k, b]]
        for b in range(group):
            if tokens.size:
                tokens[i0 + b, length[b] :] = -1
            state[i0 + b] = states[0, b]


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Twin of `block_reference.paths`; see `simspec.kernels.rounds.block.run_block_rounds` for the arguments."""
    return _spread(partial(_run, rule.packed), rule, plan, tokens, counts, threads)
