"""What SymPy's expansion shows: that an expression is zero, or a sum of non-negative terms, in every sign pattern."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import sympy as sp

from proofs_check.rules.smt import RATIONAL, branches, polynomial
from proofs_check.rules.terms import REMEMBERED, Relation, spread

__all__ = ["by_algebra", "sign"]


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
        return _zero(e)
    return sign(e, op in {">", "<"})


def _zero(e: sp.Expr) -> bool:
    if sp.expand(e) == 0:
        return True
    if polynomial(e):
        return False
    if sp.expand(spread(sp.numer(sp.together(e)))) == 0:
        return True
    try:
        return _open(e) and sp.simplify(e) == 0
    except (StopIteration, NotImplementedError, TypeError):  # what SymPy cannot simplify it does not show to be zero
        return False


def _open(e: sp.Expr) -> bool:
    """Whether there is more than a rational function of what counts as a name: such a fraction, whose numerator does not
    expand to zero, is not zero.
    """
    if any(f.exp.is_negative is not False for s in e.atoms(sp.Sum) for f in s.function.atoms(sp.Pow)):
        return True  # fractions under two sums may add to one
    parts = (a for a in sp.preorder_traversal(e) if not (isinstance(a, sp.Pow) and a.exp.is_Integer))
    return any(not a.is_Atom and type(a) not in RATIONAL for a in parts)


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
