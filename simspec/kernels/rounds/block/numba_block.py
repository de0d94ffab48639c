"""The compiled backend of `simspec.kernels.rounds.block.reference.run`: the same integers on every path.

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
_narrow = core.narrow
U = np.uint64


class Work(NamedTuple):
    """Lists of a group, and numbers of its rows.

    Attributes
    ----------
    x, states, r, uniforms, ends, possible : of a row before and after each position (gamma + 1, rows): its draft or last token,
        the state before it, r, two words, and whether the test of so many drafts can pass
    whole, short, rows, trying : lists
    kept, state, word, share, least, missing : of a row, what it keeps; there, its state, the word of its last token, r, how
        many tokens have r p > q, and their mass
    values, want : of a list
    """

    x: NDArray[np.int32]
    states: NDArray[np.int32]
    r: NDArray[np.float64]
    uniforms: NDArray[np.uint32]
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
    (x, states) = np.zeros((2, *size), np.int32)
    (uniforms, ends) = np.zeros((2, *size), np.uint32)
    r = np.zeros(size)
    possible = np.zeros(size, np.uint8)
    word = np.zeros(TOGETHER, np.uint32)
    full_rows, short, rows, trying, accepted, state, token_counts = np.zeros((7, TOGETHER), np.int32)
    share, missing, values, want = np.zeros((4, TOGETHER))
    lists = full_rows, short, rows, trying, accepted, state, token_counts
    return Work(x, states, r, uniforms, ends, possible, *lists, word, share, missing, values, want)


@_listed
def _draft(packed, has_one_state, j, group, w, m):
    """What follows the drafts of a position: r of each row, whether its test can pass, and the state it leads to."""
    ratio = packed[2]
    following = packed[6]
    top_masses = packed[8]
    s = group.one_state
    y = group.x
    values = w.values
    x = w.x[j]
    uniforms = w.uniforms[j]
    ends = w.ends[j]
    uniform = group.words[1]
    r = w.r[j]
    after = w.r[j + 1]
    possible = w.possible[j + 1]
    states = w.states[j + 1]
    for c in range(m):
        values[c] = ratio[U(s[c]), U(y[c])]
    for c in range(m):
        x[c] = y[c]
        uniforms[c] = uniform[c]
        ends[c] = group.words[2][c]
        after[c] = min(1.0, r[c] * values[c])
    if has_one_state:
        top = top_masses[0]
        for c in range(m):
            shortfall = 1.0 - after[c]
            mass = after[c] * top
            possible[c] = (shortfall <= NEAR) | ((uniform[c] + 0.5) * 2.0**-32 <= mass / (mass + shortfall) + MARGIN)
        return
    for c in range(m):
        s[c] = following[U(y[c])]
        states[c] = s[c]
    for c in range(m):
        shortfall = 1.0 - after[c]
        mass = after[c] * top_masses[U(s[c])]
        possible[c] = (shortfall <= NEAR) | ((uniform[c] + 0.5) * 2.0**-32 <= mass / (mass + shortfall) + MARGIN)


@_listed
def _drafts(packed, has_one_state, base, m, group, w, who, shift):
    """The blocks of all rows, a position at a time."""
    s = group.one_state
    state = group.state
    first = w.states[0]
    r = w.r[0]
    for c in range(m):
        group.one_low[c], group.one_high[c], s[c], first[c], r[c] = group.low[c], group.high[c], state[c], state[c], 1.0
    for j in range(w.x.shape[0] - 1):
        _words(group, m, _narrow(base + np.uint32(j)), *who)
        _tokens(packed[0], group, 0, m, group.words[0], shift)
        _draft(packed, has_one_state, j, group, w, m)


@_listed
def _whole(m, w):
    """Rows that keep the whole block, and the others: how many do."""
    gamma = w.x.shape[0] - 1
    uniforms = w.uniforms[max(gamma - 1, 0)]
    r = w.r[gamma]
    accepted = w.kept
    full_rows = w.whole
    short = w.short
    full_count = 0
    short_count = 0
    for c in range(m):
        passes = (uniforms[c] + 0.5) * 2.0**-32 < r[c]
        accepted[c] = gamma * passes
        full_rows[full_count] = c
        short[short_count] = c
        full_count += passes
        short_count += not passes
    for c in range(short_count):
        w.rows[c] = short[c]
    return full_count


@_listed
def _tested(packed, i, n, group, w):
    """Rows of a list that keep i drafts, and what is left of the target after them: how many keep fewer."""
    short = w.short
    trying = w.trying
    values = w.values
    token_counts = group.x
    s = group.one_state
    r = w.r[i]
    states = w.states[i]
    uniforms = w.uniforms[i - 1]
    possible = w.possible[i]
    tested = 0
    remaining = 0
    for c in range(n):
        b = short[c]
        some = possible[U(b)]
        trying[tested] = b
        short[remaining] = b
        tested += some
        remaining += 1 - some
    for c in range(tested):
        b = U(trying[c])
        values[c] = r[b]
        s[c] = states[b]
    _many(packed, s, values, tested, token_counts, group.pending, group.most)
    for c in range(tested):
        b = trying[c]
        at = U(b)
        mass = _mass(packed[5], s[c], values[c], token_counts[c])
        rest = mass + (1.0 - values[c])
        passes = (rest == 0.0) | ((uniforms[at] + 0.5) * 2.0**-32 < mass / rest)
        w.kept[at], w.least[at], w.missing[at] = i, token_counts[c], mass  # of one that fails written over
        short[remaining] = b
        remaining += not passes
    return remaining


@_listed
def _shorter(packed, n, group, w):
    """The longest prefix that passes its test, of rows that do not keep the whole block."""
    short = w.short
    guide = packed[7]
    top_masses = packed[8]
    for i in range(w.x.shape[0] - 2, 0, -1):
        n = _tested(packed, i, n, group, w)
    for c in range(n):
        b = U(short[c])
        s = U(w.states[0, b])
        w.kept[b], w.least[b], w.missing[b] = 0, guide[s, guide.shape[1] - 2], top_masses[s]


@_listed
def _sorts(packed, m, full_count, w):
    """What draws the last tokens: how many the target, with those of whole blocks, a tabulated law, and a bisection."""
    rest = packed[9][1]
    plain = full_count
    tabled = 0
    bisected = 0
    for c in range(m - full_count):
        b = w.rows[c]
        at = U(b)
        k = U(w.kept[at])
        s = w.states[k, at]
        r = w.r[k, at]
        w.state[at], w.word[at], w.share[at] = s, w.ends[k, at], r
        none = w.missing[at] == 0
        first = (not none) & (r == 1.0) & (rest[U(s), 0] >= 0)
        w.whole[plain], w.trying[tabled], w.short[bisected] = b, b, b
        plain += none
        tabled += first
        bisected += not (none | first)
    return plain, tabled, bisected


@_listed
def _lasts(packed, m, full_count, group, w, shift):
    """The last token of each row, by what is left of the target after the prefix that it keeps."""
    order = packed[3]
    accepted = w.kept
    word = group.words[2]
    s = group.one_state
    plain, tabled, bisected = _sorts(packed, m, full_count, w)
    last = w.x.shape[0] - 1
    for c in range(full_count):
        s[c] = w.states[last, U(w.whole[c])]
    for c in range(full_count, plain):
        b = U(w.whole[c])
        word[c] = w.word[b]
        s[c] = w.state[b]
    _tokens(packed[1], group, 0, plain, word, shift)
    for c in range(plain):
        b = U(w.whole[c])
        w.x[U(accepted[b]), b] = group.x[c]
    for c in range(tabled):
        b = U(w.trying[c])
        word[c] = w.word[b]
        s[c] = w.state[b]
    _tokens(packed[9], group, 0, tabled, word, shift)
    for c in range(tabled):
        b = U(w.trying[c])
        w.x[U(accepted[b]), b] = order[U(s[c]), U(group.x[c])]
    low = group.pending
    high = group.most
    for c in range(bisected):
        b = U(w.short[c])
        w.values[c], w.want[c] = w.share[b], (w.word[b] + 0.5) * 2.0**-32 * w.missing[b]
        high[c] = w.least[b]
        s[c] = w.state[b]
    _places(packed[5], s, w.values, w.want, 0, bisected, low, high)
    for c in range(bisected):
        b = U(w.short[c])
        w.x[U(accepted[b]), b] = order[U(w.state[b]), U(low[c])]


@_listed
def _finish(group, w, has_one_state, following, first, m, out):
    """The tokens of a round, and the state that it leads to."""
    tokens, counts = out
    for b in range(m):
        k = w.kept[b]
        length = group.length[b]
        if tokens.size:
            for j in range(w.x.shape[0]):  # those after the last are written over
                tokens[U(first + b), U(length + j)] = w.x[U(j), U(b)]
        if counts.size:
            for j in range(k + 1):
                counts[U(w.states[j, b]), U(w.x[j, b])] += 1
        group.length[b] = length + k + 1
        group.state[b] = 0 if has_one_state else following[U(w.x[k, b])]


@_listed
def _run(packed, gamma, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, *rest):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled; buffers to work in."""
    group, w, first, last = rest
    has_one_state = len(packed[2]) == 1
    shift = _shift(packed[0][1])
    who = (purpose, k0, k1)
    width = gamma + 1
    together = w.x.shape[1]
    for i in range(first, last, together):
        size = min(together, last - i)
        _enter(group, rows, i, size, start)
        for t in range(rounds):
            base = np.uint32(t * width)
            _drafts(packed, has_one_state, base, size, group, w, who, shift)
            full_count = _whole(size, w)
            _shorter(packed, size - full_count, group, w)
            _gather(group, True, w.whole, full_count)
            _words(group, full_count, _narrow(base + np.uint32(gamma)), *who)
            _lasts(packed, size, full_count, group, w, shift)
            for b in range(size):
                accepted[i + b, t] = w.kept[b]
            _finish(group, w, has_one_state, packed[6], i, size, (tokens, counts))
        _leave(group, i, size, state, tokens)


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Backend of `block_reference.paths`; see `simspec.kernels.rounds.block.run_block_rounds` for the arguments."""
    packed_run = partial(_run, rule.packed)

    def run(*arguments: Any) -> None:
        packed_run(*arguments[:-2], group(), work(plan.gamma), *arguments[-2:])

    return _spread(run, rule, plan, tokens, counts, threads)
