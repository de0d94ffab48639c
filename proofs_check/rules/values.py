"""The value of an expression at an instance: exact on fractions, certified where exp, log or a root is involved."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import sympy as sp

from simspec.claims.balls import ball, is_ball

__all__ = ["evaluate"]


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
    e = sp.sympify(expression)
    if e.is_Rational:
        return Fraction(int(e.p), int(e.q))
    if e is sp.E:
        return ball(1).exp()
    if e is sp.pi:
        return ball(0).pi()
    if isinstance(e, sp.Symbol):
        return _signed(e, _number(values[e.name]))
    if isinstance(e, sp.Indexed):
        at = [_whole(evaluate(k, values)) for k in e.indices]
        found = values[e.base.label.name]
        if callable(found):
            return _signed(e, _number(found(*at)))
        for k in at:
            if k < 1:
                raise IndexError(f"{e}: place {k}; arrays are read from 1")
            found = found[k - 1]
        return _signed(e, _number(found))
    if isinstance(e, sp.Sum):
        return _added([evaluate(e.function, inner) for inner in _ranges(e.limits, dict(values))])
    if isinstance(e, sp.Product):
        out: Any = Fraction(1)
        for inner in _ranges(e.limits, dict(values)):
            factor = evaluate(e.function, inner)
            out = ball(out) * factor if is_ball(factor) else out * factor
        return out
    if isinstance(e, sp.Pow):
        base, power = evaluate(e.base, values), evaluate(e.exp, values)
        if is_ball(base) and isinstance(power, Fraction) and power.denominator == 1 and power >= 0:
            out = ball(1)  # a general power has no value at a ball around zero
            for _ in range(power.numerator):
                out = out * base
            return out
        if isinstance(power, Fraction) and power.denominator == 1:
            return base**power.numerator if power >= 0 or is_ball(base) or base else _undefined(e)
        return ball(base) ** ball(power)
    a = [evaluate(arg, values) for arg in e.args]
    if any(is_ball(v) for v in a):
        a = [ball(v) for v in a]
    if isinstance(e, sp.Add):
        return _added(a)
    if isinstance(e, sp.Mul):
        out = a[0]
        for factor in a[1:]:
            out = out * factor
        return out
    if isinstance(e, (sp.Min, sp.Max)) and is_ball(a[0]):
        for other in a[1:]:
            a[0] = a[0].min(other) if isinstance(e, sp.Min) else a[0].max(other)
        return a[0]
    if isinstance(e, (sp.Min, sp.Max)):
        return (min if isinstance(e, sp.Min) else max)(a)
    if isinstance(e, sp.Abs):
        return abs(a[0])
    if isinstance(e, (sp.exp, sp.log, sp.erf)):
        return getattr(ball(a[0]), e.func.__name__)()
    if isinstance(e, sp.KroneckerDelta):
        if any(is_ball(v) for v in a):
            raise ValueError(f"{e}: whether two enclosures are equal is not known")
        return Fraction(int(a[0] == a[1]))
    if isinstance(e, sp.floor):
        return Fraction(a[0].__floor__())
    if isinstance(e, sp.ceiling):
        return Fraction(a[0].__ceil__())
    if isinstance(e, sp.Function) and e.func.__name__ in values:
        return _number(values[e.func.__name__](*a))
    raise ValueError(f"expression: no value is defined for {type(e).__name__} in {e}")


def _whole(value: Any) -> int:
    if value != int(value):
        raise ValueError(f"{value}: expected a whole number")
    return int(value)


def _added(terms: list[Any]) -> Any:
    if any(is_ball(v) for v in terms):
        terms = [ball(v) for v in terms]
    return sum(terms[1:], terms[0]) if terms else Fraction(0)


def _number(found: Any) -> Any:
    if isinstance(found, (bool, int)) or type(found).__name__ in {"bool", "int64"}:
        return Fraction(int(found))
    if isinstance(found, sp.Rational):
        return Fraction(int(found.p), int(found.q))
    return found


def _signed(e: sp.Expr, found: Any) -> Any:
    """A value, refused where it is not of the sign that the name was declared with."""
    if e.is_integer and not is_ball(found) and found != int(found):
        raise ValueError(f"{e} is {found}; it was declared an integer")
    if (e.is_positive and found <= 0) or (e.is_nonnegative and found < 0):
        raise ValueError(f"{e} is {found}; it was declared {'positive' if e.is_positive else 'non-negative'}")
    return found


def _undefined(e: sp.Expr) -> Any:
    raise ZeroDivisionError(f"{e} at zero")


def _ranges(limits: Any, values: dict[str, Any]) -> Iterator[dict[str, Any]]:
    if not limits:
        yield values
        return
    # later limits may bound earlier indices, so the last one is the outermost
    index, low, high = limits[-1]
    for k in range(_whole(evaluate(low, values)), _whole(evaluate(high, values)) + 1):
        yield from _ranges(limits[:-1], {**values, index.name: k})
