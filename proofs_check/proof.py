"""What a proof file holds: a `Proof` of a claim that holds, a `Refutation` of one that does not; and how they are checked.

A proof's conclusion is compared with the claim's own `lhs` and `rhs` on exact instances, so that it cannot be about another
formula; every given is evaluated there too, so that it cannot be about fewer instances.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.derivation import Derivation, Unproved
from proofs_check.terms import Relation, evaluate, is_token
from simspec.claims.claim import Claim, Instance, call, margin
from simspec.claims.draw import ExactDraw

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
    if not d.conclusions and not any("enumeration" in s.how for s in d.steps):
        raise Unproved(f"{proof.claim.name}: the proof ends without a conclusion")
    return d


def check_refutation(refutation: Refutation) -> Instance:
    """The counterexample, confirmed on the claim: inside the assumptions, exact, and of negative slack."""
    claim, instance = refutation.claim, refutation.find()
    if broken := claim.broken(instance):
        raise Unproved(f"{claim.name}: the counterexample breaks {', '.join(broken)}")
    if not margin(claim.slack(instance)) < 0:
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
        if not claim.broken(instance) and margin(claim.slack(instance)) < 0:
            return instance
    raise Unproved(f"{claim.name}: no counterexample among the instances")


# --- the proof's statement against the claim's ------------------------------------------------------------------------


def disagreement(proof: Proof, d: Derivation, instance: Instance) -> str | None:
    """What differs between a checked proof and its claim on one instance; None when they agree."""
    if proof.bind is None:
        return None
    values = dict(call(proof.bind, instance))
    ranges = values.pop("ranges", {})
    values |= _defined(d, values)
    for name, relations in d.givens.items():
        if name in d.supposed:
            continue
        for r in relations:
            for at in _ranged(r, values, ranges):
                if not _holds(r, at):
                    return f"the given {name!r} ({r}) does not hold"
    theirs = [np.ravel(np.asarray(s, dtype=object)).tolist() for s in proof.claim.sides(instance)]
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
    for r in d.definitions:
        if not isinstance(r.lhs, sp.Indexed):
            if r.lhs.name not in values:
                found[r.lhs.name] = scope[r.lhs.name] = evaluate(r.rhs, scope)
            continue
        name = str(r.lhs.base)
        if name in values:
            continue
        earlier = scope.get(name)

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
    return found


def _base_covers(d: Derivation, name: str, at: Sequence[int]) -> bool:
    base = next(r.lhs for r in d.definitions if isinstance(r.lhs, sp.Indexed) and str(r.lhs.base) == name)
    return all(not i.is_Integer or int(i) == k for i, k in zip(base.indices, at, strict=True))


def _ranged(r: Relation, values: Mapping[str, Any], ranges: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
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
    for at in product(*every):
        yield {**values, **{s.name: k for s, k in zip(free, at, strict=True)}}


def _holds(r: Relation, at: Mapping[str, Any]) -> bool:
    a, b = evaluate(r.lhs, at), evaluate(r.rhs, at)
    if r.op == "=":
        return _same(a, b)
    # a ball that contains the other side is no contradiction
    return not {"<=": a > b, "<": a >= b, ">=": a < b, ">": a <= b}[r.op]


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, float) or isinstance(b, float):
        raise TypeError("a floating-point number in an exact comparison")
    if type(a).__name__ == "arb" or type(b).__name__ == "arb":
        from simspec.claims.balls import ball

        return bool(ball(a).overlaps(ball(b)))
    return bool(a == b)


def timed(action: Callable[[], Any]) -> tuple[Any, float]:
    """A result, and how many seconds it took."""
    start = time.perf_counter()
    found = action()
    return found, time.perf_counter() - start
