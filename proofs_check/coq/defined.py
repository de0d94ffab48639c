"""Names that a derivation is given equations of, as definitions: what it is given of them is then proved in Coq.

A given such as ``r[x] Σ max(0, p - q) = max(0, p - q)`` says what r is, and assumes nothing of p and q.  Here r becomes a
`Definition`, by the form of what is given, and the given a lemma about it.  A derivation holds for all names that meet its
givens; so it holds for those that are defined, and what is proved of them is no assumption.

This file finds the definitions; `proofs_check.coq.bridge` has Coq decide whether they meet what is given.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import sympy as sp

from proofs_check.coq.facts import Facts, Premise
from proofs_check.coq.marks import conditions, free_mark, largest, mark, paired, picked, ranked, typed
from proofs_check.coq.statements import FREE, Definition, Part, Said, head, is_closed, is_total, names
from proofs_check.coq.texts import after_each_token, child_map
from proofs_check.coq.trace import Traced
from proofs_check.coq.wellfounded import Meanings
from proofs_check.rules.terms import Relation, is_token

__all__ = ["about", "definitions", "ordered", "said"]


def said(d: Traced) -> list[Said]:
    """What a derivation is given, one statement after the other: nothing that it supposes, cites or takes from another claim."""
    return [
        Said(name, place, relation)
        for name, relations in d.givens.items()
        if name not in d.supposed and name not in d.at_hand and name not in d.theorems and "(see " not in name
        for place, relation in enumerate(relations)
    ]


def definitions(
    d: Traced, failed: Collection[str] = (), numbers: Collection[str] = (), tokens_first: bool = False
) -> list[Definition]:
    """Definitions that the form of what is given suggests, each of earlier names and free ones, in their order.

    Of each name the first suggestion whose key has not `failed`, and that makes no name depend on itself.  Real `numbers` are
    whole ones, whatever they are: variables of that type.  With `tokens_first` a mark of one token is chosen freely rather than
    by what is said of it where it is 1.
    """
    statements = said(d)
    facts = Facts(d)
    meanings = Meanings(d)
    first_said = _first_said(statements, meanings.of)
    labels = sorted({n for s in statements for n in _names_of(s.relation)}, key=lambda n: (-first_said[n], str(n)))
    of_name = {
        label: _Named(d, facts, label, [s for s in statements if label in _names_of(s.relation)]) for label in labels
    }
    candidates: dict[Any, Definition] = {}

    def choose(label: Any, suggestions: Iterable[Definition]) -> None:
        for definition in suggestions:
            if definition.key not in failed and meanings.allow(definition, candidates):
                candidates[label] = definition
                return

    child = child_map(d, statements)
    for label in labels:
        choose(label, _suggested(of_name[label], statements, first_said, tokens_first))
        if label not in candidates and str(label) in numbers and isinstance(of_name[label].symbol, sp.Symbol):
            choose(label, [Definition(label, "number", ())])
        if label not in candidates:
            named = of_name[label]
            choose(label, after_each_token(named.symbol, named.statements, facts, child))
    _drop_single_pairs(candidates)
    one_token = {n: c for n, c in candidates.items() if c.form in {"token", "pair", "at_largest"}}
    for label in labels:
        named = of_name[label]
        if label not in one_token and named.symbol is not None:
            previous = candidates.pop(label, None)
            choose(label, picked(named.symbol, named.parts, one_token))
            if label not in candidates and previous is not None:
                candidates[label] = previous
    return ordered(candidates)


def _drop_single_pairs(candidates: dict[Any, Definition]) -> None:
    """Leave out the marks of one of two tokens whose other one is defined by something else."""
    pairs = {str(label) for label, c in candidates.items() if c.form == "pair"}
    for label, c in list(candidates.items()):
        if c.form == "pair" and c.ops[0] not in pairs:
            del candidates[label]


def about(statements: Sequence[Said], known: Collection[Any] = ()) -> list[set[Any]]:
    """For each statement the names that it is about: of those in it that are not `known`, those that are mentioned last."""
    first_said = _first_said(statements, known)
    latest = [max((first_said[n] for n in _names_of(s.relation)), default=0) for s in statements]
    return [{n for n in _names_of(s.relation) if first_said[n] == at} for s, at in zip(statements, latest, strict=True)]


def _names_of(r: Relation) -> set[Any]:
    return names(r.lhs) | names(r.rhs)


def _first_said(statements: Sequence[Said], known: Collection[Any]) -> dict[Any, int]:
    """For each name the place of the first statement that mentions it, its declaration included; `known` ones are before."""
    places: dict[Any, int] = dict.fromkeys(known, -1)
    for n, s in enumerate(statements):
        for name in _names_of(s.relation):
            places.setdefault(name, n)
    return places


def ordered(candidates: Mapping[Any, Definition]) -> list[Definition]:
    """Each after those that it uses."""
    order: list[Definition] = []
    waiting = dict(candidates)
    while waiting:
        ready = sorted((n for n, c in waiting.items() if not c.uses & waiting.keys()), key=str)
        if not ready:
            raise ValueError(f"{', '.join(sorted(map(str, waiting)))}: defined by one another")
        order += [waiting.pop(n) for n in ready]
    return order


class _Named:
    """A name that may be defined: how it stands in general, and what is said of it that no assumption says."""

    def __init__(self, d: Traced, facts: Facts, label: Any, statements: Sequence[Said]) -> None:
        self.symbol: Any = None
        self.parts: list[Part] = []
        self.statements: list[Said] = []
        if label in d.made_of or any(label == m.label for m in d.maps):
            return
        own_statements = [s for s in statements if s.given_name not in d.assumed]
        self.statements = own_statements
        general = (o for s in own_statements for o in _occurrences(label, [s]) if _is_general(o, facts, s))
        self.symbol = next(general, None)
        if self.symbol is not None:
            unknown = sp.Dummy("unknown", real=True)
            self.parts = [Part(s.relation, unknown, self.symbol) for s in own_statements]


def _suggested(
    named: _Named, statements: Sequence[Said], first_said: Mapping[Any, int], tokens_first: bool
) -> Iterator[Definition]:
    """Definitions of a name by each form, the likeliest first."""
    symbol = named.symbol
    parts = named.parts
    if symbol is None:
        return
    single_rules = (
        lambda: ranked(symbol, parts),
        lambda: paired(symbol, parts),
        lambda: _whole(symbol, parts, statements),
        lambda: mark(symbol, parts),
        lambda: largest(symbol, parts),
    )
    for rule in single_rules:
        if (definition := rule()) and is_closed(symbol, definition.of):
            yield definition
    if tokens_first:
        yield from (definition for definition in typed(symbol, parts) if definition.form == "token")
    yield from conditions(symbol, parts)
    for definition in _equation(symbol, parts, first_said):
        if is_closed(symbol, definition.of):
            yield definition
    yield from _bounds(symbol, parts)
    yield from free_mark(symbol, parts)
    yield from typed(symbol, parts)


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


def _whole(symbol: sp.Expr, parts: Sequence[Part], statements: Sequence[Said]) -> Definition | None:
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


def _equation(symbol: sp.Expr, parts: Sequence[Part], first_said: Mapping[Any, int]) -> Iterator[Definition]:
    """z = e, z e = f, or z² = e, where no other name in it was said of later."""
    if symbol.is_integer:
        return
    for statement in (p for p in parts if p.op == "=" and not p.is_flag):
        position = first_said[head(symbol)]
        sole = symbol in (statement.relation.lhs, statement.relation.rhs)
        later = [n for n in _names_of(statement.relation) - {head(symbol)} if first_said[n] > position]
        if later and not sole:
            continue
        if statement.is_linear:
            if statement.slope.is_number:
                yield Definition(symbol, "is", (sp.expand(-statement.rest / statement.slope),))
                continue
            sign = -1 if statement.slope.could_extract_minus_sign() else 1
            quotient = (-sign * statement.rest, sp.factor(sign * statement.slope))
            is_law = isinstance(symbol, sp.Indexed) and any(is_total(p.relation, symbol) for p in parts)
            free = Definition(symbol, "over", quotient, (FREE,))
            fixed = [Definition(symbol, "over", quotient, (at_zero,)) for at_zero in ("0", "1")]
            if quotient[0] != 0:
                yield Definition(symbol, "over", quotient)
                yield from [] if is_law else fixed
            yield free
        z = statement.unknown
        if statement.slope is not None and sp.expand(statement.slope - 2 * z) == 0:
            yield Definition(symbol, "sqrt", (sp.expand(-statement.rest),))


def _bounds(symbol: sp.Expr, parts: Sequence[Part]) -> Iterator[Definition]:
    """The largest value of expressions of tokens, where z is no less than any; or the least, where it is no more."""
    if symbol.is_integer:
        return
    places = set(symbol.indices) if isinstance(symbol, sp.Indexed) else set()
    for op, form in ((">=", "greatest"), ("<=", "lowest")):
        for clause in parts:
            if clause.op not in {">=", "<="} or not clause.is_linear or not clause.slope.is_number:
                continue
            if (clause.op == op) != (clause.slope > 0):
                continue
            e = sp.expand(-clause.rest / clause.slope)
            labels = {a.base.label for a in e.atoms(sp.Indexed)}
            free = [s for s in e.free_symbols if isinstance(s, sp.Symbol) and s not in labels]
            over_tokens = sorted((s for s in free if is_token(s) and s not in places), key=str)
            closed = {s: sp.Integer(1) for s in over_tokens}
            if over_tokens and is_closed(symbol, [e.subs(closed)]):
                yield Definition(symbol, form, (e,), tuple(map(str, over_tokens)))
