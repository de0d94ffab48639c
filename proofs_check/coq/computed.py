"""What definitions are at instances of a claim, compared with what its bind computes; and which names are laws of the claim.

A definition that is not what the bind computes, at some place of some instance, is one of something else: it is none of that
name. One that is may leave some of what is said of its name unproved: that stays given.  A name that is an argument of the
claim has no definition, whatever equation is given of it.  A law that the claim draws, or takes as an argument, is its
variable: that it sums to one, and has no mass below 0, is its range.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cached_property
from itertools import permutations
from math import floor
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.checking.agreement import bound, meanings
from proofs_check.checking.proof import Proof
from proofs_check.checking.ranges import ranged
from proofs_check.coq.statements import FREE, Definition, Said, head
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import Relation, V, is_token, strict
from proofs_check.rules.values import evaluate
from simspec.claims.balls import ball, is_ball
from simspec.claims.claim import Instance
from simspec.claims.draw import ExactDraw
from simspec.laws import Array

__all__ = ["Instances", "value"]

NUMBER = 6
"""Instances at which a definition is compared."""
VARIED = 3
"""At so many places, at least, a law has several tokens with mass: that any law has one would show nothing."""
NO_VALUE = (KeyError, ValueError, TypeError, ZeroDivisionError, NotImplementedError)
"""What evaluation raises where a name has no value, or none that compares with another."""
HOLDS = {
    "=": lambda e: e == 0,
    ">=": lambda e: e >= 0,
    ">": lambda e: e > 0,
    "<=": lambda e: e <= 0,
    "<": lambda e: e < 0,
}


class _Recorded(ExactDraw):
    """Draws as `ExactDraw` does, and keeps the laws."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng=rng)
        self.laws: set[tuple[Any, ...]] = set()

    def law(self, vocab: int) -> Array:
        drawn_law = super().law(vocab)
        self.laws.add(tuple(drawn_law))
        return drawn_law


class _At(NamedTuple):
    """An instance: values of the names, what indices range over, the laws drawn; the rows of each argument, its entries, and
    these in the order of places, for each order of its axes.
    """

    values: dict[str, Any]
    ranges: Mapping[str, Any]
    drawn_laws: set[tuple[Any, ...]]
    rows: Mapping[str, set[tuple[Any, ...]]]
    entries: Mapping[tuple[str, int], list[Any]]
    orders: Mapping[str, list[list[Any]]]


class Instances:
    """Random instances of a proof's claim inside its assumptions."""

    def __init__(self, proof: Proof, d: Derivation, seed: int = 0) -> None:
        self._proof, self._d, self._seed = proof, d, seed

    @cached_property
    def _all(self) -> list[_At]:
        """`NUMBER` of them, or as many as twenty times as many draws give; of a claim that draws none, those it lists."""
        claim = self._proof.claim
        rng = np.random.default_rng(self._seed)
        collected: list[_At] = []
        if claim.instances is None:
            return [self._at(instance, set()) for instance in claim.tight]
        for _ in range(20 * NUMBER):
            if len(collected) == NUMBER:
                break
            draw = _Recorded(rng)
            instance = claim.draw(draw)
            if not claim.broken_assumptions(instance):
                collected.append(self._at(instance, draw.laws))
        return collected

    def _at(self, instance: Instance, drawn_laws: set[tuple[Any, ...]]) -> _At:
        assert self._proof.bind is not None
        values, ranges = bound(self._proof.bind, self._d, instance)
        rows = {name: _rows(argument) for name, argument in instance.items()}
        entries = {key: numbers for name in instance for key, numbers in _entries(name, instance[name])}
        orders = {name: _orders(argument) for name, argument in instance.items()}
        return _At({**values, **meanings(self._d, values)}, ranges, drawn_laws, rows, entries, orders)

    def drawn(self) -> list[tuple[dict[str, Any], Mapping[str, Any]]]:
        """At each instance the values of all names, and what indices range over."""
        return [(at.values, at.ranges) for at in self._all]

    @cached_property
    def _law_arguments(self) -> list[str]:
        """Arguments of the claim that are laws, or arrays of them, at every instance."""
        named = set().union(*[at.rows for at in self._all])
        return [name for name in named if all(_are_laws(at.rows.get(name, set())) for at in self._all)]

    def computes(self, c: Definition) -> bool:
        """Whether a definition is what the bind computes, at all places of all instances; not asked of names on texts.

        Roots, and what is computed of them, are compared as enclosures of 36 digits.  Of a typed variable it is asked whether the
        bind's number is one of its type.  An argument of the claim is no definition's: "q is p" is an assumption on two laws.
        """
        if c.form == "along" or (not c.is_typed and self._is_argument_itself(c.symbol)):
            return False
        if c.form == "token":
            return self._agrees(lambda: self._single_tokens(c.symbol))
        return self._agrees(lambda: (_is_value(c, at) for at in self._places(Relation(c.symbol, "=", c.symbol))))

    def _single_tokens(self, symbol: Any) -> Iterator[bool]:
        """Whether one token is marked, for each of the other arguments of a mark."""
        place = next(n for n, k in enumerate(symbol.indices) if is_token(k))
        total = sp.Sum(symbol, (symbol.indices[place], 1, V))
        for at in self._places(Relation(total, "=", sp.Integer(1))):
            yield evaluate(total, at) == 1

    def _is_argument_itself(self, symbol: Any) -> bool:
        """Whether a name stands for an argument of the claim: it has its entries, and no more names have them than arguments."""
        arguments = {name for name, axis in self._arguments(symbol) if axis < 0}
        alike = [s for s, those in self._arguments_of_names.items() if those & arguments]
        return bool(arguments) and len(alike) <= len(arguments)

    @cached_property
    def _arguments_of_names(self) -> dict[Any, set[str]]:
        """For each name that something is given of, the arguments of the claim whose entries it has."""
        symbols: dict[Any, Any] = {}
        for r in (r for relations in self._d.givens.values() for r in relations):
            for e in (strict(r.lhs), strict(r.rhs)):
                labels = {a.base.label for a in e.atoms(sp.Indexed)}
                arrays = [a for a in e.atoms(sp.Indexed) if all(isinstance(k, sp.Symbol) for k in a.indices)]
                numbers = [
                    n for n in e.free_symbols if isinstance(n, sp.Symbol) and not n.is_integer and n not in labels
                ]
                for symbol in (*sorted(arrays, key=str), *numbers):
                    symbols.setdefault(head(symbol), symbol)
        return {
            label: {name for name, axis in self._arguments(symbol) if axis < 0} for label, symbol in symbols.items()
        }

    def is_law(self, s: Said) -> bool:
        """Whether it says of a law of the claim that it sums to one, or of one of its masses that it is not below 0."""
        e = s.relation.lhs
        is_sum = isinstance(e, sp.Sum) and s.relation.op == "=" and s.relation.rhs == 1
        entry = e.function if is_sum else e
        is_mass = (s.relation.op, s.relation.rhs) in {(">=", 0), ("<=", 1)}
        if not isinstance(entry, sp.Indexed) or not (is_sum or is_mass):
            return False
        if not is_sum:
            return is_token(entry.indices[-1]) and self._agrees(
                lambda: self._rows_are_laws(entry, entry.indices[-1], V)
            )
        outcome, low, high = e.limits[0]
        return bool(len(e.limits) == 1 and low == 1) and self._agrees(lambda: self._rows_are_laws(entry, outcome, high))

    def is_range(self, s: Said, definitions: Sequence[Definition] = ()) -> bool:
        """Whether it is the range of variables of the claim: of a law, of numbers by numbers or by one another, or of a token.

        An inequality between sums of arguments, their sizes, minima and maxima: it has no product of two.  A mark of where an
        argument is 0, by one of the `definitions`, may stand in it, so that it says that another one is not 0 there; and so may
        tokens that are chosen freely, and what arguments are there: which tokens are meant, by their masses.  What is concluded
        is no range.
        """
        return s.relation not in self._d.conclusions and (
            self.is_law(s)
            or (s.relation.op != "=" and self._is_order(s.relation, definitions))
            or _are_two_tokens(s.relation, {c.label for c in definitions if c.form == "token"})
        )

    def _is_order(self, r: Relation, definitions: Sequence[Definition]) -> bool:
        """Whether all names in an inequality are arguments, tokens that are chosen freely, arguments there, or marks of zeros."""
        difference = strict(r.lhs) - strict(r.rhs)
        variables = list(_terms(difference))
        if not variables or None in variables or not all(map(self._is_whole, difference.atoms(sp.Sum))):
            return False
        forms = {c.label: c for c in definitions}
        marks = [v for v in variables if _form(forms, v) == "is_zero"]
        numbers = [forms[head(v)].of[0] if v in marks else v for v in variables]
        tokens = [v for v in numbers if _form(forms, v) in {"token", "pair"}]
        masses = [forms[head(v)].of[0] if _form(forms, v) == "at" else v for v in numbers if v not in tokens]
        return len(marks) < len(variables) and all(self._is_argument(v) for v in masses)

    def _is_whole(self, s: sp.Sum) -> bool:
        """Whether a sum is over all places of an argument: each of its ends is a size of that, at every instance."""
        names = {name for name, _ in self._arguments(_entry(s))}
        return any(all(self._is_size(name, high) for _, _, high in s.limits) for name in names)

    def _is_size(self, name: str, end: Any) -> bool:
        try:
            ends = [[evaluate(end, at.values)] for at in self._all]
        except NO_VALUE:
            return False
        return all(
            any(n == size for (of, axis), n in at.entries.items() if of == name and axis >= 0)
            for at, size in zip(self._all, ends, strict=True)
        )

    @cached_property
    def whole_numbers(self) -> frozenset[str]:
        """Real names that are one argument of the claim, which is an integer at every instance."""
        symbols = {s for r in self._d.givens.values() for e in r for s in e.free_symbols if isinstance(s, sp.Symbol)}
        return frozenset(s.name for s in symbols if not s.is_integer and self._is_integer_argument(s))

    def _is_integer_argument(self, symbol: sp.Symbol) -> bool:
        keys = self._arguments(symbol)
        return any(all(isinstance(n, int) for at in self._all for n in at.entries[key]) for key in keys)

    def _is_argument(self, symbol: Any) -> bool:
        """Whether a name has at every instance the entries of one argument, or is one of its sizes; these are not all alike."""
        return bool(self._arguments(symbol))

    def _arguments(self, symbol: Any) -> list[tuple[str, int]]:
        """The arguments, or sizes of them, whose entries a name has at every instance, each at its place."""
        if not isinstance(symbol, (sp.Indexed, sp.Symbol)):
            return []
        try:
            ordered = [self._in_order(symbol, at) for at in self._all]
            entries = [sorted(numbers) for numbers in ordered]
        except NO_VALUE:
            return []
        if len({str(numbers) for numbers in entries}) < VARIED:
            return []
        shared = set.intersection(*[set(at.entries) for at in self._all])
        return [
            (name, axis)
            for name, axis in sorted(shared)
            if all(at.entries[name, axis] == numbers for at, numbers in zip(self._all, entries, strict=True))
            and (axis >= 0 or all(n in at.orders[name] for at, n in zip(self._all, ordered, strict=True)))
        ]

    def _in_order(self, symbol: Any, instance: _At) -> list[Any]:
        """The values of a name in the order of its places."""
        indices = symbol.indices if isinstance(symbol, sp.Indexed) else ()
        places = ranged(Relation(symbol, "=", symbol), instance.values, instance.ranges, limit=None)
        numbers = [([evaluate(k, at) for k in indices], evaluate(symbol, at)) for at in places]
        return [number for _, number in sorted(numbers, key=lambda entry: entry[0])]

    def _rows_are_laws(self, entry: Any, outcome: Any, size: Any) -> Iterator[bool]:
        """Whether each row of an array is a law of the claim; and whether enough have several outcomes with mass."""
        varied = 0
        for values, ranges, drawn_laws, rows, *_ in self._all:
            laws = drawn_laws.union(*[rows[name] for name in self._law_arguments])
            for at in ranged(Relation(sp.Sum(entry, (outcome, 1, size)), "=", sp.Integer(1)), values, ranges):
                row = tuple(evaluate(entry, {**at, outcome.name: k}) for k in range(1, int(evaluate(size, at)) + 1))
                yield row in laws
                varied += sum(mass > 0 for mass in row) > 1
        yield varied >= VARIED

    def _places(self, r: Relation) -> Iterator[dict[str, Any]]:
        for values, ranges, *_ in self._all:
            yield from ranged(r, values, ranges)

    def _agrees(self, compared: Callable[[], Iterator[bool]]) -> bool:
        """Whether all comparisons agree, of which there is one at least; a name without a value agrees with nothing."""
        try:
            answers = list(compared())
        except NO_VALUE:
            return False
        return bool(answers) and all(answers)


def _form(forms: Mapping[Any, Definition], v: Any) -> str:
    """By which form a name is defined; empty for a free one."""
    c = forms.get(head(v))
    return "" if c is None else c.form


def _are_two_tokens(r: Relation, tokens: Collection[Any]) -> bool:
    """Whether it says that two tokens, which are chosen freely, are not the same: no place has both marks."""
    if r.op != "=" or r.rhs != 0 or not isinstance(r.lhs, sp.Mul) or len(r.lhs.args) != 2:
        return False
    first, second = r.lhs.args
    are_marks = all(isinstance(f, sp.Indexed) and f.base.label in tokens for f in (first, second))
    return bool(are_marks and first != second and first.indices == second.indices)


def _terms(e: sp.Expr) -> Iterator[Any]:
    """The names of which an expression is a sum, with numbers as factors, minima and maxima in it; None for anything else.

    >>> from proofs_check.rules.terms import total, x
    >>> p, q = sp.IndexedBase("p", real=True), sp.IndexedBase("q", real=True)
    >>> list(_terms(2 * total(p[x], x) - 1)), list(_terms(p[x] * q[x]))
    ([p[x]], [None])
    """
    for term in sp.Add.make_args(sp.expand(e)):
        _, rest = term.as_coeff_Mul()
        if isinstance(rest, (sp.Min, sp.Max)):
            for argument in rest.args:
                yield from _terms(argument)
        elif isinstance(rest, sp.Sum):
            yield _entry(rest)
        elif isinstance(rest, (sp.Indexed, sp.Symbol)):
            yield rest
        elif not rest.is_number:
            yield None


def _entry(s: sp.Sum) -> Any:
    """The entry that is summed over all its places of some kind; None where it is no entry."""
    entry = s.function
    places = {name: sp.Symbol(name.name, integer=True) for name, low, _ in s.limits if low == 1}
    is_whole = isinstance(entry, sp.Indexed) and len(places) == len(s.limits) and set(places) <= set(entry.indices)
    return entry.xreplace(places) if is_whole else None


def _rows(argument: Any) -> set[tuple[Any, ...]]:
    """The rows of an array of numbers; nothing of any other argument."""
    if not isinstance(argument, np.ndarray) or argument.ndim == 0 or argument.dtype == bool:
        return set()
    return set(map(tuple, argument.reshape(-1, argument.shape[-1]).tolist()))


def _entries(name: str, argument: Any) -> Iterator[tuple[tuple[str, int], list[Any]]]:
    """The numbers of an argument in order of size, and the sizes of an array, by the argument's name and an axis, -1 for all."""
    if isinstance(argument, np.ndarray):
        if argument.size:
            yield (name, -1), sorted(map(_number, argument.ravel().tolist()))
        for axis, size in enumerate(argument.shape):
            yield (name, axis), [size]
    elif isinstance(argument, (bool, int, Fraction)):
        yield (name, -1), [_number(argument)]


def _orders(argument: Any) -> list[list[Any]]:
    """The numbers of an argument from place to place, the axes of an array in each order."""
    if isinstance(argument, np.ndarray):
        axes = permutations(range(argument.ndim))
        return [[*map(_number, argument.transpose(order).ravel().tolist())] for order in axes]
    return [[_number(argument)]] if isinstance(argument, (bool, int, Fraction)) else []


def _number(entry: Any) -> Any:
    return int(entry) if isinstance(entry, bool) else entry


def _are_laws(rows: set[tuple[Any, ...]]) -> bool:
    return bool(rows) and all(sum(row) == 1 and min(row) >= 0 for row in rows)


def _is_value(c: Definition, at: Mapping[str, Any]) -> bool:
    """Whether a definition is what the bind computes of its name, at one place of an instance."""
    named = evaluate(c.symbol, at)
    if c.form in {"pair", "set"}:
        return named in (0, 1)
    if c.form == "number":
        return not is_ball(named) and named == floor(named)
    if c.form == "free_mark":
        is_allowed = all(
            HOLDS[op[1:]](evaluate(e, at)) for e, op in zip(c.of, c.ops, strict=True) if int(op[0]) == named
        )
        return named in (0, 1) and is_allowed
    if c.form == "sqrt":
        return bool(named >= 0) and _is_same(named**2, evaluate(c.of[0], at))
    if c.form == "at" and not _marked(c.of[1], c.ops[0], at):
        # two marks of the same token are none, and the expression is that at any token
        return any(_is_same(named, evaluate(c.of[0], {**at, c.ops[0]: k})) for k in range(1, int(at["V"]) + 1))
    return _is_same(named, value(c, at))


def _is_same(a: Any, b: Any) -> bool:
    """Whether two numbers are the same, or their enclosures meet."""
    if is_ball(a) or is_ball(b):
        return bool(ball(a).overlaps(ball(b)))
    return bool(a == b)


def value(c: Definition, at: Mapping[str, Any]) -> Any:
    """What a definition is, given the values of the names in it; of typed variables, which may be anything, the name's own.

    So is a quotient that is free where its denominator is 0.
    """
    numbers = [] if c.form in {"at_largest", "ranked", "greatest", "lowest", "at"} else [evaluate(e, at) for e in c.of]
    if c.form == "is":
        return numbers[0]
    if c.form == "over":
        return _divided(*numbers) if _is_nonzero(numbers[1]) else _at_zero(c, at)
    if c.form == "is_zero":
        return int(numbers[0] == 0)
    if c.form == "not_below":
        return numbers[1] * int(numbers[0] >= 0)
    if c.form == "or_not_below":
        return max(numbers[0], int(numbers[1] >= 0))
    if c.form in {"mark", "unmarked"}:
        holds = all(HOLDS[op](e) for e, op in zip(numbers, c.ops, strict=True))
        return int(holds == (c.form == "mark"))
    if c.form == "whole":
        return floor(numbers[0])
    if c.is_typed or c.form == "free_mark":
        return evaluate(c.symbol, at)
    tokens = range(1, int(at["V"]) + 1)
    if c.form == "at_largest":
        token = c.symbol.indices[-1].name
        masses = [evaluate(c.of[0], {**at, token: k}) for k in tokens]
        return int(at[token] == 1 + masses.index(max(masses)))
    if c.form == "ranked":
        return int(_is_among_first(c, at))
    if c.form == "at":
        return _at_mark(c, at)
    return _extreme(c, at)


def _is_nonzero(denominator: Any) -> bool:
    """Whether a number is not 0; an enclosure that has 0 in it leaves the quotient without a value."""
    if is_ball(denominator) and bool(denominator.overlaps(ball(0))) and not denominator == 0:
        raise ValueError("a denominator that may be 0")
    return bool(denominator != 0)


def _divided(numerator: Any, denominator: Any) -> Any:
    if is_ball(numerator) or is_ball(denominator):
        return ball(numerator) / ball(denominator)
    return numerator / denominator


def _at_zero(c: Definition, at: Mapping[str, Any]) -> Any:
    """What a quotient is where its denominator is 0."""
    if c.ops == (FREE,):
        return evaluate(c.symbol, at)
    return int(c.ops[0]) if c.ops else int(bool(c.symbol.is_positive))


def _marked(mark: Any, token: str, at: Mapping[str, Any]) -> list[int]:
    """The tokens that are marked."""
    return [k for k in range(1, int(at["V"]) + 1) if evaluate(mark, {**at, token: k}) == 1]


def _at_mark(c: Definition, at: Mapping[str, Any]) -> Any:
    """What an expression is at the token that is marked."""
    e, mark = c.of
    (token,) = c.ops
    marked = _marked(mark, token, at)
    if not marked:
        raise KeyError(f"{c.symbol}: no token is marked")
    return evaluate(e, {**at, token: marked[0]})


def _extreme(c: Definition, at: Mapping[str, Any]) -> Any:
    """The greatest or lowest value of an expression of tokens."""
    tokens = range(1, int(at["V"]) + 1)
    places: list[dict[str, int]] = [{}]
    for token in c.ops:
        places = [{**place, token: k} for place in places for k in tokens]
    return (max if c.form == "greatest" else min)(evaluate(c.of[0], {**at, **place}) for place in places)


def _is_among_first(c: Definition, at: Mapping[str, Any]) -> bool:
    """Whether a token is among the first so many of a set, the largest of an expression first, then the first by number."""
    e, set_entry, number = c.of
    token = c.symbol.indices[-1].name
    tokens = range(1, int(at["V"]) + 1)
    inside = [k for k in tokens if evaluate(set_entry, {**at, token: k}) > 0]
    inside.sort(key=lambda k: (-evaluate(e, {**at, token: k}), k))
    return at[token] in inside[: max(0, floor(evaluate(number, at)))]
