"""Whether names can be defined together: none by itself, or only by earlier members of its own sequence."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coq.statements import Definition, head, names
from proofs_check.coq.trace import Traced
from proofs_check.rules.terms import strict

__all__ = ["Meanings"]


class _Meaning(NamedTuple):
    """What a derivation says that a name is: the symbol, the expression, and the counter where it is the next of a sequence."""

    symbol: Any
    expression: Any
    counter: Any = None


class Meanings:
    """The names that a derivation defines itself, and what they are made of.

    A derivation may define a sequence, ``b[n + 1] = b[n] - drop[n]``, by names that are said of in terms of its member n: those
    are defined by it, as it is by them, one member after the other.
    """

    def __init__(self, d: Traced) -> None:
        self.of: dict[Any, list[_Meaning]] = {}
        self._by_expression: set[Any] = set()
        for e in d.trace:
            if e.rule == "define":
                self._add(e.told["symbol"], e.made[0].relation.rhs)
                self._by_expression.add(head(e.told["symbol"]))
            elif e.rule in {"extremum", "sign"}:
                self._add(e.told["symbol"], e.told["expression"])
            elif e.rule == "recursion":
                for fact in e.made:
                    self._member(fact.relation.lhs, fact.relation.rhs)

    def _add(self, symbol: Any, expression: Any, counter: Any = None) -> None:
        self.of.setdefault(head(symbol), []).append(_Meaning(symbol, strict(expression), counter))

    def _member(self, symbol: Any, expression: Any) -> None:
        """The first member of a sequence, or the next one."""
        for k in symbol.indices if isinstance(symbol, sp.Indexed) else ():
            if isinstance(k, sp.Add) and isinstance(k - 1, sp.Symbol):
                self._add(symbol, expression, k - 1)
                return
        self._add(symbol, expression)

    def defined(self) -> dict[Any, tuple[Any, Any]]:
        """Names that are defined by one expression, and no member of a sequence: each with its symbol."""
        return {
            label: (meanings[0].symbol, meanings[0].expression)
            for label, meanings in self.of.items()
            if label in self._by_expression and len(meanings) == 1
        }

    def allow(self, new: Definition, others: Mapping[Any, Definition]) -> bool:
        """Whether a definition, beside others that are allowed, makes no name depend on itself at the same place."""
        definitions = {**others, new.label: new}
        if new.label in self._reached(new.label, definitions, through_steps=False):
            return False
        knot = {n for n in self._reached(new.label, definitions) if new.label in self._reached(n, definitions)}
        if not knot:
            return True
        meanings = [m for n in knot for m in self._meanings(n, definitions)]
        counters = {m.counter for m in meanings if m.counter is not None}
        if len(counters) != 1:
            return False
        (counter,) = counters
        places = _places(meanings, counter)
        return all(_keeps_place(m, knot, counter, places) for m in meanings)

    def _meanings(self, name: Any, definitions: Mapping[Any, Definition]) -> list[_Meaning]:
        if name in definitions:
            c = definitions[name]
            return [_Meaning(c.symbol, e) for e in c.of]
        return self.of.get(name, [])

    def _reached(self, name: Any, definitions: Mapping[Any, Definition], through_steps: bool = True) -> set[Any]:
        """The names that a name's meaning depends on, those included that the next member of a sequence depends on, or not."""
        waiting = [name]
        reached: set[Any] = set()
        while waiting:
            for meaning in self._meanings(waiting.pop(), definitions):
                if meaning.counter is not None and not through_steps:
                    continue
                new = names(meaning.expression) - reached
                reached |= new
                waiting += new
        return reached


def _places(meanings: Iterable[_Meaning], counter: Any) -> dict[Any, int]:
    """At which of its places each array has the counter, or the number after it."""
    places = {}
    for m in meanings:
        for position, k in enumerate(m.symbol.indices if isinstance(m.symbol, sp.Indexed) else ()):
            if k in {counter, counter + 1}:
                places[head(m.symbol)] = position
    return places


def _keeps_place(m: _Meaning, knot: set[Any], counter: Any, places: Mapping[Any, int]) -> bool:
    """Whether a meaning takes the names of a knot at its own place of the counter alone."""
    used = [a for a in m.expression.atoms(sp.Indexed) if a.base.label in knot]
    labels = {a.base.label for a in used}
    if (m.expression.free_symbols & knot) - labels:
        return False  # a number is the same for all members
    is_first = m.counter is None and (not isinstance(m.symbol, sp.Indexed) or counter not in m.symbol.indices)
    if is_first:
        return not used
    bound = {limit[0] for s in m.expression.atoms(sp.Sum) for limit in s.limits}
    return counter not in bound and all(
        a.base.label in places and a.indices[places[a.base.label]] == counter for a in used
    )
