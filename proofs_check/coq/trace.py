"""A derivation that keeps, beside what it checks, by which rule and from what each fact was made."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.rules.definitions import written
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import Relation, V

__all__ = ["Entry", "Traced"]


class Entry(NamedTuple):
    """One use of a rule: its name, the facts that it made, those it used, and what else it was given."""

    rule: str
    text: str
    made: tuple[Fact, ...]
    using: tuple[Fact, ...]
    told: Mapping[str, Any]


class _InOrder(frozenset[str]):
    """Names of givens, walked in the order of their declaration: that of a plain set's members hangs on the hash seed."""

    order: tuple[str, ...]

    def __new__(cls, names: Iterable[str], declared: Iterable[str]) -> _InOrder:
        members = frozenset(names)
        ordered = super().__new__(cls, members)
        ordered.order = tuple(name for name in declared if name in members)
        if len(ordered.order) != len(members):
            raise ValueError(f"{sorted(members.difference(ordered.order))}: expected names of what is given")
        return ordered

    def __iter__(self) -> Iterator[str]:
        return iter(self.order)


class Traced(Derivation):
    """A `Derivation` with the list of all uses of its rules, in order; it accepts what the other accepts, and no more."""

    def __init__(self, claim: str) -> None:
        super().__init__(claim)
        self._entries: list[Entry] = []
        self.finals: tuple[Fact, ...] = ()

    @property
    def trace(self) -> tuple[Entry, ...]:
        """All uses so far, for all to read: a proof that could change them would change what Coq is given."""
        return tuple(self._entries)

    def _note(self, rule: str, text: str, facts: Sequence[Fact], using: Sequence[Fact] = (), **details: Any) -> None:
        self._entries.append(Entry(rule, text, tuple(facts), tuple(using), details))

    def _ordered(self, fact: Fact) -> Fact:
        """The same fact, its givens in order: a rule that walks them makes the same steps in every process."""
        return fact._replace(givens=_InOrder(fact.givens, self.givens))

    def _given(self, name: str, relations: Sequence[Relation]) -> Any:
        result = super()._given(name, relations)
        first = len(self.givens[name]) - len(relations)
        for n, fact in enumerate([result] if len(relations) == 1 else result):
            self._note("given", name, [fact], place=first + n)
        return result

    def _ranges(self, relation: Relation, using: Sequence[Fact]) -> list[Fact]:
        facts = super()._ranges(relation, using)
        for fact in facts:
            (name,) = fact.givens
            self._note("given", name, [fact], place=list(self.givens[name]).index(fact.relation))
        return facts

    def derive(self, text: str, relation: Relation, *using: Fact, by: str = "auto") -> Fact:
        fact = super().derive(text, relation, *using, by=by)
        ranges = self._ranges(relation, using)
        rests = [f for f in ranges if f.givens <= fact.givens]
        self._note("derive", text, [fact], (*using, *rests), how=self.steps[-1].how)
        return fact

    def define(self, text: str, symbol: Any, meaning: Any, *using: Fact) -> Fact:
        start = len(self.trace)
        fact = super().define(text, symbol, meaning, *using)
        derived = [e.made[0] for e in self.trace[start:] if e.rule == "derive"]
        self._note("define", text, [fact], derived, symbol=symbol)
        return fact

    def sum(self, text: str, fact: Fact, *tokens: sp.Symbol, upto: Any = V) -> Fact:
        summed = super().sum(text, fact, *tokens, upto=upto)
        self._note("sum", text, [summed], [fact], tokens=tokens, upto=written(upto))
        return summed

    def term(self, text: str, fact: Fact, token: sp.Symbol, other: sp.Symbol | None = None) -> Fact:
        start = len(self.trace)
        term_fact = super().term(text, fact, token, other)
        del self._entries[start:]  # the sum that it was checked by
        self._note("term", text, [term_fact], [fact], token=token, other=token if other is None else other)
        return term_fact

    def _demanded(
        self, text: str, fact: Fact, values: Mapping[Any, Any], using: Sequence[Fact]
    ) -> tuple[list[Relation], frozenset[str]]:
        return super()._demanded(text, self._ordered(fact), values, using)

    def instantiate(self, text: str, fact: Fact, values: Mapping[Any, Any], *using: Fact) -> Fact:
        start = len(self.trace)
        instance = super().instantiate(text, fact, values, *using)
        derived = [e.made[0] for e in self.trace[start:] if e.rule == "derive"]
        self._note(
            "instance", text, [instance], [fact, *using, *derived], values={s: written(v) for s, v in values.items()}
        )
        return instance

    def induction(self, text: str, statement: Relation, n: sp.Symbol, base: Fact, step: Fact) -> Fact:
        fact = super().induction(text, statement, n, base, step)
        hypothesis = sorted(
            m for m in step.givens & self.supposed - self.at_hand if list(self.givens[m]) == [statement]
        )
        self._note("induction", text, [fact], [base, step], n=n, hypothesis=hypothesis)
        return fact

    def cases(self, text: str, one: Fact, other: Fact) -> Fact:
        fact = super().cases(text, one, other)
        pair = [(one.givens & self.at_hand) - fact.givens, (other.givens & self.at_hand) - fact.givens]
        self._note("cases", text, [fact], [one, other], pair=[sorted(p) for p in pair])
        return fact

    def increasing(self, text: str, f: Any, variable: sp.Symbol, start: Any, slope: Fact, beyond: Fact) -> Fact:
        at = len(self.trace)
        self._own([slope])
        ordered = self._ordered(slope)
        self._shown[id(ordered)] = ordered
        fact = super().increasing(text, f, variable, start, ordered, beyond)
        derived = [e.made[0] for e in self.trace[at:] if e.rule == "derive"]
        details = {"f": written(f), "variable": variable, "start": written(start)}
        self._note("increasing", text, [fact], [slope, beyond, *derived], **details)
        return fact

    def numeric(self, text: str, relation: Relation, *using: Fact) -> Fact:
        fact = super().numeric(text, relation, *using)
        self._note("numeric", text, [fact], using)
        return fact

    def recursion(self, text: str, base: Relation, step: Relation) -> tuple[Fact, Fact]:
        facts = super().recursion(text, base, step)
        self._note("recursion", text, facts)
        return facts

    def digits(self, text: str, c: sp.Symbol, *names: str) -> tuple[tuple[Any, Any, Any], list[Fact]]:
        maps, facts = super().digits(text, c, *names)
        definition = self._fact(self.definitions[-1], ())
        self._note("recursion", text, [definition])
        for fact in facts:
            self._note("recursion", text, [fact])
        return maps, facts

    def grouped(self, text: str, body: Any, c: sp.Symbol, joined: Any, size: Fact, *using: Fact) -> Fact:
        fact = super().grouped(text, body, c, joined, size, *using)
        self._note("grouped", text, [fact], (size, *using), body=written(body), name=c, joined=joined)
        return fact

    def extremum(
        self, text: str, name: str, expression: Any, token: sp.Symbol, is_minimum: bool = False
    ) -> tuple[Any, Fact, Fact]:
        symbol, bound, attained = super().extremum(text, name, expression, token, is_minimum)
        self._note(
            "extremum",
            text,
            [bound, attained],
            symbol=symbol,
            expression=written(expression),
            token=token,
            least=is_minimum,
        )
        return symbol, bound, attained

    def sign(self, text: str, name: str, expression: Any, *tokens: sp.Symbol) -> tuple[Any, Fact, Fact, Fact]:
        base, *facts = super().sign(text, name, expression, *tokens)
        self._note("sign", text, facts, symbol=base[tokens], expression=written(expression))
        return (base, *facts)

    def exhaust(self, text: str, check: Any, cases: Any, latex: str = "") -> int:
        number = super().exhaust(text, check, cases, latex)
        self._note("exhaust", text, [])
        return number

    def case(self, name: str, relation: Relation, *using: Fact) -> Fact:
        fact = super().case(name, relation, *using)
        self._note("same", name, [fact], [self.trace[-1].made[0]])
        return fact

    def cite(self, text: str, relation: Relation, source: str, *using: Fact) -> Fact:
        fact = super().cite(text, relation, source, *using)
        self._note("same", text, [fact], [self.trace[-1].made[0], *using])
        return fact

    def qed(self, *facts: Fact) -> None:
        super().qed(*facts)
        self.finals = facts
