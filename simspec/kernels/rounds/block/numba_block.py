"""The compiled twin of `simspec.kernels.rounds.block.reference.run`: the same integers on every path.

The rows of a group walk together, as `simspec.kernels.rounds.groups` says: all draft a block, a position at a time; those that
do not keep the whole of it make the test of one draft less, and so on; the last tokens of all are drawn at the end of a round,
by one loop for each way to draw them.  Tables and bisections stand in `packed` beside this.  A test that fails for sure is not
evaluated, and the mass of the one that passes serves the correction.

What a round costs beside one of token verification: it drafts all gamma tokens, where that one stops at the first it
rejects, and makes one test more.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.random import core
from simspec.kernels.rounds.block.packed import MARGIN, NEAR, _many, _mass, _places, pack
from simspec.kernels.rounds.groups import (
    TOGETHER,
    VECTOR,
    _enter,
    _gather,
    _leave,
    _listed,
    _shift,
    _tokens,
    _words,
    group,
)
from simspec.kernels.rounds.numba_rounds import _spread
from simspec.kernels.rounds.reference import Plan

__all__ = ["Work", "pack", "paths", "work"]

PLACES = 4096
"""Positions of a group at most, but for `VECTOR` rows of a longer block."""
_narrow, U = core.narrow, np.uint64


class Work(NamedTuple):
    """Lists of a group, and numbers of its rows.

    Attributes
    ----------
    x, states, r, coins, ends, possible : of a row before and after each position (gamma + 1, rows): its draft or last token,
        the state before it, r, two words, and whether the test of so many drafts can pass
    whole, short, rows, trying : lists
    kept, state, word, share, least, missing : of a row, what it keeps; there, its state, the word of its last token, r, how
        many tokens have r p > q, and their mass
    values, want : of a list
    """

    x: NDArray[np.int32]
    states: NDArray[np.int32]
    r: NDArray[np.float64]
    coins: NDArray[np.uint32]
    ends: NDArray[np.uint32]
    possible: NDArray[np.uint8]
    whole: NDArray[np.int32]
    short: NDArray[np.int32]
    rows: NDArray[np.int32]
    trying: NDArray[np.int32]
    kept: NDArray[np.int32]
    state: NDArray[np.int32]
    least: NDArray[np.int32]
    word: NDArray[np.uint32]
    share: NDArray[np.float64]
    missing: NDArray[np.float64]
    values: NDArray[np.float64]
    want: NDArray[np.float64]


def work(gamma: int) -> Work:
    """Buffers of a group: of fewer rows where blocks are long, so that what is written stays in the first caches.

    >>> work(5).x.shape, work(2000).x.shape
    ((6, 512), (2001, 8))
    """
    width = gamma + 1
    size = width, max(VECTOR, min(TOGETHER, PLACES // width))
    (x, states), (coins, ends) = np.zeros((2, *size), np.int32), np.zeros((2, *size), np.uint32)
    r, possible, word = np.zeros(size), np.zeros(size, np.uint8), np.zeros(TOGETHER, np.uint32)
    whole, short, rows, trying, kept, state, least = np.zeros((7, TOGETHER), np.int32)
    share, missing, values, want = np.zeros((4, TOGETHER))
    lists = whole, short, rows, trying, kept, state, least
    return Work(x, states, r, coins, ends, possible, *lists, word, share, missing, values, want)


@_listed
def _draft(packed, one, j, own, w, m):
    """What follows the drafts of a position: r of each row, whether its test can pass, and the state it leads to."""
    ratio, following, most, s, y = packed[2], packed[6], packed[8], own.one_state, own.x
    values, x, coins, ends, coin = w.values, w.x[j], w.coins[j], w.ends[j], own.words[1]
    r, after, possible, states = w.r[j], w.r[j + 1], w.possible[j + 1], w.states[j + 1]
    for c in range(m):
        values[c] = ratio[U(s[c]), U(y[c])]
    for c in range(m):
        x[c], coins[c], ends[c] = y[c], coin[c], own.words[2][c]
        after[c] = min(1.0, r[c] * values[c])
    if one:
        top = most[0]
        for c in range(m):
            less, mass = 1.0 - after[c], after[c] * top
            possible[c] = (less <= NEAR) | ((coin[c] + 0.5) * 2.0**-32 <= mass / (mass + less) + MARGIN)
        return
    for c in range(m):
        s[c] = following[U(y[c])]
        states[c] = s[c]
    for c in range(m):
        less, mass = 1.0 - after[c], after[c] * most[U(s[c])]
        possible[c] = (less <= NEAR) | ((coin[c] + 0.5) * 2.0**-32 <= mass / (mass + less) + MARGIN)


@_listed
def _drafts(packed, one, base, m, own, w, who, shift):
    """The blocks of all rows, a position at a time."""
    s, state, first, r = own.one_state, own.state, w.states[0], w.r[0]
    for c in range(m):
        own.one_low[c], own.one_high[c], s[c], first[c], r[c] = own.low[c], own.high[c], state[c], state[c], 1.0
    for j in range(w.x.shape[0] - 1):
        _words(own, m, _narrow(base + np.uint32(j)), *who)
        _tokens(packed[0], own, 0, m, own.words[0], shift)
        _draft(packed, one, j, own, w, m)


@_listed
def _whole(m, w):
    """Rows that keep the whole block, and the others: how many do."""
    gamma = w.x.shape[0] - 1
    coins, r, kept, whole, short, many, few = w.coins[max(gamma - 1, 0)], w.r[gamma], w.kept, w.whole, w.short, 0, 0
    for c in range(m):
        passes = (coins[c] + 0.5) * 2.0**-32 < r[c]
        kept[c] = gamma * passes
        whole[many], short[few] = c, c
        many += passes
        few += not passes
    for c in range(few):
        w.rows[c] = short[c]
    return many


@_listed
def _tested(packed, i, n, own, w):
    """Rows of a list that keep i drafts, and what is left of the target after them: how many keep fewer."""
    short, trying, values, many, s = w.short, w.trying, w.values, own.x, own.one_state
    r, states, coins, possible, tested, left = w.r[i], w.states[i], w.coins[i - 1], w.possible[i], 0, 0
    for c in range(n):
        b = short[c]
        some = possible[U(b)]
        trying[tested], short[left] = b, b
        tested += some
        left += 1 - some
    for c in range(tested):
        b = U(trying[c])
        values[c], s[c] = r[b], states[b]
    _many(packed, s, values, tested, many, own.pending, own.most)
    for c in range(tested):
        b = trying[c]
        at, mass = U(b), _mass(packed[5], s[c], values[c], many[c])
        rest = mass + (1.0 - values[c])
        passes = (rest == 0.0) | ((coins[at] + 0.5) * 2.0**-32 < mass / rest)
        w.kept[at], w.least[at], w.missing[at] = i, many[c], mass  # of one that fails written over
        short[left] = b
        left += not passes
    return left


@_listed
def _shorter(packed, n, own, w):
    """The longest prefix that passes its test, of rows that do not keep the whole block."""
    short, guide, most = w.short, packed[7], packed[8]
    for i in range(w.x.shape[0] - 2, 0, -1):
        n = _tested(packed, i, n, own, w)
    for c in range(n):
        b = U(short[c])
        s = U(w.states[0, b])
        w.kept[b], w.least[b], w.missing[b] = 0, guide[s, guide.shape[1] - 2], most[s]


@_listed
def _sorts(packed, m, whole, w):
    """What draws the last tokens: how many the target, with those of whole blocks, a tabulated law, and a bisection."""
    rest, plain, tabled, other = packed[9][1], whole, 0, 0
    for c in range(m - whole):
        b = w.rows[c]
        at = U(b)
        k = U(w.kept[at])
        s, r = w.states[k, at], w.r[k, at]
        w.state[at], w.word[at], w.share[at] = s, w.ends[k, at], r
        none = w.missing[at] == 0
        first = (not none) & (r == 1.0) & (rest[U(s), 0] >= 0)
        w.whole[plain], w.trying[tabled], w.short[other] = b, b, b
        plain += none
        tabled += first
        other += not (none | first)
    return plain, tabled, other


@_listed
def _lasts(packed, m, whole, own, w, shift):
    """The last token of each row, by what is left of the target after the prefix that it keeps."""
    order, kept, word, s = packed[3], w.kept, own.words[2], own.one_state
    plain, tabled, other = _sorts(packed, m, whole, w)
    last = w.x.shape[0] - 1
    for c in range(whole):
        s[c] = w.states[last, U(w.whole[c])]
    for c in range(whole, plain):
        b = U(w.whole[c])
        word[c], s[c] = w.word[b], w.state[b]
    _tokens(packed[1], own, 0, plain, word, shift)
    for c in range(plain):
        b = U(w.whole[c])
        w.x[U(kept[b]), b] = own.x[c]
    for c in range(tabled):
        b = U(w.trying[c])
        word[c], s[c] = w.word[b], w.state[b]
    _tokens(packed[9], own, 0, tabled, word, shift)
    for c in range(tabled):
        b = U(w.trying[c])
        w.x[U(kept[b]), b] = order[U(s[c]), U(own.x[c])]
    low, high = own.pending, own.most
    for c in range(other):
        b = U(w.short[c])
        w.values[c], w.want[c] = w.share[b], (w.word[b] + 0.5) * 2.0**-32 * w.missing[b]
        high[c], s[c] = w.least[b], w.state[b]
    _places(packed[5], s, w.values, w.want, 0, other, low, high)
    for c in range(other):
        b = U(w.short[c])
        w.x[U(kept[b]), b] = order[U(w.state[b]), U(low[c])]


@_listed
def _finish(own, w, one, following, first, m, out):
    """The tokens of a round, and the state that it leads to."""
    tokens, counts = out
    for b in range(m):
        k, length = w.kept[b], own.length[b]
        if tokens.size:
            for j in range(w.x.shape[0]):  # those after the last are written over
                tokens[U(first + b), U(length + j)] = w.x[U(j), U(b)]
        if counts.size:
            for j in range(k + 1):
                counts[U(w.states[j, b]), U(w.x[j, b])] += 1
        own.length[b] = length + k + 1
        own.state[b] = 0 if one else following[U(w.x[k, b])]


@_listed
def _run(packed, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, *rest):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled; buffers to work in."""
    own, w, first, last = rest
    one, shift, who, width = len(packed[2]) == 1, _shift(packed[0][1]), (purpose, k0, k1), gamma + 1
    together = w.x.shape[1]
    for i in range(first, last, together):
        size = min(together, last - i)
        _enter(own, rows, i, size, start)
        for t in range(rounds):
            base = np.uint32(t * width)
            _drafts(packed, one, base, size, own, w, who, shift)
            whole = _whole(size, w)
            _shorter(packed, size - whole, own, w)
            _gather(own, True, w.whole, whole)
            _words(own, whole, _narrow(base + np.uint32(gamma)), *who)
            _lasts(packed, size, whole, own, w, shift)
            for b in range(size):
                accepted[i + b, t] = w.kept[b]
            _finish(own, w, one, packed[6], i, size, (tokens, counts))
        _leave(own, i, size, state, tokens)


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Twin of `block_reference.paths`; see `simspec.kernels.rounds.block.run_block_rounds` for the arguments."""
    made = partial(_run, rule.packed)

    def run(*given: Any) -> None:
        made(*given[:-2], group(), work(plan.gamma), *given[-2:])

    return _spread(run, rule, plan, tokens, counts, threads)
