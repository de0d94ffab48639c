"""The value of an expression at an instance: exact on fractions, certified where exp, log or a root is involved.

An expression is evaluated at thousands of places: how it takes its value is worked out once, as a function of what names stand
for and of the numbers over which the sums around it run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, reduce
from math import lcm, prod
from operator import methodcaller
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.rules.terms import strict
from simspec.claims.balls import ball, is_ball

__all__ = ["evaluate", "fixed"]

Values = Mapping[Any, Any]
Places = dict[int, Fraction]
"""What the bound names around stand for at the moment, numbered from outside."""
Value = Callable[[Values, Places], Any]
KEPT = 20_000
"""Expressions of which it is kept how they take their value."""


def evaluate(expression: Any, values: Values) -> Any:
    """Exact value of an expression: fractions, or certified balls where exp, log or a root is involved.

    Parameters
    ----------
    expression : SymPy expression
    values : {name: number, array, or function of integers}
        arrays are read with tokens counted from 1, as the sums do; a bound symbol may be there itself, whatever its name.

    >>> from proofs_check.rules.terms import total, x
    >>> p = sp.IndexedBase("p")
    >>> evaluate(total(sp.Min(p[x], sp.Rational(1, 3)), x), {"p": [Fraction(1, 2), Fraction(1, 4)], "V": 2})
    Fraction(7, 12)
    """
    e = expression if isinstance(expression, sp.Basic) else strict(expression)
    cached = _kept.get(id(e))  # by what it is: another that says it equals this one need not have its value
    if cached is None:
        if len(_kept) >= KEPT:
            _kept.clear()
        cached = _kept[id(e)] = (e, _value(e, {}))
    return cached[1](values, {})


_kept: dict[int, tuple[Any, Value]] = {}  # holds what it is asked by, so that no other has its identity


def _value(e: Any, inside: Mapping[sp.Symbol, int]) -> Value:
    """How an expression takes its value inside of sums over some names, which are numbered."""
    if e.is_Rational:
        constant = Fraction(int(e.p), int(e.q))
        return lambda values, places: constant
    kind: Any = type(e)
    of_names, result = _rules(kind)
    if of_names is not None:
        return of_names(e, inside)
    if result is None:
        return _function(e, inside)
    return _operation(e, [_value(arg, inside) for arg in e.args], result)


def _operation(e: sp.Expr, parts: list[Value], result: Callable[[sp.Expr, list[Any]], Any]) -> Value:
    return lambda values, places: result(e, _alike([operand(values, places) for operand in parts]))


def _function(e: sp.Expr, inside: Mapping[sp.Symbol, int]) -> Value:
    """A function that the instance says; anything else has no value."""

    def value(values: Values, places: Places) -> Any:
        if isinstance(e, sp.Function) and e.func.__name__ in values:
            return _number(values[e.func.__name__](*_alike([argument(values, places) for argument in parts])))
        raise ValueError(f"expression: no value is defined for {type(e).__name__} in {e}")

    parts = [_value(arg, inside) for arg in e.args] if isinstance(e, sp.Function) else []
    return value


# --- names and sums -------------------------------------------------------------------------------------------------------


def _symbol(e: sp.Symbol, inside: Mapping[sp.Symbol, int]) -> Value:
    if e in inside:
        place = inside[e]
        return lambda values, places: places[place]
    name = e.name
    signed = _signed(e)
    return lambda values, places: values[e] if e in values else signed(_number(values[name]))


def _indexed(e: sp.Indexed, inside: Mapping[sp.Symbol, int]) -> Value:
    """The function that reads an entry of an array, or calls the function that stands for it."""
    indices = [_value(k, inside) for k in e.indices]
    name = e.base.label.name
    signed = _signed(e)

    def value(values: Values, places: Places) -> Any:
        at = [_whole(k(values, places)) for k in indices]
        entry = values[name]
        if callable(entry):
            return signed(_number(entry(*at)))
        for k in at:
            if k < 1:
                raise IndexError(f"{e}: place {k}; arrays are read from 1")
            entry = entry[k - 1]
        return signed(_number(entry))

    return value


def _sum(e: sp.Sum, inside: Mapping[sp.Symbol, int]) -> Value:
    """Later limits may bound earlier names, so that the last one is the outermost."""
    numbers_by_name = dict(inside)
    loops = []
    for number, (index, low, high) in enumerate(reversed(e.limits), max(inside.values(), default=-1) + 1):
        loops.append((number, _value(low, numbers_by_name), _value(high, numbers_by_name)))
        numbers_by_name[index] = number  # bound names are told apart by themselves, and the inner one of two counts
    term = _value(e.function, numbers_by_name)
    return lambda values, places: _added(_alike([term(values, at) for at in _ranges(loops, values, places)]))


def _ranges(loops: list[tuple[int, Value, Value]], values: Values, places: Places) -> Iterator[Places]:
    """The same places, at one number after the other."""
    if not loops:
        yield places
        return
    (number, low, high), *inner = loops
    first = _whole(low(values, places))
    last = _whole(high(values, places))
    if last < first - 1:
        raise ValueError(f"a sum from {first} to {last}: fewer than no terms")
    for k in range(first, last + 1):
        places[number] = _integer(k)
        yield from _ranges(inner, values, places)


_integer = cache(Fraction)


def _power(e: sp.Pow, inside: Mapping[sp.Symbol, int]) -> Value:
    """A power: exact where the exponent is a whole number, else an enclosure."""
    of_base = _value(e.base, inside)
    of_power = _value(e.exp, inside)

    def value(values: Values, places: Places) -> Any:
        base = of_base(values, places)
        power = of_power(values, places)
        if not (isinstance(power, Fraction) and power.denominator == 1):
            return ball(base) ** ball(power)
        if is_ball(base) and power >= 0:  # a general power has no value at a ball around zero
            return prod([base] * power.numerator, start=ball(1))
        if power < 0 and not is_ball(base) and not base:
            raise ZeroDivisionError(f"{e} at zero")
        return base**power.numerator

    return value


NAMES_AND_SUMS: tuple[tuple[Any, Callable[[Any, Mapping[sp.Symbol, int]], Value]], ...] = (
    (type(sp.E), lambda e, inside: lambda values, places: ball(1).exp()),
    (type(sp.pi), lambda e, inside: lambda values, places: ball(0).pi()),
    (sp.Symbol, _symbol),
    (sp.Indexed, _indexed),
    (sp.Sum, _sum),
    (sp.Pow, _power),
)
"""What takes its value from those of names, by class: the first that fits."""


# --- operations -----------------------------------------------------------------------------------------------------------


def _extreme(e: sp.Expr, a: list[Any]) -> Any:
    is_minimum = isinstance(e, sp.Min)
    if not is_ball(a[0]):
        return min(a) if is_minimum else max(a)
    return reduce(lambda first, second: first.min(second) if is_minimum else first.max(second), a)


def _equal(e: sp.Expr, a: list[Any]) -> Fraction:
    if any(is_ball(v) for v in a):
        raise ValueError(f"{e}: whether two enclosures are equal is not known")
    return Fraction(int(a[0] == a[1]))


def _product(e: sp.Expr, a: list[Any]) -> Any:
    if is_ball(a[0]):
        return prod(a[1:], start=a[0])
    above, below = zip(*map(_ratio, a), strict=True)
    return Fraction(prod(above), prod(below))


OPERATIONS: tuple[tuple[Any, Callable[[Any, list[Any]], Any]], ...] = (
    (sp.Add, lambda e, a: _added(a)),
    (sp.Mul, _product),
    ((sp.Min, sp.Max), _extreme),
    (sp.Abs, lambda e, a: abs(a[0])),
    ((sp.exp, sp.log, sp.erf), lambda e, a: getattr(ball(a[0]), e.func.__name__)()),
    (sp.KroneckerDelta, _equal),
    (sp.floor, lambda e, a: Fraction(a[0].__floor__())),
    (sp.ceiling, lambda e, a: Fraction(a[0].__ceil__())),
)
"""What takes its value from those of its arguments, by class."""


@cache
def _rules(kind: type) -> tuple[Callable[..., Value] | None, Callable[..., Any] | None]:
    """How a class of expressions takes its value from names, or else from its arguments: the first entry that fits."""
    of_names = next((value for kinds, value in NAMES_AND_SUMS if issubclass(kind, kinds)), None)
    return of_names, next((result for kinds, result in OPERATIONS if issubclass(kind, kinds)), None)


def _whole(value: Any) -> int:
    if type(value) is Fraction and value.denominator == 1:
        return value.numerator
    if value != int(value):
        raise ValueError(f"{value}: expected a whole number")
    return int(value)


def _alike(values: list[Any]) -> list[Any]:
    """As they are, or all as balls where one is."""
    if {*map(type, values)} <= FRACTIONS:
        return values
    return [ball(v) for v in values] if any(map(is_ball, values)) else values


FRACTIONS = {Fraction}
_ratio = methodcaller("as_integer_ratio")


def _added(terms: list[Any]) -> Any:
    """A sum of what is alike: of fractions over their least common denominator."""
    if terms and is_ball(terms[0]):
        return sum(terms[1:], terms[0])
    ratios = [*map(_ratio, terms)]
    below = lcm(*(d for _, d in ratios))
    return Fraction(sum(n * (below // d) for n, d in ratios), below)


def _number(found: Any) -> Any:
    """A value as a fraction or a ball; refused where it is neither, nor a whole number: other classes say what they like."""
    if type(found) is Fraction:
        return found
    if isinstance(found, Fraction):  # of another class, which may say of itself what it likes: what it holds
        return Fraction(*(accessor.__get__(found) for accessor in (Fraction.numerator, Fraction.denominator)))
    if type(found) is int:
        return _integer(found)
    if type(found) is bool or (isinstance(found, (np.integer, np.bool_)) and type(found).__module__ == "numpy"):
        return Fraction(int(found))
    if isinstance(found, sp.Rational) and type(found).__module__ == "sympy.core.numbers":
        return Fraction(int(found.p), int(found.q))
    if type(found) is type(ball(1)):
        return found
    raise TypeError(f"{found}: a {type(found).__name__} in an exact comparison, perhaps a floating-point number")


def fixed(name: str, value: Any) -> Any:
    """A value that stays what it is: numbers as `evaluate` has them, arrays nested tuples, functions with a memory."""
    if value is None or isinstance(value, str):
        return value
    if callable(value):
        return cache(lambda *at: _number(value(*at)))
    if isinstance(value, (np.ndarray, list, tuple)):
        return tuple(fixed(name, v) for v in (value.tolist() if isinstance(value, np.ndarray) else value))
    return _number(value)


def _signed(e: sp.Expr) -> Callable[[Any], Any]:
    """Passes a value of a name on; refused where it is not of the sign that the name was declared with."""
    integer = bool(e.is_integer)
    positive = bool(e.is_positive)
    nonnegative = bool(e.is_nonnegative)

    def passed(number: Any) -> Any:
        if integer and not is_ball(number) and number.denominator != 1:
            raise ValueError(f"{e} is {number}; it was declared an integer")
        size = number if is_ball(number) else number.numerator
        if (positive and not size > 0) or (nonnegative and size < 0):
            raise ValueError(f"{e} is {number}; it was declared {'positive' if positive else 'non-negative'}")
        return number

    return passed
