"""Fractions that compute faster than Python's, for searches: the same numbers, printed, compared and hashed alike.

Python's `Fraction` asks of every operand what kind of number it is, and again of every result.  Here operands that are
fractions or integers go straight to the arithmetic (Knuth, The Art of Computer Programming 2, 4.5.1), everything else goes to
`Fraction`.  What is computed with one is one, so that a search need only begin with them.
"""

from __future__ import annotations

from fractions import Fraction
from math import gcd
from typing import TYPE_CHECKING, Any

__all__ = ["Rational", "ratio"]

_new = object.__new__


def _made(numerator: int, denominator: int) -> Rational:
    """Of coprime integers, the second positive."""
    rational = _new(Rational)
    rational._numerator = numerator
    rational._denominator = denominator
    return rational


def _sum(na: int, da: int, nb: int, db: int) -> Rational:
    common = gcd(da, db)
    if common == 1:
        return _made(na * db + nb * da, da * db)
    cofactor = da // common
    top = na * (db // common) + nb * cofactor
    second_common = gcd(top, common)
    return (
        _made(top, cofactor * db)
        if second_common == 1
        else _made(top // second_common, cofactor * (db // second_common))
    )


def _product(na: int, da: int, nb: int, db: int) -> Rational:
    if (first_common := gcd(na, db)) > 1:
        na = na // first_common
        db = db // first_common
    if (second_common := gcd(nb, da)) > 1:
        nb = nb // second_common
        da = da // second_common
    return _made(na * nb, da * db)


def _quotient(na: int, da: int, nb: int, db: int) -> Rational:
    if not nb:
        raise ZeroDivisionError(f"Fraction({na}, 0)")
    return _product(na, da, db, nb) if nb > 0 else _product(na, da, -db, -nb)


class Rational(Fraction):
    """A fraction; `Fraction` says what its operations mean.

    >>> half = Rational(1, 2)
    >>> half + Fraction(1, 3), 1 - half, half == Fraction(1, 2), 0.5 * half
    (Fraction(5, 6), Fraction(1, 2), True, 0.25)
    """

    __slots__ = ()
    if TYPE_CHECKING:
        _numerator: int
        _denominator: int

    def __add__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return _sum(self._numerator, self._denominator, other._numerator, other._denominator)
        if kind is int:
            return _made(self._numerator + other * self._denominator, self._denominator)
        return Fraction.__add__(self, other)

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other) if type(other) in _EXACT else Fraction.__radd__(self, other)

    def __sub__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return _sum(self._numerator, self._denominator, -other._numerator, other._denominator)
        if kind is int:
            return _made(self._numerator - other * self._denominator, self._denominator)
        return Fraction.__sub__(self, other)

    def __rsub__(self, other: Any) -> Any:
        return (-self).__add__(other) if type(other) in _EXACT else Fraction.__rsub__(self, other)

    def __mul__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return _product(self._numerator, self._denominator, other._numerator, other._denominator)
        if kind is int:
            return _product(self._numerator, self._denominator, other, 1)
        return Fraction.__mul__(self, other)

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other) if type(other) in _EXACT else Fraction.__rmul__(self, other)

    def __truediv__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return _quotient(self._numerator, self._denominator, other._numerator, other._denominator)
        if kind is int:
            return _quotient(self._numerator, self._denominator, other, 1)
        return Fraction.__truediv__(self, other)

    def __rtruediv__(self, other: Any) -> Any:
        kind = type(other)
        if kind is Fraction:
            return _quotient(other._numerator, other._denominator, self._numerator, self._denominator)
        if kind is int:
            return _quotient(other, 1, self._numerator, self._denominator)
        return Fraction.__rtruediv__(self, other)

    def __neg__(self) -> Rational:
        return _made(-self._numerator, self._denominator)

    def __abs__(self) -> Rational:
        return self if self._numerator >= 0 else _made(-self._numerator, self._denominator)

    def __bool__(self) -> bool:
        return self._numerator != 0

    def __float__(self) -> float:
        return self._numerator / self._denominator

    def __eq__(self, other: Any) -> bool:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return self._numerator == other._numerator and self._denominator == other._denominator
        if kind is int:
            return self._denominator == 1 and self._numerator == other
        return Fraction.__eq__(self, other)

    __hash__ = Fraction.__hash__

    def __lt__(self, other: Any) -> bool:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return self._numerator * other._denominator < other._numerator * self._denominator
        return self._numerator < other * self._denominator if kind is int else Fraction.__lt__(self, other)

    def __le__(self, other: Any) -> bool:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return self._numerator * other._denominator <= other._numerator * self._denominator
        return self._numerator <= other * self._denominator if kind is int else Fraction.__le__(self, other)

    def __gt__(self, other: Any) -> bool:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return self._numerator * other._denominator > other._numerator * self._denominator
        return self._numerator > other * self._denominator if kind is int else Fraction.__gt__(self, other)

    def __ge__(self, other: Any) -> bool:
        kind = type(other)
        if kind is Rational or kind is Fraction:
            return self._numerator * other._denominator >= other._numerator * self._denominator
        return self._numerator >= other * self._denominator if kind is int else Fraction.__ge__(self, other)

    def __repr__(self) -> str:
        return f"Fraction({self._numerator}, {self._denominator})"


def ratio(numerator: int, denominator: int) -> Rational:
    """Of two integers, the second positive: what `Rational` makes of them, which asks of each what it is.

    >>> ratio(4, 6), ratio(0, 3)
    (Fraction(2, 3), Fraction(0, 1))
    """
    common = gcd(numerator, denominator)
    return _made(numerator // common, denominator // common)


_EXACT = frozenset({int, Fraction, Rational})
