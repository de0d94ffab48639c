"""Whether an expression has a real value wherever it is spoken of: no hidden denominator, logarithm or root without a sign."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import sympy as sp
from sympy.core.function import Application, AppliedUndef

from proofs_check.terms import REMEMBERED, exact, is_index

__all__ = ["check_symbols", "smooth", "unseen"]

PLAIN = (
    sp.Add,
    sp.Mul,
    sp.Min,
    sp.Max,
    sp.Abs,
    sp.exp,
    sp.erf,
    sp.Sum,
    sp.floor,
    sp.ceiling,
    sp.KroneckerDelta,
)
"""Functions with a value at every real argument."""


def unseen(e: Any, positive: Callable[[sp.Expr], bool]) -> sp.Expr | None:
    """The first part of an expression whose value is not seen to exist: a denominator, logarithm or root of unknown sign.

    >>> t = sp.Symbol("t", positive=True)
    >>> unseen(1 / t + sp.exp(t), lambda e: bool(e.is_positive)), unseen(sp.log(t - 1), lambda e: bool(e.is_positive))
    (None, log(t - 1))
    """
    e = sp.sympify(e)
    if e.is_Rational or isinstance(e, (sp.Symbol, sp.Indexed)) or e in (sp.E, sp.pi):
        return None
    if isinstance(e, sp.Pow):
        power = e.exp
        if not (power.is_integer and power.is_nonnegative) and not positive(e.base):
            return e
    elif isinstance(e, sp.log):
        if not positive(e.args[0]):
            return e
    elif not isinstance(e, (*PLAIN, sp.Integral, sp.Product, AppliedUndef)):
        return e
    parts = (e.function,) if isinstance(e, (sp.Sum, sp.Product, sp.Integral)) else e.args
    return next((found for a in parts if (found := unseen(a, positive)) is not None), None)


def smooth(e: Any, variable: sp.Symbol, positive: Callable[[sp.Expr], bool]) -> sp.Expr | None:
    """First part of a function that may not be differentiable in the variable: as `unseen`, and no Min, |·|, floor … of it."""
    e = sp.sympify(e)
    steps = (sp.Min, sp.Max, sp.Abs, sp.floor, sp.ceiling, sp.KroneckerDelta, AppliedUndef)
    rough = [a for a in e.atoms(*steps) if a.has(variable)]
    return rough[0] if rough else unseen(e, positive)


def check_symbols(e: Any) -> None:
    """Refuse names that carry assumptions no rule looks at (negative, non-zero, even, …), functions, infinities and so on.

    >>> check_symbols(sp.Symbol("r", negative=True))
    Traceback (most recent call last):
        ...
    ValueError: r: declared with an assumption that the rules do not check; expected real, non-negative or positive
    """
    _check(exact(e))


@lru_cache(maxsize=REMEMBERED)
def _check(e: sp.Expr) -> None:
    if e.has(sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
        raise ValueError(f"{e}: expected exact real numbers")
    for f in e.atoms(Application):
        if not isinstance(f, (*PLAIN, sp.log, AppliedUndef)):
            raise ValueError(f"{f}: no function of the language; what SymPy knows of it counts for nothing here")
    for s in e.atoms(sp.Symbol, sp.Indexed):
        odd = (
            s.is_nonpositive
            or (s.is_nonzero and not s.is_positive and not is_index(s))
            or s.is_even
            or s.is_odd
            or s.is_prime
        )
        if odd or s.is_real is False:
            raise ValueError(
                f"{s}: declared with an assumption that the rules do not check; expected real, non-negative or positive"
            )
