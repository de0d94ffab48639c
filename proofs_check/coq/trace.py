"""A derivation that keeps, beside what it checks, by which rule and from what each fact was made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
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


class Traced(Derivation):
    """A `Derivation` with the list of all uses of its rules, in order; it accepts what the other accepts, and no more."""

    def __init__(self, claim: str) -> None:
        super().__init__(claim)
        self.trace: list[Entry] = []
        self.finals: tuple[Fact, ...] = ()

    def _note(self, rule: str, text: str, made: Sequence[Fact], using: Sequence[Fact] = (), **told: Any) -> None:
        self.trace.append(Entry(rule, text, tuple(made), tuple(using), told))

    def _given(self, name: str, relations: Sequence[Relation]) -> Any:
        found = super()._given(name, relations)
        first = len(self.givens[name]) - len(relations)
        for n, fact in enumerate([found] if len(relations) == 1 else found):
            self._note("given", name, [fact], place=first + n)
        return found

    def _ranges(self, relation: Relation, using: Sequence[Fact]) -> list[Fact]:
        found = super()._ranges(relation, using)
        for fact in found:
            (name,) = fact.givens
            self._note("given", name, [fact], place=list(self.givens[name]).index(fact.relation))
        return found

    def derive(self, text: str, relation: Relation, *using: Fact, by: str = "auto") -> Fact:
        made = super().derive(text, relation, *using, by=by)
        ranges = self._ranges(relation, using)
        rests = [f for f in ranges if f.givens <= made.givens]
        self._note("derive", text, [made], (*using, *rests), how=self.steps[-1].how)
        return made

    def define(self, text: str, symbol: Any, meaning: Any, *using: Fact) -> Fact:
        start = len(self.trace)
        made = super().define(text, symbol, meaning, *using)
        shown = [e.made[0] for e in self.trace[start:] if e.rule == "derive"]
        self._note("define", text, [made], shown, symbol=symbol)
        return made

    def sum(self, text: str, fact: Fact, *tokens: sp.Symbol, upto: Any = V) -> Fact:
        made = super().sum(text, fact, *tokens, upto=upto)
        self._note("sum", text, [made], [fact], tokens=tokens, upto=written(upto))
        return made

    def term(self, text: str, fact: Fact, token: sp.Symbol, other: sp.Symbol | None = None) -> Fact:
        start = len(self.trace)
        made = super().term(text, fact, token, other)
        del self.trace[start:]  # the sum that it was checked by
        self._note("term", text, [made], [fact], token=token, other=token if other is None else other)
        return made

    def instantiate(self, text: str, fact: Fact, values: Mapping[Any, Any], *using: Fact) -> Fact:
        start = len(self.trace)
        made = super().instantiate(text, fact, values, *using)
        shown = [e.made[0] for e in self.trace[start:] if e.rule == "derive"]
        self._note("instance", text, [made], [fact, *using, *shown], values={s: written(v) for s, v in values.items()})
        return made

    def induction(self, text: str, statement: Relation, n: sp.Symbol, base: Fact, step: Fact) -> Fact:
        made = super().induction(text, statement, n, base, step)
        hypothesis = sorted(
            m for m in step.givens & self.supposed - self.at_hand if list(self.givens[m]) == [statement]
        )
        self._note("induction", text, [made], [base, step], n=n, hypothesis=hypothesis)
        return made

    def cases(self, text: str, one: Fact, other: Fact) -> Fact:
        made = super().cases(text, one, other)
        pair = [(one.givens & self.at_hand) - made.givens, (other.givens & self.at_hand) - made.givens]
        self._note("cases", text, [made], [one, other], pair=[sorted(p) for p in pair])
        return made

    def increasing(self, text: str, f: Any, variable: sp.Symbol, start: Any, slope: Fact, beyond: Fact) -> Fact:
        at = len(self.trace)
        made = super().increasing(text, f, variable, start, slope, beyond)
        shown = [e.made[0] for e in self.trace[at:] if e.rule == "derive"]
        told = {"f": written(f), "variable": variable, "start": written(start)}
        self._note("increasing", text, [made], [slope, beyond, *shown], **told)
        return made

    def integral(
        self, text: str, f: Any, primitive: Any, variable: sp.Symbol, low: Any, high: Any, *using: Fact
    ) -> Fact:
        made = super().integral(text, f, primitive, variable, low, high, *using)
        self._note("integral", text, [made], using)
        return made

    def numeric(self, text: str, relation: Relation, *using: Fact) -> Fact:
        made = super().numeric(text, relation, *using)
        self._note("numeric", text, [made], using)
        return made

    def recursion(self, text: str, base: Relation, step: Relation) -> tuple[Fact, Fact]:
        made = super().recursion(text, base, step)
        self._note("recursion", text, made)
        return made

    def digits(self, text: str, c: sp.Symbol, *names: str) -> tuple[tuple[Any, Any, Any], list[Fact]]:
        maps, facts = super().digits(text, c, *names)
        meant = self._fact(self.definitions[-1], ())
        self._note("recursion", text, [meant])
        for fact in facts:
            self._note("recursion", text, [fact])
        return maps, facts

    def grouped(self, text: str, body: Any, c: sp.Symbol, joined: Any, size: Fact, *using: Fact) -> Fact:
        made = super().grouped(text, body, c, joined, size, *using)
        self._note("grouped", text, [made], (size, *using), body=written(body), name=c, joined=joined)
        return made

    def extremum(
        self, text: str, name: str, expression: Any, token: sp.Symbol, least: bool = False
    ) -> tuple[Any, Fact, Fact]:
        symbol, bound, attained = super().extremum(text, name, expression, token, least)
        self._note(
            "extremum", text, [bound, attained], symbol=symbol, expression=written(expression), token=token, least=least
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
        made = super().case(name, relation, *using)
        self._note("same", name, [made], [self.trace[-1].made[0]])
        return made

    def cite(self, text: str, relation: Relation, source: str, *using: Fact) -> Fact:
        made = super().cite(text, relation, source, *using)
        self._note("same", text, [made], [self.trace[-1].made[0], *using])
        return made

    def qed(self, *facts: Fact) -> None:
        super().qed(*facts)
        self.finals = facts
