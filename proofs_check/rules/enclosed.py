"""Signs of numbers: SymPy takes them from digits whose error it does not bound; here a certified enclosure decides, or nobody.

SymPy asks for the sign of a number wherever it puts one into a minimum, an absolute value or a root, and asks for its digits
where it rounds down. log 6 - log 2 - log 3 is 0, and has digits of either sign; what a function makes of them has a sign that
SymPy believes. `decide_by_enclosures` replaces the three functions of SymPy that decide by digits, once and for the process:
an answer that was given before would be remembered with the expression.
"""

from __future__ import annotations

from typing import Any, NoReturn

import sympy as sp
from sympy.core import relational
from sympy.core.cache import clear_cache
from sympy.functions.elementary import integers

from proofs_check.rules.values import evaluate
from simspec.claims.balls import is_ball

__all__ = ["decide_by_enclosures", "sign_of_number"]


def sign_of_number(number: sp.Expr) -> int | None:
    """1 or -1 where an enclosure lies on one side of 0, 0 for an exact 0; None where an enclosure holds 0, or there is none.

    >>> sign_of_number(sp.log(3) - 1), sign_of_number(sp.S.Zero), sign_of_number(sp.log(6) - sp.log(2) - sp.log(3))
    (1, 0, None)
    """
    try:
        value = evaluate(number, {})
    except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
        return None  # it has no value by the rules
    return 1 if value > 0 else -1 if value < 0 else None if is_ball(value) else 0


def decide_by_enclosures() -> None:
    """From now on SymPy says of a number that it is positive or negative where `sign_of_number` does, and nowhere else.

    >>> decide_by_enclosures()
    >>> nothing = sp.log(6) - sp.log(2) - sp.log(3)
    >>> sp.erf(nothing).is_negative, sp.Max(sp.erf(1), sp.Rational(1, 2)), sp.floor(nothing)
    (None, erf(1), floor(-log(3) - log(2) + log(6)))
    """
    sp.Expr._eval_is_extended_positive_negative = _is_positive_or_negative
    relational._n2 = _difference_by_sign
    integers.get_integer_part = _not_rounded
    clear_cache()


def _is_positive_or_negative(number: sp.Expr, positive: bool) -> bool | None:
    """In place of SymPy's own, for expressions of which no class says more."""
    sign = sign_of_number(number) if number.is_number else None
    return None if sign is None else sign == (1 if positive else -1)


def _difference_by_sign(first: sp.Expr, second: sp.Expr) -> sp.Expr | None:
    """In place of two digits of a difference, of which SymPy looks at the sign only."""
    sign = sign_of_number(first - second) if first.is_number and second.is_number else None
    return None if sign is None else sp.Integer(sign)


def _not_rounded(*arguments: Any, **options: Any) -> NoReturn:
    """In place of the whole part of a number by its digits; SymPy leaves the number under its function then."""
    raise NotImplementedError("a whole part is not taken from digits")
