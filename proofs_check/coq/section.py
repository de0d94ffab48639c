"""The section of one derivation for Coq: names that are defined, as definitions, and what it is given of them, as lemmas."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coq.check import ADMITTED
from proofs_check.coq.defined import about, definitions, ordered, said
from proofs_check.coq.facts import Premise
from proofs_check.coq.forms import FORMS, free_name, pair_variables, typed_lines
from proofs_check.coq.marks import are_as_many
from proofs_check.coq.statements import Definition, Part, Said, is_total, names
from proofs_check.coq.terms import NotExported
from proofs_check.coq.texts import roots
from proofs_check.coq.trace import Traced
from proofs_check.coq.wellfounded import Meanings
from proofs_check.coq.writer import Writer
from proofs_check.rules.terms import Relation, V

__all__ = ["QUOTIENT", "SECONDS", "Bridge", "Lemma"]

SECONDS = 15
"""Time for a lemma in Coq, of a machine that does nothing else."""


QUOTIENT = "Q_"
"""What the names of lemmas begin with that are about a quotient where its denominator is not 0."""


class Lemma(NamedTuple):
    """A statement that is to be proved: its name in Coq, its text, what it is said of, and the names that it is about."""

    name: str
    text: str
    statement: Said | None
    about: frozenset[Any]

    @property
    def premise(self) -> Premise | None:
        """The statement's place among the givens; None for what a declaration says."""
        return None if self.statement is None else Premise(self.statement.given_name, self.statement.place)


class Bridge(Writer):
    """Writes the section of one derivation; with the definitions that come first of those whose keys have not `failed`."""

    def __init__(
        self,
        d: Traced,
        failed: Collection[str] = (),
        unproved_names: Collection[str] = (),
        wide_names: Collection[str] = (),
        numbers: Collection[str] = (),
        quotient_names: Collection[str] = (),
        tokens_first: bool = False,
    ) -> None:
        """Read the derivation, and choose which names are defined.

        Parameters
        ----------
        unproved_names : lemmas that are not stated.
        quotient_names : those among them that are stated where the denominator of a quotient is not 0.
        wide_names : lemmas that the tactics of ``wider.v`` are for.
        numbers : names that are variables for whole numbers.
        tokens_first : whether marks of one token are chosen freely rather than by conditions.
        """
        super().__init__(d)
        self.failed = frozenset(failed)
        self.unproved_names = frozenset(unproved_names)
        self.wide_names = frozenset(wide_names)
        self.numbers = frozenset(numbers)
        self.quotient_names = frozenset(quotient_names)
        self.tokens_first = tokens_first
        self.depend()
        self.meanings = Meanings(d)
        self.definitions = [c for c in definitions(d, failed, numbers, tokens_first) if self._has_all_places(c)]
        self.by_label = {c.label: c for c in self.definitions}
        self.made = set(self.by_label)
        on_texts = [c for c in self.definitions if c.form == "along"]
        self.texts = {m.label for m in d.maps for c in on_texts if str(m.label) == c.ops[0]}
        self.roots = {k for c in on_texts for k in roots(self.f, said(d), c.label)}
        self.chosen = {c.label for c in self.definitions if c.is_typed}
        self.order = {c.label: n for n, c in enumerate(self.definitions)}
        own_definitions = [Definition(symbol, "is", (meaning,)) for symbol, meaning in self.meanings.defined().values()]
        self.own = {
            c.label: c
            for c in own_definitions
            if self._has_all_places(c, self.f.extra.get(c.label, ())) and self._is_written(c)
        }
        self.sequence = ordered({**self.by_label, **self.own})

    def _has_all_places(self, c: Definition, hidden: Collection[Any] = ()) -> bool:
        """Whether the numbers that hang on the names in a meaning, unseen, are places of the name, or hang on it as well."""
        places = set(hidden) | (set(c.symbol.indices) if isinstance(c.symbol, sp.Indexed) else set())
        return all(set(self.f.extra.get(name, ())) <= places for name in c.uses)

    def _is_written(self, c: Definition) -> bool:
        """Whether its meaning has a text in Coq: a whole number that is a sum of real numbers has none."""
        try:
            FORMS[c.form](self, c)
        except NotExported:
            return False
        return True

    def _defined(self) -> set[Any]:
        return super()._defined() | self.made | set(self.meanings.of) | self.texts

    @property
    def requires(self) -> tuple[str, ...]:
        """The files that the section requires beside ``defined.v``."""
        has_pairs = any(c.form == "pair" for c in self.definitions)
        is_on_texts = bool(self.texts) or self.is_wide
        files = ("texts.v",) * is_on_texts + ("ranked.v", "wider.v") * self.is_wide + ("pairs.v",) * has_pairs
        return files + ("elsewhere.v",) * any(c.is_free_somewhere for c in self.definitions)

    @property
    def is_wide(self) -> bool:
        """Whether some lemma is for the tactics of ``wider.v``, or a definition is from there."""
        return bool(self.wide_names) or any(c.form == "ranked" or c.is_free_somewhere for c in self.definitions)

    def _numbered(self) -> list[str]:
        """The texts as numbers: what one becomes with a token more, and the empty one."""
        size = self.p.name(V)
        lines = []
        for label in sorted(self.texts, key=str):
            name = self.p.name(label)
            lines += [
                f"Definition {name} (c x : Z) : Z := child_of {size} c x.",
                f"Lemma {name}_range : forall i0 i1 : Z, (1 <= {name} i0 i1)%Z.",
                "Proof. intros. apply child_of_range, V_some. Qed.",
            ]
        return lines + [f"Definition {self.p.name(k)} : Z := 1%Z." for k in sorted(self.roots, key=str)]

    def section(self, lemmas: Sequence[Lemma], seconds: int = SECONDS) -> str:
        """The text of the section; a lemma that Coq does not prove in its time is admitted, and says so."""
        typed = [line for c in self.definitions if c.form == "pair" for line in pair_variables(self, c)]
        typed += [line for c in self.definitions if c.is_typed for line in typed_lines(self, c)]
        typed += [line for c in self.definitions if c.is_free_somewhere for line in self._free_part(c)]
        lines = ["Section Names.", *self._declared(), *self._numbered(), *self._meant(), *typed, *self._hypotheses()]
        lines += [self._definition(c) for c in self.sequence if not c.is_typed]
        if self.is_wide and self.sequence:
            opened = ", ".join(self.p.name(c.label) for c in reversed(self.sequence))
            lines.append(f"Local Ltac opened ::= unfold {opened} in *.")
        quotients = self.quotients()
        lines += [self._attempt(lemma, seconds) for lemma in quotients]
        lines += [
            f"Hypothesis {lemma.name} : {lemma.text}."
            for lemma in self._all_lemmas()
            if lemma.name in self.unproved_names
        ]
        lines += [self._attempt(lemma, seconds) for lemma in lemmas]
        all_lemmas = ", ".join(f"@{lemma.name}" for lemma in (*quotients, *lemmas))
        return "\n".join(
            [*lines, "End Names.", f"Definition every_one := ({all_lemmas}).", "Print Assumptions every_one."]
        )

    def _free_part(self, c: Definition) -> list[str]:
        """The variable for what a name is where it is free: a set, or numbers in the range that is given of the name."""
        name, free = self.p.name(c.label), free_name(self, c)
        places = "Z -> " * (len(c.symbol.indices) if isinstance(c.symbol, sp.Indexed) else 0)
        if c.form == "free_mark":
            return [f"Variable {free} : {places}bool."]
        alone = [s for s in said(self.d) if s.given_name not in self.d.assumed and self._is_range_of(s, c)]
        texts = {lemma.name: lemma.text for lemma in self._signs(c)}
        texts |= {self.f.hypothesis(Premise(s.given_name, s.place)): self._quantified(s) for s in alone}
        own_name = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)")
        lines = [f"Variable {free} : {places}R."]
        for k, text in enumerate(texts.values()):
            lines.append(f"Hypothesis {free}_{k} : {own_name.sub(free, text)}.")
        return lines

    def _is_range_of(self, s: Said, c: Definition) -> bool:
        """Whether a statement is a range of a name: between which numbers it is, that it is 0 or 1, or that it sums to 1."""
        if self._mentioned(s) != {c.label}:
            return False
        r = s.relation
        is_bound = r.op != "=" and r.lhs == c.symbol and r.rhs.is_number
        is_mark = Part(r, sp.Dummy("unknown", real=True), c.symbol).is_flag
        return bool(is_bound or is_mark or (isinstance(c.symbol, sp.Indexed) and is_total(r, c.symbol)))

    def _attempt(self, lemma: Lemma, seconds: int) -> str:
        """A lemma with its proof; it is admitted where there is none in the time."""
        attempt = f"timeout {seconds} (solve [{self._tactic(lemma)}])"
        proof = f'first [{attempt} | idtac "{ADMITTED} {lemma.name}"; apply {ADMITTED}]'
        return f"Lemma {lemma.name} : {lemma.text}.\nProof. {proof}. Qed."

    def _meant(self) -> list[str]:
        """Members of sequences, and others without one expression, as any functions: what is proved holds of all."""
        lines = []
        for label, meanings in self.meanings.of.items():
            if label in self.own:
                continue
            symbol = meanings[0].symbol
            places = len(symbol.indices) if isinstance(symbol, sp.Indexed) else 0
            hidden = "".join("Z -> " if s.is_integer else "R -> " for s in self.f.extra.get(label, ()))
            is_integer = symbol.is_integer or (isinstance(symbol, sp.Indexed) and symbol.base in self.d.maps)
            lines.append(f"Variable {self.p.name(label)} : {hidden}{'Z -> ' * places}{'Z' if is_integer else 'R'}.")
        return lines

    def _hypotheses(self) -> list[str]:
        """What is given of free names alone, for all values of the numbers in it."""
        lines = []
        for s in said(self.d):
            if not self.is_hypothesis(s):
                continue
            p = Premise(s.given_name, s.place)
            try:
                lines.append(f"Hypothesis {self.f.hypothesis(p)} : {self.f.stated(p)}.")
            except NotExported:
                continue
        return lines

    def is_hypothesis(self, s: Said) -> bool:
        """Whether a statement is of free names alone, and of all values of its numbers."""
        defined_names = (self.made - self.chosen) | set(self.meanings.of)
        if self._mentioned(s) & defined_names or self.f.local(Premise(s.given_name, s.place)):
            return False
        return not any(self._is_of_type(s, self.by_label[n]) for n in self._mentioned(s) & self.chosen)

    def _is_of_type(self, s: Said, c: Definition) -> bool:
        """Whether a statement says of a typed variable what its type says: 0 or 1, 1 at one token, in a range of numbers.

        Of a whole number only its declared sign.
        """
        if c.form == "number":
            signs = {">=": c.symbol.is_nonnegative, ">": c.symbol.is_positive}
            return s.relation.lhs == c.symbol and s.relation.rhs == 0 and bool(signs.get(s.relation.op))
        if c.form == "pair" and self._is_of_pair(s.relation, c):
            return True
        clause = Part(s.relation, sp.Dummy("unknown", real=True), c.symbol)
        is_range = s.relation.lhs == c.symbol and s.relation.rhs.is_number and s.relation.op != "="
        return clause.is_flag or is_range or (c.form == "token" and is_total(s.relation, c.symbol))

    def _is_of_pair(self, r: Relation, c: Definition) -> bool:
        """Whether it says of two marks that no token has both, or that they are as many."""
        partner = next(b.symbol for b in self.definitions if str(b.label) == c.ops[0])
        return (r.op == "=" and r.rhs == 0 and r.lhs == c.symbol * partner) or are_as_many(r, c.symbol, partner)

    def _mentioned(self, s: Said) -> set[Any]:
        return names(s.relation.lhs) | names(s.relation.rhs)

    def lemmas(self) -> list[Lemma]:
        """What is said of the names that are defined, but what was given up: that stays given."""
        return [lemma for lemma in self._all_lemmas() if lemma.name not in self.unproved_names]

    def may_be_quotients(self) -> list[Lemma]:
        """Lemmas that are not stated, each the equation of the quotient of a number, other than 0, by which a name is defined.

        Such an equation says that the denominator is not 0, and what the name is then.
        """
        quotients = []
        for lemma in self._all_lemmas():
            if lemma.name not in self.unproved_names or lemma.statement is None or lemma.statement.relation.op != "=":
                continue
            c = self._last(lemma)
            if c.form != "over" or not c.of[0].is_number or c.of[0] == 0:
                continue
            r = lemma.statement.relation
            of_definition = sp.expand(c.symbol * c.of[1] - c.of[0])
            if any(sp.expand(sign * (r.lhs - r.rhs) - of_definition) == 0 for sign in (1, -1)):
                quotients.append(lemma)
        return quotients

    def with_quotients(self, quotient_names: Collection[str]) -> Bridge:
        """The same section with other equations of quotients."""
        return Bridge(
            self.d, self.failed, self.unproved_names, self.wide_names, self.numbers, quotient_names, self.tokens_first
        )

    def quotients(self) -> list[Lemma]:
        """The equations of quotients, where their denominators are not 0: they stand before what is given without proof."""
        quotients = []
        for lemma in self.may_be_quotients():
            if lemma.name not in self.quotient_names or lemma.statement is None:
                continue
            p = Premise(lemma.statement.given_name, lemma.statement.place)
            denominator = self.p.real(self._last(lemma).of[1])
            numbers = [*sorted(self.f.fixed(p) - self.roots, key=str), *self.f.universal(p)]
            binders = " ".join(map(self.f.binder, numbers))
            relation_text = f"{denominator} <> 0 -> {self.p.relation(self.f.given(p))}"
            text = f"forall {binders}, {relation_text}" if binders else relation_text
            quotients.append(lemma._replace(name=QUOTIENT + lemma.name, text=text))
        return quotients

    def _last(self, lemma: Lemma) -> Definition:
        """The definition that a statement is about: the last in their order."""
        return self.by_label[max(lemma.about, key=self.order.__getitem__)]

    def _all_lemmas(self) -> list[Lemma]:
        """What is said of the names that are defined: the signs of their declarations, and the statements of givens."""
        lemmas = [lemma for c in self.definitions for lemma in self._signs(c)]
        statements = said(self.d)
        for s, subjects in zip(statements, about(statements, self.meanings.of), strict=True):
            if not subjects & self.made or s.given_name in self.d.assumed:
                continue
            if subjects & self.made <= self.chosen and not any(
                self._is_of_type(s, self.by_label[n]) for n in subjects & self.made
            ):
                continue
            try:
                text = self._quantified(s)
            except NotExported:
                continue
            name = self.f.hypothesis(Premise(s.given_name, s.place))
            lemmas.append(Lemma(name, text, s, frozenset(subjects & self.made)))
        return lemmas

    def _quantified(self, s: Said) -> str:
        """A statement for all numbers in it.

        Raises
        ------
        NotExported
            where it has no text.
        """
        p = Premise(s.given_name, s.place)
        binders = " ".join(map(self.f.binder, sorted(self.f.fixed(p) - self.roots, key=str)))
        text = self.f.stated(p)
        return f"forall {binders}, {text}" if binders else text

    def _signs(self, c: Definition) -> Iterator[Lemma]:
        """What the declaration of a name says of its sign."""
        name = self.p.name(c.label)
        if isinstance(c.symbol, sp.Indexed):
            if c.symbol.is_nonnegative:
                places = [f"i{k}" for k in range(len(c.symbol.indices))]
                sign = "<" if c.symbol.is_positive else "<="
                scope = "%Z" if c.symbol.is_integer else ""
                text = f"forall {' '.join(places)} : Z, (0 {sign} {name} {' '.join(places)}){scope}"
                yield Lemma(f"{name}_sign", text, None, frozenset({c.label}))
        elif c.form != "number" and (range_ := self.f.range(c.symbol)):
            yield Lemma(f"R_{name}", range_, None, frozenset({c.label}))

    def _tactic(self, lemma: Lemma) -> str:
        """Definitions are opened from the last on: first that of the name that the statement is about, then all."""
        mentioned = names_of(lemma, self.made)
        last = sorted(mentioned, key=self.order.__getitem__, reverse=True)
        opened = [self.p.name(n) for n in last]
        all_names = ", ".join(self.p.name(c.label) for c in reversed(self.sequence))
        signs = "".join(f"try pose proof {t}; " for t in self._known(lemma))
        tries = [f"unfold {opened[0]}", f"unfold {', '.join(opened)}", f"unfold {all_names}"]
        tactic = "meets"
        if lemma.name in self.wide_names or any(self.by_label[n].form == "ranked" for n in mentioned):
            tactic = "first [meets_wide | meets]"
        if any(self.by_label[n].form == "pair" for n in mentioned):
            tactic = f"first [meets_pair | {tactic}]"
        if any(self.by_label[n].is_free_somewhere for n in mentioned):
            tactic = f"first [meets_elsewhere | {tactic}]"
        if self.texts:
            numbered = ", ".join(self.p.name(n) for n in sorted(self.texts | self.roots, key=str))
            tries = [f"{t}, {numbered}" for t in tries]
            tactic = f"first [meets_text | {tactic}]"
        return f"intros; {signs}first [{' | '.join(f'solve [{t} in *; {tactic}]' for t in dict.fromkeys(tries))}]"

    def _known(self, lemma: Lemma) -> list[str]:
        """Signs of the arrays at the places where the statement has them."""
        if lemma.statement is None:
            return []
        sides = (lemma.statement.relation.lhs, lemma.statement.relation.rhs)
        bound = {limit[0] for side in sides for s in side.atoms(sp.Sum) for limit in s.limits}
        entries = sorted({a for side in sides for a in side.atoms(sp.Indexed)}, key=str)
        fact_terms = [
            f"({self.p.name(a.base.label)}_sign {' '.join(map(self.p.whole, a.indices))})"
            for a in entries
            if a.is_nonnegative and not (a.free_symbols & bound) and a.base.label not in self.made
        ]
        free = {k for side in sides for k in side.free_symbols}
        for s in said(self.d):
            p = Premise(s.given_name, s.place)
            universal = self.f.universal(p)
            if (
                (self.is_hypothesis(s) or (self.f.hypothesis(p) in self.unproved_names and not self.f.fixed(p)))
                and self._mentioned(s) & self._mentioned(lemma.statement)
                and set(universal) <= free
            ):
                fact_terms.append(
                    f"({' '.join([self.f.hypothesis(p), *(n for k in universal for n in self.f.names(k))])})"
                )
        return fact_terms

    def _definition(self, c: Definition) -> str:
        places = list(c.symbol.indices) if isinstance(c.symbol, sp.Indexed) else []
        hidden = self.f.extra.get(c.label, ()) if c.label in self.own else ()
        binders = "".join(f" ({self.p.name(k)} : {'Z' if k.is_integer else 'R'})" for k in (*hidden, *places))
        kind = "Z" if c.symbol.is_integer else "R"
        return f"Definition {self.p.name(c.label)}{binders} : {kind} := {FORMS[c.form](self, c)}."


def names_of(lemma: Lemma, made_names: set[Any]) -> set[Any]:
    """The defined names in a lemma."""
    if lemma.statement is None:
        return set(lemma.about)
    return (names(lemma.statement.relation.lhs) | names(lemma.statement.relation.rhs)) & made_names
