"""The compiled twin of `simspec.kernels.rounds.reference.verify`: one verification step that reads as little as it can.

What is read of logits.  Position by position: all of the target row, for its log-sum-exp L_p; then the draft row, chunk
by chunk, only until its own sum decides.  With coin u and drafted token x the draft is kept when

    L_q > log u + b_x - (a_x - L_p),

and a partial sum of the draft row only grows: once it is above the right-hand side the rest of the row cannot matter.
For p = q half a row is read on average, and a rejection needs all of it.  Rows after the first rejection are not
read.  The next token needs a second pass over two rows after a rejection (they are still in the cache), for the mass
max(p - q, 0) of each chunk; after gamma kept drafts the first pass has left the masses.  Then one chunk is read again.

What is read of laws: two numbers a draft, and one position's rows for the next token.

Scratch: five chunks and five numbers a chunk of the row, for each thread.  Pieces come from `simspec.kernels.softmax.loops` and
`philox_core`.
"""

from __future__ import annotations

import math

import numpy as np

from simspec.kernels.compiled import kernel
from simspec.kernels.random import core
from simspec.kernels.softmax import loops

__all__ = ["verify_laws", "verify_logits"]

CHUNK = loops.CHUNK
njit = loops.njit
_load, _maximum, _exponentials, _add, _total, _scratch = (
    loops._load,
    loops._maximum,
    loops._exponentials,
    loops._add,
    loops._total,
    loops._scratch,
)
core.compiled()  # teaches Numba the element-wise functions that `core.rounds` is made of
_philox, _narrow, _32 = core.rounds, core.narrow, np.uint64(32)


@njit
def _enough(z, level, logit, m):
    """Whether log z > level + logit - m; a difference of logits first, as they may be huge."""
    return z > math.exp(level + (np.float64(logit) - np.float64(m)))


@njit
def _mass(row, token, level, shift, mass, x, e, lanes, sums):
    """Running maximum m and sum z of exp(row - m), chunk by chunk until z > exp(level + row[token] - m)."""
    real, m, z = row.dtype.type, row.dtype.type(-np.inf), 0.0
    for c in range(len(mass)):
        if (c + 1) * CHUNK <= len(row):
            part = row[c * CHUNK : c * CHUNK + CHUNK]
        else:
            _load(row, c * CHUNK, x)
            part = x
        top = _maximum(part, lanes)
        if top > m:
            z *= math.exp(m - top)
            m = top
        _exponentials(part, m, e, lanes, row, (c + 2) * CHUNK)
        sums[:] = 0
        _add(lanes, sums)
        shift[c], mass[c] = m, _total(sums)
        z += mass[c]
        if _enough(z, level, row[token], m):
            break
    return real(m), z


@njit
def _differences(a, b, start, ma, mb, wa, wb, x, e, f, lanes, sums):
    """e = max(p - q, 0) of the chunk at `start`, and its sum."""
    _load(a, start, x)
    _exponentials(x, ma, e, lanes, a, start + 2 * CHUNK)
    _load(b, start, x)
    _exponentials(x, mb, f, lanes, b, start + 2 * CHUNK)
    zero = e.dtype.type(0)
    for j in range(256):
        d0, d1 = e[j] * wa - f[j] * wb, e[j + 256] * wa - f[j + 256] * wb
        d2, d3 = e[j + 512] * wa - f[j + 512] * wb, e[j + 768] * wa - f[j + 768] * wb
        d0, d1, d2, d3 = max(d0, zero), max(d1, zero), max(d2, zero), max(d3, zero)
        e[j], e[j + 256], e[j + 512], e[j + 768] = d0, d1, d2, d3
        lanes[j] = (d0 + d1) + (d2 + d3)
    sums[:] = 0
    _add(lanes, sums)
    return _total(sums)


@njit
def _leftover(a, b, start, x, sums):
    """x = max(a - b, 0) of the chunk at `start` of two laws, or the chunk of `a` for an empty b; and its sum."""
    n = min(CHUNK, len(a) - start)
    for j in range(n):
        x[j] = a[start + j]
    if len(b):
        for j in range(n):
            d = x[j] - b[start + j]
            x[j] = 0.0 if d <= 0 else d  # NaN stays
    x[n:] = 0
    sums[:] = 0
    for j in range(0, CHUNK, 16):
        for i in range(16):
            sums[i] += x[j + i]
    return _total(sums)


@njit
def _part(mass, level):
    """First entry at which the running sum of masses exceeds `level` (the last with mass if none does), and the rest."""
    found, before, below = 0, 0.0, 0.0
    for c in range(len(mass)):
        if mass[c] > 0:
            found, below = c, before
            before += mass[c]
            if before > level:
                break
    return found, level - below


@njit
def _last(logits, m, x, shift, mass, scale, e, lanes, u):
    """Token that u draws from the softmax of a row, of which the chunks' shifts and masses are known."""
    for c in range(len(mass)):
        scale[c] = mass[c] * math.exp(shift[c] - m) if mass[c] > 0 else 0.0
    c, rest = _part(scale, u * scale.sum())
    _load(logits, c * CHUNK, x)
    _exponentials(x, x.dtype.type(shift[c]), e, lanes, logits, c * CHUNK)
    return c * CHUNK + _part(e, rest * math.exp(m - shift[c]))[0]


@njit
def _rest(a, b, ma, mb, za, zb, mass, x, e, f, lanes, sums, u):
    """Token that u draws from max(p - q, 0); -1 where nothing is left of it."""
    wa, wb = a.dtype.type(1 / za), a.dtype.type(1 / zb)
    for c in range(len(mass)):
        mass[c] = _differences(a, b, c * CHUNK, ma, mb, wa, wb, x, e, f, lanes, sums)
    total = mass.sum()
    if total == 0:
        return -1
    c, rest = _part(mass, u * total)
    _differences(a, b, c * CHUNK, ma, mb, wa, wb, x, e, f, lanes, sums)
    return c * CHUNK + _part(e, rest)[0]


@njit
def _uniform(k0, k1, row, at, purpose, word):
    """One word of the counter of position `at` of a row, as a number below 1."""
    return (_philox(_narrow(np.uint64(at)), _narrow(row), _narrow(row >> _32), purpose, k0, k1)[word] + 0.5) * 2.0**-32


@kernel
def verify_logits(target, draft, drafted, k0, k1, rows, step, purpose, accepted, token, first, last):
    """Batch elements first .. last - 1; a row without a softmax at the position that ends a step gives the token -1."""
    gamma, chunks = drafted.shape[1], (target.shape[2] + CHUNK - 1) // CHUNK
    x, lanes, both = _scratch(2, target.dtype)
    e, f = both[:CHUNK], both[CHUNK:]
    sums, mass, shift, more, other = (
        np.empty(16),
        np.empty(chunks),
        np.empty(chunks),
        np.empty(chunks),
        np.empty(chunks),
    )
    for i in range(first, last):
        start, n, end = step * (gamma + 1), 0, -1
        while True:
            a = target[i, n]
            ma, za = _mass(a, 0, np.inf, shift, mass, x, e, lanes, sums)
            if not (za > 0 and za < np.inf):
                break
            if n == gamma:
                end = _last(a, ma, x, shift, mass, other, e, lanes, _uniform(k0, k1, rows[i], start + n, purpose, 2))
                break
            b, drawn = draft[i, n], drafted[i, n]
            coin = _uniform(k0, k1, rows[i], start + n, purpose, 1)
            level = math.log(coin) + math.log(za) - (np.float64(a[drawn]) - np.float64(ma))
            mb, zb = _mass(b, drawn, level, more, other, x, e, lanes, sums)
            if not _enough(zb, level, b[drawn], mb):
                if zb > 0 and zb < np.inf:
                    u = _uniform(k0, k1, rows[i], start + n, purpose, 2)
                    end = _rest(a, b, ma, mb, za, zb, other, x, e, f, lanes, sums, u)
                    if end < 0:
                        end = _last(a, ma, x, shift, mass, other, e, lanes, u)
                break
            n += 1
        accepted[i], token[i] = n, end


@kernel
def verify_laws(target, draft, drafted, k0, k1, rows, step, purpose, accepted, token, first, last):
    """Batch elements first .. last - 1; rows without mass, or with a mass that is no number, give the token -1."""
    gamma, chunks = drafted.shape[1], (target.shape[2] + CHUNK - 1) // CHUNK
    x, sums, mass = np.empty(CHUNK), np.empty(16), np.empty(chunks)
    for i in range(first, last):
        start, n = step * (gamma + 1), 0
        while n < gamma:
            drawn, coin = drafted[i, n], _uniform(k0, k1, rows[i], start + n, purpose, 1)
            if not coin * np.float64(draft[i, n, drawn]) < target[i, n, drawn]:
                break
            n += 1
        a = target[i, n]
        b = draft[i, n] if n < gamma else a[:0]
        total = 0.0
        while total == 0:
            for c in range(chunks):
                mass[c] = _leftover(a, b, c * CHUNK, x, sums)
            total = mass.sum()
            if total == 0 and len(b) == 0:
                break
            if total == 0:
                b = a[:0]
        end = -1
        if total > 0 and total < np.inf:
            c, rest = _part(mass, _uniform(k0, k1, rows[i], start + n, purpose, 2) * total)
            _leftover(a, b, c * CHUNK, x, sums)
            end = c * CHUNK + _part(x, rest)[0]
        accepted[i], token[i] = n, end
