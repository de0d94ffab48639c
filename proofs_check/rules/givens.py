"""What a proof starts from: givens, names and what they depend on; every fact carries the givens that it rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.rules.defined import check_relation
from proofs_check.rules.smt import Unproved
from proofs_check.rules.terms import Bound, Relation, V, eq, ge, gt, is_index, is_token, le, strict, total, x

__all__ = ["Fact", "Givens", "Place", "Step", "counted", "joined", "placed"]


class Place(NamedTuple):
    """Where a fact uses what is given of every value of a symbol: at `value`, for every value of the names bound in `over`.

    `over` holds names with their first and last value, or with the symbol whose range they have.
    """

    symbol: sp.Symbol
    value: sp.Expr
    over: tuple[tuple[Any, ...], ...] = ()

    def _changed(self, change: Callable[[sp.Expr], sp.Expr]) -> Place:
        over = (o if len(o) == 2 else (o[0], change(o[1]), change(o[2])) for o in self.over)
        return Place(self.symbol, change(self.value), tuple(over))

    @property
    def free(self) -> frozenset[Any]:
        """Symbols that it depends on."""
        ends = (e for o in self.over for e in (o[1:] if len(o) == 3 else ()))
        names = frozenset().union(*(e.free_symbols for e in (self.value, *ends)))
        return frozenset(s for s in names if isinstance(s, sp.Symbol)) - {o[0] for o in self.over}

    def at(self, values: Mapping[Any, Any]) -> Place:
        """The same where some names have other values."""
        names = {k: strict(v) for k, v in values.items() if k in self.free}
        return self._changed(lambda e: e.subs(names, simultaneous=True)) if names else self

    def every(self, name: sp.Symbol, *ends: Any) -> Place:
        """The same for every value of a name: between two ends, or in the range of a symbol."""
        if name not in self.free:
            return self
        bound = Bound(f"{name.name}'{len(self.over)}", integer=True)  # never a name that a proof makes
        bound_place = self._changed(lambda e: e.xreplace({name: bound}))
        return Place(bound_place.symbol, bound_place.value, (*bound_place.over, (bound, *ends)))


class Fact(NamedTuple):
    """A statement, the names of the givens it rests on, and the places where it uses what is given of every index."""

    relation: Relation
    givens: frozenset[str]
    places: frozenset[Place] = frozenset()


class Step(NamedTuple):
    """One line of a proof as a reader sees it."""

    text: str
    how: str
    latex: str


class Steps(Sequence[Step]):
    """The lines of a proof; each says in words why it follows.  Rules add to them, and nobody else.

    A statement is set in LaTeX when its line is read.
    """

    def __init__(self) -> None:
        self._lines: list[tuple[str, str, Relation | str]] = []

    def __len__(self) -> int:
        return len(self._lines)

    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return [self[n] for n in range(*at.indices(len(self)))]
        text, how, statement = self._lines[at]
        return Step(text, how, statement if isinstance(statement, str) else statement.latex)

    def _add(self, text: str, how: str, shown: Relation | str) -> None:
        if not text.strip():
            raise ValueError(f"a step without a word of why: {shown}")
        self._lines.append((text, how, shown))

    def _undo(self) -> None:
        self._lines.pop()


def joined(facts: Iterable[Fact]) -> frozenset[str]:
    """All that some facts rest on."""
    return frozenset().union(*[f.givens for f in facts])


def placed(facts: Iterable[Fact]) -> frozenset[Place]:
    """All places where some facts use what is given."""
    return frozenset().union(*[f.places for f in facts])


def counted(e: Any) -> frozenset[Any]:
    """The symbols of a statement that an instance gives a range: indices and counters, no tokens."""
    names = {s for s in e.free_symbols if isinstance(s, sp.Symbol) and s.is_integer and not is_token(s)}
    return frozenset(names - {V} - {a.base.label for a in e.free_symbols if isinstance(a, sp.Indexed)})


class Givens:
    """The facts of a derivation, the givens among them, and the names that have a meaning; see `Derivation`."""

    def __init__(self, claim: str, dropped: str | None = None) -> None:
        """Start without facts or names; the given named `dropped` is left out."""
        self.claim = claim
        self.dropped = dropped
        self.steps = Steps()
        self.certificates: list[str] = []
        self._told: dict[str, tuple[Relation, ...]] = {}
        self.givens: Mapping[str, Sequence[Relation]] = MappingProxyType(self._told)  # for all to read
        self.assumed: set[str] = set()
        self.declarations: set[str] = (
            set()
        )  # what declarations of laws, weights and numbers gave, whatever it is called
        self.number_ranges: set[str] = set()  # of these, the ranges of numbers
        self.supposed: set[str] = set()
        self.at_hand: set[str] = set()
        self.maps: set[Any] = set()
        self.makers: set[Any] = set()  # maps that make a number of an index and a token
        self.definitions: list[Relation] = []
        self.made_of: dict[Any, tuple[set[Any], set[Any]]] = {}  # defined name: what it is made of, and its arguments
        self.cited: list[str] = []
        self.theorems: dict[str, frozenset[str]] = {}  # a given that was cited, and the cases that it was cited in
        self.conclusions: tuple[Relation, ...] = ()
        self.places: frozenset[Place] = frozenset()  # where the conclusions use what is given of every index
        self.used: frozenset[str] = frozenset()
        self.enumerated: list[Any] = []  # every case of every finite statement
        self.extrema: list[tuple[Any, Any, Any, bool]] = []
        self.signs: list[tuple[Any, Any]] = []
        self.typed: set[Place] = set()  # values that are taken to be tokens (x), or such as an index may have
        self.varied: set[tuple[str, str]] = set()  # a given, and a number that it was taken to hold for every value of
        self.declared: dict[str, Any] = {}
        self._arrays: set[Any] = set()  # labels of arrays, and names of numbers: nothing is both
        self._scalars: set[Any] = set()
        self._shown: dict[int, Fact] = {}

    def _fact(self, relation: Relation, givens: Iterable[str], places: Iterable[Place] = ()) -> Fact:
        """A fact of this derivation; no other counts."""
        check_relation(relation)
        for symbol in relation.free_symbols:
            if isinstance(symbol, sp.Symbol) and self.declared.setdefault(symbol.name, symbol) != symbol:
                raise Unproved(f"{self.claim}: {symbol} was declared in two ways; a name has one sign and kind")
        for symbol in sorted(relation.labels & self._scalars | relation.numbers & self._arrays, key=str):
            raise Unproved(
                f"{self.claim}: {symbol} is a number and an array; what is put for the one would change the other"
            )
        self._arrays |= relation.labels
        self._scalars |= relation.numbers
        fact = Fact(relation, frozenset(givens), frozenset(places))
        self._shown[id(fact)] = fact
        return fact

    def _own(self, facts: Iterable[Fact]) -> None:
        for fact in facts:
            if self._shown.get(id(fact)) is not fact:
                raise ValueError(f"{fact}: was not shown in this derivation")

    # --- what is given ----------------------------------------------------------------------------------------------

    def _given(self, name: str, relations: Sequence[Relation]) -> Any:
        if type(name) is not str:
            raise ValueError(f"{name}: expected a plain text as the name of what is given")
        before = self._told.setdefault(name, ())
        if name == self.dropped:
            facts = [self._fact(eq(0, 0), ())] * len(relations)
        else:
            for r in relations:
                check_relation(r)
            self._told[name] = (*before, *relations)
            facts = [self._fact(r, {name}, () if name in self.supposed else _everywhere(r)) for r in relations]
        return facts[0] if len(facts) == 1 else facts

    def assume(self, name: str, *relations: Relation) -> Any:
        """An assumption of the claim, under the name that the claim gives it; a fact for each relation."""
        self.assumed.add(name)
        return self.domain(name, *relations)

    def domain(self, name: str, *relations: Relation) -> Any:
        """What every instance of the claim satisfies; a fact for each relation."""
        if name in self.supposed or name in self.theorems:
            raise Unproved(f"{self.claim}: {name!r} is supposed or cited; what is given needs a name of its own")
        if name in self.declarations:
            raise Unproved(f"{self.claim}: {name!r} was given by a declaration; what is given needs a name of its own")
        return self._given(name, relations)

    def _declared(self, name: str, *relations: Relation) -> Any:
        """What the declaration of a law, of weights or of a number gives; it is marked here, and by no name."""
        if name in self.givens and name not in self.declarations:
            raise Unproved(f"{self.claim}: {name!r} is given already; a declaration needs a name of its own")
        self.declarations.add(name)
        return self._given(name, relations)

    def law(self, name: str, *at: sp.Symbol) -> tuple[Any, Fact]:
        """A law over the vocabulary (one for each value of the indices `at`), and the fact that it sums to one."""
        base = self.weights(name, *at, x)
        return base, self._declared(f"{name} sums to one", eq(total(base[(*at, x)], x), 1))

    def weights(self, name: str, *at: sp.Symbol) -> Any:
        """Non-negative numbers, one for each token, or for each value of the indices `at`."""
        text = f"{name} is nowhere negative"
        base = sp.IndexedBase(name, real=True) if text == self.dropped else sp.IndexedBase(name, nonnegative=True)
        self._declared(text, ge(base[at or (x,)], 0))
        return base

    def map(self, name: str) -> Any:
        """A function into the set that a token ranges over, ``follower[i, x]``; `instantiate` takes its values as tokens."""
        base = sp.IndexedBase(name, integer=True)
        if base.label in self.made_of:
            raise ValueError(f"{name} has a meaning already")
        self.maps.add(base)
        self.made_of[base.label] = (set(), set())
        return base

    def number(self, name: str, low: Any = None, high: Any = None, positive: bool = False) -> Any:
        """A real number in a range (the symbol alone; the range is used wherever the symbol occurs)."""
        text = f"{name} is in its range"
        signs = {"positive": True} if positive else {"nonnegative": True} if low == 0 else {"real": True}
        symbol = sp.Symbol(name, **({"real": True} if text == self.dropped else signs))
        ranges = [gt(symbol, 0)] if positive else [] if low is None else [ge(symbol, low)]
        ranges += [] if high is None else [le(symbol, high)]
        if ranges:
            self._declared(text, *ranges)
            self.number_ranges.add(text)
        return symbol

    def suppose(self, name: str, *relations: Relation) -> Any:
        """An induction hypothesis (for every free token); `induction` must discharge it."""
        self._suppose(name)
        return self._given(name, relations)

    def _suppose(self, name: str) -> None:
        if type(name) is not str:
            raise ValueError(f"{name}: expected a plain text as the name of what is supposed")
        if name in self.givens and name not in self.supposed:
            raise Unproved(f"{self.claim}: {name!r} is given; what is supposed needs a name of its own")
        self.supposed.add(name)

    def _vary(self, symbol: Any, names: Iterable[str]) -> None:
        """Note that some givens were taken to hold for every value of a symbol; `agreement` compares it with the bind."""
        self.varied |= {(name, symbol.name) for name in names if any(symbol in r.atoms for r in self.givens[name])}

    # --- what names mean --------------------------------------------------------------------------------------------

    def _said(self) -> list[Relation]:
        return [r for relations in self.givens.values() for r in relations] + self.definitions

    def _fresh(self, symbol: Any, meaning: sp.Expr, again: bool = False, bound: Sequence[sp.Symbol] = ()) -> None:
        """Refuse a name that has a meaning already, and a meaning that depends on tokens: only on arguments and `bound` ones."""
        name, places = (symbol.base.label, symbol.indices) if isinstance(symbol, sp.Indexed) else (symbol, ())
        arguments = set().union(*[k.free_symbols for k in places])
        if is_token(name) or is_index(name) or name == V:
            raise ValueError(f"{name} ranges over a set; it cannot be defined")
        if not again:
            self._unused(name)
            if meaning.has(name):
                raise ValueError(f"{name} has a meaning already")
        if not all(isinstance(k, sp.Symbol) or again or k == 0 for k in places):
            raise ValueError(f"{symbol}: expected different symbols as arguments")
        parts = meaning.free_symbols - {name, *bound}
        if loose := [s for s in parts if (is_token(s) or is_index(s)) and s not in arguments]:
            raise ValueError(f"{symbol}: its meaning depends on {loose[0]}, which is no argument")
        if again:
            parts |= self.made_of[name][0]
            arguments |= self.made_of[name][1]
        deeper = set().union(*[self.made_of[s][0] - self.made_of[s][1] for s in parts if s in self.made_of])
        self.made_of[name] = (parts | deeper, arguments)

    def _unused(self, name: Any) -> None:
        """Refuse a name that what is given or defined speaks of already."""
        old = set(self.made_of).union(
            *(r.free_symbols for r in self._said()), *(a | b for a, b in self.made_of.values())
        )
        if str(name) in set(map(str, old)):
            raise ValueError(f"{name} has a meaning already")

    def _depends(self, r: Relation, symbol: Any) -> str | None:
        """A defined name in a statement whose meaning changes with a symbol that is none of its arguments."""
        for name in r.free_symbols:
            parts, arguments = self.made_of.get(name, (set(), set()))
            if symbol in parts - arguments:
                return str(name)
        return None

    def _fixes(self, name: str, symbol: Any) -> bool:
        """Whether a given speaks of particular values of a symbol even where that is an index only."""
        return name in self.at_hand or (name in self.supposed and not (is_token(symbol) or is_index(symbol)))

    def _ranges(self, relation: Relation, using: Sequence[Fact]) -> list[Fact]:
        """Ranges of the numbers that occur."""
        symbols = relation.free_symbols.union(*(u.relation.free_symbols for u in using))
        return [
            self._fact(r, {name}, _everywhere(r))
            for name, relations in self.givens.items()
            if name in self.number_ranges
            for r in relations
            if r.lhs in symbols
        ]


def _everywhere(r: Relation) -> Iterable[Place]:
    return (Place(s, s) for s in counted(r))
