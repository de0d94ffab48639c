"""Statements that a derivation is given, as what they say of one name; and definitions of names, as data."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.rules.terms import Relation, V, strict

__all__ = [
    "FREE",
    "TYPED",
    "Definition",
    "Part",
    "Said",
    "bound_names",
    "head",
    "is_closed",
    "is_polynomial",
    "is_total",
    "names",
]

TYPED = frozenset({"token", "pair", "set", "number"})
"""Forms that choose freely what a name is, among the marks of one token, or of a set, or among whole numbers."""

FREE = "free"
"""Of a quotient: what it is where its denominator is 0 is a variable with the range that is given of the quotient."""


class Said(NamedTuple):
    """A statement of a given: its name, its place among the given's statements, and the relation."""

    given_name: str
    place: int
    relation: Relation


class Definition(NamedTuple):
    """A name with its arguments, the form of its definition, and the expressions that the form takes.

    The forms are those of ``defined.v``: "is" an expression, "over" (numerator, denominator; what it is where the denominator
    is 0, "0", "1" or `FREE`), "is_zero", "not_below" (what is compared with 0, a factor), "or_not_below" (another mark, what
    is compared), "at_largest" (an expression of the last argument), "sqrt" and "whole" part of an expression, "mark" where all
    of some expressions are in relations `ops` to 0, "unmarked" where not all are; "free_mark" (`ops` begin with the mark's
    value where the relation is to hold), chosen freely where both values may be; "ranked" (an expression of the last argument,
    the set, a number), the first so many of a set; "along" texts, a quotient of what the name is before (numerator,
    denominator, first value; the map to a text with one token more, and that token); "token" (the argument that is one token,
    chosen freely), "pair" (with which other name it marks two tokens that differ, or none), "set" (any) and "number" (any
    whole number) are typed variables.
    """

    symbol: Any
    form: str
    of: tuple[Any, ...]
    ops: tuple[str, ...] = ()

    @property
    def label(self) -> Any:
        """The name alone."""
        return head(self.symbol)

    @property
    def key(self) -> str:
        """A short hash of the symbol, the form and what the form takes: records name by it what was tried.

        >>> z = sp.Symbol("z")
        >>> len(Definition(z, "is", (z + 1,)).key), Definition(z, "is", (z + 1,)).key == Definition(z, "is", (z,)).key
        (12, False)
        """
        return sha256("; ".join(map(str, (self.symbol, self.form, *self.of, *self.ops))).encode()).hexdigest()[:12]

    @property
    def uses(self) -> set[Any]:
        """Labels and numbers in its meaning."""
        return set().union(*[names(e) for e in self.of])

    @property
    def is_free_at_zero(self) -> bool:
        """Whether it is a quotient that is any number of its range where its denominator is 0."""
        return self.form == "over" and self.ops == (FREE,)

    @property
    def is_free_somewhere(self) -> bool:
        """Whether it is chosen freely at some places, and defined at the others."""
        return self.is_free_at_zero or self.form == "free_mark"

    @property
    def is_typed(self) -> bool:
        """Whether it is a variable of a type of its own: the mark of one token, or of a set, or a whole number."""
        return self.form in TYPED


def head(symbol: sp.Expr) -> Any:
    """The label of an array's entry, or the symbol.

    >>> str(head(sp.IndexedBase("r")[sp.Symbol("x", integer=True)]))
    'r'
    """
    return symbol.base.label if isinstance(symbol, sp.Indexed) else symbol


def names(e: sp.Expr) -> set[Any]:
    """The labels of arrays and the numbers in an expression; no tokens, places or bound names.

    >>> x = sp.Symbol("x", integer=True)
    >>> sorted(map(str, names(sp.IndexedBase("r")[x] * sp.Symbol("a", real=True))))
    ['a', 'r']
    """
    e = strict(e)
    labels = {a.base.label for a in e.atoms(sp.Indexed)}
    return labels | {s for s in e.free_symbols if isinstance(s, sp.Symbol) and not s.is_integer}


def bound_names(e: sp.Expr) -> set[Any]:
    """What the sums in an expression range over."""
    return {limit[0] for s in strict(e).atoms(sp.Sum) for limit in s.limits}


def is_closed(symbol: sp.Expr, of: Sequence[Any]) -> bool:
    """Whether expressions depend on no token or index but the places of a name.

    >>> from proofs_check.rules.terms import x, y
    >>> r, p = sp.IndexedBase("r"), sp.IndexedBase("p")
    >>> is_closed(r[x], [p[x]]), is_closed(r[x], [p[y]])
    (True, False)
    """
    places = set(symbol.indices) if isinstance(symbol, sp.Indexed) else set()
    labels = {a.base.label for e in of for a in strict(e).atoms(sp.Indexed)}
    free = set().union(*[strict(e).free_symbols for e in of])
    return all(s in places or s == V or not s.is_integer or s in labels for s in free if isinstance(s, sp.Symbol))


def is_total(r: Relation, symbol: sp.Expr) -> bool:
    """Whether it says that the entries at all tokens sum to 1."""
    s = r.lhs
    return (
        r.op == "="
        and r.rhs == 1
        and isinstance(s, sp.Sum)
        and isinstance(s.function, sp.Indexed)
        and s.function.base.label == symbol.base.label
    )


class Part:
    """A statement as A z + B against 0, where that is its form: z the unknown, and neither holds it."""

    def __init__(self, relation: Relation, unknown: sp.Dummy, symbol: sp.Expr) -> None:
        self.op = relation.op
        self.relation = relation
        self.unknown = unknown
        label = head(symbol)
        inside = {k: sp.Dummy(k.name, integer=True) for s in (relation.lhs, relation.rhs) for k in bound_names(s)}
        difference = (relation.lhs - relation.rhs).subs(symbol, unknown) if not inside else relation.lhs - relation.rhs
        if inside:  # a name under a sum is another one than the argument of the same name
            difference = _outside(relation.lhs, symbol, unknown) - _outside(relation.rhs, symbol, unknown)
        self.difference = difference
        self.whole = sp.expand(difference)
        self.is_whole = label not in names(self.whole)
        has_slope = self.is_whole and is_polynomial(self.whole, unknown)
        self.slope: Any = sp.expand(sp.diff(self.whole, unknown)) if has_slope else None
        self.rest: Any = self.whole.subs(unknown, 0) if has_slope else None

    @property
    def is_linear(self) -> bool:
        """Whether it is A z + B, with A not 0."""
        return self.slope is not None and not self.slope.has(self.unknown) and self.slope != 0

    @property
    def is_flag(self) -> bool:
        """Whether it says that z is 0 or 1."""
        z = self.unknown
        return self.op == "=" and self.is_whole and any(sp.expand(self.whole - s * (z - z**2)) == 0 for s in (1, -1))

    @property
    def is_product(self) -> bool:
        """Whether it is A z against 0."""
        return self.is_linear and self.rest == 0

    def at(self, value: int) -> Any:
        """The two sides' difference where z has a value."""
        return self.difference.subs(self.unknown, value)


def _outside(e: sp.Expr, symbol: sp.Expr, unknown: sp.Dummy) -> Any:
    """An expression with the unknown for a symbol, except where a sum binds a name of its places."""
    e = strict(e)
    if e == symbol:
        return unknown
    if isinstance(e, sp.Sum):
        places = set(symbol.indices) if isinstance(symbol, sp.Indexed) else set()
        if places & {limit[0] for limit in e.limits}:
            return e
    return e.func(*[_outside(a, symbol, unknown) for a in e.args]) if e.args and not isinstance(e, sp.Indexed) else e


def is_polynomial(e: sp.Expr, unknown: sp.Dummy) -> bool:
    """Whether an expression is a polynomial in an unknown, which no function in it holds."""
    return bool(e.is_polynomial(unknown)) and not any(
        unknown in a.free_symbols for a in e.atoms(sp.Min, sp.Max, sp.Abs, sp.Sum, sp.exp, sp.log)
    )
