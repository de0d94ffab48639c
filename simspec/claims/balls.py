"""Logarithms and exponentials that a verdict may rest on: certified enclosures on fractions, NumPy on floats.

On object arrays the result is an array of balls (python-flint `arb`), whose comparisons are true only when certain.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from simspec.laws import Array, is_exact

__all__ = ["ball", "enclose", "exp", "is_ball", "log", "plogp"]

PRECISION = 128
"""Bits of the enclosures: enough that only equalities stay undecided."""


def ball(x: Any) -> Any:
    """Enclosure of a rational number (balls pass through).

    >>> ball(Fraction(1, 3)) * 3 > 1.1
    False
    """
    from flint import arb, ctx, fmpq

    ctx.prec = PRECISION
    if isinstance(x, arb):
        return x
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def is_ball(x: Any) -> bool:
    """Whether a number is an enclosure; asks without loading python-flint.

    >>> is_ball(ball(2)), is_ball(2)
    (True, False)
    """
    return type(x).__name__ == "arb"


def _each(function: Any, x: Any) -> Any:
    if not hasattr(x, "shape"):
        return function(x)
    out = np.empty(x.shape, dtype=object)
    for index in np.ndindex(x.shape):
        out[index] = function(x[index])
    return out


def enclose(x: Any) -> Any:
    """Balls around fractions and integers, element by element; floats pass through.

    On an array of balls `np.exp`, `np.tanh`, `np.sqrt`, `abs`, sums and `@` are certified, so that one formula serves
    both arithmetics; `np.minimum` and `max` are not (a comparison of overlapping balls is undecided).

    >>> enclose(np.array([0.5])).tolist(), float(np.exp(enclose(0)))
    ([0.5], 1.0)
    """
    return _each(ball, x) if isinstance(x, (int, Fraction)) or is_exact(x) else x


def log(x: Any) -> Any:
    """Natural logarithm: of each fraction or ball as a ball, of floats by NumPy.

    >>> log(Fraction(2)) > Fraction(69, 100).numerator / 100
    True
    """
    if isinstance(x, (int, Fraction)) or is_exact(x) or is_ball(x):
        return _each(lambda v: ball(v).log(), x)
    return np.log(x)


def exp(x: Any) -> Any:
    """Exponential, as `log`.

    >>> bool(exp(Fraction(1)) > 2.718)
    True
    """
    if isinstance(x, (int, Fraction)) or is_exact(x) or is_ball(x):
        return _each(lambda v: ball(v).exp(), x)
    return np.exp(x)


def plogp(p: Array) -> Array:
    """p log p with 0 log 0 = 0.

    >>> plogp(np.array([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    if is_exact(p):
        return _each(lambda v: ball(0) if v == 0 else ball(v) * ball(v).log(), p)
    return p * np.log(np.where(p > 0, p, 1))
