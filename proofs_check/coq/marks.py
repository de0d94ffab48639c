"""Marks: names that are 0 or 1, defined by what holds where they are 1, or where they are 0."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import sympy as sp

from proofs_check.coq.statements import Definition, Part, head, is_closed, is_total, names
from proofs_check.rules.terms import Relation, V, is_token, strict

__all__ = ["conditions", "free_mark", "largest", "mark", "paired", "picked", "ranked", "token_place", "typed"]


def mark(symbol: sp.Expr, parts: Sequence[Part]) -> Definition | None:
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


def largest(symbol: sp.Expr, parts: Sequence[Part]) -> Definition | None:
    """The mark of a token where an expression is largest: (e[x] - e[y]) z[x] >= 0 for all y, and one is marked."""
    if not isinstance(symbol, sp.Indexed) or not is_token(symbol.indices[-1]):
        return None
    at = symbol.indices[-1]
    if not any(
        statement.relation.lhs == sp.Sum(symbol, (at, 1, V)) or is_total(statement.relation, symbol)
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


def ranked(symbol: sp.Expr, parts: Sequence[Part]) -> Definition | None:
    """The mark of the first n tokens of a set u, where e is largest: of x that has it and y of u that has not, e[x] >= e[y].

    What says so is ``(u[y] - z[y]) (e[x] - e[y]) z[x] >= 0``; z is no more than u, and its sum is min(max(0, n), Σ u).
    """
    if not isinstance(symbol, sp.Indexed) or not is_token(symbol.indices[-1]):
        return None
    if not any(clause.is_flag for clause in parts):
        return None
    at = symbol.indices[-1]
    for clause in parts:
        count = _counted(clause.relation, symbol)
        if count is None:
            continue
        set_entry, number = count
        for clause_of_order in parts:
            e = _ordered_by(clause_of_order.relation, symbol, set_entry)
            if e is not None and is_closed(symbol, [set_entry, number]) and at not in number.free_symbols:
                return Definition(symbol, "ranked", (e, set_entry, number))
    return None


def _counted(r: Relation, symbol: sp.Indexed) -> tuple[Any, Any] | None:
    """The set and the number, where a relation says that a mark's sum is min(max(0, number), the sum over the set)."""
    if r.op != "=" or not isinstance(r.rhs, sp.Min) or len(r.rhs.args) != 2 or _summed(r.lhs, symbol) != symbol:
        return None
    for count, size in (r.rhs.args, r.rhs.args[::-1]):
        set_entry = _summed(size, symbol)
        if set_entry is not None and isinstance(count, sp.Max) and sp.S.Zero in count.args and len(count.args) == 2:
            return set_entry, sum(count.args, sp.S.Zero)
    return None


def _summed(e: sp.Expr, symbol: sp.Indexed) -> Any:
    """What is summed over all tokens, at the last place of a symbol; None where it is no array, or of other places."""
    if not isinstance(e, sp.Sum) or len(e.limits) != 1 or not isinstance(e.function, sp.Indexed):
        return None
    bound, low, high = e.limits[0]
    entry = e.function.xreplace({bound: symbol.indices[-1]})
    return entry if (low, high) == (1, V) and entry.indices == symbol.indices else None


def _ordered_by(r: Relation, symbol: sp.Indexed, set_entry: sp.Expr) -> Any:
    """The expression e, where a relation says ``(u[y] - z[y]) (e[x] - e[y]) z[x] >= 0`` of a mark z and a set u."""
    if r.op != ">=" or r.rhs != 0 or not isinstance(r.lhs, sp.Mul):
        return None
    at = symbol.indices[-1]
    for second in sorted((s for s in r.lhs.free_symbols if is_token(s) and s != at), key=str):
        is_left = set_entry.subs(at, second) - symbol.subs(at, second)
        e_difference = [f for f in r.lhs.args if f not in {symbol, is_left}]
        if len(r.lhs.args) != 3 or len(e_difference) != 1:
            continue
        swapped = e_difference[0].subs({at: second, second: at}, simultaneous=True)
        e = sum((t for t in sp.Add.make_args(e_difference[0]) if second not in t.free_symbols), sp.S.Zero)
        if sp.expand(e_difference[0] + swapped) == 0 and e != 0 and head(symbol) not in names(e):
            return e
    return None


def conditions(symbol: sp.Expr, parts: Sequence[Part]) -> Iterator[Definition]:
    """A mark by all that is to hold where it is 1; and by what is to hold where it is 0, which it is there alone."""
    if not any(clause.is_flag for clause in parts):
        return
    for value, form in ((1, "mark"), (0, "unmarked")):
        if conditions_there := _conditions_where(symbol, parts, value):
            expressions, ops = zip(*conditions_there, strict=True)
            yield Definition(symbol, form, expressions, ops)


def _conditions_where(symbol: sp.Expr, parts: Sequence[Part], value: int) -> list[tuple[Any, str]]:
    """What is to hold where a mark is 1, or where it is 0: expressions and their relations to 0."""
    conditions_there = []
    for clause in parts:
        if clause.is_flag or not clause.is_whole:
            continue
        e = strict(clause.at(value))
        label = head(symbol)
        if sp.expand(e).is_number or not is_closed(symbol, [e]) or label in names(e) or e.has(sp.zoo, sp.nan):
            continue
        conditions_there.append((e, clause.op))
    return list(dict.fromkeys(conditions_there))


def free_mark(symbol: sp.Expr, parts: Sequence[Part]) -> Iterator[Definition]:
    """A mark that is chosen freely where both what holds where it is 1 and what holds where it is 0 let it be."""
    if not any(clause.is_flag for clause in parts):
        return
    conditions = [(e, f"{value}{op}") for value in (1, 0) for e, op in _conditions_where(symbol, parts, value)]
    if conditions:
        expressions, ops = zip(*conditions, strict=True)
        yield Definition(symbol, "free_mark", expressions, ops)


def typed(symbol: sp.Expr, parts: Sequence[Part]) -> Iterator[Definition]:
    """A mark of one token, where the marks are to sum to 1 over all; and a mark of a set: which ones is not said by a formula."""
    if not any(clause.is_flag for clause in parts):
        return
    if isinstance(symbol, sp.Indexed):
        for clause in parts:
            if is_total(clause.relation, symbol):
                at, low, high = clause.relation.lhs.limits[0]
                place = list(clause.relation.lhs.function.indices).index(at)
                if low == 1 and high == V and not symbol.is_integer:
                    yield Definition(symbol, "token", (), (str(place),))
    yield Definition(symbol, "set", ())


def paired(symbol: sp.Expr, parts: Sequence[Part]) -> Definition | None:
    """A mark of one of two tokens, that are not the same, or of none: where another mark has as many, none of them the same."""
    if (
        not isinstance(symbol, sp.Indexed)
        or len(symbol.indices) != 1
        or symbol.is_integer
        or not is_token(symbol.indices[0])
    ):
        return None
    if not any(clause.is_flag for clause in parts):
        return None
    for clause in parts:
        partner = clause.relation.lhs / symbol
        is_apart = clause.op == "=" and clause.relation.rhs == 0 and isinstance(partner, sp.Indexed)
        if (
            is_apart
            and partner.indices == symbol.indices
            and any(are_as_many(p.relation, symbol, partner) for p in parts)
        ):
            return Definition(symbol, "pair", (), (str(head(partner)),))
    return None


def are_as_many(r: Relation, symbol: sp.Indexed, partner: sp.Indexed) -> bool:
    """Whether two marks are said to be as many over all tokens."""
    sides = {_summed(r.lhs, symbol), _summed(r.rhs, symbol)}
    return r.op == "=" and sides == {symbol, partner}


def picked(symbol: sp.Expr, parts: Sequence[Part], one_token: dict[Any, Definition]) -> Iterator[Definition]:
    """What an expression is at a marked token: z, where e[x] h[x] = z h[x] and h marks one token."""
    places = set(symbol.indices) if isinstance(symbol, sp.Indexed) else set()
    for clause in parts:
        if clause.op != "=" or not clause.is_linear:
            continue
        for mark_symbol in sorted(clause.slope.atoms(sp.Indexed), key=str):
            definition = one_token.get(head(mark_symbol))
            factor = sp.cancel(clause.slope / mark_symbol)
            if definition is None or not factor.is_number:
                continue
            at = mark_symbol.indices[token_place(definition)]
            e = sp.cancel(-clause.rest / clause.slope)
            is_free = isinstance(at, sp.Symbol) and at not in places and not e.has(mark_symbol)
            if is_free and sp.fraction(e)[1].is_number and is_closed(symbol, [e.subs(at, V)]):
                yield Definition(symbol, "at", (e, mark_symbol), (str(at),))


def token_place(definition: Definition) -> int:
    """Which argument of a mark of one token is the token."""
    return int(definition.ops[0]) if definition.form == "token" else len(definition.symbol.indices) - 1
