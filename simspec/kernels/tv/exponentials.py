"""Pieces of the kernels over logits: bits, what halves stand for, exponentials of four numbers in step, and fetching ahead."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import extending, types
from numpy.polynomial import chebyshev

__all__: list[str] = []

njit: Any = numba.njit
intrinsic: Any = extending.intrinsic
_inlined = njit(forceinline=True)
_contracted = njit(fastmath={"contract"}, forceinline=True)


@intrinsic
def _bits(typing: Any, x: Any, like: Any) -> Any:
    """The bits of `x` read as the type of `like`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.bitcast(args[0], context.get_value_type(signature.return_type))

    return like(x, like), codegen


@intrinsic
def _prefetch(typing: Any, array: Any, start: Any) -> Any:
    """Ask for the cache lines of array[start : start + 256], which may lie past the end: a hint never faults."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        pointer = ir.IntType(8).as_pointer()
        integer = ir.IntType(32)
        data = context.make_array(signature.args[0])(context, builder, args[0]).data
        kind = ir.FunctionType(ir.VoidType(), [pointer, integer, integer, integer])
        hint = builder.module.declare_intrinsic("llvm.prefetch", [pointer], kind)
        begin = builder.bitcast(builder.gep(data, [args[1]]), pointer)
        for offset in range(0, 256 * array.dtype.bitwidth // 8, 64):
            line = builder.gep(begin, [integer(offset)])
            builder.call(hint, [line, integer(0), integer(2), integer(1)])  # read, keep from level 2 on, data
        return context.get_dummy_value()

    return types.void(array, start), codegen


@intrinsic
def _extended(typing: Any, x: Any, otherwise: Any) -> Any:
    """The number whose float16 bits are `x`, where one instruction of the processor compiled for says it, else `otherwise`."""

    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        if "+f16c" not in context.codegen().magic_tuple()[2]:
            return args[1]
        return builder.fpext(builder.bitcast(args[0], ir.HalfType()), ir.FloatType())

    return types.float32(x, otherwise), codegen


def _power_series(degree: int) -> list[float]:
    """Coefficients of 2**f for |f| <= 1/2, highest power first.

    The polynomial is the Taylor series to degree d and, of the next terms, what interpolates them at Chebyshev nodes:
    relative error about 2 (ln 2 / 4)^(d + 1) / (d + 1)!.

    >>> abs(float(np.polyval(_power_series(5), 0.5)) / 2**0.5 - 1) < 2**-23
    True
    """
    series = [math.log(2) ** k / math.factorial(k) for k in range(degree + 9)]
    rest = np.polynomial.Polynomial([0.0] * (degree + 1) + series[degree + 1 :])
    interpolate: Callable[..., Any] = chebyshev.chebinterpolate
    near = chebyshev.cheb2poly(interpolate(lambda t: rest(t / 2), degree))
    return [series[k] + near[k] * 2.0**k for k in reversed(range(degree + 1))]


def _make_exp(real: Any, integer: Any, series: Sequence[float], mantissa: int, cut: int) -> Callable[..., Any]:
    """exp(x - m) of four numbers in step, all times one power of two: 2^(cut - bias) for x = m, 0 from 2^-cut of that on.

    With (x - m) / log 2 = n + f, |f| <= 1/2, it is a polynomial in f times 2^n.  Adding 1.5 * 2^mantissa + cut rounds to an
    integer, n + cut, which then stands in the low bits and, shifted into the place of the exponent, is that power itself.  What
    is smaller has n = -cut, an exponent of no bits: zero, and not a subnormal number.  A NaN stays one in the last product.

    Relative error, t = x - m: u |t| from the difference, as much from its product with 1 / log 2, whose own rounding adds
    less than u |t| / 4; n and f are exact; 2 u from the polynomial and 2 u from its value: at most u (2.4 |t| + 4).
    """
    highest, *coefficients = (real(c) for c in series)
    terms = tuple(coefficients)
    magic = real(1.5 * 2**mantissa + cut)
    lowest = real(-cut)
    log2e = real(1 / math.log(2))
    zero = real(0)
    places = integer(mantissa)
    nil = integer(0)

    @_contracted
    def scaled(x, m):
        y = (x - m) * log2e
        return lowest if lowest > y else y

    @_contracted
    def power(n):
        return _bits(integer(_bits(n, nil) << places), zero)

    @_contracted
    def exp(x0, x1, x2, x3, m):
        """Return exp(x - m) of four numbers, all times one power of two (see `_make_exp`)."""
        y0 = scaled(x0, m)
        y1 = scaled(x1, m)
        y2 = scaled(x2, m)
        y3 = scaled(x3, m)
        # adding the magic number rounds to an integer; no flag may let the compiler cancel it against n - magic below
        n0 = y0 + magic
        n1 = y1 + magic
        n2 = y2 + magic
        n3 = y3 + magic
        f0 = y0 - (n0 - magic)
        f1 = y1 - (n1 - magic)
        f2 = y2 - (n2 - magic)
        f3 = y3 - (n3 - magic)
        s0 = s1 = s2 = s3 = highest
        for c in terms:
            s0 = s0 * f0 + c
            s1 = s1 * f1 + c
            s2 = s2 * f2 + c
            s3 = s3 * f3 + c
        return s0 * power(n0), s1 * power(n1), s2 * power(n2), s3 * power(n3)

    return exp


# 2**f: near the polynomial of least relative error that is 1 at 0, so that the largest exponential is exact.
_SERIES = (0.00132647, 0.00967151, 0.05550734, 0.24022242, 0.69314698, 1.0)
_EXP = {
    types.float32: _make_exp(np.float32, np.int32, _SERIES, 23, 92),
    types.float64: _make_exp(np.float64, np.int64, _power_series(11), 52, 1000),
}


def _exp(x0, x1, x2, x3, m):
    raise NotImplementedError("compiled code only")


@extending.overload(_exp)
def _exp_of_type(x0, x1, x2, x3, m):
    exp = _EXP[m]
    return lambda x0, x1, x2, x3, m: exp(x0, x1, x2, x3, m)


@_inlined
def _widened(x):
    """The number whose float16 bits are `x`, by operations that every processor has."""
    unit = np.float32(2.0**112)  # from the exponent's bias of float32 to that of float16, for subnormal numbers too
    size = np.uint32(x & 0x7FFF)
    sign = np.uint32((x & 0x8000) << 16)
    finite = _bits(_bits(np.uint32(size << 13), np.float32(0)) * unit, np.uint32(0))
    return _bits(np.uint32(finite | sign | (0x7F800000 if size >= 0x7C00 else 0)), np.float32(0))


def _value(x):
    raise NotImplementedError("compiled code only")


@extending.overload(_value)
def _value_of_type(x):
    """A logit: as it is, or from the bits of a half, signed ones for bfloat16."""
    if x is types.int16:
        return lambda x: _bits(np.uint32(np.uint32(x) << np.uint32(16)), np.float32(0))
    return (lambda x: _extended(x, _widened(x))) if x is types.uint16 else (lambda x: x)


@njit
def _larger(x, y):
    return x if x > y else y
