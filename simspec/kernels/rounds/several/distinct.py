"""Drafts without replacement for the rows of a list: what each refusal leaves, for `numba_several`.

A further draft costs two more random places of tables than a first one: what is left of the target is read in the order of q/p.
The mass of the tokens tried is kept beside each row, so that a draft outside them is a word of the whole law: it is found as a
first draft is, and only where rounding to a word leads to another token are sums searched.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.random import core
from simspec.kernels.rounds.block import packed as block
from simspec.kernels.rounds.groups import TOGETHER, VECTOR, _gather, _listed, _tokens, _words
from simspec.kernels.rounds.numba_rounds import _inlined, words_below

__all__ = ["Work", "cells", "surely", "work"]

_narrow = core.narrow
U = np.uint64
_many = block._many
_mass = block._mass
TOP = 2.0**32 - 1


class Work(NamedTuple):
    """Lists of a group, and numbers of its rows.

    Attributes
    ----------
    going, chosen : rows that keep a draft of a position, and the draft
    trying : rows whose draft is refused
    lost, ends : rows that have lost all drafts of a position, then the others; the counter of that position
    kept, values : of a list's drafts, whether they pass, and p/q
    words : of rows that have lost, for their last tokens
    u, after, left, rest : of `trying`, as in the reference
    source : of `trying`, the place in the list before
    lost_u, lost_after : the same of each row of the group that has lost
    parts : to work in
    low, high : between which sums of q the tokens tried of `trying` lie (drafts, rows)
    """

    going: NDArray[np.int32]
    chosen: NDArray[np.int32]
    trying: NDArray[np.int32]
    lost: NDArray[np.int32]
    ends: NDArray[np.uint32]
    kept: NDArray[np.uint8]
    values: NDArray[np.float64]
    words: tuple[NDArray[np.uint32], ...]
    u: NDArray[np.float64]
    after: NDArray[np.float64]
    left: NDArray[np.float64]
    rest: NDArray[np.float64]
    lost_u: NDArray[np.float64]
    lost_after: NDArray[np.float64]
    parts: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]
    source: NDArray[np.int32]


def work(drafts: int) -> Work:
    """Buffers of a group with so many drafts a position.

    >>> work(3).low.shape == (3, TOGETHER)
    True
    """
    going, accepted_tokens, trying, lost = np.zeros((4, TOGETHER), np.int32)
    ends, *words = np.zeros((6, TOGETHER), np.uint32)
    values, u, after, remaining_mass, rest, lost_u, lost_after, parts = np.zeros((8, TOGETHER))
    is_accepted = np.zeros(TOGETHER, np.uint8)
    (low, high) = np.zeros((2, drafts, TOGETHER))
    source = np.zeros(TOGETHER, np.int32)
    numbers = u, after, remaining_mass, rest, lost_u, lost_after, parts, low, high
    return Work(going, accepted_tokens, trying, lost, ends, is_accepted, values, tuple(words), *numbers, source)


def cells(sums: NDArray[np.float64], ratio: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sum of q before each token and p/q of it, side by side, and then the whole sum (S, V + 1, 2).

    >>> cells(np.array([[0.25, 1.0]]), np.array([[2.0, 3.0]])).tolist()
    [[[0.0, 2.0], [0.25, 3.0], [1.0, 0.0]]]
    """
    cell_table = np.zeros((sums.shape[0], sums.shape[1] + 1, 2))
    cell_table[:, 1:, 0], cell_table[:, :-1, 1] = sums, ratio
    return cell_table


def surely(ratio: NDArray[np.float64]) -> NDArray[np.uint8]:
    """How many first bytes of a uniform pass a first draft's test for sure, 255 at most; those of a larger byte fail for sure.

    >>> surely(np.array([0.0, 0.25, 0.3, 1.0])).tolist()
    [0, 64, 76, 255]
    """
    return np.minimum(words_below(np.minimum(ratio, 1.0)) >> 24, 255).astype(np.uint8)


@_listed
def _outside(low, high, count, parts, m):
    """Parts of the mass outside the tokens tried of a list's rows as parts of the whole mass; the last token takes its place.

    The tokens lie between the sums `low` and `high` of q (tokens, rows), of which all but the last rise.
    """
    last_low = low[count - 1]
    last_high = high[count - 1]
    for i in range(count):
        start = low[i]
        stop = high[i]
        if i < count - 1:
            for c in range(m):
                below = start[c]
                above = stop[c]
                start[c] = min(below, last_low[c])
                stop[c] = min(above, last_high[c])
                last_low[c] = max(below, last_low[c])
                last_high[c] = max(above, last_high[c])
        for c in range(m):
            further = max(parts[c] + (stop[c] - start[c]), stop[c])
            parts[c] = further if parts[c] >= start[c] else parts[c]


@_inlined
def _between(cells, s, threshold):
    """The first token whose sum is above a part; V where none is."""
    low = np.int64(0)
    high = np.int64(cells.shape[1] - 1)
    while low < high:
        middle = (low + high) >> 1
        above = cells[s, middle + 1, 0] > threshold
        high = middle if above else high
        low = low if above else middle + 1
    return low


@_listed
def _others(tables, group, m, low, high, count, scratch, shift):
    """Tokens that words draw for a list's rows outside those tried, in x, and p/q of them: V where rounding leaves none.

    Parameters
    ----------
    tables : the law for words, and cells
    low, high : between which sums of q the tokens tried lie (tokens, rows), as `_outside` has them; the token drawn enters last
    count : of the tokens tried, the same in each row
    scratch : the mass of q outside them, a number for each row to work with, and p/q

    A part of that mass is rounded down to a word; where the token that this draws is another one, sums are searched.
    """
    (law, cells) = tables
    (rest, parts, ratio) = scratch
    words = group.words[0]
    s = group.one_state
    x = group.x
    n = 0
    start = low[count]
    stop = high[count]
    for c in range(m):
        parts[c] = (words[c] + 0.5) * 2.0**-32 * rest[c]
    _outside(low, high, count, parts, m)
    for c in range(m):
        words[c] = _narrow(U(np.int64(min(max(parts[c] * 2.0**32 - 0.5, 0.0), TOP))))
    _tokens(law, group, 0, m, words, shift)
    for c in range(m):
        state = U(s[c])
        token = U(x[c])
        start[c] = cells[state, token, 0]
        ratio[c] = cells[state, token, 1]
        stop[c] = cells[state, token + U(1), 0]
    for c in range(m):
        n += start[c] <= parts[c]
    for c in range(m):
        n += parts[c] < stop[c]
    if n == 2 * m:
        return
    for c in range(m):
        if not start[c] <= parts[c] < stop[c]:
            state = U(s[c])
            token = _between(cells, U(s[c]), parts[c])
            x[c] = token
            start[c] = cells[state, token, 0]
            ratio[c] = cells[state, token, 1]
            stop[c] = cells[state, min(token + 1, cells.shape[1] - 1), 0]


@_listed
def _masses(sums, s, m, group, work):
    """What the last refusals leave of the targets of a list's rows, and its mass."""
    u = work.u
    after = work.after
    remaining_mass = work.left
    r = work.values
    token_counts = group.x
    for c in range(m):
        r[c] = 1.0 / after[c]
    _many(sums, s, r, m, token_counts, group.pending, group.most)
    for c in range(m):
        r[c] = _mass(sums[5], s[c], r[c], token_counts[c])
    for c in range(m):
        mass = after[c] * r[c]
        u[c] = after[c] if mass > 0.0 else u[c]
        remaining_mass[c] = mass if mass > 0.0 else remaining_mass[c]


@_listed
def _first(sure, cells, group, m, is_accepted):
    """Whether first drafts of a list's rows pass: most tests are decided by a byte of the uniform and one of a small table."""
    s = group.one_state
    x = group.x
    uniforms = group.words[1]
    pending = group.pending
    n = 0
    for c in range(m):
        share = sure[U(s[c]), U(x[c])]
        byte = uniforms[c] >> np.uint32(24)
        is_accepted[c] = byte < share
        pending[n] = c
        n += byte == share
    for i in range(n):
        row = U(pending[i])
        is_accepted[row] = (uniforms[row] + 0.5) * 2.0**-32 < cells[U(s[row]), U(x[row]), 1]


@_listed
def _drafted(packed, j, group, m, work, shift):
    """A draft of each row of a list, V where none is left, and whether it passes."""
    cells = packed[7]
    s = group.one_state
    uniforms = group.words[1]
    u = work.u
    remaining_mass = work.left
    rest = work.rest
    values = work.values
    is_accepted = work.kept
    x = group.x
    vocab = np.int32(cells.shape[1] - 1)
    if j == 0:
        _tokens(packed[0], group, 0, m, group.words[0], shift)
        _first(packed[9], cells, group, m, is_accepted)
        return
    _masses(packed[8], s, m, group, work)
    _others((packed[0], cells), group, m, work.low, work.high, j, (rest, work.parts, values), shift)
    for c in range((m + (VECTOR - 1)) & ~(VECTOR - 1)):
        is_accepted[c] = (uniforms[c] + 0.5) * 2.0**-32 < max(values[c] - u[c], 0.0) * rest[c] / remaining_mass[c]
    for c in range(m):
        if x[c] == vocab:
            is_accepted[c], remaining_mass[c], work.low[j, c], work.high[j, c] = 0, 0.0, 0.0, rest[c]


@_listed
def _lose(c, finished, work):
    """A row of `trying` has lost all drafts of a position."""
    b = work.trying[c]
    work.lost[finished], work.lost_u[b], work.lost_after[b] = b, work.u[c], work.after[c]


@_listed
def _refused(cells, j, m, finished, group, work):
    """What a refusal leaves of the target and of the drafts of each row: how many go on, and how many have lost."""
    u = work.u
    after = work.after
    remaining_mass = work.left
    rest = work.rest
    low = work.low[j]
    high = work.high[j]
    s = group.one_state
    x = group.x
    trying = work.trying
    source = work.source
    if j == 0:
        for c in range(m):
            at = U(source[c])
            state = U(s[at])
            token = U(x[at])
            low[c] = cells[state, token, 0]
            high[c] = cells[state, token + U(1), 0]
        for c in range(m):
            u[c] = 0.0
            remaining_mass[c] = 1.0
            after[c] = 1.0
            rest[c] = 1.0 - (high[c] - low[c])
    else:
        for c in range(m):
            after[c] = u[c] + remaining_mass[c] / rest[c]
        for c in range(m):
            rest[c] -= high[c] - low[c]
    going = 0
    for c in range(m):
        going += rest[c] > 0.0
    if going == m:
        return m, finished
    going = 0
    for c in range(m):
        if rest[c] > 0.0:
            _move(c, going, j + 1, work)
            trying[going] = trying[c]
            after[going] = after[c]
            going += 1
        else:
            _lose(c, finished, work)
            finished += 1
    return going, finished


@_inlined
def _move(c, to, count, work):
    """Numbers of a row of `trying`, to another place."""
    work.u[to], work.left[to], work.rest[to] = work.u[c], work.left[c], work.rest[c]
    for i in range(count):
        work.low[i, to], work.high[i, to] = work.low[i, c], work.high[i, c]


@_listed
def _position(packed, base, m, finished, group, work, who, shift):
    """Drafts of a position for the rows in `going`: how many keep one, with it in `going` again, and how many rows are done."""
    going = work.going
    trying = work.trying
    accepted_tokens = work.chosen
    is_accepted = work.kept
    x = group.x
    before = finished
    u = work.u
    remaining_mass = work.left
    rest = work.rest
    source = work.source
    keep = 0
    active = m
    for c in range(m):
        trying[c] = going[c]
    for j in range(packed[4].shape[1]):
        _gather(group, len(packed[2]) == 1, trying, active)
        _words(group, active, _narrow(base + np.uint32(j)), *who)
        _drafted(packed, j, group, active, work, shift)
        refused = 0
        for c in range(active):
            b = trying[c]
            passes = is_accepted[c]
            going[keep] = b
            accepted_tokens[keep] = x[c]
            trying[refused] = b
            source[refused] = c
            keep += passes
            refused += not passes
        if j:
            for c in range(refused):
                at = U(source[c])
                u[c] = u[at]
                remaining_mass[c] = remaining_mass[at]
                rest[c] = rest[at]
            for i in range(j + 1):
                low = work.low[i]
                high = work.high[i]
                for c in range(refused):
                    at = U(source[c])
                    low[c] = low[at]
                    high[c] = high[at]
        active, finished = _refused(packed[7], j, refused, finished, group, work)
        if active == 0:
            break
    for c in range(active):
        _lose(c, finished, work)
        finished += 1
    for c in range(before, finished):
        work.ends[c] = base
    return keep, finished
