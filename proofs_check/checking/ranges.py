"""Over what the free variables of a statement range in an instance, and where a proof goes beyond that."""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.rules.derivation import Derivation
from proofs_check.rules.givens import Place
from proofs_check.rules.terms import Relation, is_token
from proofs_check.rules.values import evaluate

__all__ = ["PLACES", "beyond", "number", "ranged"]

PLACES = 64
"""At how many combinations of its indices a given is evaluated in an instance, at most; at one instance at all of them."""


ALL = 10**5
"""At how many places a fact may use what is given: at all of them it is seen whether that lies in its range."""


def ranged(
    r: Relation, values: Mapping[str, Any], ranges: Mapping[str, Any], strict: bool = True, limit: int | None = PLACES
) -> Iterator[dict[str, Any]]:
    """Values of a statement's free variables: the instance's own, every token, every member of a named range.

    Of more than `limit` combinations some, which no author chooses.
    """
    free, members_of_each = _combined(r, values, ranges)
    if strict and (open_ := [s.name for s in free if s.name not in ranges and not is_token(s)]):
        raise ValueError(f"{r}: bind gives no range for {open_[0]}")
    for at in _some(members_of_each, limit, r):
        yield {**values, **{s.name: k for s, k in zip(free, at, strict=True)}}


def number(r: Relation, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> int:
    """At how many combinations a statement could be evaluated."""
    return math.prod(map(len, _combined(r, values, ranges)[1]))


def _combined(
    r: Relation, values: Mapping[str, Any], ranges: Mapping[str, Any]
) -> tuple[list[sp.Symbol], list[Sequence[int]]]:
    """The symbols of a statement that range over something, and over what."""
    free = sorted((s for s in r.free_symbols if isinstance(s, sp.Symbol) and s.is_integer), key=lambda s: s.name)
    free = [s for s in free if s.name not in values or s.name in ranges]
    members_of_each: list[Sequence[int]] = [
        ranges[s.name] if s.name in ranges else range(1, int(values["V"]) + 1) if is_token(s) else () for s in free
    ]
    return free, members_of_each


def _some(members_of_each: Sequence[Sequence[int]], limit: int | None, about: Relation) -> Iterator[tuple[int, ...]]:
    """All combinations, or the first, the last and others by lot."""
    sizes = [len(e) for e in members_of_each]
    number = math.prod(sizes)
    if limit is None or number <= limit:
        yield from product(*members_of_each)
        return
    lot = np.random.default_rng(zlib.crc32(str(about).encode()))
    for place in (0, number - 1, *lot.integers(number, size=limit - 2).tolist()):
        at = []
        for size, members in zip(reversed(sizes), reversed(members_of_each), strict=True):
            place, k = divmod(place, size)
            at.append(members[k])
        yield tuple(reversed(at))


def beyond(d: Derivation, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> str | None:
    """A place where the conclusions use what is given of every index, beyond the range in which it was evaluated."""
    for place in sorted((p for p in d.places | d.typed if p.value != p.symbol), key=str):
        name = place.symbol.name
        evaluated = _range(place.symbol, values, ranges)
        for at in _at(place, values, ranges):
            if (index_value := evaluate(place.value, at)) not in evaluated:
                return f"what is given for {name} in {_shown(evaluated)} is used at {place.value} = {index_value}"
    return None


def _range(symbol: sp.Symbol, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> Sequence[int]:
    """What a symbol ranges over in an instance."""
    if symbol.name in ranges:
        return ranges[symbol.name]
    if is_token(symbol):
        return range(1, int(values["V"]) + 1)
    if symbol.name not in values:
        raise ValueError(f"bind gives no range for {symbol.name}")
    return [values[symbol.name]]


def _at(place: Place, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> Iterator[dict[Any, Any]]:
    """Values of all names that a place depends on; bound ones, which may be called like others, by themselves."""
    free = sorted((s for s in place.free if s.is_integer and (s.name in ranges or is_token(s))), key=str)
    index_ranges = [_range(s, values, ranges) for s in free]
    if (number_of_places := math.prod(map(len, index_ranges))) > ALL:
        raise ValueError(
            f"bind: {place.value} has {number_of_places:,} places; expected at most {ALL:,}, for each is looked at"
        )
    for indices in product(*index_ranges):
        out: list[dict[Any, Any]] = [{**values, **{s.name: k for s, k in zip(free, indices, strict=True)}}]
        for name, *ends in reversed(place.over):
            out = [{**at, name: Fraction(k)} for at in out for k in _between(ends, at, ranges)]  # by itself, as sums do
        yield from out


def _between(ends: Sequence[Any], at: Mapping[str, Any], ranges: Mapping[str, Any]) -> Sequence[int]:
    if len(ends) == 1:
        return _range(ends[0], at, ranges)
    low, high = (evaluate(e, at) for e in ends)
    return range(int(low), int(high) + 1)


def _shown(numbers: Sequence[int]) -> str:
    return f"{min(numbers)} … {max(numbers)}" if len(numbers) else "nothing"
