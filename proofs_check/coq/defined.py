"""Names that a derivation is given equations of, as definitions: what it is given of them is then proved in Coq.

A given such as ``r[x] Σ max(0, p - q) = max(0, p - q)`` says what r is, and assumes nothing of p and q.  Here r becomes a
`Definition`, by the form of what is given, and the given a lemma about it.  A derivation holds for all names that meet its
givens; so it holds for those that are defined, and what is proved of them is no assumption.

This file finds the definitions; `proofs_check.coq.bridge` has Coq decide whether they meet what is given.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coq.facts import Facts, Premise
from proofs_check.coq.trace import Traced
from proofs_check.rules.terms import Relation, V, is_token

__all__ = ["Definition", "Said", "about", "definitions", "head", "names", "said"]


class Said(NamedTuple):
    """A statement of a given: its name, its place among the given's statements, and the relation."""

    given_name: str
    place: int
    relation: Relation


class Definition(NamedTuple):
    """A name with its arguments, the form of its definition, and the expressions that the form takes.

    The forms are those of ``defined.v``: "is" an expression, "over" (numerator, denominator), "is_zero", "not_below" (what is
    compared with 0, a factor), "or_not_below" (another mark, what is compared), "at_largest" (an expression of the last
    argument), "sqrt" and "whole" part of an expression.
    """

    symbol: Any
    form: str
    of: tuple[Any, ...]

    @property
    def label(self) -> Any:
        """The name alone."""
        return head(self.symbol)

    @property
    def uses(self) -> set[Any]:
        """Labels and numbers in its meaning."""
        return set().union(*[names(e) for e in self.of])


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
    e = sp.sympify(e)
    labels = {a.base.label for a in e.atoms(sp.Indexed)}
    return labels | {s for s in e.free_symbols if isinstance(s, sp.Symbol) and not s.is_integer}


def said(d: Traced) -> list[Said]:
    """What a derivation is given, one statement after the other: nothing that it supposes, cites or takes from another claim."""
    return [
        Said(name, place, relation)
        for name, relations in d.givens.items()
        if name not in d.supposed and name not in d.at_hand and name not in d.theorems and "(see " not in name
        for place, relation in enumerate(relations)
    ]


def definitions(d: Traced) -> list[Definition]:
    """Definitions that the form of what is given suggests, each of earlier names and free ones, in their order."""
    statements = said(d)
    candidates: dict[Any, Definition] = {}
    first_said = _first_said(statements)
    facts = Facts(d)
    for label in sorted({n for s in statements for n in _names_of(s.relation)}, key=lambda n: (-first_said[n], str(n))):
        statements_of_name = [s for s in statements if label in _names_of(s.relation) and s.given_name not in d.assumed]
        definition = _found(d, facts, label, statements_of_name, statements, first_said)
        if definition and not _is_circular(definition, candidates):
            candidates[label] = definition
    return _ordered(candidates)


def about(statements: Sequence[Said]) -> list[set[Any]]:
    """For each statement the names that it is about: of those in it, those that are mentioned last."""
    first_said = _first_said(statements)
    latest = [max((first_said[n] for n in _names_of(s.relation)), default=0) for s in statements]
    return [{n for n in _names_of(s.relation) if first_said[n] == at} for s, at in zip(statements, latest, strict=True)]


def _names_of(r: Relation) -> set[Any]:
    return names(r.lhs) | names(r.rhs)


def _first_said(statements: Sequence[Said]) -> dict[Any, int]:
    """For each name the place of the first statement that mentions it, its declaration included."""
    places: dict[Any, int] = {}
    for n, s in enumerate(statements):
        for name in _names_of(s.relation):
            places.setdefault(name, n)
    return places


def _is_circular(new: Definition, others: Mapping[Any, Definition]) -> bool:
    waiting = list(new.uses)
    visited: set[Any] = set()
    while waiting:
        name = waiting.pop()
        if name == new.label:
            return True
        if name in others and name not in visited:
            visited.add(name)
            waiting += others[name].uses
    return False


def _ordered(candidates: Mapping[Any, Definition]) -> list[Definition]:
    """Each after those that it uses."""
    order: list[Definition] = []
    waiting = dict(candidates)
    while waiting:
        ready = sorted((n for n, c in waiting.items() if not c.uses & waiting.keys()), key=str)
        order += [waiting.pop(n) for n in ready]
    return order


def _found(
    d: Traced,
    facts: Facts,
    label: sp.Symbol,
    statements: Sequence[Said],
    all_statements: Sequence[Said],
    first_said: Mapping[Any, int],
) -> Definition | None:
    """The definition of a name by one of the forms, or None."""
    if label in d.made_of or any(label == m.label for m in d.maps):
        return None
    symbol = next((o for s in statements for o in _occurrences(label, [s]) if _is_general(o, facts, s)), None)
    if symbol is None:
        return None
    unknown = sp.Dummy("unknown", real=True)
    parts = [_Part(s.relation, unknown, symbol) for s in statements]
    rules = (
        lambda: _whole(symbol, parts, all_statements),
        lambda: _mark(symbol, parts),
        lambda: _largest(symbol, parts),
        lambda: _equation(symbol, parts, first_said),
    )
    for rule in rules:
        definition = rule()
        if definition and _is_closed(definition):
            return definition
    return None


def _occurrences(label: sp.Symbol, statements: Iterable[Said]) -> list[Any]:
    """How a name occurs: with which places; bound names of sums stand for themselves."""
    sides = [side for s in statements for side in (s.relation.lhs, s.relation.rhs)]
    arrays = {a for side in sides for a in side.atoms(sp.Indexed) if a.base.label == label}
    numbers = {label for side in sides if label in side.free_symbols}
    return sorted(arrays or numbers, key=str)


def _is_general(symbol: sp.Expr, facts: Facts, s: Said) -> bool:
    """Whether it stands at places that are names, each another one and for all of which the statement holds."""
    places = symbol.indices if isinstance(symbol, sp.Indexed) else ()
    fixed = facts.fixed(Premise(s.given_name, s.place))
    return all(isinstance(k, sp.Symbol) and k not in fixed for k in places) and len(set(places)) == len(places)


def _is_closed(definition: Definition) -> bool:
    """Whether its meaning depends on its arguments alone."""
    places = set(definition.symbol.indices) if isinstance(definition.symbol, sp.Indexed) else set()
    free = set().union(*[sp.sympify(e).free_symbols for e in definition.of])
    return all(s in places or s == V or not s.is_integer or _is_label(s, definition) for s in free if _is_number(s))


def _is_number(s: sp.Basic) -> bool:
    return isinstance(s, sp.Symbol)


def _is_label(s: sp.Basic, definition: Definition) -> bool:
    return any(s == a.base.label for e in definition.of for a in sp.sympify(e).atoms(sp.Indexed))


class _Part:
    """A statement as A z + B against 0, where that is its form: z the unknown, and neither holds it."""

    def __init__(self, relation: Relation, unknown: sp.Dummy, symbol: sp.Expr) -> None:
        self.op = relation.op
        self.relation = relation
        self.unknown = unknown
        label = head(symbol)
        inside = {k: sp.Dummy(k.name, integer=True) for s in (relation.lhs, relation.rhs) for k in _bound(s)}
        difference = (relation.lhs - relation.rhs).subs(symbol, unknown) if not inside else relation.lhs - relation.rhs
        if inside:  # a name under a sum is another one than the argument of the same name
            difference = _outside(relation.lhs, symbol, unknown) - _outside(relation.rhs, symbol, unknown)
        self.whole = sp.expand(difference)
        self.is_whole = label not in names(self.whole)
        is_polynomial = self.is_whole and _is_polynomial(self.whole, unknown)
        self.slope: Any = sp.expand(sp.diff(self.whole, unknown)) if is_polynomial else None
        self.rest: Any = self.whole.subs(unknown, 0) if is_polynomial else None

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


def _bound(e: sp.Expr) -> set[Any]:
    return {limit[0] for s in sp.sympify(e).atoms(sp.Sum) for limit in s.limits}


def _outside(e: sp.Expr, symbol: sp.Expr, unknown: sp.Dummy) -> Any:
    """An expression with the unknown for a symbol, except where a sum binds a name of its places."""
    e = sp.sympify(e)
    if e == symbol:
        return unknown
    if isinstance(e, sp.Sum):
        places = set(symbol.indices) if isinstance(symbol, sp.Indexed) else set()
        if places & {limit[0] for limit in e.limits}:
            return e
    return e.func(*[_outside(a, symbol, unknown) for a in e.args]) if e.args and not isinstance(e, sp.Indexed) else e


def _is_polynomial(e: sp.Expr, unknown: sp.Dummy) -> bool:
    return bool(e.is_polynomial(unknown)) and not any(
        unknown in a.free_symbols for a in e.atoms(sp.Min, sp.Max, sp.Abs, sp.Sum, sp.exp, sp.log)
    )


def _whole(symbol: sp.Expr, parts: Sequence[_Part], statements: Sequence[Said]) -> Definition | None:
    """n, the whole part of e, where f = e - n is another name, which is 0 or more and below 1."""
    for statement in parts:
        f = statement.relation.lhs
        if (
            statement.op != "="
            or not statement.is_linear
            or not isinstance(f, (sp.Indexed, sp.Symbol))
            or head(f) == head(symbol)
        ):
            continue
        ranges = {(s.relation.op, s.relation.rhs) for s in statements if s.relation.lhs == f}
        e = sp.expand(statement.relation.rhs + symbol)
        if {(">=", sp.S.Zero), ("<", sp.S.One)} <= ranges and head(symbol) not in names(e):
            return Definition(symbol, "whole", (e,))
    return None


def _mark(symbol: sp.Expr, parts: Sequence[_Part]) -> Definition | None:
    """A mark that is 0 or 1, by what it is where it is 1 and where it is 0."""
    if not any(statement.is_flag for statement in parts):
        return None
    linear = [statement for statement in parts if statement.is_linear]
    for statement in linear:
        if (
            statement.op == "="
            and statement.is_product
            and any(
                opposite.op == ">" and opposite.slope == 1 and sp.expand(opposite.rest - statement.slope) == 0
                for opposite in linear
            )
        ):
            return Definition(symbol, "is_zero", (statement.slope,))
    for statement in linear:
        e = statement.slope
        if statement.op != ">=":
            continue
        for opposite in linear:
            if opposite is statement or opposite.op not in {">=", "<=", ">"}:
                continue
            if opposite.op == ">":
                slope = opposite.slope - 1
                rest = opposite.rest
            else:
                turn = 1 if opposite.op == ">=" else -1
                slope = turn * opposite.slope
                rest = turn * opposite.rest
            if sp.expand(slope - e) != 0:  # the other is (u - z)(-e) >= 0
                continue
            top = sp.cancel(-rest / e)
            if statement.rest == 0 and top.is_polynomial() and not top.has(sp.zoo, sp.nan):
                return Definition(symbol, "not_below", (e, top))
            other_mark = sp.cancel(-statement.rest / e)
            if top == 1 and isinstance(other_mark, (sp.Indexed, sp.Symbol)):
                return Definition(symbol, "or_not_below", (other_mark, e))
    return None


def _largest(symbol: sp.Expr, parts: Sequence[_Part]) -> Definition | None:
    """The mark of a token where an expression is largest: (e[x] - e[y]) z[x] >= 0 for all y, and one is marked."""
    if not isinstance(symbol, sp.Indexed) or not is_token(symbol.indices[-1]):
        return None
    at = symbol.indices[-1]
    if not any(
        statement.relation.lhs == sp.Sum(symbol, (at, 1, V)) or _is_total(statement.relation, symbol)
        for statement in parts
    ):
        return None
    for statement in parts:
        if statement.op == ">=" and statement.is_product:
            others = [s for s in statement.slope.free_symbols if is_token(s) and s != at]
            if len(others) == 1:
                swapped = statement.slope.subs({at: others[0], others[0]: at}, simultaneous=True)
                e = sum((t for t in sp.Add.make_args(statement.slope) if others[0] not in t.free_symbols), sp.S.Zero)
                if sp.expand(statement.slope + swapped) == 0 and e != 0:
                    return Definition(symbol, "at_largest", (e,))
    return None


def _is_total(r: Relation, symbol: sp.Expr) -> bool:
    """Whether it says that the entries at all tokens sum to 1."""
    s = r.lhs
    return (
        r.op == "="
        and r.rhs == 1
        and isinstance(s, sp.Sum)
        and isinstance(s.function, sp.Indexed)
        and s.function.base.label == symbol.base.label
    )


def _equation(symbol: sp.Expr, parts: Sequence[_Part], first_said: Mapping[Any, int]) -> Definition | None:
    """z = e, z e = f, or z² = e, where no other name in it was said of later."""
    if symbol.is_integer:
        return None
    for statement in (p for p in parts if p.op == "=" and not p.is_flag):
        position = first_said[head(symbol)]
        sole = symbol in (statement.relation.lhs, statement.relation.rhs)
        later = [n for n in _names_of(statement.relation) - {head(symbol)} if first_said[n] > position]
        if later and not sole:
            continue
        if statement.is_linear:
            if statement.slope.is_number:
                return Definition(symbol, "is", (sp.expand(-statement.rest / statement.slope),))
            if statement.slope.could_extract_minus_sign():
                return Definition(symbol, "over", (statement.rest, sp.factor(-statement.slope)))
            return Definition(symbol, "over", (-statement.rest, sp.factor(statement.slope)))
        z = statement.unknown
        if statement.slope is not None and sp.expand(statement.slope - 2 * z) == 0:
            return Definition(symbol, "sqrt", (sp.expand(-statement.rest),))
    return None
