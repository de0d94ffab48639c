"""The compiled twin of `simspec.kernels.rounds.tree.reference.run`: the same integers on every path.

The rows of a group walk down one tree together, as `simspec.kernels.rounds.groups` says: those that have come to a node draw its
next child and come to that, and those that delete it go on at the node.  Nothing is spent on nodes after the one that a row
accepts, or below one with a = 0.  Drafts without replacement are found as in `several.distinct`, what is left of the target as in
`block.packed`; the same float64 operations in the same order as the reference do the rest.

What a round costs beside one of token verification: each node that is judged takes a draft, and where it is deleted and its
parent judged after it, a search for the mass that it leaves; a coin that fails for sure saves the search.  The last token is
found by a bisection of all tokens that are left, a step of all rows at a time.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.random import core
from simspec.kernels.rounds.block import packed as block
from simspec.kernels.rounds.groups import TOGETHER, _enter, _leave, _listed, _shift, _tokens, _words, _words_of, group
from simspec.kernels.rounds.loops import _find, _spread
from simspec.kernels.rounds.reference import Plan
from simspec.kernels.rounds.several.distinct import _insert, _others
from simspec.kernels.rounds.tree.reference import TreeLaws

__all__ = ["Packed", "pack", "paths"]

_narrow, _fails = core.narrow, block._fails
_many, _mass, _places = block._many, block._mass, block._places
U = np.uint64
NEAR, MARGIN = block.NEAR, block.MARGIN


class Packed(NamedTuple):
    """What the compiled loop reads: tables of block rounds; sums of q beside p/q (S, V, 2) without replacement; the tree."""

    sums: block.Packed
    cells: NDArray[np.float64]
    ends: NDArray[np.int32]


def pack(laws: TreeLaws) -> Packed:
    """`laws` as the compiled loop reads them."""
    one = np.ones((1, 1, 2))
    cells = one if laws.replace else np.stack([laws.draft, laws.sums.ratio], axis=-1)
    return Packed(block.pack(laws.sums), cells, laws.ends.copy())


class _Walk(NamedTuple):
    """Lists of a group, and numbers of its rows, those at each level first.

    Attributes
    ----------
    inside, drawing : rows that have come to the node of a level, and those that go on to its next child (levels, rows)
    many : lengths of both lists, number of the node, its next child, children tried (5, levels)
    state, text : of a row's node at a level, and the token that leads on from it (levels, rows)
    least, coin : tokens of what is left at a level, and the coin of its node (levels, rows)
    a, u, mass, rest, r, missing : of a row at a level, as in the reference (levels, rows)
    tried : tokens tried, rising, those of a level side by side (rows, tokens)
    starts : where those of a level begin (levels + 1,)
    done : whether a row has accepted a node (rows,)
    at, ends : the level of that node, and its counter (rows,)
    values, who, further : for a list
    """

    inside: NDArray[np.int32]
    drawing: NDArray[np.int32]
    many: NDArray[np.int64]
    state: NDArray[np.int32]
    text: NDArray[np.int32]
    least: NDArray[np.int32]
    coin: NDArray[np.uint32]
    a: NDArray[np.float64]
    u: NDArray[np.float64]
    mass: NDArray[np.float64]
    rest: NDArray[np.float64]
    r: NDArray[np.float64]
    missing: NDArray[np.float64]
    tried: NDArray[np.int64]
    starts: NDArray[np.int64]
    done: NDArray[np.uint8]
    at: NDArray[np.int32]
    ends: NDArray[np.uint32]
    values: NDArray[np.float64]
    who: NDArray[np.int32]
    further: NDArray[np.float64]


def _walk(starts: NDArray[np.int64]) -> _Walk:
    """Buffers of a group on a tree whose levels remember so many tokens, one after the other."""
    levels = len(starts) - 1
    inside, drawing, state, text, least = np.zeros((5, levels, TOGETHER), np.int32)
    a, u, mass, rest, r, missing = np.zeros((6, levels, TOGETHER))
    coin, many = np.zeros((levels, TOGETHER), np.uint32), np.zeros((5, levels), np.int64)
    tried, done = np.zeros((TOGETHER, int(starts[-1])), np.int64), np.zeros(TOGETHER, np.uint8)
    at, who = np.zeros((2, TOGETHER), np.int32)
    ends, (values, further) = np.zeros(TOGETHER, np.uint32), np.zeros((2, TOGETHER))
    lists = inside, drawing, many, state, text, least, coin
    return _Walk(*lists, a, u, mass, rest, r, missing, tried, starts, done, at, ends, values, who, further)


@_listed
def _open(w, level, node, m):
    """The rows of a level's list come to a node."""
    w.many[0, level], w.many[1, level], w.many[2, level], w.many[3, level], w.many[4, level] = m, m, node, node + 1, 0
    for c in range(m):
        b = w.inside[level, c]
        w.drawing[level, c] = b
        w.u[level, b], w.mass[level, b], w.rest[level, b] = 0.0, 1.0, 1.0
        w.r[level, b], w.missing[level, b] = 0.0, 0.0


@_listed
def _child(packed, w, level, child, own, base, who, shift):
    """Rows of a level draw their next child, and come to it."""
    sums, cells, drawing, m = packed[0], packed[1], w.drawing[level], 0
    a, u, mass, rest, kept = w.a[level], w.u[level], w.mass[level], w.rest[level], w.values
    for c in range(w.many[1, level]):  # with a = 0 all below a node have a = 0
        b = drawing[c]
        drawing[m] = b
        m += (rest[b] > 0) & (a[b] > 0)
    for c in range(m):
        b = U(drawing[c])
        own.one_low[c], own.one_high[c], own.one_state[c] = own.low[b], own.high[b], w.state[level, b]
    _words(own, m, _narrow(base + np.uint32(child - 1)), *who)
    s, x, below, vocab = own.one_state, own.x, 0, sums[2].shape[1]
    if w.tried.shape[1] == 0:
        _tokens(sums[0], own, 0, m, own.words[0], shift)
        for c in range(m):
            kept[c] = sums[2][U(s[c]), U(x[c])]
    else:
        tried = w.tried[:, w.starts[level] :]
        _others((cells, sums[0][1]), w.many[4, level], own, drawing, m, rest, tried, kept)
        for c in range(m):
            kept[c] = cells[U(s[c]), U(x[c] if x[c] < vocab else 0), 1]
    for c in range(m):
        b = U(drawing[c])
        some = x[c] < vocab
        w.a[level + 1, b] = min(1.0, a[b] * max(kept[c] - u[b], 0.0) * rest[b] / mass[b])
        w.text[level, b] = x[c]
        w.coin[level + 1, b] = own.words[1][c]
        drawing[below] = b
        w.inside[level + 1, below] = b
        below += some
    w.many[1, level] = below
    if len(sums[2]) > 1:
        for c in range(below):
            b = U(drawing[c])
            w.state[level + 1, b] = sums[6][U(w.text[level, b])]
    return below


@_listed
def _judge(w, level, base):
    """Rows accept the node of a level, or delete it and go on with its parent."""
    node, deleted, parent = w.many[2, level], 0, max(level - 1, 0)
    for c in range(w.many[0, level]):
        b = w.inside[level, c]
        if w.done[b]:
            continue
        if level == 0 or (w.coin[level, b] + 0.5) * 2.0**-32 < w.a[level, b]:
            w.done[b], w.at[b], w.ends[b] = 1, level, np.uint32(base + np.uint32(node))
        else:
            w.drawing[parent, deleted] = b
            deleted += 1
    if level:
        w.many[1, parent] = deleted


@_listed
def _delete(packed, w, level, own):
    """What deleted children leave of the targets of a level's rows, and of a: 0 where the node's own coin fails for sure."""
    sums, drawing, who, n = packed[0], w.drawing[level], w.who, 0
    a, u, mass, rest, there, s = w.a[level], w.u[level], w.mass[level], w.rest[level], w.values, own.one_state
    more, last = w.further, w.many[3, level] == packed[2][w.many[2, level]] and level > 0
    for c in range(w.many[1, level]):
        b = U(drawing[c])
        if last:
            coin = (w.coin[level, b] + 0.5) * 2.0**-32
            first = u[b] == 0.0
            sure = (
                _fails(sums, w.state[level, b], a[b], coin) if first else (1.0 - a[b] > NEAR and coin > a[b] + MARGIN)
            )
            if sure:
                a[b] = 0.0
                continue
        who[n] = b
        n += 1
    for c in range(n):
        s[c] = w.state[level, U(who[c])]
    for c in range(n):
        b = U(who[c])
        first = u[b] == 0.0
        more[c] = 1.0 / a[b] if first else u[b] + mass[b] / (a[b] * rest[b])
        there[c] = a[b] if first else 1.0 / more[c]
    _many(sums, s, there, n, own.x, own.pending, own.most)
    for c in range(n):
        b = U(who[c])
        first, missing = u[b] == 0.0, _mass(sums[5], s[c], there[c], own.x[c])
        further, z = more[c], 0.0
        if missing > 0:
            z = missing if first else min(a[b], a[b] * (further * missing / mass[b]))
            u[b], mass[b] = further, further * missing
            w.r[level, b], w.missing[level, b], w.least[level, b] = there[c], missing, own.x[c]
        whole = z + (1.0 - a[b])
        a[b] = z / whole if whole > 0 else 1.0


@_listed
def _forget(cells, w, level):
    """Deleted children are not drawn again."""
    if w.tried.shape[1] == 0:
        return
    count, tried = w.many[4, level], w.tried[:, w.starts[level] :]
    for c in range(w.many[1, level]):
        b = U(w.drawing[level, c])
        s, x = U(w.state[level, b]), w.text[level, b]
        _insert(tried[b], count, x)
        w.rest[level, b] -= cells[s, x, 0] - (cells[s, x - 1, 0] if x else 0.0)
    w.many[4, level] = count + 1


@_listed
def _round(packed, w, size, own, base, who, shift):
    """A round of a group: the level that each row accepts."""
    ends, level = packed[2], 0
    for b in range(size):
        w.inside[0, b], w.state[0, b], w.a[0, b], w.done[b] = b, own.state[b], 1.0, 0
    _open(w, 0, 0, size)
    while True:
        child = w.many[3, level]
        if w.many[1, level] and child < ends[w.many[2, level]]:
            w.many[3, level] = ends[child]
            below = _child(packed, w, level, child, own, base, who, shift)
            if below:
                level += 1
                _open(w, level, child, below)
            continue
        _judge(w, level, base)
        if level == 0:
            return
        level -= 1
        if w.many[1, level]:
            _delete(packed, w, level, own)
            _forget(packed[1], w, level)


@_listed
def _lasts(packed, w, size, own, who, shift):
    """The last token of each row, by what its node has left of the target."""
    sums = packed[0]
    for b in range(size):
        own.one_low[b], own.one_high[b], own.one_state[b] = own.low[b], own.high[b], w.state[w.at[b], b]
    _words_of(own, size, w.ends, *who)
    word, shift, n = own.words[2], np.int64(shift), 0
    for b in range(size):
        level, s = w.at[b], U(own.one_state[b])
        if w.r[level, b] == 0.0:
            own.x[b] = _find(sums[1], s, word[b], shift)
        elif w.r[level, b] == 1.0 and sums[9][1][s, 0] >= 0:
            own.x[b] = sums[3][s, _find(sums[9], s, word[b], shift)]
        else:
            w.who[n] = b
            n += 1
    low, high = own.pending, own.most
    for c in range(n):
        row = U(w.who[c])
        level = w.at[row]
        w.values[c], w.further[c] = w.r[level, row], (word[row] + 0.5) * 2.0**-32 * w.missing[level, row]
        low[c], high[c] = 0, w.least[level, row] - 1
    _places(sums[5], own.one_state, w.who, w.values, w.further, n, low, high)
    for c in range(n):
        row = U(w.who[c])
        own.x[row] = sums[3][U(own.one_state[row]), U(low[c])]


@_listed
def _run(packed, rounds, k0, k1, rows, start, purpose, accepted, state, tokens, counts, own, w, first, last):
    """Rounds of rows first .. last - 1; `tokens` and `counts` of size zero are not filled; buffers to work in."""
    sums, who = packed[0], (purpose, k0, k1)
    following, shift, one, width = sums[6], _shift(sums[0][1]), len(sums[2]) == 1, len(packed[2])
    for i in range(first, last, TOGETHER):
        size = min(TOGETHER, last - i)
        _enter(own, rows, i, size, start)
        for t in range(rounds):
            _round(packed, w, size, own, np.uint32(t * width), who, shift)
            _lasts(packed, w, size, own, who, shift)
            for b in range(size):
                level, length = w.at[b], own.length[b]
                accepted[i + b, t] = level
                w.text[level, b] = own.x[b]
                if tokens.size:
                    for j in range(level + 1):
                        tokens[i + b, length + j] = w.text[j, b]
                if counts.size:
                    for j in range(level + 1):
                        counts[w.state[j, b], w.text[j, b]] += 1
                own.length[b] = length + level + 1
                own.state[b] = 0 if one else following[own.x[b]]
        _leave(own, i, size, state, tokens)


def paths(rule: Any, plan: Plan, tokens: bool, counts: bool, threads: int | None = None) -> tuple[Any, Any, Any, Any]:
    """Twin of `reference.paths`; see `simspec.kernels.rounds.tree.run_tree_rounds` for the arguments."""
    starts = _starts(rule.laws.ends, 0 if rule.laws.replace else 1)
    made = partial(_run, rule.packed)

    def run(gamma: int, *given: Any) -> None:
        made(*given[:-2], group(), _walk(starts), *given[-2:])

    return _spread(run, rule, plan, tokens, counts, threads, rule.drafts)


def _starts(ends: NDArray[np.int32], each: int) -> NDArray[np.int64]:
    """Where the tokens of each level begin: so many for each of the most children that a node of the level has.

    >>> _starts(np.array([5, 4, 3, 4, 5]), 1).tolist()
    [0, 2, 4, 4]
    """
    most: list[int] = []
    level, todo = 0, [0]
    while todo:
        most.append(0)
        below: list[int] = []
        for node in todo:
            child, before = node + 1, len(below)
            while child < ends[node]:
                below.append(child)
                child = int(ends[child])
            most[level] = max(most[level], each * (len(below) - before))
        level, todo = level + 1, below
    return np.cumsum([0, *most])
