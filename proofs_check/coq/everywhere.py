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
from proofs_check.rules.terms import Relation, is_bound, is_index, is_token, strict
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
Mentioned = dict[Any, set[tuple[int, ...]]]
"""The places at which an array is spoken of."""


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
        for name, relation, symbols in universal:
            for at in _elsewhere(relation, symbols, values, ranges, mentioned):
                if _is_false(relation, at, values, ranges, mentioned):
                    symbol, k = next((s, k) for s, k in at.items() if k not in _range(s, values, ranges))
                    return f"what is given of every {symbol}, {name!r}, is false of {k}, over which another name ranges"
    return None


def _universal(d: Traced) -> Iterator[tuple[str, Relation, list[sp.Symbol]]]:
    """Givens that a script says of every index or counter, each with these symbols."""
    facts = Facts(d)
    for name, relations in d.givens.items():
        if name not in d.supposed:
            for place, relation in enumerate(relations):
                symbols = [s for s in facts.universal(Premise(name, place)) if not is_token(s)]
                if symbols:
                    yield name, relation, symbols


def _numbers(d: Derivation) -> set[Any]:
    """Entries of maps that a given, or a definition, reads as numbers, and not as places of arrays."""
    read: set[Any] = set()
    todo = [side for relations in d.givens.values() for r in relations for side in (r.lhs, r.rhs)]
    todo += [r.rhs for r in d.definitions]
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
    """Where arrays are spoken of in an instance, by all that is given, defined and concluded, under sums too."""
    relations = [*(r for rs in d.givens.values() for r in rs), *d.definitions, *d.conclusions]
    mentioned: Mentioned = {}
    for side in [s for r in relations for s in (r.lhs, r.rhs)]:
        ends = {name: end for total in side.atoms(sp.Sum) for name, _, end in total.limits}
        for entry in side.atoms(sp.Indexed):
            at = mentioned.setdefault(entry.base.label, set())
            free = sorted({s for k in entry.indices for s in _symbols(k)}, key=str)
            if not all(s in ends for s in free if is_bound(s)):
                continue
            for there in _summed(
                [s for s in free if is_bound(s)], ends, [s for s in free if not is_bound(s)], values, ranges
            ):
                at |= _places(entry, there)
    return mentioned


def _symbols(index: sp.Expr) -> set[sp.Symbol]:
    labels = {entry.base.label for entry in index.atoms(sp.Indexed)}
    return {s for s in index.free_symbols if isinstance(s, sp.Symbol) and s.is_integer and s not in labels}


def _summed(
    bound_names: list[sp.Symbol], ends: Mapping[Any, Any], free: list[sp.Symbol], values: Values, ranges: Ranges
) -> Iterator[dict[Any, Any]]:
    """The instance at values of some symbols, and of those that are summed over, at most `PLACES` of each."""
    also = {s for name in bound_names for s in _symbols(ends[name]) if not is_bound(s)}
    for at in _each(sorted({*free, *also}, key=str), values, ranges):
        counts = [_value(ends[name], at) for name in bound_names]
        if None not in counts:
            for places in islice(product(*(range(1, (count or 0) + 1) for count in counts)), PLACES):
                yield {**at, **{name.name: k for name, k in zip(bound_names, places, strict=True)}}


def _places(entry: Any, values: Values) -> set[tuple[int, ...]]:
    """Where an entry of an array stands; nothing where an instance does not say it."""
    places = [_value(k, values) for k in entry.indices]
    return set() if None in places else {tuple(k for k in places if k is not None)}


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


def _elsewhere(
    relation: Relation, symbols: list[sp.Symbol], values: Values, ranges: Ranges, mentioned: Mentioned
) -> Iterator[dict[sp.Symbol, int]]:
    """Numbers for symbols, one of which does not range over its number, that make a place one at which its array is spoken of."""
    seen = set()
    for entry in sorted(_entries(relation), key=str):
        of_indices = [s for s in symbols if any(s in _symbols(k) for k in entry.indices)]
        for places in sorted(mentioned.get(entry.base.label, ())):
            at = _solved(entry.indices, places, of_indices)
            if at is None or tuple(at.items()) in seen:
                continue
            seen.add(tuple(at.items()))
            if any(k not in _range(s, values, ranges) for s, k in at.items()):
                yield at


def _solved(indices: Any, places: tuple[int, ...], symbols: list[sp.Symbol]) -> dict[sp.Symbol, int] | None:
    """Numbers at which indices, each of one symbol at most, are at some places; None where there are none."""
    at: dict[sp.Symbol, int] = {}
    if len(indices) != len(places):
        return None
    for index, place in zip(indices, places, strict=True):
        of_index = [s for s in symbols if s in _symbols(index)]
        if len(of_index) != 1 or not (index - of_index[0] * index.coeff(of_index[0])).is_Integer:
            continue
        k = (place - (index - of_index[0] * index.coeff(of_index[0]))) / strict(index.coeff(of_index[0]))
        lowest = 1 if is_index(of_index[0]) or of_index[0].is_positive else 0 if of_index[0].is_nonnegative else None
        if not k.is_Integer or (lowest is not None and k < lowest) or at.setdefault(of_index[0], int(k)) != k:
            return None
    return at or None


def _is_false(
    relation: Relation, at: Mapping[sp.Symbol, int], values: Values, ranges: Ranges, mentioned: Mentioned
) -> bool:
    """Whether a given fails where symbols are numbers and all its places are among those that are spoken of."""
    free = sorted(
        {s for side in (relation.lhs, relation.rhs) for s in side.free_symbols if isinstance(s, sp.Symbol)}, key=str
    )
    labels = {entry.base.label for entry in _entries(relation)}
    others = [s for s in free if s.is_integer and s not in at and s not in labels]
    fixed = {s.name: k for s, k in at.items()}
    for there in _each(others, {**values, **fixed}, {n: r for n, r in ranges.items() if n not in fixed}):
        spoken_of = (
            _places(entry, there) <= mentioned.get(entry.base.label, set())
            for entry in _entries(relation)
            if not any(map(is_bound, entry.free_symbols))
        )
        if all(spoken_of):
            try:
                if not near(relation, there, evaluate(relation.lhs, there), evaluate(relation.rhs, there)):
                    return True
            except NO_VALUE:
                continue
    return False
