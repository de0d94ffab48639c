"""Drafts without replacement for the rows of a list: what each refusal leaves of the target and of the drafts, in `loops` beside.

A further draft costs three more random places of tables: what is left of the target is read in the order of q/p, and what was
tried is taken out of the sums of q.  Sums are searched where a guide leaves more than one place.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.rounds.block import packed as block
from simspec.kernels.rounds.groups import TOGETHER, _listed
from simspec.kernels.rounds.loops import _compiled, _find

__all__ = ["Work", "work"]

U = np.uint64
EDGE = 2.0**-15
"""Of a part of a guide: a word is less."""
_missing, _place, _last = block._missing, block._place, block._last
_many, _mass = block._many, block._mass


class Work(NamedTuple):
    """Lists of a group, and numbers of its rows.

    Attributes
    ----------
    going, chosen : rows that keep a draft of a position, and the draft
    trying, y : rows whose draft is refused, and the draft
    lost, ends : rows that have lost all drafts of a position, then the others; the counter of that position
    kept, values : of a list's drafts, whether they pass, and p/q
    words : of a list
    u, after, left, rest, tried : as in the reference; tokens tried rise
    """

    going: NDArray[np.int32]
    chosen: NDArray[np.int32]
    trying: NDArray[np.int32]
    y: NDArray[np.int32]
    lost: NDArray[np.int32]
    ends: NDArray[np.uint32]
    kept: NDArray[np.uint8]
    values: NDArray[np.float64]
    words: NDArray[np.uint32]
    u: NDArray[np.float64]
    after: NDArray[np.float64]
    left: NDArray[np.float64]
    rest: NDArray[np.float64]
    tried: NDArray[np.int64]


def work(drafts: int) -> Work:
    """Buffers of a group with so many drafts a position.

    >>> work(3).tried.shape == (TOGETHER, 3)
    True
    """
    going, chosen, trying, y, lost = np.zeros((5, TOGETHER), np.int32)
    ends, kept, values = np.zeros(TOGETHER, np.uint32), np.zeros(TOGETHER, np.uint8), np.zeros(TOGETHER)
    words, (u, after, left, rest) = np.zeros((2, TOGETHER), np.uint32), np.zeros((4, TOGETHER))
    tried = np.zeros((TOGETHER, drafts), np.int64)
    return Work(going, chosen, trying, y, lost, ends, kept, values, words, u, after, left, rest, tried)


@_compiled
def _outside(cells, guide, s, tried, count, part):
    """A part of the mass outside the tokens tried (rising) as one of the whole mass, and between which tokens that one lies."""
    for j in range(count):
        x = tried[j]
        below = cells[s, x - 1, 0] if x else 0.0
        if part >= below:
            part = max(part + (cells[s, x, 0] - below), cells[s, x, 0])
    vocab, parts = np.int64(cells.shape[1]), guide.shape[1] - 1
    if part >= 1.0:  # where rounding leaves none
        return part, vocab, vocab
    scaled = part * parts
    at = np.int64(scaled)
    low = np.int64(guide[s, at])
    if scaled - at < EDGE:  # a guide of words is off by half a word
        low = np.int64(guide[s, at - 1]) if at else np.int64(0)
    return part, low, np.int64(guide[s, at + 1]) if at + 1 < parts else vocab - 1


@_compiled
def _between(cells, s, low, high, part):
    """The first token of low .. high whose sum is above a part."""
    while low < high:
        middle = (low + high) >> 1
        above = cells[s, middle, 0] > part
        high = middle if above else high
        low = low if above else middle + 1
    return low


@_compiled
def _another(cells, guide, s, tried, count, part):
    """The token that a part of the mass outside the tokens tried (rising) draws; V where rounding leaves none."""
    part, low, high = _outside(cells, guide, s, tried, count, part)
    return _between(cells, s, low, high, part)


@_compiled
def _insert(tried, count, x):
    """Put a token among those tried, rising."""
    while count and tried[count - 1] > x:
        tried[count] = tried[count - 1]
        count -= 1
    tried[count] = x


@_listed
def _masses(sums, s, who, m, own, work):
    """What the last refusals leave of the targets of a list's rows, and its mass."""
    u, after, left, r, many = work.u, work.after, work.left, work.values, own.x
    for c in range(m):
        r[c] = 1.0 / after[U(who[c])]
    _many(sums, s, r, m, many, own.pending, own.most)
    for c in range(m):
        b = U(who[c])
        mass = after[b] * _mass(sums[5], s[c], r[c], many[c])
        some = mass > 0
        u[b] = after[b] if some else u[b]
        left[b] = mass if some else left[b]


@_listed
def _others(sums, count, own, who, m, rest, tried, parts):
    """`_another` for each row of a list, with as many tokens tried in each."""
    s, x, draws, n, (cells, guide) = own.one_state, own.x, own.words[0], 0, sums
    for c in range(m):
        b = U(who[c])
        part = (draws[c] + 0.5) * 2.0**-32 * rest[b]
        parts[c], x[c], most = _outside(cells, guide, U(s[c]), tried[b], count, part)
        own.pending[n], own.most[n] = c, most
        n += x[c] < most
    for i in range(n):
        one = U(own.pending[i])
        x[one] = _between(cells, U(s[one]), np.int64(x[one]), np.int64(own.most[i]), parts[one])


@_listed
def _further(packed, j, own, who, m, work):
    """A further draft of each row of a list, without replacement: V where none is left, and whether it passes."""
    guide, cells, parts = packed[0][1], packed[7], work.values
    s, x, coins = own.one_state, own.x, own.words[1]
    u, left, rest, tried, kept = work.u, work.left, work.rest, work.tried, work.kept
    _masses(packed[8], s, who, m, own, work)
    _others((cells, guide), j, own, who, m, rest, tried, parts)
    for c in range(m):
        b, some = U(who[c]), x[c] < cells.shape[1]
        ratio = cells[U(s[c]), U(x[c] if some else 0), 1]
        kept[c] = some & ((coins[c] + 0.5) * 2.0**-32 < max(ratio - u[b], 0.0) * rest[b] / left[b])


@_listed
def _refuse(cells, j, own, who, x, m, work):
    """What a refusal leaves of the target and of the drafts of each row, without replacement: those with none left come last."""
    u, after, left, rest, tried, s = work.u, work.after, work.left, work.rest, work.tried, own.state
    for c in range(m):
        b, token = U(who[c]), x[c]
        if j == 0:
            u[b], left[b], rest[b] = 0.0, 1.0, 1.0
        if token == cells.shape[1]:
            after[b], rest[b] = u[b], 0.0
            continue
        after[b] = u[b] + left[b] / rest[b]
        rest[b] -= cells[U(s[b]), token, 0] - (cells[U(s[b]), token - 1, 0] if token else 0.0)
        _insert(tried[b], j, token)
    going = 0
    for c in range(m):
        b = who[c]
        if rest[U(b)] > 0:
            who[c], who[going] = who[going], b
            going += 1
    return going


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
