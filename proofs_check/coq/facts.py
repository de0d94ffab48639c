"""What each fact says in Coq: over which numbers it is quantified, and which givens are its premises.

A given about sections' names alone is a hypothesis of the whole section.  One that is about a number which the derivation puts
other values for (a counter, a token at hand) is a premise of every lemma that rests on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coq.terms import Printer
from proofs_check.coq.trace import Traced
from proofs_check.rules.derivation import Fact
from proofs_check.rules.terms import Relation, V, is_bound, is_index, is_token

__all__ = ["Facts", "Lemma", "Premise"]


class Premise(NamedTuple):
    """One statement of a given, by the given's name and its place there."""

    name: str
    place: int


class Lemma(NamedTuple):
    """A statement that stands in the file, with what it is quantified over and what it takes."""

    name: str
    params: tuple[sp.Symbol, ...]
    premises: tuple[Premise, ...]
    relation: Relation


class Facts:
    """Names, quantifiers and premises of all facts of a derivation."""

    def __init__(self, d: Traced) -> None:
        self.d = d
        self.lemmas: dict[int, Lemma] = {}
        self.direct: dict[int, tuple[str, tuple[Any, ...]]] = {}  # givens: the hypothesis, and what it is about
        self.signs: dict[Any, Fact] = {}  # defined names: their declared sign, as a fact
        self.added: dict[int, frozenset[str]] = {}  # givens that a fact rests on by the declared signs of defined names
        self.labels = _labels(d)
        self.level = self._level()
        self.alone = self._alone()
        self.particular = _particular(d)
        self.extra: dict[Any, tuple[sp.Symbol, ...]] = {}
        self.printer = Printer(d.maps, self.extra)
        all_premises = (Premise(n, k) for n in d.givens for k in range(len(d.givens[n])))
        self.order = {p: m for m, p in enumerate(all_premises)}

    def _level(self) -> set[Any]:
        """Numbers that lemmas are quantified over: all integers, and the reals that values are put for."""
        quantified: set[Any] = set()
        for e in self.d.trace:
            quantified |= {s for s in e.told.get("values", ()) if not s.is_integer}
            if e.rule == "increasing":
                quantified.add(e.told["variable"])
            for f in e.made:
                quantified |= {s for s in f.relation.free_symbols if isinstance(s, sp.Symbol) and s.is_integer}
        return quantified - {V} - self.labels - set(self.d.made_of)

    def _alone(self) -> set[tuple[str, Any]]:
        """Suppositions, and tokens in them that values of their numbers depend on: those speak of one token at a time."""
        one_at_a_time = set()
        for e in self.d.trace:
            if e.rule == "instance":
                parts = {s for v in e.told["values"].values() for s in v.free_symbols if is_token(s) or is_index(s)}
                fixed = set(e.told["values"]) - {s for s in e.told["values"] if is_token(s) or is_index(s)}
                for name in e.using[0].givens & self.d.supposed:
                    atoms = set().union(*[r.free_symbols for r in self.d.givens[name]])
                    one_at_a_time |= {(name, s) for s in atoms & parts if atoms & fixed}
        return one_at_a_time

    def numbers(self, symbols: Iterable[Any]) -> set[Any]:
        """The numbers among some names that lemmas are quantified over, those of defined names included."""
        quantified = set()
        for s in symbols:
            quantified |= {s} & self.level | set(self.extra.get(s, ()))
        return quantified

    # --- givens -----------------------------------------------------------------------------------------------------

    def given(self, p: Premise) -> Relation:
        """The statement."""
        return self.d.givens[p.name][p.place]

    def fixed(self, p: Premise) -> set[Any]:
        """The numbers that a given is about; it holds for every value of the others that occur in it."""
        r = self.given(p)
        free = self.numbers(r.free_symbols)
        if p.name in self.d.at_hand:
            return free
        supposed = p.name in self.d.supposed
        hidden = {s for a in r.free_symbols for s in self.extra.get(a, ())}
        own_numbers = {
            s
            for s in free
            if s in r.numbers or s in hidden or s in self.particular or (supposed and not (is_token(s) or is_index(s)))
        }
        return own_numbers | {s for s in free if (p.name, s) in self.alone}

    def universal(self, p: Premise) -> list[Any]:
        """The numbers that a given holds for all values of."""
        return _ordered(self.numbers(self.given(p).free_symbols) - self.fixed(p))

    def hypothesis(self, p: Premise) -> str:
        """Its name in the file: of the section, or among the premises of a lemma."""
        return f"{'P' if self.local(p) else 'H'}_{self.order[p]}"

    def local(self, p: Premise) -> bool:
        """Whether a given is a premise of lemmas, and no hypothesis of the section."""
        return bool(self.fixed(p)) or p.name in self.d.supposed

    def premises(self, names: Iterable[str]) -> tuple[Premise, ...]:
        """The premises that a fact which rests on some givens has."""
        all_premises = (Premise(n, k) for n in names for k in range(len(self.d.givens[n])))
        return tuple(sorted((p for p in all_premises if self.local(p)), key=self.order.__getitem__))

    def rests_on(self, fact: Fact) -> frozenset[str]:
        """The givens of a fact, and those that the declared signs rest on which were used on the way to it."""
        return fact.givens | self.added.get(id(fact), frozenset())

    def of_signs(self, relations: Iterable[Relation]) -> frozenset[str]:
        """The givens that the declared signs of defined names in some statements rest on."""
        labels = {
            a.base.label if isinstance(a, sp.Indexed) else a
            for r in relations
            for side in (r.lhs, r.rhs)
            for a in side.atoms(sp.Indexed, sp.Symbol)
        }
        return frozenset().union(*[self.rests_on(self.signs[label]) for label in labels & self.signs.keys()])

    # --- text -------------------------------------------------------------------------------------------------------

    def binder(self, s: Any) -> str:
        """A quantified number, and the range that it is declared with."""
        name = self.printer.name(s)
        range_ = self.range(s)
        return f"({name} : {'Z' if s.is_integer else 'R'})" + (f" (R_{name} : {range_})" if range_ else "")

    def range(self, s: Any) -> str:
        """The range that a name is declared with; empty for any number."""
        name = self.printer.name(s)
        if is_token(s):
            return f"(1 <= {name} <= {self.printer.name(V)})%Z"
        low = 1 if is_index(s) or (s.is_integer and s.is_positive) else 0 if s.is_nonnegative else None
        if s.is_integer:
            return "" if low is None else f"({low} <= {name})%Z"
        return f"0 < {name}" if s.is_positive else f"0 <= {name}" if s.is_nonnegative else ""

    def stated(self, p: Premise) -> str:
        """A given as it is written, with its own quantifiers."""
        over = " ".join(self.binder(s) for s in self.universal(p))
        relation_text = self.printer.relation(self.given(p))
        return f"forall {over}, {relation_text}" if over else relation_text

    def quantified(self, lemma: Lemma) -> str:
        """A lemma's statement."""
        parts = [self.binder(s) for s in lemma.params]
        parts += [f"({self.hypothesis(p)} : {self.stated(p)})" for p in lemma.premises]
        relation_text = self.printer.relation(lemma.relation)
        return f"forall {' '.join(parts)}, {relation_text}" if parts else relation_text

    def intros(self, lemma: Lemma) -> str:
        """The names under which a lemma's proof has what it is quantified over."""
        names = [n for s in lemma.params for n in self.names(s)] + [self.hypothesis(p) for p in lemma.premises]
        return f"intros {' '.join(names)}" if names else "idtac"

    def names(self, s: Any) -> list[str]:
        """A quantified number and the name of its range."""
        name = self.printer.name(s)
        return [name, f"R_{name}"] if self.range(s) else [name]

    def use(self, fact: Fact, values: Mapping[Any, str] | None = None, side: str = "side") -> str:
        """The proof of a fact where the names have their own values, or others: a term."""
        lemma = self.lemmas[id(fact)]
        values = values or {}
        parts = [lemma.name]
        direct = self.direct.get(id(fact))
        for s in direct[1] if direct else lemma.params:
            parts.append(values.get(s, self.printer.name(s)))
            if self.range(s):
                parts.append(f"ltac:({side})" if s in values else f"R_{self.printer.name(s)}")
        for p in () if direct else lemma.premises:
            changed = self.numbers(self.given(p).free_symbols) & values.keys() & self.fixed(p)
            parts.append(f"ltac:({side})" if changed else self.hypothesis(p))
        return f"({' '.join(parts)})" if len(parts) > 1 else parts[0]

    def params(self, relation: Relation, premises: Iterable[Premise], using: Iterable[Fact] = ()) -> tuple[Any, ...]:
        """What a fact is quantified over: its own numbers, those of its premises and of what it was made from."""
        quantified = self.numbers(relation.free_symbols)
        for p in premises:
            quantified |= self.fixed(p)
        for f in using:
            quantified |= set(self.lemmas[id(f)].params)
        return tuple(_ordered(quantified))


def _particular(d: Traced) -> set[Any]:
    """Indices and counters that stand for one number, such as the root of a tree or the end of a sequence.

    What is given of such a one is given of no other.  Those are the indices and counters at which no given was used for other
    values, while an array that has them at a place has others there, too: a number, another name, or what a map or a sum makes.
    "r[root] = 1" beside what is said of r at any node would otherwise say that r is 1 everywhere, and "W[T] = 0" beside
    "W[0] = 1" that 0 is 1.
    """
    varied = {symbol for _, symbol in d.varied}
    relations = [r for rs in d.givens.values() for r in rs] + [f.relation for e in d.trace for f in e.made]
    members: dict[tuple[Any, int], set[Any]] = {}
    for a in {a for r in relations for side in (r.lhs, r.rhs) for a in side.atoms(sp.Indexed)}:
        for place, member in enumerate(a.indices):
            members.setdefault((a.base.label, place), set()).add(member)
    return {
        s
        for others in members.values()
        for s in others
        if isinstance(s, sp.Symbol) and not (is_token(s) or is_bound(s) or s in d.made_of or s == V)
        if s.name not in varied and any(o != s and not is_token(o) and not is_bound(o) for o in others)
    }


def _labels(d: Traced) -> set[Any]:
    relations = [f.relation for e in d.trace for f in e.made] + [r for rs in d.givens.values() for r in rs]
    sides = [s for r in relations for s in (r.lhs, r.rhs)]
    return {a.base.label for s in sides for a in s.atoms(sp.Indexed)}


def _ordered(symbols: Iterable[Any]) -> list[Any]:
    return sorted(symbols, key=lambda s: (str(s), sp.default_sort_key(s)))
