"""Whether an expression has a real value wherever it is spoken of: no hidden denominator, logarithm or root without a sign."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import lru_cache
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import Application, AppliedUndef

from proofs_check.rules.terms import REMEMBERED, exact, index

__all__ = ["Condition", "check_symbols", "conditions", "implied", "plain", "smooth"]

PLAIN = (sp.Add, sp.Mul, sp.Min, sp.Max, sp.Abs, sp.exp, sp.erf, sp.Sum, sp.floor, sp.ceiling, sp.KroneckerDelta)
"""Functions with a value at every real argument."""


KINDS = [index("k").assumptions0] + [
    sp.Symbol("s", **kind).assumptions0
    for sign in ({}, {"nonnegative": True}, {"positive": True})
    for kind in ({**sign}, {"real": True, **sign}, {"integer": True, **sign})
]
"""What a name may be declared to be."""


class Condition(NamedTuple):
    """What has to hold so that a part of an expression has a value: ``base sign 0``, at every term of the sums around it."""

    part: sp.Expr
    base: sp.Expr
    sign: str
    where: tuple[Any, ...] = ()

    @property
    def name(self) -> tuple[Any, ...]:
        """Equal for two conditions that say the same."""
        return self.sign, self.base, self.where


@lru_cache(maxsize=REMEMBERED)
def conditions(e: sp.Basic, where: tuple[Any, ...] = ()) -> tuple[Condition, ...]:
    """Under which an expression has a value: of denominators, even roots and logarithms.

    >>> t = sp.Symbol("t", real=True)
    >>> [f"{c.base} {c.sign} 0" for c in conditions(sp.log(t - 1) / (t * (2 - t)) + sp.sqrt(t))]
    ['t >= 0', 't != 0', 't - 2 != 0', 't - 1 > 0']
    """
    if not isinstance(e, (sp.Tuple, sp.Add, sp.Mul, sp.Pow, sp.Sum, sp.Product, sp.Integral, Application)):
        if e.is_Rational or isinstance(e, (sp.Symbol, sp.Indexed)) or e in (sp.E, sp.pi):
            return ()
        raise ValueError(f"{e}: no expression of the language")
    found: list[Condition] = []
    parts: tuple[sp.Basic, ...] = e.args
    if isinstance(e, (sp.Sum, sp.Product, sp.Integral)):
        parts, where = (e.function,), (*where, *e.limits)
        if not isinstance(e, sp.Integral):
            found += [c for limits in e.limits for c in _of_range(e, *limits)]
    elif isinstance(e, sp.Pow):
        found += _of_power(e, where)
    elif isinstance(e, sp.log):
        found.append(_condition(e, e.args[0], ">", where))
    for part in parts:
        found += conditions(part, where)
    return tuple({c.name: c for c in found}.values())


def _of_range(e: sp.Basic, name: sp.Symbol, low: sp.Expr, high: sp.Expr) -> list[Condition]:
    """Of a sum or product: a whole number of terms, none or more; of fewer than none the conventions differ."""
    if not (low.is_integer and high.is_integer):
        raise ValueError(f"{e}: expected whole numbers as ends, got {low} and {high}")
    return [_condition(e, high - low + 1, ">=", ())]


def _of_power(e: sp.Pow, where: tuple[Any, ...]) -> list[Condition]:
    base, power = e.base, e.exp
    if base.is_positive or (power.is_integer and power.is_nonnegative):
        return []
    if power.is_integer:
        factors = [f.base if isinstance(f, sp.Pow) else f for f in sp.Mul.make_args(sp.factor(base))]
        return [_condition(e, f, "!=", where) for f in factors if not f.is_nonzero]
    return [_condition(e, base, ">=" if power.is_Rational and power > 0 else ">", where)]


def _condition(part: sp.Expr, base: sp.Expr, sign: str, where: tuple[Any, ...]) -> Condition:
    """In normal form: the base without a numerical factor, and of one sign where only zero is excluded."""
    _, base = sp.expand(base).as_content_primitive()
    if sign == "!=" and base.could_extract_minus_sign():
        base = -base
    return Condition(part, base, sign, tuple(lim for lim in where if lim[0] in base.free_symbols))


def plain(c: Condition) -> bool:
    """Whether a condition holds by what its names were declared to be."""
    return bool(
        c.base.is_positive or (c.sign == "!=" and c.base.is_nonzero) or (c.sign == ">=" and c.base.is_nonnegative)
    )


def implied(c: Condition, known: Set[tuple[Any, ...]]) -> bool:
    """Whether a condition is one of those whose names are known, or weaker than one."""
    signs = {"!=": ("!=", ">"), ">=": (">=", ">"), ">": (">",)}[c.sign]
    return any(
        (sign, base, c.where) in known for sign in signs for base in ((c.base, -c.base) if sign == "!=" else (c.base,))
    )


def smooth(e: Any, variable: sp.Symbol, positive: Callable[[sp.Expr], bool]) -> sp.Expr | None:
    """First part of a function that may not be differentiable in the variable: see `conditions`; no Min, |·|, floor … of it."""
    e = sp.sympify(e)
    steps = (sp.Min, sp.Max, sp.Abs, sp.floor, sp.ceiling, sp.KroneckerDelta, AppliedUndef)
    rough = [a for a in e.atoms(*steps) if a.has(variable)]
    if rough:
        return rough[0]
    return next(
        (c.part for c in conditions(e) if not (positive(c.base) or (c.sign == "!=" and positive(-c.base)))), None
    )


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
        if isinstance(f, AppliedUndef) and any((f.is_nonnegative, f.is_nonpositive, f.is_nonzero, f.is_integer)):
            raise ValueError(f"{f}: a function is declared with no sign and no kind; nothing shows them")
    for s in e.atoms(sp.Symbol):
        if s.assumptions0 not in KINDS:
            raise ValueError(
                f"{s}: declared with an assumption that the rules do not check; expected real, non-negative or positive"
            )
    for part in sp.preorder_traversal(e):  # SymPy's own classes, functions without a meaning and bound names
        if not str(type(part).__module__).startswith(("sympy.", "None", "proofs_check.rules.")):
            raise ValueError(f"{part}: {type(part).__name__} is no class of the language")
