"""The compiled code of `simspec.kernels.synthetic`: draw, law and overlap of each row while its chunk is in the cache.

How a row is made.  It is cut into chunks of 1024 tokens.  For each chunk the Philox words of target and draft noise go
to a scratch of 16 KiB, from there draws and logits to another, and the exponentials exp(x - m), m the running maximum, to
a scratch row, all that is stored; a second pass adds the smaller of both laws (`simspec.kernels.synthetic.chunks`).

Tokens that share a counter (`simspec.kernels.random`) lie 256, in normal draws also 512, apart: a block of 256 counters
fills two runs of 256 words, and one such block makes a whole chunk of normal draws, sines first, then cosines.

Draws in float64 are those of `simspec.kernels.random`, bit for bit.  Draws in float32 read the same words:

* -ln U = -e ln 2 - ln(1 + f).  For U = (n + 1/2) / 2**32 >= sqrt(1/2), e = 0 and f = -(N + 1/2) / 2**32 with the
  complement N of n, so that small radii keep their digits; else U = 2**e (1 + f) by its bits.
* normal radius: sqrt(-2 ln U).  Student-t radius over sqrt(df): sqrt(U**(-2/df) - 1) with U**(-2/df) = 2**(k + r),
  k an integer; 2/df is the sum of a number of 12 bits, whose product with e is exact, and a small rest, so that the
  error of r is absolute and small, however large k (df >= 1, hence k <= 66).
* sin(pi (V - 1/2)) = -cos(pi V): by the cosine of the distance to the nearer end, most accurate where draws are largest;
  cos(pi (V - 1/2)) = sin(pi V) by the sine of that distance.

Accuracy of the float32 draws: `simspec.kernels.synthetic.draw_bound`.  Student-t radii: let U**(-2/df) = 2**x, x = k + r, with
rounding errors of at most u = 2**-24 relative, half a unit in the last place (a few of them less where products are
fused).  Over all words -ln U is off by at most 1.51 u, for e = 0 by 2.51 u (-ln U); r P(r), P the polynomial, relatively by
2.2 u for |r| <= 1/2.  These do not depend on df, which enters by 2/df = x / (-log2 U) <= 2 only.  With d the error of r,
from that of -ln U times 2/df and the rounding of 2/df, rate, two products and two sums, the radius is relatively off by
at most

    ln 2 2**x d / (2 (2**x - 1)) + (2.2 u |2**x - 2**k| + u (2**x - 1) + u 2**k [k > 23]) / (2 (2**x - 1)) + u

with the sum's own rounding in half units of its last place.  Its maximum over every x, U and df >= 1 is 7.9 u, at x just
above 1/2, where k = 1 and 2 * 2**r - 1 cancels, for df near 2 and U near sqrt(1/2), where the log is largest next to x.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numba import extending, types
from numpy.typing import NDArray

from simspec.kernels.compiled import inner, inner_options, kernel
from simspec.kernels.random import Draws, core
from simspec.kernels.synthetic import draw_bound
from simspec.kernels.synthetic.chunks import CHUNK, _take
from simspec.kernels.synthetic.reference import Model
from simspec.kernels.threads import split
from simspec.kernels.tv.exponentials import _bits
from simspec.kernels.tv.numba_tv import _add, _total

__all__ = ["draws", "overlap"]

_COST = 16  # a drawn token costs about as much as so many read ones
core.compiled()  # registers what philox_core's functions mean to Numba

_REAL = np.float32
_ONE = _REAL(1)
_HALF = _REAL(0.5)
_TWO = _REAL(2)
_GRID = _REAL(2.0**-32)
_ZERO_BITS = np.int32(0)
_ZERO = _REAL(0)
_PLACES = np.int32(23)
_BIAS = np.int32(127)
_32 = np.int32(32)
_SQRT_HALF_BITS = np.int32(_REAL(math.sqrt(0.5)).view(np.int32))
_NEAR_ONE = np.uint32(math.isqrt(2**63) + 1)  # words from here on have U >= sqrt(1/2)
# high part: 12 bits
_LN2_HIGH = _REAL(0.693359375)
_LN2_LOW = _REAL(math.log(2) - 0.693359375)
_MAGIC = _REAL(1.5 * 2**23)
_SLOPE = _REAL(-math.pi * math.pi / 2)
_SIGN = np.uint32(2**31)
_31 = np.uint32(31)
_PI = _REAL(math.pi)
_PI_LOW = _REAL(math.pi - float(_REAL(math.pi)))
# counters that follow one another; normal draws of one kind
_BLOCK = int(core.PAIR)
_HALF_CHUNK = int(core.SIDE)

# Polynomials of least relative error, highest power first (fitted at Chebyshev nodes; the tests measure the results).
# (ln(1 + f) - f) / f**2; as polynomials in v**2 (cos(pi v) - 1 - _SLOPE v**2) / v**4 and (sin(pi v) - pi v) / v**3;
# (2**r - 1) / r.
_LOG: tuple[Any, ...] = tuple(
    _REAL(c)
    for c in (-0.07634438, 0.12761563, -0.13160197, 0.1420176, -0.16623355, 0.20001227, -0.25000823, 0.33333331, -0.5)
)
_COSINE: tuple[Any, ...] = tuple(_REAL(c) for c in (-0.023991954, 0.2346991, -1.3351642, 4.0587053))
_SINE: tuple[Any, ...] = tuple(_REAL(c) for c in (0.077675976, -0.5983081, 2.5500822, -5.167711))
_POWER: tuple[Any, ...] = tuple(
    _REAL(c) for c in (0.00015403508, 0.0013390737, 0.0096182376, 0.05550357, 0.24022649, 0.69314718)
)


# ---- float32 draws ----


_contracted = inner(fastmath={"contract"}, forceinline=True)
_inlined = inner(forceinline=True)


@_contracted
def _polynomial(coefficients, x):
    series = coefficients[0]
    for c in coefficients[1:]:
        series = series * x + c
    return series


@_contracted
def _logarithm(n):
    """-e and ln(1 + f) of U = (n + 1/2) / 2**32 = 2**e (1 + f)."""
    u = _REAL(n) + _HALF
    rest = _REAL(np.uint32(~n)) + _HALF
    bits = _bits(u, _ZERO_BITS)
    e = np.int32(np.int32(bits - _SQRT_HALF_BITS) >> _PLACES)
    f = _bits(np.int32(bits - np.int32(e << _PLACES)), _ZERO) - _ONE
    f = rest * -_GRID if n >= _NEAR_ONE else f
    return _REAL(np.int32(_32 - e)), f + (f * f) * _polynomial(_LOG, f)


@_contracted
def _normal_radius(n):
    power, log = _logarithm(n)
    return np.sqrt(power * (_TWO * _LN2_HIGH) + (power * (_TWO * _LN2_LOW) - _TWO * log))


@_contracted
def _student_radius(n, high, low, rate):
    """sqrt(U**(-2/df) - 1) for 2/df = high + low and rate = 2/(df ln 2)."""
    power, log = _logarithm(n)
    fine = low * power - rate * log
    rounded = (high * power + fine) + _MAGIC
    k = rounded - _MAGIC
    r = (high * power - k) + fine
    scale = _bits(np.int32(np.int32(_bits(rounded, _ZERO_BITS) + _BIAS) << _PLACES), _ZERO)
    return np.sqrt((r * _polynomial(_POWER, r)) * scale + (scale - _ONE))


@_contracted
def _to_end(n, rest):
    """Distance of V = (n + 1/2) / 2**32 to the nearer of 0 and 1; rest = ~n."""
    return (_REAL(np.int32(min(n, rest))) + _HALF) * _GRID


@_contracted
def _sine(n):
    """sin(pi (V - 1/2)) = -cos(pi V) for V = (n + 1/2) / 2**32, the cosine of the distance to the nearer end."""
    rest = np.uint32(~n)
    v = _to_end(n, rest)
    z = v * v
    s = (z * z) * _polynomial(_COSINE, z) + (z * _SLOPE + _ONE)
    return _bits(np.int32(_bits(s, _ZERO_BITS) ^ np.int32(rest & _SIGN)), _ZERO)


@_contracted
def _cosine(n):
    """cos(pi (V - 1/2)) = sin(pi V), negative where the last bit of n is 1."""
    v = _to_end(n, np.uint32(~n))
    z = v * v
    s = v * _PI + v * (z * _polynomial(_SINE, z) + _PI_LOW)
    return _bits(np.int32(_bits(s, _ZERO_BITS) ^ np.int32(n << _31)), _ZERO)


# ---- chunks ----


@inner
def _page(block):  # from the start of a page on: at equal offsets stores do not stall the loads that follow
    return block[(-block.ctypes.data % 4096) // block.itemsize :]


@inner
def _pages(chunks, dtype):
    return _page(np.empty((chunks + 1) * CHUNK, dtype))


@_inlined
def _chunk(block, i):
    return block[i * CHUNK : (i + 1) * CHUNK]


@_inlined
def _copy(source, start, x):
    for j in range(CHUNK):
        x[j] = source[start + j]


@_inlined
def _words(k0, k1, row, start, purpose, df, radius, angle):
    """Words of the draws of the chunk at `start`: half a chunk of them if normal, as two draws are made of each pair."""
    low = core.narrow(row)
    high = core.narrow(row >> np.uint64(32))
    for k in range(0, _HALF_CHUNK if df == np.inf else CHUNK, 2 * _BLOCK):
        for j in range(k, k + _BLOCK):
            w = core.rounds(np.uint32(start + j), low, high, purpose, k0, k1)
            radius[j] = w[0]
            angle[j] = w[1]
            radius[j + _BLOCK] = w[2]
            angle[j + _BLOCK] = w[3]


@_contracted
def _draw32(radius, angle, df, z):
    """Normal draws, or Student-t ones over sqrt(df).  Short loops: a long one runs out of registers (1.4 times slower)."""
    if df == np.inf:
        for j in range(_HALF_CHUNK):
            z[j] = _normal_radius(radius[j])
        for j in range(_HALF_CHUNK):
            z[j + _HALF_CHUNK] = z[j] * _cosine(angle[j])
            z[j] *= _sine(angle[j])
    else:
        rate = 2 / df
        high = _bits(np.int32(_bits(_REAL(rate), _ZERO_BITS) & np.int32(-(2**12))), _ZERO)
        low = _REAL(rate - np.float64(high))
        slope = _REAL(rate / math.log(2))
        for j in range(CHUNK):
            z[j] = _student_radius(radius[j], high, low, slope)
        for j in range(CHUNK):
            z[j] *= _sine(angle[j])


@_contracted
def _place32(z, base, rho, centre, rest, spread, noise, x):
    rho = _REAL(rho)
    rest = _REAL(rest)
    noise = _REAL(noise)
    for j in range(CHUNK):
        x[j] = rho * base[j] + ((noise * spread[j]) * z[j] + rest * centre[j])


@_inlined
def _draw64(radius, angle, df, z):
    if df == np.inf:
        for j in range(_HALF_CHUNK):
            size = core.normal_radius(radius[j])
            z[j] = size * core.sine(angle[j])
            z[j + _HALF_CHUNK] = size * core.cosine(angle[j])
    else:
        for j in range(CHUNK):
            z[j] = core.bailey(radius[j], angle[j], df)


@_inlined
def _place64(z, base, rho, centre, rest, spread, noise, x):
    for j in range(CHUNK):
        x[j] = (rho * base[j] + rest * centre[j]) + z[j] * (noise * spread[j])


def _draw(radius, angle, df, z):
    """Draws of a chunk in the type of `z`."""
    raise NotImplementedError("compiled code only")


def _place(z, base, rho, centre, rest, spread, noise, x):
    """x = rho base + rest centre + noise spread z, computed in the type of `z`."""
    raise NotImplementedError("compiled code only")


@extending.overload(_draw, jit_options=inner_options())
def _draw_of_type(radius, angle, df, z):
    draw = _draw32 if z.dtype == types.float32 else _draw64
    return lambda radius, angle, df, z: draw(radius, angle, df, z)


@extending.overload(_place, jit_options=inner_options())
def _place_of_type(z, base, rho, centre, rest, spread, noise, x):
    place = _place32 if z.dtype == types.float32 else _place64
    return lambda z, base, rho, centre, rest, spread, noise, x: place(z, base, rho, centre, rest, spread, noise, x)


# ---- the kernels ----


@kernel
def draws(k0, k1, row, purpose, df, out):
    """Draws of tokens 0 .. of a row (a multiple of CHUNK); in float32 Student-t draws come over sqrt(df)."""
    bits = _pages(2, np.uint32)
    radius = _chunk(bits, 0)
    angle = _chunk(bits, 1)
    for k in range(0, len(out), CHUNK):
        _words(k0, k1, row, k, purpose, df, radius, angle)
        _draw(radius, angle, df, out[k : k + CHUNK])


@kernel
def _overlap(k0, k1, first_row, target, draft, vocab, centre, spread, df, rho, memory, out, first, last):
    """out[i] = overlap of target and draft law of row first_row + i, rows first .. last - 1, in the type of `memory`.

    `centre` and `spread` hold one chunk that serves for all, or V numbers filled up to whole chunks; `memory` is
    scratch of 4 chunks and two whole rows of them, made outside as its page faults would cost a tenth of a few rows.
    """
    real = memory.dtype.type
    chunks = (vocab + CHUNK - 1) // CHUNK
    has_many_chunks = len(centre) > CHUNK
    block = _page(memory)
    chunk_pages = _pages(3, centre.dtype)
    bits = _pages(2, np.uint32)
    lanes = block[2 * CHUNK : 2 * CHUNK + 256]
    e = block[3 * CHUNK :]
    z = _chunk(chunk_pages, 0)
    centre_chunk = _chunk(chunk_pages, 1)
    scale = _chunk(chunk_pages, 2)
    radius = _chunk(bits, 0)
    angle = _chunk(bits, 1)
    sums = np.empty((2, 16))
    shift = np.empty((2, chunks))
    m = np.empty(2, memory.dtype)
    for i in range(first, last):
        row = first_row + np.uint64(i)
        m[:] = -np.inf
        sums[:] = 0
        for c in range(chunks):
            k = c * CHUNK
            if has_many_chunks or k == 0:
                _copy(centre, k, centre_chunk)
                _copy(spread, k, scale)
            for side in range(2):  # one loop, so that each piece is compiled in line, once
                x = _chunk(block, side)
                _words(k0, k1, row, k, draft if side else target, df, radius, angle)
                _draw(radius, angle, df, z)
                if side:
                    _place(z, _chunk(block, 0), rho, centre_chunk, 1 - rho, scale, math.sqrt((1 - rho) * (1 + rho)), x)
                else:
                    _place(z, centre_chunk, 0.0, centre_chunk, 1.0, scale, 1.0, x)
                for j in range(vocab - k, CHUNK):
                    x[j] = -np.inf
                m[side] = _take(x, m[side], sums[side], _chunk(e, side * chunks + c), lanes)
                shift[side, c] = m[side]
        za = _total(sums[0])
        zb = _total(sums[1])
        sums[:] = 0
        for c in range(chunks):
            wa = real(math.exp(shift[0, c] - m[0]) / za)
            wb = real(math.exp(shift[1, c] - m[1]) / zb)
            p = _chunk(e, c)
            q = _chunk(e, chunks + c)
            for j in range(256):
                s0 = min(p[j] * wa, q[j] * wb)
                s1 = min(p[j + 256] * wa, q[j + 256] * wb)
                s2 = min(p[j + 512] * wa, q[j + 512] * wb)
                s3 = min(p[j + 768] * wa, q[j + 768] * wb)
                lanes[j] = (s0 + s1) + (s2 + s3)
            _add(lanes, sums[0])
        out[i] = _total(sums[0])


def overlap(draws: Draws, vocab: int, model: Model, threads: int | None = None) -> NDArray[np.float64]:
    """Backend of `reference.overlap`."""
    (key, rows, purposes, dtype) = draws
    (df, centre, spread, rho) = model
    fast = draw_bound(df, dtype) > 0
    if fast and df < math.inf:
        spread = spread * math.sqrt(df)  # float32 Student-t draws come over sqrt(df)
    tokens = vocab if centre.ndim or spread.ndim else 1  # numbers: one chunk serves for all
    places = [_filled(x, tokens, _REAL if fast else np.float64) for x in (centre, spread)]
    head = np.uint64(key & 0xFFFFFFFF), np.uint64(key >> 32), np.uint64(rows.start), *map(np.uint32, purposes)
    out = np.empty(len(rows))
    size = (2 * -(-vocab // CHUNK) + 4) * CHUNK
    free: list[NDArray[Any]] = []  # scratch that no thread uses at the moment

    def task(first: int, last: int) -> None:
        memory = free.pop() if free else np.empty(size, dtype)
        _overlap(*head, vocab, *places, float(df), float(rho), memory, out, first, last)
        free.append(memory)

    split(task, len(rows), len(rows) * vocab * _COST, threads)
    return out


def _filled(x: NDArray[np.float64], tokens: int, dtype: Any) -> NDArray[Any]:
    """`x` for so many tokens, filled up to whole chunks."""
    out = np.zeros(-(-tokens // CHUNK) * CHUNK, dtype=dtype)
    out[: tokens if x.ndim else None] = x
    return out
