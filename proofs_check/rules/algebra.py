"""What SymPy's expansion shows: that an expression is zero, or a sum of non-negative terms, in every sign pattern."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from proofs_check.rules.smt import branches, polynomial
from proofs_check.rules.terms import REMEMBERED, Relation, spread

__all__ = ["by_algebra", "is_zero", "sign"]


@lru_cache(maxsize=REMEMBERED)
def by_algebra(goal: Relation, using: tuple[Relation, ...], split: bool) -> str | None:
    """How a statement reduces, in words, once equations are used as substitutions lhs → rhs; None where it does not.

    With `split`, in every sign pattern of Min, Max and Abs too, as long as nothing but equations is used.

    >>> a, b = sp.symbols("a b", real=True)
    >>> by_algebra(Relation((a - b) ** 2, ">=", sp.S.Zero), (), False)
    'a sum of non-negative terms'
    >>> by_algebra(Relation(sp.Abs(a), ">=", a), (), True)
    'in each of 2 cases a sum of non-negative terms'
    """
    rest = spread(goal.lhs - goal.rhs)
    for r in using:
        if r.op == "=" and r.lhs != r.rhs and not r.lhs.is_number:  # a number is no name for something else
            rest = spread(spread(rest).subs(spread(r.lhs), spread(r.rhs)))
    if goal.op in {"<=", "<"}:
        rest = -rest
    if _reduces(rest, goal.op):
        return "expands to zero" if goal.op == "=" else "a sum of non-negative terms"
    if not split or not rest.has(sp.Min, sp.Max, sp.Abs) or any(r.op != "=" for r in using):
        return None
    number = 0
    for (expression,), where in branches([rest]):
        number += 1
        if not _reduces(_with_slack(expression, where), goal.op):
            return None
    return f"in each of {number} cases {'expands to zero' if goal.op == '=' else 'a sum of non-negative terms'}"


def _with_slack(expression: sp.Expr, where: Sequence[sp.Expr]) -> sp.Expr:
    """The expression on the set where some linear expressions are ≥ 0: each is named t ≥ 0 and solved for one of its terms."""
    for n, w in enumerate(where):
        w = sp.expand(w)
        for atom in sorted(w.free_symbols - {a.base.label for a in w.atoms(sp.Indexed)}, key=sp.default_sort_key):
            if isinstance(atom, sp.Symbol) and atom.is_integer:
                continue
            slope = sp.diff(w, atom) if isinstance(atom, sp.Symbol) else w.coeff(atom)
            if slope in (1, -1):
                t = sp.Dummy(f"t_{n}", nonnegative=True)
                expression = expression.xreplace({atom: sp.expand((t - (w - slope * atom)) / slope)})
                break
    return sp.expand(expression)


def _reduces(e: sp.Expr, op: str) -> bool:
    if op == "=":
        return is_zero(e)
    return sign(e, op in {">", "<"})


def is_zero(e: sp.Expr) -> bool:
    """Whether an expression expands to zero: as a polynomial, as a fraction, or once its logarithms are those of factors.

    Nothing is simplified, and no sum is evaluated: what no expansion shows to be zero is not seen to be zero.

    >>> a, b = sp.symbols("a b", positive=True)
    >>> is_zero(sp.log(a * b) - sp.log(a) - sp.log(b)), is_zero(1 / a + 1 / b - (a + b) / (a * b)), is_zero(a - b)
    (True, True, False)
    """
    if sp.expand(e) == 0:
        return True
    if polynomial(e):
        return False
    if _fraction_is_zero(e):
        return True
    return bool(e.has(sp.log)) and _fraction_is_zero(e.replace(sp.log, _log_of_factors))


def _fraction_is_zero(e: sp.Expr) -> bool:
    return bool(sp.expand(spread(sp.numer(sp.together(e)))) == 0)


def _log_of_factors(argument: sp.Expr) -> sp.Expr:
    """The logarithm of a product, as a sum over its factors that are positive whatever their names stand for.

    The rest of the product is then positive too, since the whole has a logarithm; it keeps one of its own.
    """
    logarithms: list[sp.Expr] = []
    rest: list[sp.Expr] = []
    for factor in sp.Mul.make_args(sp.factor(sp.together(argument))):
        base, power = factor.as_base_exp()
        if base.is_positive and power.is_real:
            logarithms.append(power * sp.log(base))
        else:
            rest.append(factor)
    return sp.Add(*logarithms, sp.log(sp.Mul(*rest)))


def sign(e: Any, strict: bool = False) -> bool:
    """Whether an expression is seen to be non-negative: a sum of non-negative products, or such a product.

    >>> a, b = sp.symbols("a b", nonnegative=True)
    >>> sign(a * b + a), sign(a - b), sign((a - b)**2)
    (True, False, True)
    """
    top = sp.expand(e)
    if not polynomial(top):
        top, below = sp.fraction(sp.together(top))
        if below != 1:
            return sign(below, True) and sign(top, strict)
        top = sp.expand(top)
    terms = sp.Add.make_args(top)
    if all(t.is_nonnegative or _product(t) for t in terms) and (not strict or any(t.is_positive for t in terms)):
        return True
    factored = sp.factor(top)
    return factored != top and not strict and _product(factored)


def _product(t: sp.Expr) -> bool:
    def factor(f: sp.Expr) -> bool:
        if f.is_nonnegative or (isinstance(f, sp.Sum) and sign(f.function)):
            return True
        if isinstance(f, sp.Pow):
            return bool(f.exp.is_even) or (f.exp.is_positive is True and factor(f.base))
        return isinstance(f, sp.Add) and all(a.is_nonnegative for a in f.args)

    return all(factor(f) for f in sp.Mul.make_args(t))
