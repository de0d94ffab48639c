"""Whether an expression has a real value wherever it is spoken of: no hidden denominator, logarithm or root without a sign."""

from __future__ import annotations

from collections.abc import Callable, Set
from functools import lru_cache
from math import gcd
from typing import Any, NamedTuple

import sympy as sp
from sympy.core.function import Application, AppliedUndef, UndefinedFunction

from proofs_check.rules.terms import REMEMBERED, Bound, Relation, Sum, free, index, is_bound, strict

__all__ = [
    "OPERATORS",
    "Condition",
    "check_relation",
    "check_symbols",
    "conditions",
    "implied",
    "plain",
    "smooth",
    "whole",
]

PLAIN = (sp.Add, sp.Mul, sp.Min, sp.Max, sp.Abs, sp.exp, sp.erf, Sum, sp.floor, sp.ceiling, sp.KroneckerDelta)
"""Functions with a value at every real argument."""


OPERATORS = ("=", "<=", ">=", "<", ">")
CLASSES = frozenset(
    {
        *PLAIN,
        sp.log,
        sp.Pow,
        sp.Tuple,
        sp.Symbol,
        Bound,
        sp.Indexed,
        sp.IndexedBase,
        sp.Integer,
        sp.Rational,
    }
    | {type(c) for c in (sp.S.Zero, sp.S.One, sp.S.NegativeOne, sp.S.Half, sp.E, sp.pi)}
)
"""Every class of the language, itself and not one made from it: a class says of itself what it likes."""
FUNCTIONS = [(frozenset(vars(f)), dict(f.default_assumptions)) for f in (sp.Function("f"), sp.Function("f", real=True))]
"""What a function without a meaning has and may be declared to be."""
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
    if not isinstance(e, (sp.Tuple, sp.Add, sp.Mul, sp.Pow, Sum, sp.Indexed, Application)):
        if e.is_Rational or isinstance(e, sp.Symbol) or e in (sp.E, sp.pi):
            return ()
        raise ValueError(f"{e}: no expression of the language")
    requirements: list[Condition] = []
    parts: tuple[sp.Basic, ...] = e.indices if isinstance(e, sp.Indexed) else e.args
    if isinstance(e, Sum):
        requirements += [c for _, *ends in e.limits for end in ends for c in conditions(end, where)]
        parts = (e.function,)
        where = (*where, *e.limits)
        requirements += [c for limits in e.limits for c in _of_range(e, *limits)]
    elif isinstance(e, sp.Pow):
        requirements += _of_power(e, where)
    elif isinstance(e, sp.log):
        requirements.append(_condition(e, e.args[0], ">", where))
    for operand in parts:
        requirements += conditions(operand, where)
    return tuple({c.name: c for c in requirements}.values())


def _of_range(e: sp.Basic, name: sp.Symbol, low: sp.Expr, high: sp.Expr) -> list[Condition]:
    """Of a sum: a whole number of terms, none or more; of fewer than none the conventions differ."""
    if not (low.is_integer and high.is_integer):
        raise ValueError(f"{e}: expected whole numbers as ends, got {low} and {high}")
    return [_condition(e, high - low + 1, ">=", ())]


def _of_power(e: sp.Pow, where: tuple[Any, ...]) -> list[Condition]:
    base = e.base
    power = e.exp
    if base.is_positive or (power.is_integer and power.is_nonnegative):
        return []
    if power.is_integer:
        factors = [f.base if isinstance(f, sp.Pow) else f for f in sp.Mul.make_args(sp.factor(base))]
        return [_condition(e, f, "!=", where) for f in factors if not f.is_nonzero]
    return [_condition(e, base, ">=" if power.is_Rational and power > 0 else ">", where)]


def _condition(expression: sp.Expr, base: sp.Expr, sign: str, where: tuple[Any, ...]) -> Condition:
    """In normal form: the base without a numerical factor, and of one sign where only zero is excluded."""
    _, base = sp.expand(base).as_content_primitive()
    if sign == "!=" and base.could_extract_minus_sign():
        base = -base
    return Condition(expression, base, sign, tuple(lim for lim in where if lim[0] in base.free_symbols))


def plain(c: Condition) -> bool:
    """Whether a condition holds by what its names were declared to be."""
    return bool(
        c.base.is_positive or (c.sign == "!=" and c.base.is_nonzero) or (c.sign == ">=" and c.base.is_nonnegative)
    )


def whole(e: sp.Expr) -> bool:
    """Whether an expression is a whole number, by what its names were declared to be: finite sums and products of such are.

    >>> u, a = sp.IndexedBase("u", integer=True), sp.IndexedBase("a", real=True)
    >>> k, V = sp.symbols("k V", integer=True, positive=True)
    >>> whole(2 * Sum(u[k], (k, 1, V)) + V), whole(Sum(u[k] / 2, (k, 1, V))), whole(Sum(a[k], (k, 1, V)))
    (True, False, False)
    """
    if e.is_integer:
        return True
    parts = (e.function,) if isinstance(e, Sum) else e.args if isinstance(e, (sp.Add, sp.Mul)) else ()
    return bool(parts) and all(map(whole, parts))


def implied(c: Condition, known_names: Set[tuple[Any, ...]]) -> bool:
    """Whether a condition is one of those whose names are known, or weaker than one."""
    signs = {"!=": ("!=", ">"), ">=": (">=", ">"), ">": (">",)}[c.sign]
    return any(
        (sign, base, c.where) in known_names
        for sign in signs
        for base in ((c.base, -c.base) if sign == "!=" else (c.base,))
    )


def smooth(e: Any, variable: sp.Symbol, positive: Callable[[sp.Expr], bool]) -> sp.Expr | None:
    """First part of a function that may not be differentiable in the variable: see `conditions`; no Min, |·|, floor … of it."""
    e = strict(e)
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
    e = strict(e)
    _check(e)
    if loose := [s for s in free(e) if is_bound(s)]:
        raise ValueError(f"{e}: {loose[0]} is the bound name of a sum; it stands for nothing by itself")


def check_relation(r: Any) -> None:
    """Refuse what is no statement of the language: another class, another operator, other expressions."""
    if type(r) is not Relation or type(r.op) is not str or r.op not in OPERATORS:
        raise ValueError(f"{r}: expected a statement with one of {' '.join(OPERATORS)}")
    for side in (r.lhs, r.rhs):
        if not isinstance(side, sp.Basic):
            raise ValueError(f"{side}: expected an expression, got {type(side).__name__}")
        check_symbols(side)


_CHECKED: dict[int, sp.Basic] = {}
"""Expressions that are of the language, by identity: equality is for their own classes to say."""


def _check(e: sp.Basic) -> None:
    if _CHECKED.get(id(e)) is e:
        return
    for kind, wrong in WRONG:
        if (kind is None or isinstance(e, kind)) and (why := wrong(e)):
            raise ValueError(f"{e}: {why}")
    for argument in e.args:
        _check(argument)
    if len(_CHECKED) > 1 << 17:
        _CHECKED.clear()
    _CHECKED[id(e)] = e


def _class(e: sp.Basic) -> str | None:
    if e in (sp.nan, sp.zoo, sp.oo, -sp.oo, sp.I):
        return "expected exact real numbers"
    if isinstance(e, sp.Float):
        return "expected exact numbers; a float is rounded"
    if isinstance(e, Application) and type(e) not in CLASSES and not isinstance(type(e), UndefinedFunction):
        return "no function of the language; what SymPy knows of it counts for nothing here"
    if type(e) not in CLASSES and not isinstance(e, AppliedUndef):
        return f"{type(e).__name__} is no class of the language"
    return None


def _number(e: sp.Rational) -> str | None:
    is_integer = isinstance(e, sp.Integer)
    return None if e.q > 0 and gcd(e.p, e.q) == 1 and is_integer == (e.q == 1) else "expected a number in lowest terms"


def _symbol(e: sp.Symbol) -> str | None:
    if type(e.name) is not str:
        return "expected a plain text as a name"
    if e.assumptions0 not in KINDS:
        return "declared with an assumption that the rules do not check; expected real, non-negative or positive"
    return None


def _function(e: AppliedUndef) -> str | None:
    if (vars(type(e)).keys(), dict(type(e).default_assumptions)) not in FUNCTIONS:
        return "a function is declared with no sign and no kind; nothing shows them"
    return None


def _array(e: sp.IndexedBase) -> str | None:
    if not isinstance(e.label, sp.Symbol) or e.assumptions0 != e.label.assumptions0 or e.assumptions0 == KINDS[0]:
        return "an array is declared by its name, with one sign and kind"
    return None


def _places(e: sp.Indexed) -> str | None:
    return None if all(k.is_integer for k in e.indices) else "the places of an array are whole numbers"


def _limits(e: Any) -> str | None:
    return (
        None
        if all(len(lim) == 3 and is_bound(lim[0]) for lim in e.limits)
        else "expected bound names, made by eq, le, …"
    )


def _delta(e: sp.KroneckerDelta) -> str | None:
    if len(e.args) != 2:
        return "a Kronecker delta is one of two numbers"
    return None if all(k.is_integer for k in e.args) else "a Kronecker delta is of whole numbers"  # as SymPy sums it


WRONG: tuple[tuple[Any, Callable[[Any], str | None]], ...] = (
    (None, _class),
    (sp.Rational, _number),
    (sp.Symbol, _symbol),
    (AppliedUndef, _function),
    (sp.IndexedBase, _array),
    (sp.Indexed, _places),
    (sp.Sum, _limits),
    (sp.KroneckerDelta, _delta),
)
"""What is wrong with an expression, by its class; its parts are asked in turn."""
