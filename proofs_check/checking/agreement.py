"""Whether a checked proof is about its claim: its conclusions and givens, evaluated at instances."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from fractions import Fraction
from functools import cache, partial
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.finer import Unsure, digits, narrower
from proofs_check.checking.plain import without_texts
from proofs_check.checking.ranges import PLACES, beyond, number, ranged
from proofs_check.checking.unchanged import check_unchanged
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import Relation, is_index, is_token
from proofs_check.rules.values import evaluate, fixed
from simspec.claims.balls import ball, is_ball
from simspec.claims.claim import Claim, Instance, at_least, at_most, call, equal

__all__ = ["Bound", "bound", "disagreement", "failing", "meanings", "near", "places", "sides_apart"]

ROUGH = 36
"""To how many binary digits enclosures agree that are looked at more closely."""
Compared = Callable[[Relation, Mapping[str, Any], Any, Any], bool]
"""Whether the sides of a statement, which have these values at a place, are in its relation."""
Bound = tuple[dict[str, Any], Mapping[str, Any]]
"""What names stand for in an instance, and what free variables range over."""


def disagreement(
    proof: Proof,
    d: Derivation,
    instance: Instance,
    limit: int | None = PLACES,
    binding: Bound | None = None,
    defined: Mapping[str, Any] | None = None,
) -> str | None:
    """What differs between a checked proof and its claim on one instance; None when they agree.

    `limit` is at how many combinations of its indices a given is evaluated, at most; None for all.  `binding` is what `bound`
    has found for this instance, where it was asked already, and `defined` what `meanings` has made of that.
    """
    if proof.bind is None:
        return None
    unsure: Unsure = []
    binding = binding or bound(proof.bind, d, instance)
    wrong = _differing(proof, d, instance, limit, binding, partial(near, unsure=unsure), defined)
    if wrong or not unsure:
        return wrong
    assumptions = [r for relations in d.givens.values() for r in relations]
    enough = digits([*assumptions, *d.definitions, *d.conclusions], unsure, binding[0])
    with narrower(enough):
        binding = bound(proof.bind, d, instance)
        return _differing(proof, d, instance, limit, binding, partial(near, agreeing=enough))


def _differing(
    proof: Proof,
    d: Derivation,
    instance: Instance,
    limit: int | None,
    binding: Bound,
    compared: Compared,
    defined: Mapping[str, Any] | None = None,
) -> str | None:
    """`disagreement`, once, by one way to compare numbers."""
    values, ranges = binding
    if wrong := _misread(d, values, ranges) or _outside_its_kind(d, values, ranges) or _unlike(proof.claim, d):
        return wrong
    values = {**values, **(meanings(d, values) if defined is None else defined)}
    if wrong := failing(d, values, ranges, limit=limit, compared=compared):
        return wrong
    if wrong := beyond(d, values, ranges):
        return wrong
    side_mismatch, false = sides_apart(proof.claim, d, values, ranges, instance, compared)
    return side_mismatch or false


def places(d: Derivation, binding: Bound) -> int:
    """At how many combinations of its indices a given could be evaluated in an instance, at most."""
    values, ranges = binding
    return max((number(r, values, ranges) for relations in d.givens.values() for r in relations), default=0)


def _misread(d: Derivation, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> str | None:
    """A token, or what the proof takes to be any number, that the bind makes a particular one."""
    assumptions = [r for name, relations in d.givens.items() if name not in d.supposed for r in relations]
    tokens = {s for r in (*assumptions, *d.conclusions) for s in r.free_symbols if is_token(s)}
    if named := sorted(s.name for s in tokens if s.name in values or s.name in ranges):
        return f"bind: {named[0]} is a token; it stands for every one"
    if fixed_indices := sorted((name, of) for name, of in d.varied if of in values and of not in ranges):
        given, index = fixed_indices[0]
        return f"bind: {index} is one number; the proof takes the given {given!r} to hold for every {index}"
    return None


def _unlike(claim: Claim, d: Derivation) -> str | None:
    """Conclusions of another relation than the claim's."""
    kinds: list[tuple[Any, set[str]]] = [(equal, {"="}), (at_most, {"=", "<=", "<"}), (at_least, {"=", ">=", ">"})]
    allowed = next((ops for relation, ops in kinds if relation is claim.relation), set())
    if all(r.op in allowed for r in d.conclusions) and allowed:
        return None
    return f"the conclusions {[r.op for r in d.conclusions]} are not of the claim's relation"


def sides_apart(
    claim: Claim,
    d: Derivation,
    values: Mapping[str, Any],
    ranges: Mapping[str, Any],
    instance: Instance,
    compared: Compared,
) -> tuple[str | None, str | None]:
    """A side of a conclusion that differs from the claim's, and a conclusion that does not hold."""
    false: str | None = None
    sides = np.broadcast_arrays(*(np.asarray(s, dtype=object) for s in claim.sides(instance)))
    check_unchanged()
    theirs = [np.ravel(s).tolist() for s in sides]
    proof_sides: tuple[list[Any], list[Any]] = ([], [])
    where: Unsure = []
    for r in d.conclusions:
        for at in ranged(r, values, ranges, limit=None):
            proof_sides[0].append(evaluate(r.lhs, at))
            proof_sides[1].append(evaluate(r.rhs, at))
            where.append((r, at))
            if not compared(r, at, proof_sides[0][-1], proof_sides[1][-1]):
                false = false or f"the conclusion {r} does not hold, so what is given contradicts itself"
    for side, proof_side, claim_side in zip(("left", "right"), proof_sides, theirs, strict=True):
        if len(proof_side) != len(claim_side):
            return f"{side} sides: {len(proof_side)} in the proof, {len(claim_side)} in the claim", false
        for (r, place), a, b in zip(where, proof_side, claim_side, strict=True):
            if not compared(Relation(r.lhs, "=", r.rhs), place, a, b):
                return f"{side} side: {a} in the proof, {b} in the claim", false
    return None, false


def bound(bind: Callable[..., Mapping[str, Any]], d: Derivation, instance: Instance) -> Bound:
    """What an instance says the names of a proof stand for, and the ranges of free variables.

    The bind is given a copy of the instance, and whatever it returns has one value from then on.
    """
    with without_texts():
        bindings = dict(call(bind, deepcopy(dict(instance))))
    check_unchanged()
    ranges = {name: _members(name, bindings) for name, bindings in dict(bindings.pop("ranges", {})).items()}
    values = {name: fixed(name, value) for name, value in bindings.items()}
    for name in [str(m) for m, *_ in d.extrema] + [str(s.base) for s, _ in d.signs] + [_name(r) for r in d.definitions]:
        values.pop(name, None)  # what the check works out is not for an instance to say
    return values, ranges


def _members(name: str, members: Any) -> Sequence[int]:
    """What a symbol ranges over: whole numbers."""
    if type(members) is range:
        return members
    indices = tuple(members)
    if any(type(k) is not int for k in indices):
        raise ValueError(f"bind: {name} ranges over {indices}; expected whole numbers")
    return indices


def failing(
    d: Derivation,
    values: Mapping[str, Any],
    ranges: Mapping[str, Any],
    but: str | None = None,
    limit: int | None = PLACES,
    compared: Compared | None = None,
) -> str | None:
    """The first given that does not hold, or of which nothing is known since there is nothing to evaluate it at.

    What was cited in a case is of that case; what was cited and is not used may be about what has no value here.
    """
    compared = compared or near
    for name, relations in d.givens.items():
        if name in d.supposed or name == but or (name in d.theorems and name not in d.used):
            continue
        where = [c for case in d.theorems.get(name, ()) for c in d.givens[case]]
        for r in relations:
            somewhere = False
            for at in ranged(r, values, ranges, limit=limit):
                somewhere = True
                if all(_holds(c, at, compared) for c in where) and not _holds(r, at, compared):
                    return f"the given {name!r} ({r}) does not hold"
            if not somewhere:
                return f"the given {name!r} ({r}) is evaluated nowhere: the bind gives an empty range"
    return None


def _outside_its_kind(d: Derivation, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> str | None:
    """A symbol that ranges over numbers other than it was declared for; indices count from 1."""
    for symbol in (s for s in d.declared.values() if s.is_integer):
        value = values.get(symbol.name)
        members = ranges.get(symbol.name, [value] if isinstance(value, (int, Fraction)) else [])
        smallest = 1 if is_index(symbol) or symbol.is_positive else 0 if symbol.is_nonnegative else None
        if any(k != int(k) or (smallest is not None and k < smallest) for k in members):
            return f"bind: {symbol.name} takes the values {list(members)}, for which it was not declared"
    return None


def _name(r: Relation) -> str:
    """The name that a definition is of."""
    return r.lhs.name if isinstance(r.lhs, sp.Symbol) else str(r.lhs.base)


def meanings(d: Derivation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the names that the proof defined."""
    known_values: dict[str, Any] = {}
    scope = {**values}
    waiting: list[tuple[str, Callable[[], Any]]] = []
    for r in d.definitions:
        name = _name(r)
        if isinstance(r.lhs, sp.Indexed):
            known_values[name] = scope[name] = cache(partial(_member, d, r, scope, scope.get(name)))
        else:
            waiting.append((name, partial(evaluate, r.rhs, scope)))
    for symbol, expression, token, is_minimum in d.extrema:
        waiting.append((symbol.name, partial(_extreme, expression, token, is_minimum, scope)))
    for sign, expression in d.signs:
        known_values[str(sign.base)] = scope[str(sign.base)] = partial(_sign, expression, sign.indices, scope)
    while waiting:  # names may be defined in terms of later ones, so as long as any has a value
        unresolved = []
        for name, work in waiting:
            try:
                known_values[name] = scope[name] = work()
            except KeyError:  # of what the instance does not say
                unresolved.append((name, work))
        if len(unresolved) == len(waiting):
            break
        waiting = unresolved
    return known_values


def _member(d: Derivation, r: Relation, scope: Mapping[str, Any], earlier: Any, *at: int) -> Any:
    """A member of a sequence that is defined by `r`, or by the base that came `earlier`."""
    inner = dict(scope)
    name = _name(r)
    for index, k in zip(r.lhs.indices, at, strict=True):
        if isinstance(index, sp.Symbol):
            inner[index.name] = k
        elif index.is_Integer:
            if int(index) != k:
                raise ValueError(f"{name}{list(at)} is not defined")
        else:  # n + 1
            if earlier is not None and _base_covers(d, name, at):
                return earlier(*at)
            (symbol,) = index.free_symbols
            inner[symbol.name] = k - int(index - symbol)
    return evaluate(r.rhs, inner)


def _extreme(e: Any, token: sp.Symbol, least: bool, scope: Mapping[str, Any]) -> Any:
    """The least or largest value over the vocabulary."""
    numbers = [evaluate(e, {**scope, token.name: k}) for k in range(1, int(scope["V"]) + 1)]
    if not any(map(is_ball, numbers)):
        return min(numbers) if least else max(numbers)
    out = ball(numbers[0])
    for value in numbers[1:]:
        out = out.min(ball(value)) if least else out.max(ball(value))
    return out


def _sign(e: Any, places: Any, scope: Mapping[str, Any], *at: int) -> Fraction:
    value = evaluate(e, {**scope, **{s.name: k for s, k in zip(places, at, strict=True)}})
    return Fraction((value > 0) - (value < 0))


def _base_covers(d: Derivation, name: str, at: Sequence[int]) -> bool:
    base = next(r.lhs for r in d.definitions if isinstance(r.lhs, sp.Indexed) and str(r.lhs.base) == name)
    return all(not i.is_Integer or int(i) == k for i, k in zip(base.indices, at, strict=True))


def _holds(r: Relation, at: Mapping[str, Any], compared: Compared) -> bool:
    return compared(r, at, evaluate(r.lhs, at), evaluate(r.rhs, at))


def near(
    r: Relation, at: Mapping[str, Any], a: Any, b: Any, unsure: Unsure | None = None, agreeing: int = ROUGH
) -> bool:
    """Whether two numbers, the sides of a statement, are in its relation: enclosures that agree to so many digits are equal."""
    if isinstance(a, float) or isinstance(b, float):
        raise TypeError("a floating-point number in an exact comparison")
    if is_ball(a) or is_ball(b):
        a = ball(a)
        b = ball(b)
        if a.overlaps(b):
            if r.op in {"<", ">"}:
                return False
            if unsure is not None:
                unsure.append((r, at))
            return all(_tight(v, agreeing) for v in (a, b))
    return bool({"=": a == b, "<=": a <= b, "<": a < b, ">=": a >= b, ">": a > b}[r.op])


def _tight(value: Any, agreeing: int) -> bool:
    """Whether a ball tells something: that it is finite, and narrow; refused where not."""
    if not (value.is_finite() and value.rad() <= ball(2) ** -agreeing * ball(1).max(abs(value))):
        raise ValueError(f"{value}: too wide an enclosure to compare anything with")
    return True
