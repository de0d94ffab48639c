"""Attacks by givens and citations that are the claim in other words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import eq, ge, index, le, total, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims import find
from tests.proofs_check.attacks.attack import Attack, against_claims

__all__ = ["DISGUISES"]

DISGUISES: list[Attack] = []
RANGES, DISGUISE, PARTS = "ranges and binds", "givens that are the claim", "whole and part"
FILES = "proof files that reach into the checker"
n = sp.Symbol("n", integer=True, nonnegative=True)
k, m = index("k"), index("begin")
a = sp.IndexedBase("a", real=True)
NEVER_WORSE = find(["rdk.never-worse"])[0]
NON_EXPANSIVE = find(["rdk.non-expansive-sharp"])[0]
ATTAINED = find(["rdk.static-mixture.attained"])[0]


def _identity(d: Derivation, wrong: Fact) -> None:
    """sd.acceptance from 1 = 0."""
    p, q = (sp.IndexedBase(name, nonnegative=True) for name in "pq")
    alpha, distance = total(sp.Min(p[x], q[x]), x), total(sp.Abs(p[x] - q[x]), x) / 2
    kernel = total(sp.Max(q[x] - p[x], 0), x)
    d.qed(*(d.derive("so", eq(alpha, 1 - side), wrong, by="smt") for side in (distance, kernel)))


def _from_nothing(prove: Any, bind: Any) -> Proof:
    """A proof of sd.acceptance, which is true, from a contradiction that `prove` makes."""
    whole = lambda p, q: {"p": p, "q": q, "V": len(p), **bind(p, q)}  # noqa: E731
    return Proof(ACCEPTANCE.claim, lambda d: _identity(d, prove(d)), {}, whole)


# --- givens that are the claim ---


def _sides(claim: Any, names: str = "left right") -> Any:
    def bind(**instance: Any) -> dict[str, Any]:
        left, right = (np.ravel(s) for s in np.broadcast_arrays(*claim.sides(instance)))
        return dict(zip(names.split(), (left, right), strict=True)) | {"V": len(left)}

    return bind


LEFT, RIGHT, MIDDLE = (sp.IndexedBase(name, real=True) for name in ("left", "right", "middle"))


@against_claims(DISGUISE, DISGUISES)
def the_claim_itself() -> Proof:
    """rdk.static-mixture.attained, given and concluded."""

    def prove(d: Derivation) -> None:
        d.qed(d.domain("what it finds", eq(LEFT[x], RIGHT[x])))

    return Proof(ATTAINED, prove, {}, _sides(ATTAINED))


@against_claims(DISGUISE, DISGUISES)
def the_claim_turned() -> Proof:
    """An identity given as twice the difference of its sides."""

    def prove(d: Derivation) -> None:
        told = d.domain("nothing is left", eq(2 * RIGHT[x] - 2 * LEFT[x], 0))
        d.qed(d.derive("so", eq(LEFT[x], RIGHT[x]), told))

    return Proof(ATTAINED, prove, {}, _sides(ATTAINED))


@against_claims(DISGUISE, DISGUISES)
def the_claim_in_two_steps() -> Proof:
    """left = middle and middle = right, both true of a middle that is the left side."""

    def prove(d: Derivation) -> None:
        told = d.domain("one", eq(LEFT[x], MIDDLE[x])), d.domain("other", eq(MIDDLE[x], RIGHT[x]))
        d.qed(d.derive("so", eq(LEFT[x], RIGHT[x]), *told))

    def bind(**instance: Any) -> dict[str, Any]:
        found = _sides(ATTAINED)(**instance)
        return {**found, "middle": found["left"]}

    return Proof(ATTAINED, prove, {}, bind)


@against_claims(DISGUISE, DISGUISES)
def the_claim_by_callables() -> Proof:
    """A bound split at a middle, its sides given as functions."""

    def prove(d: Derivation) -> None:
        told = d.domain("one", le(LEFT[x], MIDDLE[x])), d.domain("other", le(MIDDLE[x], RIGHT[x]))
        d.qed(d.derive("so", le(LEFT[x], RIGHT[x]), *told))

    def bind(**instance: Any) -> dict[str, Any]:
        found = _sides(NON_EXPANSIVE)(**instance)
        left, right = found["left"], found["right"]
        values = {"left": left, "right": right, "middle": (left + right) / 2}
        return {**{k: lambda at, v=v: v[at - 1] for k, v in values.items()}, "V": len(left)}

    return Proof(NON_EXPANSIVE, prove, {}, bind)


@against_claims(DISGUISE, DISGUISES)
def the_claim_as_a_theorem() -> Proof:
    """The claim, cited as published."""

    def prove(d: Derivation) -> None:
        d.qed(d.cite("as is known", eq(LEFT[x], RIGHT[x]), "folklore"))

    return Proof(ATTAINED, prove, {}, _sides(ATTAINED))


@against_claims(DISGUISE, DISGUISES)
def a_false_theorem() -> Proof:
    """1 = 0, cited."""
    return _from_nothing(lambda d: d.cite("as is known", eq(1, 0), "folklore"), lambda p, q: {})


@against_claims(DISGUISE, DISGUISES)
def under_the_name_of_a_claim() -> Proof:
    """Any given, under the id of a claim that is proved."""

    def prove(d: Derivation) -> None:
        d.domain("sd.lossless", ge(sp.IndexedBase("p", nonnegative=True)[x], 0))
        ACCEPTANCE.prove(d)

    return replace(ACCEPTANCE, prove=prove)


@against_claims(DISGUISE, DISGUISES)
def an_assumption_more() -> Proof:
    """An assumption that the claim does not make."""

    def prove(d: Derivation) -> None:
        d.assume("one token only", ge(sp.Symbol("V", integer=True, positive=True), 1))
        ACCEPTANCE.prove(d)

    return replace(ACCEPTANCE, prove=prove)


@against_claims(DISGUISE, DISGUISES)
def the_claim_as_a_product() -> Proof:
    """left · one = right, given beside one = 1: no sum of givens, and yet the claim."""
    one = sp.Symbol("unit", real=True)

    def prove(d: Derivation) -> None:
        told = d.domain("a unit", eq(one, 1)), d.domain("what it finds", eq(one * LEFT[x], one**2 * RIGHT[x]))
        d.qed(d.derive("so", eq(LEFT[x], RIGHT[x]), *told, by="smt"))

    return Proof(ATTAINED, prove, {}, lambda **i: {**_sides(ATTAINED)(**i), "unit": 1})


def _right_side(more: bool) -> Proof:
    def prove(d: Derivation) -> None:
        p, mass_p = d.law("p")
        q, mass_q = d.law("q")
        one = 1 - total(sp.Abs(p[x] - q[x]), x) / 2
        kernel = 1 - total(sp.Max(q[x] - p[x], 0), x)
        left = total(p[x], x) - 1 if more else 0
        d.qed(*(d.derive("is itself", eq(side + left, side), mass_p, mass_q) for side in (one, kernel)))

    return replace(ACCEPTANCE, prove=prove)


@against_claims(DISGUISE, DISGUISES)
def the_right_side_twice() -> Proof:
    """An identity whose left side is written as its right one: equal numbers, and nothing is shown; found by this campaign."""
    return _right_side(False)


@against_claims(DISGUISE, DISGUISES)
def the_right_side_in_other_words() -> Proof:
    """The same with Σ p − 1 added, which is nothing."""
    return _right_side(True)
