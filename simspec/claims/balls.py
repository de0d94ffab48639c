"""Powers, logarithms and exponentials that a verdict may rest on: certified enclosures on fractions, NumPy on floats.

On object arrays the result is an array of balls (python-flint `arb`), whose comparisons are true only when certain.  A
float among exact numbers is `Inexact`: nothing exact is known of the number that it stands for.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from numbers import Rational
from typing import Any

import numpy as np

from simspec.laws import Array, is_exact

__all__ = [
    "Inexact",
    "ball",
    "check_exact_number",
    "enclose",
    "exp",
    "is_ball",
    "log",
    "plogp",
    "power",
    "sides_together",
]

PRECISION = 128
"""Bits of the enclosures: enough that only equalities stay undecided."""


class Inexact(ValueError):
    """A float where a verdict needs an integer, a fraction or a ball."""


def check_exact_number(name: str, x: Any) -> None:
    """Refuse what is neither an integer nor a fraction nor a ball.

    Raises
    ------
    Inexact
        naming the value and its type, and where to find exact powers, roots and logarithms.

    Examples
    --------
    >>> check_exact_number("slack", Fraction(1, 3))
    >>> check_exact_number("slack", Fraction(1, 3) ** 0.5)
    Traceback (most recent call last):
    ...
    simspec.claims.balls.Inexact: slack: 0.5773502691896257 is a float on an exact instance; expected an integer, a \
fraction or a ball (powers, roots, logs: `simspec.claims.balls`)
    """
    if not (isinstance(x, Rational | np.bool_) or is_ball(x)):
        raise Inexact(
            f"{name}: {x} is a {type(x).__name__} on an exact instance; expected an integer, a fraction or a ball "
            "(powers, roots, logs: `simspec.claims.balls`)"
        )


def ball(x: Any) -> Any:
    """Enclosure of a rational number (balls pass through).

    Raises
    ------
    Inexact
        for a float, whose rounding no ball would contain.

    Examples
    --------
    >>> ball(Fraction(1, 3)) * 3 > 1.1
    False
    """
    arb, ctx, fmpq = _flint()
    ctx.prec = PRECISION
    if isinstance(x, arb):
        return x
    if type(x) is not Fraction:
        check_exact_number("x", x)
        x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


@cache
def _flint() -> tuple[Any, Any, Any]:
    """Loaded where it is needed: it takes a while."""
    from flint import arb, ctx, fmpq

    return arb, ctx, fmpq


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


def _symbolic(x: Any) -> bool:
    """Whether something is meant to be exact; an array of objects is, and a float in it is an error of `ball`."""
    return isinstance(x, (int, Fraction)) or getattr(getattr(x, "dtype", None), "kind", "") == "O"


def enclose(x: Any) -> Any:
    """Balls around fractions and integers, element by element; floats pass through.

    On an array of balls `np.exp`, `np.tanh`, `np.sqrt`, `abs`, sums and `@` are certified, so that one formula serves
    both arithmetics; `np.minimum` and `max` are not (a comparison of overlapping balls is undecided).

    >>> enclose(np.array([0.5])).tolist(), float(np.exp(enclose(0)))
    ([0.5], 1.0)
    """
    return _each(ball, x) if _symbolic(x) else x


def sides_together(lhs: Any, rhs: Any) -> tuple[Any, Any]:
    """Two sides of a claim; where one holds balls, the other is enclosed, since Python does not subtract the two.

    Raises
    ------
    Inexact
        for a float on the other side, which no ball would contain.

    Examples
    --------
    >>> lhs, rhs = sides_together(power(Fraction(2), Fraction(1, 2)), Fraction(3, 2))
    >>> bool(rhs - lhs > 0)
    True
    """
    if not (_holds_balls(lhs) or _holds_balls(rhs)):
        return lhs, rhs
    return _side(lhs, "lhs"), _side(rhs, "rhs")


def _holds_balls(x: Any) -> bool:
    if getattr(x, "dtype", np.dtype(object)) != np.dtype(object):
        return False
    return any(map(is_ball, np.ravel(np.asarray(x, dtype=object)).tolist()))


def _side(x: Any, name: str) -> Any:
    array = np.asarray(x, dtype=object)
    for value in np.ravel(array).tolist():
        check_exact_number(name, value)
    return _each(ball, array) if array.ndim else ball(array.item())


def log(x: Any) -> Any:
    """Natural logarithm: of each fraction or ball as a ball, of floats by NumPy.

    >>> log(Fraction(2)) > Fraction(69, 100).numerator / 100
    True
    """
    if _symbolic(x) or is_ball(x):
        return _each(lambda v: ball(v).log(), x)
    return np.log(x)


def exp(x: Any) -> Any:
    """Exponential, as `log`.

    >>> bool(exp(Fraction(1)) > 2.718)
    True
    """
    if _symbolic(x) or is_ball(x):
        return _each(lambda v: ball(v).exp(), x)
    return np.exp(x)


def power(x: Any, exponent: Any) -> Any:
    """x to the power of an integer or a fraction: of each fraction or ball as a ball, of floats by NumPy; x >= 0.

    ``Fraction ** 0.9`` and ``ball ** Fraction(9, 10)`` in Python round the exponent or the result to a float; this does
    not, and roots are powers: ``power(x, Fraction(1, 2))``.

    Raises
    ------
    Inexact
        for a float exponent on exact numbers.

    Examples
    --------
    >>> root = power(Fraction(2), Fraction(1, 2))
    >>> root > Fraction(14142, 10000).numerator / 10000, power(4.0, Fraction(1, 2))
    (True, 2.0)
    """
    if _symbolic(x) or is_ball(x):
        return _each(lambda v: ball(v) ** ball(exponent), x)
    return x ** float(exponent)


def plogp(p: Array) -> Array:
    """p log p with 0 log 0 = 0.

    >>> plogp(np.array([0.0, 1.0])).tolist()
    [0.0, 0.0]
    """
    if is_exact(p):
        return _each(lambda v: ball(0) if v == 0 else ball(v) * ball(v).log(), p)
    return p * np.log(np.where(p > 0, p, 1))
