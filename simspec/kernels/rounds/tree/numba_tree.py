"""The compiled backend of `simspec.kernels.rounds.tree.reference.run`: the same integers on every path.

The rows of a group walk down one tree together, as `simspec.kernels.rounds.groups` says: those that have come to a node draw its
next child and come to that, and those that delete the child (`deleting` beside this) go on at the node.  Nothing is spent on
nodes after the one that a row accepts, or below one with a = 0.  Drafts without replacement are found as in `several.distinct`,
what is left of the target as in `block.packed`; the same float64 operations in the same order as the reference do the rest.

What a round costs beside one of token verification: each node that is judged takes a draft, and where it is deleted and its
parent judged after it, a search for the mass that it leaves; a uniform that fails for sure saves the search.  The last token is
found by a bisection of all tokens that are left, a step of all rows at a time.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.random import core
from simspec.kernels.rounds.block import packed as block
from simspec.kernels.rounds.groups import (
    TOGETHER,
    VECTOR,
    _enter,
    _leave,
    _listed,
    _shift,
    _tokens,
    _words,
    _words_of,
    group,
)
from simspec.kernels.rounds.numba_rounds import _spread
from simspec.kernels.rounds.reference import Plan
from simspec.kernels.rounds.several.distinct import _others, cells
from simspec.kernels.rounds.tree.deleting import _delete, _forget
from simspec.kernels.rounds.tree.reference import TreeLaws
from simspec.kernels.rounds.tree.walk import starts, walk

__all__ = ["Packed", "pack", "paths"]

_narrow = core.narrow
_places = block._places
U = np.uint64


class Packed(NamedTuple):
    """What the compiled loop reads: tables of block rounds; `several.distinct.cells` without replacement; the tree."""

    sums: block.Packed
    cells: NDArray[np.float64]
    ends: NDArray[np.int32]


def pack(laws: TreeLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    unit_cells = np.ones((1, 1, 2))
    draft_cells = unit_cells if laws.replace else cells(laws.draft, laws.sums.ratio)
    return Packed(block.pack(laws.sums), draft_cells, laws.ends.copy())


@_listed
def _child(packed, w, level, child, group, base, who, shift):
    """Rows of a level draw their next child, and come to it: how many."""
    sums = packed[0]
    has_one_state = len(packed[0][2]) == 1
    m = w.many[0, level]
    deleted = w.many[4, level]
    rows = w.drawing[level]
    s = group.one_state
    x = group.x
    state = w.state[level]
    ratio = w.numbers[0]
    a = w.numbers[1]
    for c in range(m):
        b = U(rows[c])
        group.one_low[c], group.one_high[c], a[c] = group.low[b], group.high[b], w.a[level, b]
    if not has_one_state:
        for c in range(m):
            s[c] = state[U(rows[c])]
    _words(group, m, _narrow(base + np.uint32(child - 1)), *who)
    if deleted and len(w.low):
        _another(packed, w, level, group, m, ratio, shift)
    else:
        _tokens(sums[0], group, 0, m, group.words[0], shift)
        for c in range(m):
            ratio[c] = sums[2][U(s[c]), U(x[c])]
    if deleted:
        for c in range(m):
            b = U(rows[c])
            ratio[c] = max(ratio[c] - w.u[level, b], 0.0) * a[c] * w.rest[level, b] / w.mass[level, b]
        for c in range(m):
            a[c] = min(1.0, ratio[c])
    else:
        for c in range(m):
            a[c] = min(1.0, a[c] * ratio[c])
    _come(w, level, m, group, a, sums[2].shape[1])
    if not has_one_state:
        following = sums[6]
        there = w.state[level + 1]
        rows = w.drawing[level]
        for c in range(m):
            there[U(rows[c])] = following[U(min(x[c], len(following) - 1))]
    w.many[2, level + 1], w.many[3, level + 1], w.many[4, level + 1] = child, child + 1, 0
    return w.many[0, level + 1] + w.many[1, level + 1]


@_listed
def _another(packed, w, level, group, m, ratio, shift):
    """Tokens of a further child without replacement, of each row at a level, and p/q of them."""
    first = w.starts[level]
    count = w.many[4, level]
    rows = w.drawing[level]
    rest = w.numbers[2]
    for c in range(m):
        rest[c] = w.rest[level, U(rows[c])]
    for i in range(count):
        low = w.tried_low[i]
        high = w.tried_high[i]
        there_low = w.low[first + i]
        there_high = w.high[first + i]
        for c in range(m):
            b = U(rows[c])
            low[c] = there_low[b]
            high[c] = there_high[b]
    _others((packed[0][0], packed[1]), group, m, w.tried_low, w.tried_high, count, (rest, w.numbers[3], ratio), shift)
    if count > 1:
        for i in range(count):
            low = w.tried_low[i]
            high = w.tried_high[i]
            there_low = w.low[first + i]
            there_high = w.high[first + i]
            for c in range(m):
                b = U(rows[c])
                there_low[b] = low[c]
                there_high[b] = high[c]


@_listed
def _come(w, level, m, group, a, vocab):
    """Rows come to the child that they have drawn: with a = 0 nothing below it is drawn, and without a token they stay."""
    rows = w.drawing[level]
    x = group.x
    uniforms = group.words[1]
    below = w.a[level + 1]
    uniform = w.uniform[level + 1]
    text = w.text[level]
    drawing = w.drawing[level + 1]
    waiting = w.waiting[level + 1]
    going = 0
    staying = 0
    none = 0
    for c in range(m):
        b = U(rows[c])
        below[b] = a[c]
        uniform[b] = uniforms[c]
        text[b] = x[c]
        none += x[c] >= vocab
    if none == 0:
        for c in range(m):
            drawing[going] = rows[c]
            waiting[staying] = rows[c]
            going += a[c] > 0.0
            staying += not a[c] > 0.0
    else:
        for c in range(m):
            if x[c] >= vocab:
                w.waiting[level, w.many[1, level]] = rows[c]
                w.many[1, level] += 1
            elif a[c] > 0.0:
                drawing[going] = rows[c]
                going += 1
            else:
                waiting[staying] = rows[c]
                staying += 1
    w.many[0, level + 1], w.many[1, level + 1] = going, staying


@_listed
def _judge(packed, w, level, base, group):
    """Rows accept the node of a level, or delete it and go on with its parent."""
    rows = w.drawing[level]
    waiting = w.waiting[level]
    node = w.many[2, level]
    m = w.many[0, level]
    accepted = 0
    for c in range(w.many[1, level]):
        rows[m + c] = waiting[c]
    m += w.many[1, level]
    if level:
        a = w.numbers[0]
        uniforms = group.words[0]
        parent = w.drawing[level - 1]
        is_accepted = w.kept
        deleted = 0
        for c in range(m):
            b = U(rows[c])
            a[c] = w.a[level, b]
            uniforms[c] = w.uniform[level, b]
        for c in range((m + (VECTOR - 1)) & ~(VECTOR - 1)):
            is_accepted[c] = (uniforms[c] + 0.5) * 2.0**-32 < a[c]
        for c in range(m):
            rows[accepted], parent[deleted] = rows[c], rows[c]
            accepted += is_accepted[c]
            deleted += not is_accepted[c]
        w.many[0, level - 1] = deleted
        m = accepted
    end = np.uint32(base + np.uint32(node))
    for c in range(m):
        b = U(rows[c])
        w.at[b], w.ends[b] = level, end
    plain, tabled, bisected = w.kinds
    if packed[2][node] == node + 1:
        for c in range(m):
            w.lasts[0, plain + c] = rows[c]
        w.kinds[0] += m
        return
    rest = packed[0][9][1]
    for c in range(m):
        b = rows[c]
        r = w.r[level, U(rows[c])]
        none = r == 0.0
        first = (r == 1.0) & (rest[U(w.state[level, U(b)]), 0] >= 0)
        w.lasts[0, plain], w.lasts[1, tabled], w.lasts[2, bisected] = b, b, b
        plain += none
        tabled += first
        bisected += not (none | first)
    w.kinds[0], w.kinds[1], w.kinds[2] = plain, tabled, bisected


@_listed
def _round(packed, w, size, group, base, who, shift):
    """A round of a group: the level that each row accepts."""
    ends = packed[2]
    level = 0
    distinct = len(w.low) > 0
    for b in range(size):
        w.drawing[0, b], w.state[0, b], w.a[0, b] = b, group.state[b], 1.0
    w.many[0, 0], w.many[1, 0], w.many[2, 0], w.many[3, 0], w.many[4, 0] = size, 0, 0, 1, 0
    w.kinds[0], w.kinds[1], w.kinds[2] = 0, 0, 0
    while True:
        child = w.many[3, level]
        if w.many[0, level] and child < ends[w.many[2, level]]:
            w.many[3, level] = ends[child]
            if _child(packed, w, level, child, group, base, who, shift):
                level += 1
            else:
                w.many[0, level] = 0
            continue
        _judge(packed, w, level, base, group)
        if level == 0:
            return
        level -= 1
        if w.many[0, level]:
            _delete(packed, w, level, group)
            if distinct:
                _forget(packed[1], w, level)


@_listed
def _lasts(packed, w, size, group, who, shift):
    """The last token of each row, by what its node has left of the target."""
    sums = packed[0]
    rows = w.who
    r = w.numbers[0]
    want = w.numbers[1]
    counters = w.counters
    n = 0
    plain = w.kinds[0]
    tabled = w.kinds[0] + w.kinds[1]
    order = sums[3]
    s = group.one_state
    x = group.x
    word = group.words[2]
    for kind in range(3):
        for c in range(w.kinds[kind]):
            rows[n] = w.lasts[kind, c]
            n += 1
    for c in range(size):
        b = U(rows[c])
        group.one_low[c], group.one_high[c], counters[c] = group.low[b], group.high[b], w.ends[b]
    if len(sums[2]) > 1:
        for c in range(size):
            b = U(rows[c])
            s[c] = w.state[w.at[b], b]
    _words_of(group, size, counters, *who)
    _tokens(sums[1], group, 0, plain, word, shift)
    _tokens(sums[9], group, plain, tabled, word, shift)
    low = group.pending
    high = group.most
    for c in range(tabled, size):
        b = U(rows[c])
        level = w.at[b]
        r[c] = w.r[level, b]
        want[c] = (word[c] + 0.5) * 2.0**-32 * w.missing[level, b]
        high[c] = w.least[level, b]
    _places(sums[5], s, r, want, tabled, size, low, high)
    for c in range(tabled, size):
        x[c] = low[c]
    for c in range(plain, size):
        x[c] = order[U(s[c]), U(x[c])]
    for c in range(size):
        b = U(rows[c])
        w.text[U(w.at[b]), b] = x[c]


@_listed
def _finish(w, group, has_one_state, following, first, t, size, out):
    """The tokens of a round, and the state that it leads to."""
    accepted, tokens, counts = out
    for b in range(size):
        level = w.at[b]
        length = group.length[b]
        accepted[first + b, t] = level
        if tokens.size:
            for j in range(w.text.shape[0]):  # those after the last are written over
                tokens[U(first + b), U(length + j)] = w.text[U(j), U(b)]
        if counts.size:
            for j in range(level + 1):
                counts[w.state[j, b], w.text[j, b]] += 1
        group.length[b] = length + level + 1
        group.state[b] = 0 if has_one_state else following[w.text[level, b]]


@_listed
def _run(packed, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, group, w, first, last):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled; buffers to work in."""
    sums = packed[0]
    who = (purpose, k0, k1)
    shift = _shift(sums[0][1])
    has_one_state = len(sums[2]) == 1
    width = len(packed[2])
    for i in range(first, last, TOGETHER):
        size = min(TOGETHER, last - i)
        _enter(group, rows, i, size, start)
        for t in range(rounds):
            _round(packed, w, size, group, np.uint32(t * width), who, shift)
            _lasts(packed, w, size, group, who, shift)
            _finish(w, group, has_one_state, sums[6], i, t, size, (accepted, tokens, counts))
        _leave(group, i, size, state, tokens)


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Backend of `reference.paths`; see `simspec.kernels.rounds.tree.run_tree_rounds` for the arguments."""
    begins = starts(rule.laws.ends, 0 if rule.laws.replace else 1)
    packed_run = partial(_run, rule.packed)

    def run(gamma: int, *arguments: Any) -> None:
        packed_run(*arguments[:-2], group(), walk(begins), *arguments[-2:])

    return _spread(run, rule, plan, tokens, counts, threads, rule.drafts)
