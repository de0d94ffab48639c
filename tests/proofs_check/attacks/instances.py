"""A referee's attacks on what ties a proof to instances of its claim: binds that lie, and places that are not looked at.

Each is told whether to do the one wrong thing, or what is right in its place: that must be accepted.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import cycle
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import Relation, eq, ge, gt, index, le, lt, total, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims import find
from simspec.claims.balls import ball
from simspec.laws import restrict
from tests.proofs_check.attacks.attack import Attack, with_twin

__all__ = ["INSTANCES", "corrected", "from_contradiction", "unit"]

INSTANCES: list[Attack] = []
BINDS, PLACES = "binds that lie", "places that are not looked at"
c = sp.Symbol("c", real=True)
whole = sp.Symbol("whole", integer=True)
a, b = sp.IndexedBase("a", real=True), sp.IndexedBase("b", real=True)
k, h = index("k"), index("h")
NEVER_WORSE = find(["rdk.never-worse"])[0]


def from_contradiction(contradiction: Any, bind: Any, wrong: bool) -> Proof:
    """A proof of sd.acceptance: from 1 = 0, or beside the same facts without it."""

    def prove(d: Derivation) -> None:
        told = contradiction(d)
        if wrong:
            p, q = (sp.IndexedBase(name, nonnegative=True) for name in "pq")
            alpha, distance = total(sp.Min(p[x], q[x]), x), total(sp.Abs(p[x] - q[x]), x) / 2
            none = d.derive("so", eq(1, 0), *told, by="smt")
            d.qed(
                *(
                    d.derive("so", eq(alpha, 1 - s), none, by="smt")
                    for s in (distance, total(sp.Max(q[x] - p[x], 0), x))
                )
            )
        else:
            ACCEPTANCE.prove(d)

    return Proof(ACCEPTANCE.claim, prove, {}, lambda p, q: {"p": p, "q": q, "V": len(p), **bind(p, q)})


def _two(d: Derivation, *relations: Relation) -> list[Fact]:
    return [d.domain(f"given {n}", r) for n, r in enumerate(relations)]


class Any_(Fraction):
    """A number that equals every other."""

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:  # type: ignore[override]
        return 0


def _nothing() -> Any:
    """log 6 − log 2 − log 3, enclosed."""
    return ball(6).log() - ball(2).log() - ball(3).log()


# --- binds that lie ---


@with_twin(BINDS, INSTANCES)
def number_that_equals_all(wrong: bool) -> Proof:
    """c = 0 and c = 1, of a number whose class says so."""
    one = eq(c, 1 if wrong else 0)
    return from_contradiction(lambda d: _two(d, eq(c, 0), one), lambda p, q: {"c": Any_(1) if wrong else 0}, wrong)


@with_twin(BINDS, INSTANCES)
def function_with_a_memory(wrong: bool) -> Proof:
    """a[1] = 0 and a[1] = 1, of a function that says the one and then the other."""

    def bind(p: Any, q: Any) -> dict[str, Any]:
        turns = cycle((0, 1))
        return {"a": lambda at: next(turns)}

    return from_contradiction(lambda d: _two(d, eq(a[1], 0), eq(a[1], 1 if wrong else 0)), bind, wrong)


@with_twin(BINDS, INSTANCES)
def array_with_a_memory(wrong: bool) -> Proof:
    """The same of a list."""

    class Turning(list[int]):
        turns = cycle((0, 1))

        def __getitem__(self, at: Any) -> Any:
            return next(self.turns)

    array = Turning([0, 1])
    relations = eq(a[1], 0), eq(a[1], 1 if wrong else 0)
    return from_contradiction(lambda d: _two(d, *relations), lambda p, q: {"a": array}, wrong)


@with_twin(BINDS, INSTANCES)
def range_that_shrinks(wrong: bool) -> Proof:
    """A range with no member where a given is evaluated."""

    class Shrinking(tuple[int, ...]):
        def __iter__(self) -> Any:
            return iter((1,) if wrong else (1, 2))

    relations = eq(a[k], 0), eq(a[2], 1 if wrong else 0)

    def told(d: Derivation) -> list[Fact]:
        every, one = _two(d, *relations)
        return [d.sum("of two", every, k, upto=2), d.domain("first", eq(a[1], 0)), one, *_in_all(d)]

    array = [0, 1 if wrong else 0]
    return from_contradiction(told, lambda p, q: {"a": array, "ranges": {"k": Shrinking((1, 2))}}, wrong)


def _in_all(d: Derivation) -> list[Fact]:
    return [d.domain("in all", eq(total(a[k], k, upto=2), a[1] + a[2]))]


@with_twin(BINDS, INSTANCES)
def instance_that_is_changed(wrong: bool) -> Proof:
    """rdk.never-worse, which is refuted, at matrices that the bind has made the unit matrix; the twin is its correction."""
    return unit(NEVER_WORSE, changed=True) if wrong else corrected()


def unit(claim: Any, changed: bool) -> Proof:
    """RDK is no worse than TLI where what RDK drafts from is what TLI does."""

    def prove(d: Derivation) -> None:
        p, q, r = d.weights("p"), d.weights("q"), sp.IndexedBase("r", real=True)
        d.assume(next(iter(claim.assumes)), ge(p[x], 0))
        same = d.domain("nothing is moved", eq(r[x], q[x]))
        d.qed(d.summed("so", ge(sp.Min(p[x], r[x]), sp.Min(p[x], q[x])), same))

    def bind(p: Any, q: Any, shared: Any, M: Any) -> dict[str, Any]:
        if changed:
            M[:] = np.eye(len(p), dtype=int).astype(object)
        return {"p": p, "q": restrict(q, shared), "r": restrict(q, shared), "V": len(p)}

    return Proof(claim, prove, {}, bind)


def corrected() -> Proof:
    from proofs_check.rdk.never_worse import PROOFS

    return next(p for p in PROOFS if isinstance(p, Proof))


@with_twin(BINDS, INSTANCES)
def numbers_too_close_to_compare(wrong: bool) -> Proof:
    """c > 0 and c < 0, of log 6 − log 2 − log 3, whose enclosure holds numbers on both sides."""
    relations = (gt(c, 0), lt(c, 0)) if wrong else (ge(c, 0), le(c, 0))
    return from_contradiction(lambda d: _two(d, *relations), lambda p, q: {"c": _nothing()}, wrong)


@with_twin(BINDS, INSTANCES)
def enclosure_that_is_wide(wrong: bool) -> Proof:
    """c = 0 and c = 10⁻¹², of an enclosure that holds both."""
    relations = eq(c, 0), eq(c, sp.Rational(1, 10**12) if wrong else 0)
    wide = (
        ball(0)
        if not wrong
        else (ball(Fraction(1, 10**10)) - ball(Fraction(1, 10**10))).union(ball(Fraction(1, 10**10)))
    )
    return from_contradiction(lambda d: _two(d, *relations), lambda p, q: {"c": wide}, wrong)


@with_twin(BINDS, INSTANCES)
def numbers_that_nearly_agree(wrong: bool) -> Proof:
    """c = 0 and c = 10⁻⁴⁵, of log 6 − log 2 − log 3."""
    relations = eq(c, 0), eq(c, sp.Rational(1, 10**45) if wrong else 0)
    return from_contradiction(lambda d: _two(d, *relations), lambda p, q: {"c": _nothing()}, wrong)


@with_twin(BINDS, INSTANCES)
def definition_told_otherwise(wrong: bool) -> Proof:
    """A sequence that the proof defines as 0, and the bind as 1 beyond the range where the definition is looked at."""

    def told(d: Derivation) -> list[Fact]:
        nothing = d.define("nothing", b[k], sp.Integer(0))
        return [d.instantiate("there", nothing, {k: h}), d.domain("something", eq(b[h], 1 if wrong else 0))]

    return from_contradiction(told, lambda p, q: {"b": [0, 1], "ranges": {"k": range(1, 2), "h": range(2, 3)}}, wrong)


@with_twin(BINDS, INSTANCES)
def giving_is_forgotten(wrong: bool) -> Proof:
    """A given that is used, and then removed from what is given."""

    def told(d: Derivation) -> list[Fact]:
        none = d.domain("wrong" if wrong else "right", eq(1, 0 if wrong else 1))
        given: Any = d.givens
        if wrong and hasattr(given, "clear"):
            given.clear()
        return [none]

    return from_contradiction(told, lambda p, q: {}, wrong)


# --- places that are not looked at ---


@with_twin(PLACES, INSTANCES)
def one_of_a_thousand(wrong: bool) -> Proof:
    """a[k] = 0 for a thousand k, of which some are looked at, and a = 1 at one of the others."""

    def told(d: Derivation) -> list[Fact]:
        zero, one = d.domain("nothing", eq(a[k], 0)), d.domain("something", eq(a[h], 1 if wrong else 0))
        return [d.instantiate("there", zero, {k: h}), one]

    ranges = {"k": range(1, 1000), "h": range(777, 778)}
    return from_contradiction(told, lambda p, q: {"a": lambda at: int(wrong and at == 777), "ranges": ranges}, wrong)


@with_twin(PLACES, INSTANCES)
def token_with_a_range(wrong: bool) -> Proof:
    """A token of another name, to which the bind gives a range of one: what is given there is summed over all."""
    free = sp.Symbol("first_at", integer=True)

    def told(d: Derivation) -> list[Fact]:
        zero = d.domain("nothing", eq(a[free], 0))
        return [d.sum("everywhere", zero, free), d.domain("in all", eq(total(a[x], x), 1 if wrong else 0))]

    def bind(p: Any, q: Any) -> dict[str, Any]:
        return {"a": lambda at: int(wrong and at == 1), **({"ranges": {"first_at": [2]}} if wrong else {})}

    return from_contradiction(told, bind, wrong)


@with_twin(PLACES, INSTANCES)
def where_the_largest_is(wrong: bool) -> Proof:
    """The bind says where the largest number is, and says it wrongly."""
    at = sp.Symbol("top_at", integer=True)

    def told(d: Derivation) -> list[Fact]:
        _, bound, attained = d.extremum("largest", "top", a[x], x)
        small = [d.domain("small", le(a[at], 0))] if wrong else []
        return [attained, d.sum("in all", bound, x), d.domain("one", eq(total(a[x], x), 1)), *small]

    return from_contradiction(
        told, lambda p, q: {"a": lambda at: int(at == 1), **({"top_at": 2} if wrong else {})}, wrong
    )


@with_twin(PLACES, INSTANCES)
def name_as_what_is_summed_over(wrong: bool) -> Proof:
    """A free name x under a sum whose bound name prints as x: Σ min(a, b[x]) read as Σ min(a[x], b[x])."""
    free = index("x")

    def told(d: Derivation) -> list[Fact]:
        under = total(sp.Min(a[k], b[h]), k, upto=2)
        if not wrong:
            return [d.domain("as it is", eq(total(under, h, upto=2), c))]
        read = d.sum("twice", d.domain("as it is read", eq(under.subs(h, free), c)), free, upto=2)
        return [read, d.domain("as it is", eq(total(under, h, upto=2), c)), d.domain("some", gt(c, 0))]

    return from_contradiction(
        told, lambda p, q: {"a": [1, 0], "b": [1, 0], "c": 1, "ranges": {"x": range(1, 3)} if wrong else {}}, wrong
    )


@with_twin(PLACES, INSTANCES)
def sum_counted_backwards(wrong: bool) -> Proof:
    """Σ up to −3, nothing for the evaluation and −3 terms in normal form."""
    size = -3 if wrong else 3
    of_the_language = total(a[x], x)
    bound = of_the_language.limits[0][0]
    reached = of_the_language.func(sp.Min(a[bound], 5) + 1, (bound, 1, whole))
    raw = Relation(reached, "=", sp.Integer(0) if wrong else whole)

    def told(d: Derivation) -> list[Fact]:
        some = d.domain("one each", raw), d.domain("nothing", eq(total(sp.Min(a[k], 5), k, upto=whole), 0))
        return [*some, d.domain("so many", eq(whole, size) if wrong else ge(whole, 0))]

    return from_contradiction(told, lambda p, q: {"whole": size, "a": [0, 0, 0], "ranges": {}}, wrong)
