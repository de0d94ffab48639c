"""The value of an expression at an instance: exact on fractions, certified where exp, log or a root is involved."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from functools import cache, reduce
from math import prod
from typing import Any

import numpy as np
import sympy as sp

from simspec.claims.balls import ball, is_ball

__all__ = ["evaluate", "fixed"]


def evaluate(expression: Any, values: Mapping[str, Any]) -> Any:
    """Exact value of an expression: fractions, or certified balls where exp, log or a root is involved.

    Parameters
    ----------
    expression : SymPy expression
    values : {name: number, array, or function of integers}
        arrays are read with tokens counted from 1, as the sums do.

    >>> from proofs_check.rules.terms import total, x
    >>> p = sp.IndexedBase("p")
    >>> evaluate(total(sp.Min(p[x], sp.Rational(1, 3)), x), {"p": [Fraction(1, 2), Fraction(1, 4)], "V": 2})
    Fraction(7, 12)
    """
    e = expression if isinstance(expression, sp.Basic) else sp.sympify(expression)
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    kind: Any = type(e)
    value, result = _rules(kind)
    if value is not None:
        return value(e, values)
    a = _alike([evaluate(arg, values) for arg in e.args])
    if result is not None:
        return result(e, a)
    if isinstance(e, sp.Function) and e.func.__name__ in values:
        return _number(values[e.func.__name__](*a))
    raise ValueError(f"expression: no value is defined for {type(e).__name__} in {e}")


def _indexed(e: sp.Indexed, values: Mapping[str, Any]) -> Any:
    at = [_whole(evaluate(k, values)) for k in e.indices]
    found = values[e.base.label.name]
    if callable(found):
        return _signed(e, _number(found(*at)))
    for k in at:
        if k < 1:
            raise IndexError(f"{e}: place {k}; arrays are read from 1")
        found = found[k - 1]
    return _signed(e, _number(found))


def _power(e: sp.Pow, values: Mapping[str, Any]) -> Any:
    base, power = evaluate(e.base, values), evaluate(e.exp, values)
    if not (isinstance(power, Fraction) and power.denominator == 1):
        return ball(base) ** ball(power)
    if is_ball(base) and power >= 0:  # a general power has no value at a ball around zero
        return prod([base] * power.numerator, start=ball(1))
    if power < 0 and not is_ball(base) and not base:
        raise ZeroDivisionError(f"{e} at zero")
    return base**power.numerator


def _extreme(e: sp.Expr, a: list[Any]) -> Any:
    least = isinstance(e, sp.Min)
    if not is_ball(a[0]):
        return min(a) if least else max(a)
    return reduce(lambda one, other: one.min(other) if least else one.max(other), a)


def _equal(e: sp.Expr, a: list[Any]) -> Fraction:
    if any(is_ball(v) for v in a):
        raise ValueError(f"{e}: whether two enclosures are equal is not known")
    return Fraction(int(a[0] == a[1]))


NAMES_AND_RANGES: tuple[tuple[Any, Callable[[Any, Mapping[str, Any]], Any]], ...] = (
    (type(sp.E), lambda e, values: ball(1).exp()),
    (type(sp.pi), lambda e, values: ball(0).pi()),
    (sp.Symbol, lambda e, values: values[e] if e in values else _signed(e, _number(values[e.name]))),
    (sp.Indexed, _indexed),
    (sp.Sum, lambda e, values: _added([evaluate(e.function, inner) for inner in _ranges(e.limits, dict(values))])),
    (sp.Pow, _power),
)
"""What takes its value from those of names, by class: the first that fits."""

OPERATIONS: tuple[tuple[Any, Callable[[Any, list[Any]], Any]], ...] = (
    (sp.Add, lambda e, a: _added(a)),
    (sp.Mul, lambda e, a: prod(a[1:], start=a[0])),
    ((sp.Min, sp.Max), _extreme),
    (sp.Abs, lambda e, a: abs(a[0])),
    ((sp.exp, sp.log, sp.erf), lambda e, a: getattr(ball(a[0]), e.func.__name__)()),
    (sp.KroneckerDelta, _equal),
    (sp.floor, lambda e, a: Fraction(a[0].__floor__())),
    (sp.ceiling, lambda e, a: Fraction(a[0].__ceil__())),
)
"""What takes its value from those of its arguments, by class."""


@cache
def _rules(kind: type) -> tuple[Callable[..., Any] | None, Callable[..., Any] | None]:
    """How a class of expressions takes its value from names, or else from its arguments: the first entry that fits."""
    of_names = next((value for kinds, value in NAMES_AND_RANGES if issubclass(kind, kinds)), None)
    return of_names, next((result for kinds, result in OPERATIONS if issubclass(kind, kinds)), None)


def _whole(value: Any) -> int:
    if value != int(value):
        raise ValueError(f"{value}: expected a whole number")
    return int(value)


def _alike(values: list[Any]) -> list[Any]:
    """As they are, or all as balls where one is."""
    return [ball(v) for v in values] if any(map(is_ball, values)) else values


def _added(terms: list[Any]) -> Any:
    terms = _alike(terms)
    return sum(terms[1:], terms[0]) if terms else Fraction(0)


def _number(found: Any) -> Any:
    """A value as a fraction or a ball; refused where it is neither, nor a whole number: other classes say what they like."""
    if type(found) is Fraction:
        return found
    if isinstance(found, Fraction):  # of another class, which may say of itself what it likes: what it holds
        return Fraction(*(part.__get__(found) for part in (Fraction.numerator, Fraction.denominator)))
    if type(found) in (int, bool) or (isinstance(found, (np.integer, np.bool_)) and type(found).__module__ == "numpy"):
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
        return cache(value)
    if isinstance(value, (np.ndarray, list, tuple)):
        return tuple(fixed(name, v) for v in (value.tolist() if isinstance(value, np.ndarray) else value))
    return _number(value)


def _signed(e: sp.Expr, found: Any) -> Any:
    """A value, refused where it is not of the sign that the name was declared with."""
    if e.is_integer and not is_ball(found) and found != int(found):
        raise ValueError(f"{e} is {found}; it was declared an integer")
    if (e.is_positive and not found > 0) or (e.is_nonnegative and found < 0):
        raise ValueError(f"{e} is {found}; it was declared {'positive' if e.is_positive else 'non-negative'}")
    return found


def _ranges(limits: Any, values: dict[Any, Any]) -> Iterator[dict[Any, Any]]:
    if not limits:
        yield values
        return
    # later limits may bound earlier indices, so the last one is the outermost; bound names are told apart by themselves
    index, low, high = limits[-1]
    first, last = _whole(evaluate(low, values)), _whole(evaluate(high, values))
    if last < first - 1:
        raise ValueError(f"a sum from {first} to {last}: fewer than no terms")
    for k in range(first, last + 1):
        yield from _ranges(limits[:-1], {**values, index: Fraction(k)})
