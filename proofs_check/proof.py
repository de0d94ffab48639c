"""What a proof file holds: a `Proof` of a claim that holds, a `Refutation` of one that does not; and how they are checked.

A proof's conclusion is compared with the claim's own `lhs` and `rhs` on exact instances, so that it cannot be about another
formula; every given is evaluated there too, so that it cannot be about fewer instances.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.derivation import Derivation, Unproved
from proofs_check.terms import TOKENS, Relation, evaluate, is_token
from simspec.claims.balls import ball
from simspec.claims.claim import Claim, Instance, at_least, at_most, call, equal
from simspec.claims.draw import ExactDraw
from simspec.claims.shrink import violated

__all__ = ["Proof", "Refutation", "check", "check_refutation", "disagreement", "first", "instances", "laws"]

MUTATIONS = ("drop an assumption", "flip a sign", "change a constant")


@dataclass(frozen=True)
class Proof:
    """A machine-checked proof of a claim, or of a stated part of it.

    Attributes
    ----------
    claim : the claim, imported from where it is listed
    prove : (Derivation, **mutation) -> None
        runs the proof and ends with `qed`; raises `Unproved` where a step does not follow.
    mutations : {"drop an assumption": …, "flip a sign": …, "change a constant": …}
        the name of a given to leave out, or arguments of `prove`; with any of them the proof must fail.
    bind : instance values, by name -> {symbol name: value}
        what the symbols of givens and conclusions stand for in an instance of the claim; arrays count tokens from 1.
        A free variable that is no token needs its range under ``"ranges"``: ``{"n": range(3)}``.
    scope : what exactly is proved, in words
    whole : whether that is the whole statement of the claim
    sharp : for a bound: its sharp constant, or the best proven values on both sides, and where they are attained
    deep : checked only under ``--effort deep``
    """

    claim: Claim
    prove: Callable[..., None]
    mutations: Mapping[str, Any]
    bind: Callable[..., Mapping[str, Any]] | None
    scope: str = "every vocabulary size, all laws and parameters of the claim"
    whole: bool = True
    sharp: str = ""
    deep: bool = False


@dataclass(frozen=True)
class Refutation:
    """An exact counterexample to a claim as printed, found anew and confirmed on the claim's own formulas.

    Attributes
    ----------
    claim : the claim
    find : () -> instance
        by a solver's model, or as the first of an enumeration in order of size; raises `Unproved` where there is none.
    scope : how it was found, and in what sense it is smallest
    repaired : {what is added or changed: () -> instance}
        the same search for the corrected statement, which must find nothing; at least one.
    """

    claim: Claim
    find: Callable[[], Instance]
    scope: str
    repaired: Mapping[str, Callable[[], Instance]] = field(default_factory=dict)


def check(proof: Proof, mutation: str | None = None) -> Derivation:
    """Run a proof, as it stands or with one of its mutations.

    Raises
    ------
    Unproved
    """
    dropped, arguments = None, {}
    if mutation is not None and mutation.startswith("without "):
        dropped = mutation.removeprefix("without ")
    elif mutation is not None and isinstance(proof.mutations[mutation], str):
        dropped = proof.mutations[mutation]
    elif mutation is not None:
        arguments = proof.mutations[mutation]
    d = Derivation(proof.claim.name, dropped)
    proof.prove(d, **arguments)
    if dropped is not None and dropped not in d.givens:
        raise ValueError(f"{proof.claim.name}: there is no given called {dropped!r} to leave out")
    if (proof.bind is None) != (not d.conclusions):
        raise ValueError(
            f"{proof.claim.name}: conclusions are compared with the claim's; expected a bind for them, or neither"
        )
    if not d.conclusions and not d.enumerated:
        raise Unproved(f"{proof.claim.name}: the proof ends without a conclusion")
    return d


def check_refutation(refutation: Refutation) -> Instance:
    """The counterexample, confirmed on the claim: inside the assumptions, exact, and of negative slack."""
    claim, instance = refutation.claim, refutation.find()
    if broken := claim.broken(instance):
        raise Unproved(f"{claim.name}: the counterexample breaks {', '.join(broken)}")
    if not violated(claim.slack(instance)):
        raise Unproved(f"{claim.name}: the slack is not certainly negative at {instance}")
    return instance


# --- instances ------------------------------------------------------------------------------------------------------


def instances(claim: Claim, number: int, seed: int = 0) -> Iterator[Instance]:
    """Exact instances inside the assumptions of a claim: its listed ones, then random ones."""
    yield from claim.tight
    rng = np.random.default_rng(seed)
    made = 0
    for _ in range(50 * number):
        if made == number or claim.instances is None:
            return
        instance = claim.draw(ExactDraw(rng=rng))
        if not claim.broken(instance):
            made += 1
            yield instance


def laws(vocab: int, denominator: int) -> Iterator[np.ndarray]:
    """All laws over `vocab` tokens whose masses are multiples of 1/denominator.

    >>> [[str(m) for m in p] for p in laws(2, 2)]
    [['0', '1'], ['1/2', '1/2'], ['1', '0']]
    """
    for counts in product(range(denominator + 1), repeat=vocab):
        if sum(counts) == denominator:
            yield np.array([Fraction(c, denominator) for c in counts], dtype=object)


def first(claim: Claim, ordered: Iterator[Instance]) -> Instance:
    """The first instance inside the assumptions whose slack is certainly negative.

    Raises
    ------
    Unproved
        when there is none.
    """
    for instance in ordered:
        if not claim.broken(instance) and violated(claim.slack(instance)):
            return instance
    raise Unproved(f"{claim.name}: no counterexample among the instances")


# --- the proof's statement against the claim's ------------------------------------------------------------------------


def disagreement(proof: Proof, d: Derivation, instance: Instance) -> str | None:
    """What differs between a checked proof and its claim on one instance; None when they agree."""
    if proof.bind is None:
        return None
    values = dict(call(proof.bind, instance))
    ranges = values.pop("ranges", {})
    for name in [str(m) for m, *_ in d.extrema] + [str(s.base) for s, _ in d.signs]:
        values.pop(name, None)  # what the check works out is not for an instance to say
    told = [r for name, relations in d.givens.items() if name not in d.supposed for r in relations]
    tokens = {s for r in (*told, *d.conclusions) for s in r.lhs.free_symbols | r.rhs.free_symbols if s in TOKENS}
    if fixed := [s.name for s in tokens if s.name in values or not len(tuple(ranges.get(s.name, (0,))))]:
        return f"bind: {fixed[0]} is a token; it stands for every one"
    kinds: list[tuple[Any, set[str]]] = [(equal, {"="}), (at_most, {"=", "<=", "<"}), (at_least, {"=", ">=", ">"})]
    allowed = next((ops for relation, ops in kinds if relation is proof.claim.relation), None)
    if allowed is None or any(r.op not in allowed for r in d.conclusions):
        return f"the conclusions {[r.op for r in d.conclusions]} are not of the claim's relation"
    for r in d.definitions:  # a name that the instance gives a value must have the value that the proof defines
        if (r.lhs.name if isinstance(r.lhs, sp.Symbol) else str(r.lhs.base)) in values:
            for at in _ranged(r, values, ranges, strict=False):
                if not _agrees(r, at, _defined(d, values)):
                    return f"the definition {r} does not hold"
    values |= _defined(d, values)
    for name, relations in d.givens.items():
        if name in d.supposed:
            continue
        for r in relations:
            for at in _ranged(r, values, ranges):
                if not _holds(r, at):
                    return f"the given {name!r} ({r}) does not hold"
    sides = np.broadcast_arrays(*(np.asarray(s, dtype=object) for s in proof.claim.sides(instance)))
    theirs = [np.ravel(s).tolist() for s in sides]
    ours: tuple[list[Any], list[Any]] = ([], [])
    for r in d.conclusions:
        for at in _ranged(r, values, ranges):
            ours[0].append(evaluate(r.lhs, at))
            ours[1].append(evaluate(r.rhs, at))
    for side, mine, given in zip(("left", "right"), ours, theirs, strict=True):
        if len(mine) != len(given):
            return f"{side} sides: {len(mine)} in the proof, {len(given)} in the claim"
        for a, b in zip(mine, given, strict=True):
            if not _same(a, b):
                return f"{side} side: {a} in the proof, {b} in the claim"
    return None


def _defined(d: Derivation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Values of the names that the proof defined, unless the instance gives them."""
    found: dict[str, Any] = {}
    scope = {**values}
    waiting: list[tuple[str, Callable[[], Any]]] = []
    for r in d.definitions:
        if not isinstance(r.lhs, sp.Indexed):
            if r.lhs.name not in values:
                waiting.append((r.lhs.name, partial(evaluate, r.rhs, scope)))
            continue
        name = str(r.lhs.base)
        if name in values:
            continue
        earlier = scope.get(name)

        @cache
        def value(*at: int, r: Relation = r, earlier: Any = earlier, name: str = name) -> Any:
            inner = dict(scope)
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

        found[name] = scope[name] = value
    for symbol, expression, token, least in d.extrema:

        def extreme(e: Any = expression, name: str = token.name, least: bool = least) -> Any:
            return _extreme([evaluate(e, {**scope, name: k}) for k in range(1, int(scope["V"]) + 1)], least)

        waiting.append((symbol.name, extreme))
    for sign, expression in d.signs:

        def turn(*at: int, e: Any = expression, places: Any = sign.indices) -> Any:
            value = evaluate(e, {**scope, **{s.name: k for s, k in zip(places, at, strict=True)}})
            return Fraction((value > 0) - (value < 0))

        found[str(sign.base)] = scope[str(sign.base)] = turn
    while waiting:  # names may be defined in terms of later ones, so as long as any has a value
        left = []
        for name, work in waiting:
            try:
                found[name] = scope[name] = work()
            except KeyError:  # of what the instance does not say
                left.append((name, work))
        if len(left) == len(waiting):
            break
        waiting = left
    return found


def _extreme(numbers: list[Any], least: bool) -> Any:
    if not _ball_like(*numbers):
        return min(numbers) if least else max(numbers)
    out = ball(numbers[0])
    for value in numbers[1:]:
        out = out.min(ball(value)) if least else out.max(ball(value))
    return out


def _base_covers(d: Derivation, name: str, at: Sequence[int]) -> bool:
    base = next(r.lhs for r in d.definitions if isinstance(r.lhs, sp.Indexed) and str(r.lhs.base) == name)
    return all(not i.is_Integer or int(i) == k for i, k in zip(base.indices, at, strict=True))


def _ranged(
    r: Relation, values: Mapping[str, Any], ranges: Mapping[str, Any], strict: bool = True
) -> Iterator[dict[str, Any]]:
    """Values of a statement's free variables: the instance's own, every token, every member of a named range."""
    free = sorted(
        {s for s in r.lhs.free_symbols | r.rhs.free_symbols if isinstance(s, sp.Symbol) and s.is_integer}
        - {sp.Symbol(n) for n in values},
        key=lambda s: s.name,
    )
    free = [s for s in free if s.name not in values or s.name in ranges]
    every = [
        ranges[s.name] if s.name in ranges else range(1, int(values["V"]) + 1) if is_token(s) else () for s in free
    ]
    if strict and (open_ := [s.name for s in free if s.name not in ranges and not is_token(s)]):
        raise ValueError(f"{r}: bind gives no range for {open_[0]}")
    for at in product(*every):
        yield {**values, **{s.name: k for s, k in zip(free, at, strict=True)}}


def _agrees(r: Relation, at: Mapping[str, Any], defined: Mapping[str, Any]) -> bool:
    try:
        return _holds(r, {**defined, **at})
    except (IndexError, KeyError):  # past the end of what the instance gives
        return True


def _holds(r: Relation, at: Mapping[str, Any]) -> bool:
    a, b = evaluate(r.lhs, at), evaluate(r.rhs, at)
    if r.op == "=":
        return _same(a, b)
    # a ball that contains the other side is no contradiction
    if _ball_like(a, b):
        a, b = ball(_tight(a)), ball(_tight(b))
    return not {"<=": a > b, "<": a >= b, ">=": a < b, ">": a <= b}[r.op]


def _tight(value: Any) -> Any:
    """A ball that tells something: finite, and narrow."""
    if _ball_like(value) and not (value.is_finite() and float(value.rad()) <= 1e-9 * max(1.0, abs(float(value.mid())))):
        raise ValueError(f"{value}: too wide an enclosure to compare anything with")
    return value


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        raise TypeError("a floating-point number in an exact comparison")
    if _ball_like(a, b):
        return bool(ball(_tight(a)).overlaps(ball(_tight(b))))
    return bool(a == b)


def _ball_like(*values: Any) -> bool:
    return any(type(v).__name__ == "arb" for v in values)


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and how many seconds it took."""
    start = time.perf_counter()
    found = action()
    return found, time.perf_counter() - start
