"""Last tokens of rows that have lost all drafts of a position, drawn without replacement: of what is left of the target.

Two tries with a token of (p - q)_+, whose law is tabulated for words, then a bisection: each for the rows of a list that remain.
"""

from __future__ import annotations

import numpy as np

from simspec.kernels.rounds.block import packed as block
from simspec.kernels.rounds.groups import _listed, _tokens, _words_of
from simspec.kernels.rounds.numba_rounds import _find, _inlined

__all__: list[str] = []

U = np.uint64
_last, _many, _mass, _missing, _place, _places = (
    block._last,
    block._many,
    block._mass,
    block._missing,
    block._place,
    block._places,
)


@_inlined
def _left(sums, s, u, before, draws, shift):
    """A token of (p - u q)_+ of one row: where the law of (p - q)_+ is not tabulated, or has no mass."""
    order, rising, word, coin = sums[3], sums[4], draws[0], draws[1]
    token_count, missing = _missing(sums, s, 1.0)
    if missing == 0:
        return _find(sums[1], s, word, shift)
    for _ in range(2):
        at = _place(sums, s, 1.0, token_count, missing, word, shift)
        w = rising[s, at]
        if (coin + 0.5) * 2.0**-32 * (1.0 - w) < 1.0 - u * w:
            return np.int64(order[s, at])
        word, coin = draws[2], draws[3]
    token_count, missing = _missing(sums, s, 1.0 / u)
    if missing == 0:
        u = before
        token_count, missing = _missing(sums, s, 1.0 / u)
    return _last(sums, s, 1.0 / u, token_count, missing, draws[4], shift)


@_listed
def _drawn(sums, m, group, work, who, draft_count, shift):
    """Numbers that draw the last tokens of a list's rows; how many have a law that is tabulated, and the tokens of the others."""
    (word, coin, another, other_coin, last), words, states = work.words, group.words, work.trying
    for c in range(m):
        word[c], coin[c] = words[2][c], words[3][c]
        work.ends[c] += np.uint32(draft_count)
    _words_of(group, m, work.ends, *who)
    for c in range(m):
        another[c], other_coin[c], last[c], states[c] = words[0][c], words[1][c], words[2][c], group.one_state[c]
    top_masses, guide, n = sums[8], sums[9][1], 0
    for c in range(m):
        s, b = U(states[c]), U(work.lost[c])
        if top_masses[s] > 0 and guide[s, 0] >= 0:
            work.going[n] = c
            n += 1
        else:
            draws = word[c], coin[c], another[c], other_coin[c], last[c]
            work.chosen[c] = _left(sums, s, work.lost_after[b], work.lost_u[b], draws, np.int64(shift))
    return n


@_listed
def _tried(sums, n, group, work, word, coin, shift):
    """A try of each row of a list: how many are left."""
    order, rising, states, is_accepted, values, u = sums[3], sums[4], work.trying, work.kept, work.values, work.u
    todo, words, coins, s, x, remaining = work.going, group.words[0], group.words[1], group.one_state, group.x, 0
    for i in range(n):
        c = U(todo[i])
        words[i], coins[i], s[i], u[i] = word[c], coin[c], states[c], work.lost_after[U(work.lost[c])]
    _tokens(sums[9], group, 0, n, words, shift)
    for i in range(n):
        values[i] = rising[U(s[i]), U(x[i])]
    for i in range(n):
        w = values[i]
        is_accepted[i] = (coins[i] + 0.5) * 2.0**-32 * (1.0 - w) < 1.0 - u[i] * w
    for i in range(n):
        c = todo[i]
        work.chosen[U(c)] = order[U(s[i]), U(x[i])]
        todo[remaining] = c
        remaining += not is_accepted[i]
    return remaining


@_listed
def _searched(sums, n, group, work):
    """Tokens of the rows that are left of a list, by bisections."""
    order, todo, states, r, want, x = sums[3], work.going, work.trying, work.values, work.rest, group.x
    s, low, high, last = group.one_state, group.pending, group.most, work.words[4]
    for i in range(n):
        c = U(todo[i])
        s[i], r[i] = states[c], 1.0 / work.lost_after[U(work.lost[c])]
    _many(sums, s, r, n, x, low, high)
    for i in range(n):
        c = U(todo[i])
        token_count, mass = np.int64(x[i]), _mass(sums[5], s[i], r[i], x[i])
        if mass == 0:
            r[i] = 1.0 / work.lost_u[U(work.lost[c])]
            token_count, mass = _missing(sums, U(s[i]), r[i])
        want[i] = (last[c] + 0.5) * 2.0**-32 * mass
        high[i] = token_count
    _places(sums[5], s, r, want, 0, n, low, high)
    for i in range(n):
        c = U(todo[i])
        work.chosen[c] = order[U(states[c]), U(low[i])]


@_listed
def _lasts_left(sums, m, group, work, who, draft_count, shift):
    """The last tokens of rows that have lost all drafts of a position, the first m of a list."""
    n = _drawn(sums, m, group, work, who, draft_count, shift)
    n = _tried(sums, n, group, work, work.words[0], work.words[1], shift)
    n = _tried(sums, n, group, work, work.words[2], work.words[3], shift)
    _searched(sums, n, group, work)
    for c in range(m):
        group.x[c] = work.chosen[c]
