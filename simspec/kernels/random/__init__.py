"""Counter-based random numbers: a draw is a function of (key, row, token, purpose) and of nothing else.

Philox4x32-10 (Salmon, Moraes, Dror and Shaw, SC'11) maps a 128-bit counter and a 64-bit key to four 32-bit words.
Here the counter is (token, row low, row high, purpose), so batches, blocks, threads, workers and machines cannot
change a draw. What each draw reads of the four words of its counter:

* ``uniform``: the one word asked for (``word``, 0 by default);
* ``student_t``: two tokens share a counter, that of the token with bit 8 cleared. Where that bit is 0 a draw reads words 0
  (U, the radius) and 1 (V, the angle), where it is 1 words 2 and 3;
* ``normal``: four tokens share a counter, that of the token with bits 8 and 9 cleared. Bit 8 picks the words as above, and
  bit 9 which of the pair that Box and Muller make of them: sine (0) or cosine (1; negative for odd words of V, as V
  covers a half circle);
* ``reduced_chi_square``: words 0 and 1 (a normal), 2 (a uniform) and, in attempt 0 only, 3 (the boost for df < 2).

Draws of different kinds from the same counter are therefore coupled; independent ones take different rows or purposes, or
tokens with other counters. Draws of one kind are independent: for two normals of one radius that is Box and Muller's
theorem, and true of no other law, so Student-t draws share no radius.

NumPy and Numba agree to the last bit (`simspec.kernels.random.core` says why), so the choice between them, by size,
cannot be seen. Measured against 50 digits, normals are within 4 ulps and Student-t draws within 4 + 40/df ulps of
float64; float32 draws are the float64 draws rounded once (uniforms are then clamped below 1).

Uniforms lie on the grid (n + 1/2) / 2**32, n = 0 .. 2**32 - 1. So tails are cut where U = 2**-33: normals at
sqrt(66 ln 2) = 6.76 (mass 1.3e-11 outside), Student-t at sqrt(df (2**(66/df) - 1)) (mass below 2**-33 outside).
"""

from __future__ import annotations

import math
from types import ModuleType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from simspec.checks import check_memory, whole_number
from simspec.kernels.choose import which
from simspec.kernels.random import core
from simspec.kernels.random.keys import Draws, make_key

__all__ = [
    "Draws",
    "degrees",
    "make_key",
    "normal",
    "reduced_chi_square",
    "student_t",
    "uniform",
    "words",
]

_SMALL = 4096  # requests with fewer draws use NumPy: not worth loading Numba


def words(
    key: int, rows: ArrayLike | range, tokens: ArrayLike | range, purpose: int = 0, *, xp: ModuleType = np
) -> Any:
    """The four random words of every (row, token): Philox4x32-10 of (token, row low, row high, purpose) under ``key``.

    Parameters
    ----------
    key : int in [0, 2**64); its low half is the first key word
    rows : (R,) integers in [0, 2**64), or a range: numbers of the replications
    tokens : (T,) integers in [0, 2**32), or a range
    purpose : int in [0, 2**32); separates draws that must be independent
    xp : array module that makes the result

    Returns
    -------
    (R, T, 4) uint32

    Raises ValueError if an argument is not an integer or out of its range.

    The example is the published known answer for a key and a counter of zeros.

    >>> [f"{w:08x}" for w in words(0, [0], [0])[0, 0]]
    ['6627e8d5', 'e169c58d', 'bc57ac4c', '9b00dbd8']
    """
    return xp.stack(core.words(*_counters(key, rows, tokens, purpose, xp)), axis=-1)


def uniform(
    key: int,
    rows: ArrayLike | range,
    tokens: ArrayLike | range,
    purpose: int = 0,
    *,
    word: int = 0,
    dtype: DTypeLike = np.float64,
    xp: ModuleType = np,
) -> Any:
    """Uniform draws in the open unit interval: (n + 1/2) / 2**32 for the word n; in float32 never above 1 - 2**-24.

    Parameters
    ----------
    key, rows, tokens, purpose, xp : as in `words`
    word : 0, 1, 2 or 3, which of the four words of a counter to read; they are independent
    dtype : float64 (exact) or float32 (rounded once, then clamped: 1 would reject a token kept with certainty)

    Returns
    -------
    (R, T) floats in [2**-33, 1 - 2**-33]

    Raises ValueError as `words`, and for another ``word`` or ``dtype``.

    >>> n = words(0, [0], [0])[0, 0, 0]
    >>> float(uniform(0, [0], [0])[0, 0]) == (int(n) + 0.5) / 2**32
    True
    """
    word = whole_number("word", word, 0, 3)
    dtype = core.float_type(dtype)
    top = 1 - 2.0**-24 if dtype == np.float32 else 1.0
    counters = _counters(key, rows, tokens, purpose, xp)

    def clamped(*c: Any) -> Any:
        return xp.minimum(core.unit(core.words(*c)[word]), top)

    return _draw("uniform", clamped, counters, (word, top), dtype, xp)


def normal(
    key: int,
    rows: ArrayLike | range,
    tokens: ArrayLike | range,
    purpose: int = 0,
    *,
    dtype: DTypeLike = np.float64,
    xp: ModuleType = np,
) -> Any:
    """Standard normal draws: sqrt(-2 ln U) sin(pi (V - 1/2)), or the same with the cosine and a sign.

    Parameters
    ----------
    key, rows, tokens, purpose, xp : as in `words`
    dtype : float64, or float32 (the float64 draw rounded once)

    Returns
    -------
    (R, T) floats, at most sqrt(66 ln 2) = 6.76 in absolute value

    Raises ValueError as `words`, and for another ``dtype``.

    Box and Muller (1958), with a half circle and a sign for the cosine.  Which token draws what: see the top of the module.

    >>> u, v = uniform(0, [0], [0])[0, 0], uniform(0, [0], [0], word=1)[0, 0]
    >>> exact = np.sqrt(-2 * np.log(u)) * np.sin(np.pi * (v - 0.5))
    >>> abs(float(normal(0, [0], [0])[0, 0] / exact) - 1) < 1e-14
    True
    """
    counters = _counters(key, rows, tokens, purpose, xp)
    return _draw("normal", core.normals, counters, (), core.float_type(dtype), xp)


def student_t(
    key: int,
    rows: ArrayLike | range,
    tokens: ArrayLike | range,
    purpose: int = 0,
    *,
    df: float,
    dtype: DTypeLike = np.float64,
    xp: ModuleType = np,
) -> Any:
    """Student-t draws: sqrt(df (U**(-2/df) - 1)) sin(pi (V - 1/2)).

    Parameters
    ----------
    key, rows, tokens, purpose, xp : as in `words`
    df : degrees of freedom, at least 0.065 (float64) or 0.26 (float32), below which the largest draw overflows;
        infinity (and anything from 2**60 on) gives `normal`, bit for bit
    dtype : float64, or float32 (the float64 draw rounded once)

    Returns
    -------
    (R, T) floats, at most sqrt(df (2**(66/df) - 1)) in absolute value

    Raises ValueError as `words`, and for another ``dtype`` or a ``df`` that is too small or NaN.

    Bailey (1994), "Polar generation of random variates with the t-distribution", with both uniforms used directly.
    For two degrees of freedom the radius is sqrt(2 (1/U - 1)):

    >>> u, v = uniform(0, [0], [0])[0, 0], uniform(0, [0], [0], word=1)[0, 0]
    >>> exact = np.sqrt(2 * (1 / u - 1)) * np.sin(np.pi * (v - 0.5))
    >>> abs(float(student_t(0, [0], [0], df=2)[0, 0] / exact) - 1) < 1e-14
    True
    """
    dtype = core.float_type(dtype)
    df = degrees(df, dtype)
    if df >= core.NORMAL_DF:
        return normal(key, rows, tokens, purpose, dtype=dtype, xp=xp)
    counters = _counters(key, rows, tokens, purpose, xp)
    return _draw("student_t", lambda *c: core.student_ts(df, *c), counters, (df,), dtype, xp)


def reduced_chi_square(
    key: int, rows: ArrayLike | range, purpose: int = 0, *, df: float, first_token: int = 0, xp: ModuleType = np
) -> Any:
    """One chi-square draw a row, divided by its degrees of freedom: the mixing variable of a multivariate Student-t.

    Parameters
    ----------
    key, rows, purpose, xp : as in `words`
    df : degrees of freedom, at least 0.065, from 2**60 on (and at infinity) the draw is 1
    first_token : int; attempt j of the rejection reads the words of token ``first_token + j``

    Returns
    -------
    (R,) float64, mean 1 and variance 2/df

    Raises ValueError as `words`, and for a ``df`` that is too small or NaN.

    Marsaglia and Tsang (2000), "A simple method for generating gamma variables", accepted with probability above 0.95;
    for df < 2 the draw for df + 2 is multiplied by U**(2/df).

    >>> x = reduced_chi_square(0, range(10**5), df=8)  # mean 1, variance 2/8
    >>> abs(float(x.mean()) - 1) < 0.01, abs(float(x.var()) - 2 / 8) < 0.01
    (True, True)
    """
    df = degrees(df, np.dtype(np.float64))
    k0, k1, row, token, use = _counters(key, rows, [first_token], purpose, xp)
    result = xp.ones(row.shape, dtype=np.float64)
    if df >= core.NORMAL_DF:
        return result
    boosted = df < 2
    d = df / 2 + (1 if boosted else 0) - 1 / 3
    waiting = xp.arange(row.size)
    if boosted:
        boost = core.expm1(core.log(core.unit(core.words(k0, k1, row, token, use)[3][:, 0])) * -2.0 / df) + 1.0
    while waiting.size:
        w = [x[:, 0] for x in core.words(k0, k1, row[waiting], token, use)]
        z = core.box_muller(w[0], w[1])
        base = 1 + z / math.sqrt(9 * d)
        v = xp.where(base > 0, base * base * base, 1.0)
        is_accepted = (base > 0) & (core.log(core.unit(w[2])) < z * z / 2 + d * (1 - v + core.log(v)))
        result[waiting[is_accepted]] = d * v[is_accepted] / (df / 2)
        waiting = waiting[~is_accepted]
        token = token + 1
    return result / boost if boosted else result


# ---- counters, dispatch and checks ----


def _counters(key, rows, tokens, purpose, xp):
    """The checked arguments: key halves (uint64), rows (uint64), tokens (uint32), purpose (uint32)."""
    key = whole_number("key", key, 0, 2**64 - 1)
    purpose = whole_number("purpose", purpose, 0, 2**32 - 1)
    row = core.integers("rows", rows, 2**64)
    token = core.integers("tokens", tokens, 2**32)
    for name, array in (("rows", row), ("tokens", token)):
        if array.ndim != 1:
            raise ValueError(f"{name} has shape {array.shape}: expected one axis")
    if xp is np:
        check_memory("tokens", token.size, 8 * row.size * token.size)
    k0 = np.uint64(key & 0xFFFFFFFF)
    k1 = np.uint64(key >> 32)
    return k0, k1, xp.asarray(row), xp.asarray(core.narrow(token)), np.uint32(purpose)


def _draw(name, formula, counters, extra, dtype, xp):
    """(R, T) draws, by the compiled loop when there are many NumPy ones and by ``formula(*counters)`` otherwise."""
    k0, k1, rows, tokens, purpose = counters
    if which(rows.size * tokens.size, _SMALL, device=xp is not np) != "numba":
        return formula(*counters).astype(dtype)
    out = np.empty((rows.size, tokens.size), dtype=dtype)
    core.run(name, k0, k1, rows, tokens, purpose, *extra, out)
    return out


def degrees(df: Any, dtype: np.dtype[Any]) -> np.float64:
    """Degrees of freedom, when every draw of such a type is finite.

    >>> degrees(3, np.dtype(np.float64))
    np.float64(3.0)
    """
    lowest_df = 0.065 if dtype == np.float64 else 0.26
    if not (isinstance(df, (int, float, np.integer, np.floating)) and df >= lowest_df):
        raise ValueError(f"df: {df!r}; expected a number >= {lowest_df}, where every {dtype} draw is finite")
    return np.float64(df)
