"""Whether what Coq is given of every index holds of all that an instance has: ranges are no part of the exported scripts.

In a script a given of an index or a counter is said of all whole numbers of its kind.  The rules take it at the places where its
own symbol ranges, and two symbols that stand at the same place of an array may range over different numbers: "a[k] = 0" of the
first two members and "a[h] = 1" of the third contradict each other once both are said of all.  In the same way a map has its
values in a range for Coq, wherever it is used; so it must have such values where a given reads them as numbers.  Otherwise
nothing is exported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice, product
from typing import Any

import sympy as sp

from proofs_check.checking.agreement import bound, meanings, near
from proofs_check.checking.proof import Proof, instances
from proofs_check.coq.facts import Facts, Premise
from proofs_check.coq.trace import Traced
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import Relation, is_bound, is_token
from proofs_check.rules.values import evaluate

__all__ = ["contradicted"]

INSTANCES = 2
"""How many instances are looked at, beside those that the claim lists."""
PLACES = 400
"""At how many values of the other symbols a given is evaluated, at most."""
NO_VALUE = (KeyError, IndexError, TypeError, ValueError, ZeroDivisionError)
"""What evaluation raises where an instance says no value."""
Values = Mapping[Any, Any]
Ranges = Mapping[str, Any]
Mentioned = dict[tuple[Any, int], set[int]]
"""The numbers at which an array is spoken of, for each of its places."""


def contradicted(proof: Proof, d: Traced) -> str | None:
    """A given that is false of an index that another name ranges over; None where there is none.

    Parameters
    ----------
    proof : a proof that agrees with its claim
    d : its derivation, traced
    """
    universal = list(_universal(d))
    numbers = sorted(_numbers(d), key=str)
    if proof.bind is None or not (universal or numbers):
        return None
    for instance in instances(proof.claim, INSTANCES):
        values, ranges = bound(proof.bind, d, instance)
        values = {**values, **meanings(d, values)}
        if entry := next((e for e in numbers if _is_out_of_range(e, d, values, ranges)), None):
            return f"{entry} is given as a number that is none of what its values are in a script"
        mentioned = _mentioned(d, values, ranges)
        for name, relation, symbol in universal:
            for k in sorted(_others(relation, symbol, mentioned) - set(_range(symbol, values, ranges))):
                if _is_false(relation, symbol, k, values, ranges, mentioned):
                    return f"what is given of every {symbol}, {name!r}, is false of {k}, over which another name ranges"
    return None


def _universal(d: Traced) -> Iterator[tuple[str, Relation, sp.Symbol]]:
    """Givens that a script says of every index or counter, each with that symbol."""
    facts = Facts(d)
    for name, relations in d.givens.items():
        if name not in d.supposed:
            for place, relation in enumerate(relations):
                for symbol in facts.universal(Premise(name, place)):
                    if not is_token(symbol):
                        yield name, relation, symbol


def _numbers(d: Derivation) -> set[Any]:
    """Entries of maps that a given reads as numbers, and not as places of arrays."""
    read: set[Any] = set()
    todo = [side for relations in d.givens.values() for r in relations for side in (r.lhs, r.rhs)]
    while todo:
        e = todo.pop()
        if isinstance(e, sp.Indexed):
            read |= {e} if e.base in d.maps else set()
        else:
            todo += e.args
    return {entry for entry in read if not any(map(is_bound, entry.free_symbols))}


def _is_out_of_range(entry: Any, d: Any, values: Values, ranges: Ranges) -> bool:
    """Whether a map has a value in an instance that it has not in a script: 1 or more, and at most V where it is a token."""
    tokens = any(is_token(t.symbol) and isinstance(t.value, sp.Indexed) and t.value.base == entry.base for t in d.typed)
    free = sorted((s for s in entry.free_symbols if isinstance(s, sp.Symbol) and s != entry.base.label), key=str)
    numbers = [k for k in (_value(entry, at) for at in _each(free, values, ranges)) if k is not None]
    return any(k < 1 or (tokens and k > int(values["V"])) for k in numbers)


def _entries(relation: Relation) -> set[Any]:
    return relation.lhs.atoms(sp.Indexed) | relation.rhs.atoms(sp.Indexed)


def _mentioned(d: Derivation, values: Values, ranges: Ranges) -> Mentioned:
    """Where arrays are spoken of in an instance, by all that is given, defined and concluded."""
    relations = [*(r for rs in d.givens.values() for r in rs), *d.definitions, *d.conclusions]
    mentioned: Mentioned = {}
    for entry in set[Any]().union(*map(_entries, relations)):
        for place, index in enumerate(entry.indices):
            free = sorted((s for s in index.free_symbols if isinstance(s, sp.Symbol) and s.is_integer), key=str)
            if not any(map(is_bound, free)):
                at = mentioned.setdefault((entry.base.label, place), set())
                at.update(k for k in (_value(index, v) for v in _each(free, values, ranges)) if isinstance(k, int))
    return mentioned


def _range(symbol: sp.Symbol, values: Values, ranges: Ranges) -> Any:
    """What a symbol ranges over in an instance; nothing where it is not said."""
    if symbol.name in ranges:
        return ranges[symbol.name]
    if is_token(symbol):
        return range(1, int(values["V"]) + 1)
    return [values[symbol.name]] if symbol.name in values and not callable(values[symbol.name]) else []


def _each(free: list[sp.Symbol], values: Values, ranges: Ranges) -> Iterator[dict[Any, Any]]:
    """The instance at values of some symbols, at most `PLACES` of them."""
    free = [s for s in free if s.name in ranges or s.name not in values]
    for at in islice(product(*(_range(s, values, ranges) for s in free)), PLACES):
        yield {**values, **{s.name: k for s, k in zip(free, at, strict=True)}}


def _value(e: sp.Expr, values: Values) -> int | None:
    try:
        return int(evaluate(e, values))
    except NO_VALUE:
        return None


def _others(relation: Relation, symbol: sp.Symbol, mentioned: Mentioned) -> set[int]:
    """Numbers that a symbol would be for its places to be any at which those arrays are spoken of."""
    numbers: set[int] = set()
    for entry in _entries(relation):
        for place, index in enumerate(entry.indices):
            shift = sp.expand(index - symbol)
            if shift.is_Integer:
                numbers |= {k - int(shift) for k in mentioned.get((entry.base.label, place), ())}
    lowest = 0 if symbol.is_nonnegative else 1
    return {k for k in numbers if k >= lowest}


def _is_false(
    relation: Relation, symbol: sp.Symbol, k: int, values: Values, ranges: Ranges, mentioned: Mentioned
) -> bool:
    """Whether a given fails where a symbol is a number and all its places are among those that are spoken of."""
    free = sorted((s for s in relation.free_symbols if isinstance(s, sp.Symbol) and s.is_integer), key=str)
    labels = {entry.base.label for entry in _entries(relation)}
    for at in _each([s for s in free if s != symbol and s not in labels], values, ranges):
        there = {**at, symbol.name: k}
        places = [
            (_value(index, there), mentioned.get((entry.base.label, place), set()))
            for entry in _entries(relation)
            for place, index in enumerate(entry.indices)
            if not any(map(is_bound, index.free_symbols))
        ]
        if all(number in numbers for number, numbers in places):
            try:
                if not near(relation, there, evaluate(relation.lhs, there), evaluate(relation.rhs, there)):
                    return True
            except NO_VALUE:
                continue
    return False
