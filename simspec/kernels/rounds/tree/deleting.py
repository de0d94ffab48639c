"""What deleted children leave of the targets of a level's rows, and of the a of its node, in `numba_tree` beside.

A row whose uniform at its node fails for sure needs no search; what is left of the target is found as in `block.packed`.
"""

from __future__ import annotations

import numpy as np

from simspec.kernels.rounds.block import packed as block
from simspec.kernels.rounds.groups import VECTOR, _listed

__all__: list[str] = []

_many = block._many
_mass = block._mass
NEAR = block.NEAR
MARGIN = block.MARGIN
U = np.uint64


@_listed
def _sure(packed, w, level, group):
    """Rows that have deleted their last child at a level, but for those whose uniform at its node fails for sure: how many."""
    rows = w.drawing[level]
    waiting = w.waiting[level]
    state = w.state[level]
    top_masses = packed[0][8]
    m = w.many[0, level]
    a = w.numbers[0]
    u = w.numbers[1]
    top = w.numbers[2]
    uniforms = group.words[0]
    fails_surely = w.kept
    n = 0
    staying = w.many[1, level]
    fresh = w.many[4, level] == 0
    for c in range(m):
        b = U(rows[c])
        a[c] = w.a[level, b]
        uniforms[c] = w.uniform[level, b]
        top[c] = top_masses[U(state[b])]
    for c in range(m):
        u[c] = 0.0 if fresh else w.u[level, U(rows[c])]
    for c in range((m + (VECTOR - 1)) & ~(VECTOR - 1)):
        shortfall = 1.0 - a[c]
        mass = a[c] * top[c]
        bound = mass / (mass + shortfall) if u[c] == 0.0 else a[c]
        fails_surely[c] = (shortfall > NEAR) & ((uniforms[c] + 0.5) * 2.0**-32 > bound + MARGIN)
    for c in range(m):
        b = rows[c]
        w.a[level, U(b)] = a[c] * (1 - fails_surely[c])
        rows[n] = b
        waiting[staying] = b
        n += not fails_surely[c]
        staying += fails_surely[c]
    w.many[1, level] = staying
    return n


@_listed
def _delete(packed, w, level, group):
    """What deleted children leave of the targets of a level's rows, and of a: 0 where the node's own uniform fails for sure."""
    sums = packed[0]
    rows = w.drawing[level]
    state = w.state[level]
    s = group.one_state
    n = w.many[0, level]
    fresh = w.many[4, level] == 0
    last = w.many[3, level] == packed[2][w.many[2, level]]
    a, u, mass, rest, next_shift, there, missing = w.numbers
    if last and level:
        n = _sure(packed, w, level, group)
    if len(sums[2]) > 1:
        for c in range(n):
            s[c] = state[U(rows[c])]
    for c in range(n):
        a[c] = w.a[level, U(rows[c])]
    if fresh:
        for c in range(n):
            u[c] = 0.0
            mass[c] = 1.0
            there[c] = a[c]
            next_shift[c] = 1.0 / a[c]
    else:
        for c in range(n):
            b = U(rows[c])
            u[c] = w.u[level, b]
            mass[c] = w.mass[level, b]
            rest[c] = w.rest[level, b]
        for c in range(n):
            next_shift[c] = 1.0 / a[c] if u[c] == 0.0 else u[c] + mass[c] / (a[c] * rest[c])
        for c in range(n):
            there[c] = a[c] if u[c] == 0.0 else 1.0 / next_shift[c]
    _many(sums, s, there, n, group.x, group.pending, group.most)
    for c in range(n):
        missing[c] = _mass(sums[5], s[c], there[c], group.x[c])
    for c in range(n):
        remaining_share = min(a[c], a[c] * (next_shift[c] * missing[c] / mass[c]))
        z = missing[c] if u[c] == 0.0 else (remaining_share if missing[c] > 0.0 else 0.0)
        denominator = z + (1.0 - a[c])
        a[c] = z / denominator if denominator > 0.0 else 1.0
    _keep(w, level, n, fresh, group)


@_listed
def _keep(w, level, n, fresh, group):
    """What a deletion leaves, with each row: those with a = 0 draw no further child."""
    rows = w.drawing[level]
    waiting = w.waiting[level]
    going = 0
    staying = w.many[1, level]
    a, _, _, _, next_shift, there, missing = w.numbers
    for c in range(n):
        b = U(rows[c])
        if missing[c] > 0.0:
            w.u[level, b], w.mass[level, b], w.r[level, b] = next_shift[c], next_shift[c] * missing[c], there[c]
            w.missing[level, b], w.least[level, b] = missing[c], group.x[c]
        elif fresh:
            w.u[level, b], w.mass[level, b], w.r[level, b] = 0.0, 1.0, 0.0
    if fresh:
        for c in range(n):
            w.rest[level, U(rows[c])] = 1.0
    for c in range(n):
        b = rows[c]
        w.a[level, U(b)] = a[c]
        rows[going] = b
        waiting[staying] = b
        going += a[c] > 0.0
        staying += not a[c] > 0.0
    w.many[0, level], w.many[1, level] = going, staying
    w.many[4, level] += 1


@_listed
def _forget(cells, w, level):
    """Deleted children are not drawn again: rows in which no token is left draw no further child."""
    rows = w.drawing[level]
    state = w.state[level]
    text = w.text[level]
    rest = w.rest[level]
    going = 0
    at = w.starts[level] + w.many[4, level] - 1
    low = w.low[at]
    high = w.high[at]
    for c in range(w.many[0, level]):
        b = U(rows[c])
        s = U(state[b])
        x = U(text[b])
        low[b] = cells[s, x, 0]
        high[b] = cells[s, x + U(1), 0]
        rest[b] -= high[b] - low[b]
        going += rest[b] > 0.0
    if going == w.many[0, level]:
        return
    going = 0
    for c in range(w.many[0, level]):
        if rest[rows[c]] > 0.0:
            rows[going] = rows[c]
            going += 1
        else:
            w.waiting[level, w.many[1, level]] = rows[c]
            w.many[1, level] += 1
    w.many[0, level] = going
