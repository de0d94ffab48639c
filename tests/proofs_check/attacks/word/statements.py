"""Claims of one's own that are false, and shipped claims whose statements are changed, each with a proof of something else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.outside import examined
from proofs_check.checking.proof import check
from proofs_check.checking.written import Proof
from proofs_check.rdk.non_expansive import PROOFS as EXPANSIVE
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import V, eq, ge, le, total, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims.claim import Claim, at_least, at_most, equal
from tests.proofs_check.attacks.attack import Attack, tried
from tests.proofs_check.attacks.promised import FORMULA

__all__ = ["STATEMENTS"]

STATEMENTS: list[Attack] = []
FALSE, CHANGED, GIVEN = (
    "false claims of one's own, with a proof",
    "shipped claims, changed",
    "what own proofs are given",
)
NON_EXPANSIVE = next(p for p in EXPANSIVE if isinstance(p, Proof))
p, q = (sp.IndexedBase(name, nonnegative=True) for name in "pq")
AT_AN_EDGE = "does not hold at an edge of its instances"
Way = Callable[[], Any]


def _refused(by: str, family: str, beyond: str = "") -> Callable[[Way], Way]:
    def put(way: Way) -> Way:
        says = " ".join((way.__doc__ or "").split()).removesuffix(".")
        STATEMENTS.append(Attack(f"claim_{way.__name__}", family, says, way, beyond, by=by))
        return way

    return put


def _pair(draw: Any) -> dict[str, Any]:
    target, draft = draw.pair(draw.vocab())
    return {"p": target, "q": draft}


def _own(lhs: Any, relation: Any, rhs: Any, **more: Any) -> Claim:
    return Claim("own.claim", "bound", "a claim of one's own", "nobody", lhs, relation, rhs, _pair, **more)


def _bind(p: Any, q: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "V": len(p)}


def overlap(p: Any, q: Any) -> Any:
    return np.minimum(p, q).sum(axis=-1)


def _at_most_one(d: Derivation, **changes: Any) -> None:
    """The overlap is at most 1."""
    _, mass = d.law("p")
    d.law("q")
    below = d.summed("the smaller", le(sp.Min(p[x], q[x]), p[x]))
    d.qed(d.derive("so", le(total(sp.Min(p[x], q[x]), x), 1), below, mass))


def _proved(claim: Claim, prove: Any = _at_most_one, bind: Any = _bind) -> Any:
    return tried(Proof(claim, prove, {}, bind))


# --- false claims ---


@_refused("right side: 1 in the proof, 1/2 in the claim", FALSE)
def half_an_overlap() -> Any:
    """The overlap is at most 1/2, with a proof that it is at most 1."""
    return _proved(_own(overlap, at_most, lambda: Fraction(1, 2)))


@_refused("are not of the claim's relation", FALSE)
def overlap_the_other_way() -> Any:
    """The overlap is at least 1, with a proof that it is at most 1."""
    return _proved(_own(overlap, at_least, lambda: 1))


@_refused("are not of the claim's relation", FALSE)
def overlap_is_one() -> Any:
    """The overlap is 1, with a proof that it is at most 1."""
    return _proved(_own(overlap, equal, lambda: 1))


@_refused("are not of the claim's relation", FALSE)
def relation_of_ones_own() -> Any:
    """The overlap is at least 1, by a relation that is called as the other one."""

    def at_most(lhs: Any, rhs: Any) -> Any:
        return lhs - rhs

    return _proved(_own(overlap, at_most, lambda: 1))


@_refused("left side", FALSE)
def true_for_one_token() -> Any:
    """The largest mass is at least 1, true for V = 1, with a proof about the sum."""

    def prove(d: Derivation) -> None:
        _, mass = d.law("p")
        d.qed(d.derive("so", ge(total(p[x], x), 1), mass))

    return _proved(_own(lambda p: p.max(axis=-1), at_least, lambda: 1), prove)


@_refused("left side", FALSE)
def false_at_zeros() -> Any:
    """The number of tokens with mass is V, with a proof that Σ 1 = V."""

    def prove(d: Derivation) -> None:
        _, mass = d.law("p")
        d.qed(d.derive("so", eq(total(p[x] ** 0, x) + total(p[x], x) - 1, V), mass))

    return _proved(_own(lambda p: (p > 0).sum(axis=-1), equal, lambda p: len(p)), prove)


@_refused("the claim does not hold", FALSE)
def enumerated_in_part() -> Any:
    """The overlap is at most 1 − 1/100, by enumeration of laws of which that is true."""
    claim = _own(overlap, at_most, lambda: Fraction(99, 100))
    case = {"p": np.array([Fraction(1), Fraction(0)]), "q": np.array([Fraction(0), Fraction(1)])}
    return _proved(claim, lambda d: d.exhaust("one", lambda each: True, [case]), None)


@_refused("there is no case", FALSE)
def enumerated_nowhere() -> Any:
    """1 ≤ 0 by enumeration of no case."""
    return _proved(_own(lambda: 1, at_most, lambda: 0), lambda d: d.exhaust("none", lambda each: True, []), None)


@_refused("the proof ends without a conclusion", FALSE)
def nothing_concluded() -> Any:
    """1 ≤ 0 by a proof that says nothing."""
    return _proved(_own(lambda: 1, at_most, lambda: 0), lambda d: None, None)


@_refused("says nothing", FALSE)
def one_side_twice() -> Any:
    """The overlap is 1, by a proof that 1 = 1."""
    return _proved(_own(overlap, equal, lambda: 1), lambda d: d.qed(d.derive("so", eq(1, 1))))


@_refused(AT_AN_EDGE, FALSE)
def false_at_one_law() -> Any:
    """The overlap is at most 1, and 2 where the first mass is 1/7919: the proof is about all laws but those."""

    def lhs(p: Any, q: Any) -> Any:
        return 2 if np.any(np.asarray(p)[..., 0] == Fraction(1, 7919)) else overlap(p, q)

    return _proved(_own(lhs, at_most, lambda: 1))


@_refused(AT_AN_EDGE, FALSE)
def false_of_large_vocabularies() -> Any:
    """The overlap is at most 1, and 2 from a million tokens on."""
    return _proved(_own(lambda p, q: overlap(p, q) + (len(p) >= 10**6), at_most, lambda: 1))


@_refused(AT_AN_EDGE, FALSE)
def rare_instance() -> Any:
    """n ≤ 8 for an n that is 9 where twenty fair coins fall alike, by enumeration of 0 to 8."""

    def instances(draw: Any) -> dict[str, Any]:
        coins = [draw.integer(0, 1) for _ in range(20)]
        return {"n": 9 if all(coins) else sum(coins) % 9}

    claim = replace(_own(lambda n: n, at_most, lambda: 8), instances=instances)
    return _proved(claim, lambda d: d.exhaust("each", lambda case: case <= 8, range(9)), None)


@_refused("", FALSE, FORMULA)
def false_at_a_law_that_is_computed() -> Any:
    """The overlap is at most 1, and 2 where the first mass is one part of a number that the formula reads from a text."""

    def lhs(p: Any, q: Any) -> Any:
        return 2 if np.any(np.asarray(p)[..., 0] * int("7919") == 1) else overlap(p, q)

    return _proved(_own(lhs, at_most, lambda: 1))


@_refused("", FALSE, FORMULA)
def a_rarer_instance() -> Any:
    """n ≤ 8 for an n that is 9 where twenty fair coins fall in turn, by enumeration of 0 to 8."""

    def instances(draw: Any) -> dict[str, Any]:
        coins = [draw.integer(0, 1) for _ in range(20)]
        return {"n": 9 if coins == [0, 1] * 10 else sum(coins) % 9}

    claim = replace(_own(lambda n: n, at_most, lambda: 8), instances=instances)
    return _proved(claim, lambda d: d.exhaust("each", lambda case: case <= 8, range(9)), None)


# --- what own proofs are given ---


@_refused("does not hold", GIVEN)
def a_given_that_is_false() -> Any:
    """The overlap is at most 1/2, given that V is 1 and that it is 2."""

    def prove(d: Derivation) -> None:
        wrong = d.domain("one token", eq(V, 1)), d.domain("two tokens", eq(V, 2))
        d.qed(d.derive("so", le(total(sp.Min(p[x], q[x]), x), sp.Rational(1, 2)), *wrong, by="smt"))

    return _proved(_own(overlap, at_most, lambda: Fraction(1, 2)), prove)


@_refused("which the claim does not", GIVEN)
def an_assumption_of_nobody() -> Any:
    """The overlap is 0, assumed under a name that the claim does not have."""

    def prove(d: Derivation) -> None:
        d.qed(d.assume("the laws are apart", eq(total(sp.Min(p[x], q[x]), x), 0)))

    return _proved(_own(overlap, equal, lambda: 0), prove)


@_refused("does not hold", GIVEN)
def an_assumption_that_says_more() -> Any:
    """The overlap is 0, assumed under the name of an assumption that says that V is 1 or more."""

    def prove(d: Derivation) -> None:
        d.qed(d.assume("there is a token", eq(total(sp.Min(p[x], q[x]), x), 0)))

    assumes = {"there is a token": lambda p: len(p) >= 1}
    return _proved(_own(overlap, equal, lambda: 0, assumes=assumes), prove)


@_refused("ends V", GIVEN)
def a_vocabulary_that_ends() -> Any:
    """V is at most a hundred, given, which all that is drawn satisfies."""

    def prove(d: Derivation) -> None:
        _, mass = d.law("p")
        small = d.domain("small", le(V, 100))
        d.qed(d.derive("so", le(V, 100 * total(p[x], x)), mass, small))

    return _proved(_own(lambda p: len(p), at_most, lambda: 100), prove)


@_refused(AT_AN_EDGE, GIVEN)
def an_assumption_that_ends_sooner() -> Any:
    """V ≤ 100 wherever V ≤ 10⁶, which the claim assumes: the proof has the 100 under the assumption's name."""

    def prove(d: Derivation) -> None:
        _, mass = d.law("p")
        small = d.assume("no more than a million tokens", le(V, 100))
        d.qed(d.derive("so", le(V, 100 * total(p[x], x)), mass, small))

    assumes = {"no more than a million tokens": lambda p: len(p) <= 10**6}
    return _proved(_own(lambda p: len(p), at_most, lambda: 100, assumes=assumes), prove)


def _citing(name: str) -> Any:
    def prove(d: Derivation, **changes: Any) -> None:
        if changes:
            d.derive("not so", eq(1, 0))
        _, mass = d.law("p")
        d.domain(f"as is known (see {name})", ge(p[x], 0))
        _at_most_one_again(d, mass)

    return examined(Proof(_own(overlap, at_most, lambda: 1), prove, {"sign": 1}, _bind))


def _at_most_one_again(d: Derivation, mass: Any) -> None:
    d.law("q")
    below = d.summed("the smaller", le(sp.Min(p[x], q[x]), p[x]))
    d.qed(d.derive("so", le(total(sp.Min(p[x], q[x]), x), 1), below, mass))


@_refused("expected another claim that is listed", GIVEN)
def another_claim_of_ones_own() -> Any:
    """What is given cites a claim of one's own, which is in no list."""
    return _citing("own.other")


@_refused("of which no proof is on record", GIVEN)
def a_refuted_claim() -> Any:
    """What is given cites rdk.never-worse, which is refuted."""
    return _citing("rdk.never-worse")


@_refused("is not noticed", GIVEN)
def a_proof_that_cannot_fail() -> Any:
    """A proof that its mutations do not change."""
    return examined(Proof(_own(overlap, at_most, lambda: 1), _at_most_one, {"sign": 1}, _bind))


@_refused("what is given of it is the claim|every conclusion", GIVEN)
def the_overlap_itself_is_given() -> Any:
    """The overlap is a number c, and c ≤ 1 is given."""
    c, one = sp.symbols("c one", real=True)

    def prove(d: Derivation) -> None:
        d.qed(d.derive("so", le(c, one), d.domain("at most", le(c, one))))

    return _proved(_own(overlap, at_most, lambda: 1), prove, lambda p, q: {"c": overlap(p, q), "one": 1, "V": len(p)})


# --- shipped claims, changed ---


def _changed(proof: Proof, name: str = "own.claim", **parts: Any) -> Any:
    return tried(replace(proof, claim=replace(proof.claim, name=name, **parts)))


@_refused("is of another claim of that name than the one that is listed", CHANGED)
def its_own_id() -> Any:
    """sd.acceptance with another right side, under its own id."""
    return _changed(ACCEPTANCE, "sd.acceptance", rhs=lambda p, q: overlap(p, q) * 0 + 1)


@_refused("right side", CHANGED)
def another_right_side() -> Any:
    """sd.acceptance with a right side of 1."""
    return _changed(ACCEPTANCE, rhs=lambda p, q: np.array([1, 1], dtype=object))


@_refused("left side", CHANGED)
def twice_the_left_side() -> Any:
    """sd.acceptance with twice the acceptance."""
    lhs: Any = ACCEPTANCE.claim.lhs
    return _changed(ACCEPTANCE, lhs=lambda p, q: 2 * lhs(p, q))


@_refused("left side|right side", CHANGED)
def laws_exchanged() -> Any:
    """sd.acceptance with the square of the draft law for the draft law."""
    lhs: Any = ACCEPTANCE.claim.lhs
    return _changed(ACCEPTANCE, lhs=lambda p, q: lhs(p, q * q))


@_refused("bind gives|left sides|right sides|left side|right side|does not hold", CHANGED)
def half_a_bound() -> Any:
    """rdk.non-expansive with half its right side."""
    rhs: Any = NON_EXPANSIVE.claim.rhs
    return _changed(NON_EXPANSIVE, rhs=lambda **instance: _called(rhs, instance) / 2)


def _called(function: Any, instance: dict[str, Any]) -> Any:
    from simspec.claims.claim import call

    return call(function, instance)


@_refused("are not of the claim's relation", CHANGED)
def a_bound_the_other_way() -> Any:
    """rdk.non-expansive the other way round."""
    return _changed(NON_EXPANSIVE, relation=at_least)


@_refused("are not of the claim's relation", CHANGED)
def a_bound_as_an_identity() -> Any:
    """rdk.non-expansive as an identity."""
    return _changed(NON_EXPANSIVE, relation=equal)


@_refused("there is no given called", CHANGED)
def a_mutation_of_nothing() -> Any:
    """sd.acceptance without an assumption that it does not have."""
    return check(replace(ACCEPTANCE, drop="p is one of a million"), "drop an assumption")
