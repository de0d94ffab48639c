"""The arithmetic of the counter-based random numbers: Philox rounds, logarithm, exponential, sine, and their loops.

Written once: the functions below act on NumPy arrays as they stand, and on scalars when Numba compiles them into the
three loops at the end. They use integer operations, ``+ - * /``, ``sqrt`` and bit casts only, each of which IEEE 754
fixes to the last bit; so both give the same bits as long as no fused multiply-add is formed (Numba forms none without
``fastmath``; CUDA needs ``-fmad=false``). What a draw is, and the checks of its arguments: `simspec.kernels.random`.
"""

from __future__ import annotations

import math
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike

from simspec.checks import check_memory, short, whole_number
from simspec.kernels import compiled as compiling
from simspec.kernels.threads import split

__all__ = [
    "NORMAL_DF",
    "PAIR",
    "SIDE",
    "arc",
    "bailey",
    "box_muller",
    "compiled",
    "cosine",
    "expm1",
    "float_type",
    "from_bits",
    "integers",
    "jit",
    "log",
    "narrow",
    "normal_of",
    "normal_radius",
    "normals",
    "number",
    "per_token",
    "pick",
    "rounds",
    "run",
    "sign",
    "sine",
    "student_t_of",
    "student_ts",
    "to_bits",
    "tree_mean",
    "turn",
    "unit",
    "wide",
    "words",
]

PAIR = np.uint32(256)
SIDE = np.uint32(512)
"""The bits of a token that its counter lacks: PAIR picks words 0 and 1 or 2 and 3, SIDE (normal draws) sine or cosine."""

NORMAL_DF = 2.0**60
"""From here on both laws agree to the last bits, and Student-t draws are those of normal."""

_CHUNK = 4096  # tokens a thread takes at a time
_STUDENT_COUNTER = ~PAIR
_NORMAL_COUNTER = ~(PAIR | SIDE)

_M0 = np.uint64(0xD2511F53)
_M1 = np.uint64(0xCD9E8D57)
_W0 = np.uint64(0x9E3779B9)
_W1 = np.uint64(0xBB67AE85)
_LOW = np.uint64(0xFFFFFFFF)
_32 = np.uint64(32)

_HALF = np.float64(0.5)
_MIDDLE = np.float64(2.0**31 - 0.5)
_GRID = np.float64(2.0**-32)
_SQRT_HALF_BITS = np.float64(math.sqrt(0.5)).view(np.int64)
_ONE_BITS = np.float64(1).view(np.int64)
_52 = np.int64(52)
# high part: 32 bits
_LN2_HIGH = np.float64(0.6931471803691238)
_LN2_LOW = np.float64(1.9082149292705877e-10)
_LOG2E = np.float64(1 / math.log(2))
_ROUNDER = np.float64(1.5 * 2.0**52)
_PI = np.float64(math.pi)
_ONE = np.uint32(1)


# ---- element-wise arithmetic: the same source runs on NumPy arrays and, compiled, on Numba scalars ----


def wide(word):
    """A 32-bit word in 64 bits, so that a product of two is exact."""
    return word.astype(np.uint64)


def narrow(product):
    """The low 32 bits."""
    return product.astype(np.uint32)


def rounds(c0, c1, c2, c3, k0, k1):
    """Ten Philox rounds on uint32 words, under the uint64 halves of a key (kept wide so that none overflows)."""
    for _ in range(10):
        a = _M0 * wide(c0)
        b = _M1 * wide(c2)
        c0 = narrow((b >> _32) ^ c1 ^ k0)
        c1 = narrow(b)
        c2 = narrow((a >> _32) ^ c3 ^ k1)
        c3 = narrow(a)
        k0 = (k0 + _W0) & _LOW
        k1 = (k1 + _W1) & _LOW
    return c0, c1, c2, c3


def unit(word):
    """(n + 1/2) / 2**32, exact in float64."""
    return (word + _HALF) * _GRID


def to_bits(x):
    """The 64 bits of a float, as an integer."""
    return x.view(np.int64)


def from_bits(bits):
    """The float with these 64 bits."""
    return bits.view(np.float64)


def log(x):
    """ln x for positive normal x = 2**e m, m in [sqrt(1/2), sqrt(2)): ln m = 2 atanh((m - 1)/(m + 1)), by Taylor."""
    bits = to_bits(x)
    e = (bits - _SQRT_HALF_BITS) >> _52
    f = from_bits(bits - (e << _52)) - 1.0
    s = f / (f + 2.0)
    s2 = s + s
    z = s * s
    tail = 1 / 13 + z * (1 / 15 + z * (1 / 17 + z * (1 / 19 + z * (1 / 21 + z * (1 / 23)))))
    tail = z * (1 / 3 + z * (1 / 5 + z * (1 / 7 + z * (1 / 9 + z * (1 / 11 + z * tail)))))
    return e * _LN2_HIGH + (s2 + (s2 * tail + e * _LN2_LOW))


def expm1(x):
    """exp(x) - 1 for 0 <= x < 709: x = k ln 2 + r, |r| <= ln(2)/2, gives 2**k expm1(r) + (2**k - 1), by Taylor."""
    t = x * _LOG2E + _ROUNDER
    k = t - _ROUNDER
    r = (x - k * _LN2_HIGH) - k * _LN2_LOW
    power = from_bits((to_bits(t) << _52) + _ONE_BITS)
    tail = 1 / 3628800 + r * (1 / 39916800 + r * (1 / 479001600 + r * (1 / 6227020800 + r * (1 / 87178291200))))
    tail = 1 / 120 + r * (1 / 720 + r * (1 / 5040 + r * (1 / 40320 + r * (1 / 362880 + r * tail))))
    tail = r * (1 / 2 + r * (1 / 6 + r * (1 / 24 + r * tail)))
    return power * (r + r * tail) + (power - 1.0)


def sine(word):
    """sin(pi (V - 1/2)): equal in law to the cos(2 pi V) of Box and Muller, and odd about V = 1/2."""
    return arc(turn(word))


def cosine(word):
    """cos(pi (V - 1/2)), the cosine to `sine` in the right half circle, negative where the last bit of the word is 1."""
    return arc(_HALF - abs(turn(word))) * sign(word)


def turn(word):
    """V - 1/2, exact in float64."""
    return (word - _MIDDLE) * _GRID


def sign(word):
    """-1 where the last bit is 1, else 1."""
    return 1.0 - 2.0 * (word & _ONE)


def arc(turns):
    """sin(pi x) for |x| <= 1/2, by Taylor."""
    x = _PI * turns
    z = x * x
    tail = -1 / 121645100408832000 + z * (1 / 51090942171709440000 + z * (-1 / 25852016738884976640000))
    tail = 1 / 6227020800 + z * (-1 / 1307674368000 + z * (1 / 355687428096000 + z * tail))
    tail = z * (-1 / 6 + z * (1 / 120 + z * (-1 / 5040 + z * (1 / 362880 + z * (-1 / 39916800 + z * tail)))))
    return x + x * tail


def normal_radius(word):
    """sqrt(-2 ln U)."""
    return np.sqrt(log(unit(word)) * -2.0)


def box_muller(radius, angle):
    """Normal draw: sqrt(-2 ln U) sin(pi (V - 1/2))."""
    return normal_radius(radius) * sine(angle)


def bailey(radius, angle, df):
    """Student-t draw: sqrt(df (U**(-2/df) - 1)) sin(pi (V - 1/2))."""
    return np.sqrt(df * expm1(log(unit(radius)) * -2.0 / df)) * sine(angle)


def pick(condition, yes, no):
    """`yes` where the condition holds, else `no`."""
    return np.where(condition, yes, no)


def normal_of(token, w):
    """The normal draw of a token from the words of its counter."""
    later = (token & PAIR) > 0
    has_side_bit = (token & SIDE) > 0
    angle = pick(later, w[3], w[1])
    x = turn(angle)
    wave = arc(pick(has_side_bit, _HALF - abs(x), x)) * pick(
        has_side_bit, sign(angle), 1.0
    )  # cosine or sine, one series for both
    return normal_radius(pick(later, w[2], w[0])) * wave


def student_t_of(token, w, df):
    """The Student-t draw of a token from the words of its counter."""
    later = (token & PAIR) > 0
    return bailey(pick(later, w[2], w[0]), pick(later, w[3], w[1]), df)


def normals(k0, k1, rows, tokens, purpose):
    """(R, T) normal draws."""
    return normal_of(tokens, words(k0, k1, rows, tokens & _NORMAL_COUNTER, purpose))


def student_ts(df, k0, k1, rows, tokens, purpose):
    """(R, T) Student-t draws."""
    return student_t_of(tokens, words(k0, k1, rows, tokens & _STUDENT_COUNTER, purpose), df)


def words(k0, k1, rows, tokens, purpose):
    """Four (R, T) arrays of words."""
    row = rows[:, None]
    return rounds(tokens[None, :], narrow(row), narrow(row >> _32), purpose, k0, k1)


def tree_mean(x):
    """Mean of the last axis (kept), summed by halves: the same bits for any batch and any machine."""
    size = x.shape[-1]
    while x.shape[-1] > 1:
        half = (x.shape[-1] + 1) // 2
        head = x[..., :half].copy()
        head[..., : x.shape[-1] - half] += x[..., half:]
        x = head
    return x / size


# ---- checked arguments ----


def integers(name: str, values: Any, limit: int) -> np.ndarray:
    """Integers below ``limit`` as uint64."""
    if isinstance(values, range):
        for end in (values[0], values[-1]) if values else ():
            whole_number(name, end, 0, limit - 1)
        count = (values[-1] - values[0]) // values.step + 1 if values else 0
        check_memory(name, values, 24 * count)
        first = np.uint64(values[0] if values else 0)
        steps = np.arange(count, dtype=np.uint64) * np.uint64(abs(values.step))
        return first + steps if values.step > 0 else first - steps
    array = np.asarray(values, dtype=object if isinstance(values, (list, tuple)) else None)
    if array.size == 0:
        return array.astype(np.uint64)
    if array.dtype.kind == "O":  # Python integers, which NumPy would make floats if one needs all 64 bits
        array = np.array([whole_number(name, v, 0, limit - 1) for v in array.flat], dtype=np.uint64).reshape(
            array.shape
        )
    if array.dtype.kind not in "iu":
        raise ValueError(f"{name} has dtype {array.dtype}: expected integers from 0 to {limit - 1}")
    for end in (array.min(), array.max()):
        whole_number(name, end.item(), 0, limit - 1)
    return array.astype(np.uint64)


def number(name: str, value: Any) -> float:
    """``value`` as a finite float."""
    numeric = isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)
    try:
        finite = numeric and math.isfinite(value)
    except OverflowError:  # an integer beyond all floats
        finite = False
    if not finite:
        raise ValueError(f"{name}: {short(value)}; expected a finite number")
    return float(value)


def per_token(name: str, value: ArrayLike, vocab: int, minimum: float = -math.inf) -> np.ndarray:
    """One number or ``vocab`` of them as float64, () or (V,): finite, and at least ``minimum``."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf" or array.shape not in ((), (vocab,)):
        raise ValueError(f"{name} has shape {array.shape}, dtype {array.dtype}: expected 1 or ({vocab},) numbers")
    if not np.isfinite(array).all() or (array < minimum).any():
        worst = array[~np.isfinite(array) | (array < minimum)].flat[0]
        raise ValueError(f"{name}: {worst}; expected finite numbers" + ("" if minimum < 0 else f", at least {minimum}"))
    return array.astype(np.float64)


def float_type(dtype: DTypeLike) -> np.dtype:
    """float32 or float64."""
    checked_type = np.dtype(dtype)
    if checked_type not in (np.dtype(np.float64), np.dtype(np.float32)):
        raise ValueError(f"dtype: {checked_type}; expected float32 or float64")
    return checked_type


# ---- the compiled backends ----


@cache
def compiled() -> dict[str, Any]:
    """Numba versions of the three loops, compiled (or read from Numba's cache) at their first call."""
    from numba.extending import overload, register_jitable

    overload(wide)(lambda word: lambda word: np.uint64(word))
    overload(narrow)(lambda product: lambda product: np.uint32(product))
    overload(to_bits)(lambda x: lambda x: np.float64(x).view(np.int64))
    overload(from_bits)(lambda bits: lambda bits: np.int64(bits).view(np.float64))
    overload(pick)(lambda condition, yes, no: lambda condition, yes, no: yes if condition else no)
    inlined = register_jitable(forceinline=True)  # LLVM vectorises the token loop only if it sees all of it early
    draw_functions = (normal_radius, box_muller, bailey, normal_of, student_t_of)
    for function in (rounds, unit, log, expm1, turn, sign, arc, sine, cosine, *draw_functions):
        inlined(function)

    def uniform(first, last, k0, k1, rows, tokens, purpose, word, top, out):
        chunks = (tokens.size + _CHUNK - 1) // _CHUNK
        for job in range(first, last):
            row = job // chunks
            start = job % chunks * _CHUNK
            low = narrow(rows[row])
            high = narrow(rows[row] >> _32)
            line = out[row, start : start + _CHUNK]
            token = tokens[start : start + _CHUNK]
            for j in range(line.size):
                w = rounds(token[j], low, high, purpose, k0, k1)
                line[j] = min(unit(w[word]), top)

    def normal(first, last, k0, k1, rows, tokens, purpose, out):
        chunks = (tokens.size + _CHUNK - 1) // _CHUNK
        for job in range(first, last):
            row = job // chunks
            start = job % chunks * _CHUNK
            low = narrow(rows[row])
            high = narrow(rows[row] >> _32)
            line = out[row, start : start + _CHUNK]
            token = tokens[start : start + _CHUNK]
            for j in range(line.size):
                w = rounds(token[j] & _NORMAL_COUNTER, low, high, purpose, k0, k1)
                line[j] = normal_of(token[j], w)

    def student_t(first, last, k0, k1, rows, tokens, purpose, df, out):
        chunks = (tokens.size + _CHUNK - 1) // _CHUNK
        for job in range(first, last):
            row = job // chunks
            start = job % chunks * _CHUNK
            low = narrow(rows[row])
            high = narrow(rows[row] >> _32)
            line = out[row, start : start + _CHUNK]
            token = tokens[start : start + _CHUNK]
            for j in range(line.size):
                w = rounds(token[j] & _STUDENT_COUNTER, low, high, purpose, k0, k1)
                line[j] = student_t_of(token[j], w, df)

    return {f.__name__: jit(f) for f in (uniform, normal, student_t)}


def jit(function):
    """Cached, without the interpreter lock; division by zero follows IEEE 754, as a check for it would forbid vectors."""
    return compiling.kernel(function)


def run(name, k0, k1, rows, tokens, *rest):
    """One of the three loops over all jobs, a piece of a row each, on as many threads as they are worth."""
    loop = compiled()[name]
    jobs = rows.size * ((tokens.size + _CHUNK - 1) // _CHUNK)
    split(lambda first, last: loop(first, last, k0, k1, rows, tokens, *rest), jobs, rows.size * tokens.size, None)
