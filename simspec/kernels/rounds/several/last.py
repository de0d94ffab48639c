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
_last = block._last
_many = block._many
_mass = block._mass
_missing = block._missing
_place = block._place
_places = block._places


@_inlined
def _left(sums, s, u, before, draws, shift):
    """A token of (p - u q)_+ of one row: where the law of (p - q)_+ is not tabulated, or has no mass."""
    order = sums[3]
    rising = sums[4]
    word = draws[0]
    uniform = draws[1]
    token_count, missing = _missing(sums, s, 1.0)
    if missing == 0:
        return _find(sums[1], s, word, shift)
    for _ in range(2):
        at = _place(sums, s, 1.0, token_count, missing, word, shift)
        w = rising[s, at]
        if (uniform + 0.5) * 2.0**-32 * (1.0 - w) < 1.0 - u * w:
            return np.int64(order[s, at])
        word = draws[2]
        uniform = draws[3]
    token_count, missing = _missing(sums, s, 1.0 / u)
    if missing == 0:
        u = before
        token_count, missing = _missing(sums, s, 1.0 / u)
    return _last(sums, s, 1.0 / u, token_count, missing, draws[4], shift)


@_listed
def _drawn(sums, m, group, work, who, draft_count, shift):
    """Numbers that draw the last tokens of a list's rows; how many have a law that is tabulated, and the tokens of the others."""
    (word, uniform, another, other_uniform, last) = work.words
    words = group.words
    states = work.trying
    for c in range(m):
        word[c] = words[2][c]
        uniform[c] = words[3][c]
        work.ends[c] += np.uint32(draft_count)
    _words_of(group, m, work.ends, *who)
    for c in range(m):
        another[c] = words[0][c]
        other_uniform[c] = words[1][c]
        last[c] = words[2][c]
        states[c] = group.one_state[c]
    top_masses = sums[8]
    guide = sums[9][1]
    n = 0
    for c in range(m):
        s = U(states[c])
        b = U(work.lost[c])
        if top_masses[s] > 0 and guide[s, 0] >= 0:
            work.going[n] = c
            n += 1
        else:
            draws = word[c], uniform[c], another[c], other_uniform[c], last[c]
            work.chosen[c] = _left(sums, s, work.lost_after[b], work.lost_u[b], draws, np.int64(shift))
    return n


@_listed
def _tried(sums, n, group, work, word, uniform, shift):
    """A try of each row of a list: how many are left."""
    order = sums[3]
    rising = sums[4]
    states = work.trying
    is_accepted = work.kept
    values = work.values
    u = work.u
    todo = work.going
    words = group.words[0]
    uniforms = group.words[1]
    s = group.one_state
    x = group.x
    remaining = 0
    for i in range(n):
        c = U(todo[i])
        words[i] = word[c]
        uniforms[i] = uniform[c]
        s[i] = states[c]
        u[i] = work.lost_after[U(work.lost[c])]
    _tokens(sums[9], group, 0, n, words, shift)
    for i in range(n):
        values[i] = rising[U(s[i]), U(x[i])]
    for i in range(n):
        w = values[i]
        is_accepted[i] = (uniforms[i] + 0.5) * 2.0**-32 * (1.0 - w) < 1.0 - u[i] * w
    for i in range(n):
        c = todo[i]
        work.chosen[U(c)] = order[U(s[i]), U(x[i])]
        todo[remaining] = c
        remaining += not is_accepted[i]
    return remaining


@_listed
def _searched(sums, n, group, work):
    """Tokens of the rows that are left of a list, by bisections."""
    order = sums[3]
    todo = work.going
    states = work.trying
    r = work.values
    want = work.rest
    x = group.x
    s = group.one_state
    low = group.pending
    high = group.most
    last = work.words[4]
    for i in range(n):
        c = U(todo[i])
        s[i] = states[c]
        r[i] = 1.0 / work.lost_after[U(work.lost[c])]
    _many(sums, s, r, n, x, low, high)
    for i in range(n):
        c = U(todo[i])
        token_count = np.int64(x[i])
        mass = _mass(sums[5], s[i], r[i], x[i])
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
