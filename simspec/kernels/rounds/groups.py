"""Rounds of some rows at once: what one row waits for, the next one does not.

A list holds rows, by their place in a group of `TOGETHER`, that do the same thing next.  Each thing is a short loop over a
list in which no row depends on another: words are made in vectors, and numbers of large tables are asked for long before
they are needed.  A loop that decides writes a row into both lists and moves on in one of them, so that no branch is guessed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import compiled, inner
from simspec.kernels.random import core

__all__ = ["TOGETHER", "Group", "group", "near"]

TOGETHER = 512
"""Rows of a group: longer lists lose less where they end, shorter ones stay in the first cache."""
VECTOR = 8
"""Words are made for a multiple of so many rows, the last of them for none: what is left of a vector takes as long."""
WINDOW = 31
_philox = core.rounds
_narrow = core.narrow
_32 = np.uint64(32)
U = np.uint64


def _listed(function: Callable[..., Any]) -> Any:
    """Without a look at each divisor, so that quotients are made in vectors; Python calls those named `_run` alone."""
    make = compiled if function.__name__ == "_run" else partial(inner, forceinline=True)
    return make(function, nogil=True, _nrt=False, error_model="numpy")


_apart = inner(nogil=True, _nrt=False, error_model="numpy")
"""Not inlined: compiled once, and its loop has all registers."""


class Group(NamedTuple):
    """Rows that go on together, and a list of some of them to work on.

    Attributes
    ----------
    low, high : words of each row's number
    state, length : of each row; how many tokens it has
    one_low, one_high, one_state : the same of a list's rows, side by side
    words : four words of each row of a list
    x : its tokens
    pending, most : of its searches, whose they are and where they end
    """

    low: NDArray[np.uint32]
    high: NDArray[np.uint32]
    state: NDArray[np.int32]
    length: NDArray[np.int32]
    one_low: NDArray[np.uint32]
    one_high: NDArray[np.uint32]
    one_state: NDArray[np.int32]
    words: tuple[NDArray[np.uint32], ...]
    x: NDArray[np.int32]
    pending: NDArray[np.int32]
    most: NDArray[np.int32]


def group() -> Group:
    """Buffers of a group.

    >>> {len(x) for x in (*group().words, group().x)} == {TOGETHER}
    True
    """
    words = np.zeros((8, TOGETHER), np.uint32)
    numbers = np.zeros((6, TOGETHER), np.int32)
    low, high, one_low, one_high, *word_arrays = words
    state, length, one_state, *rest = numbers
    return Group(low, high, state, length, one_low, one_high, one_state, tuple(word_arrays), *rest)


@_listed
def _enter(group, rows, first, size, start):
    """Some rows form a group."""
    for b in range(size):
        group.low[b], group.high[b] = _narrow(rows[first + b]), _narrow(rows[first + b] >> _32)
        group.state[b], group.length[b] = start, 0


@_listed
def _leave(group, first, size, state, tokens):
    """The group has all its rounds."""
    for b in range(size):
        state[first + b] = group.state[b]
        if tokens.size:
            for j in range(group.length[b], tokens.shape[1]):
                tokens[first + b, j] = -1


@_listed
def _gather(group, has_one_state, who, m):
    """Numbers and states of the rows of a list."""
    low = group.low
    high = group.high
    state = group.state
    a = group.one_low
    b = group.one_high
    s = group.one_state
    for c in range(m):
        i = U(who[c])
        a[c] = low[i]
        b[c] = high[i]
    if not has_one_state:  # else they are all zero
        for c in range(m):
            s[c] = state[U(who[c])]


@_listed
def _words(group, m, at, purpose, k0, k1):
    """Words of one counter for the rows of a list."""
    low = group.one_low
    high = group.one_high
    (a, b, c, d) = group.words
    for i in range((m + (VECTOR - 1)) & ~(VECTOR - 1)):
        w = _philox(at, low[i], high[i], purpose, k0, k1)
        a[i] = w[0]
        b[i] = w[1]
        c[i] = w[2]
        d[i] = w[3]


@_listed
def _words_of(group, m, at, purpose, k0, k1):
    """Words of a counter of each row of a list."""
    low = group.one_low
    high = group.one_high
    (a, b, c, d) = group.words
    for i in range((m + (VECTOR - 1)) & ~(VECTOR - 1)):
        w = _philox(at[i], low[i], high[i], purpose, k0, k1)
        a[i] = w[0]
        b[i] = w[1]
        c[i] = w[2]
        d[i] = w[3]


@_listed
def near(last, s, low, high, word):
    """The first of low .. high that is not below a word; the one at `high` is not."""
    while high - low > U(WINDOW):
        middle = (low + high) >> U(1)
        below = last[s, middle] < word
        low = middle + U(1) if below else low
        high = high if below else middle
    if low + U(WINDOW) < U(last.shape[1]):  # what stands after `high` is not below the word either
        low += U(16) if last[s, low + U(15)] < word else U(0)
        low += U(8) if last[s, low + U(7)] < word else U(0)
        low += U(4) if last[s, low + U(3)] < word else U(0)
        low += U(2) if last[s, low + U(1)] < word else U(0)
        return low + (U(1) if last[s, low] < word else U(0))
    while low < high and last[s, low] < word:
        low += U(1)
    return low


@_apart
def _tokens(law, group, first, m, words, shift):
    """Tokens that words draw for rows first .. m - 1 of a list: most are the only ones of their part of the guide."""
    last, guide = law
    s = group.one_state
    x = group.x
    pending = group.pending
    upper_places = group.most
    n = 0
    for i in range(first, m):
        c = U(i)
        state = U(s[c])
        at = U(words[c] >> shift)
        low = guide[state, at]
        high = guide[state, at + U(1)]
        x[c] = low
        pending[n] = c
        upper_places[n] = high
        n += low < high
    for i in range(n):
        row = U(pending[i])
        x[row] = near(last, U(s[row]), U(x[row]), U(upper_places[i]), words[row])


@_listed
def _emit(group, has_one_state, following, first, who, x, m, out):
    """A token of each row of a list, and the state that it leads to."""
    state = group.state
    length = group.length
    (tokens, counts) = out
    if tokens.size:
        for c in range(m):
            b = U(who[c])
            tokens[U(first) + b, U(length[b])] = x[c]
    if counts.size:
        for c in range(m):
            counts[U(state[U(who[c])]), U(x[c])] += 1
    for c in range(m):
        length[U(who[c])] += 1
    if not has_one_state:
        for c in range(m):
            state[U(who[c])] = following[U(x[c])]


@_listed
def _shift(guide):
    """By how much a word is shifted to its part of a guide (S, parts + 1)."""
    shift = np.uint32(32)
    while (guide.shape[1] - 1) >> (32 - np.int64(shift)) > 1:
        shift -= np.uint32(1)
    return shift
