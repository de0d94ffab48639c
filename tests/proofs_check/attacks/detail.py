"""Attacks by what is too small, too large or too near to be seen: numbers that nearly agree, givens that end what is drawn.

Each is told whether to do the one wrong thing, or what is right in its place: that must be accepted.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import Relation, V, eq, ge, gt, le, x
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims.balls import ball, exp
from tests.proofs_check.attacks.attack import Attack, with_twin
from tests.proofs_check.attacks.instances import from_contradiction

__all__ = ["DETAILS"]

DETAILS: list[Attack] = []
DETAIL = "what is too small or too large to be seen"
c, t = sp.symbols("c t", real=True)
some = sp.Symbol("some", positive=True)
N = sp.Symbol("N", integer=True, nonnegative=True)


def _nothing() -> Any:
    """log 6 − log 2 − log 3, enclosed."""
    return ball(6).log() - ball(2).log() - ball(3).log()


def _near(relations: Any, values: Any, wrong: bool) -> Proof:
    def told(d: Derivation) -> list[Fact]:
        return [d.domain(f"given {n}", r) for n, r in enumerate(relations)]

    return from_contradiction(told, lambda p, q: values(), wrong)


@with_twin(DETAIL, DETAILS)
def agree_to_a_thousand_digits(wrong: bool) -> Proof:
    """c = 0 and c = 10⁻¹⁰⁰⁰, of log 6 − log 2 − log 3."""
    other = sp.Rational(1, 10**1000) if wrong else 0
    return _near([eq(c, 0), eq(c, other)], lambda: {"c": _nothing()}, wrong)


@with_twin(DETAIL, DETAILS)
def agree_to_a_number_of_the_bind(wrong: bool) -> Proof:
    """c = 0 and c = t, of a t that the bind makes 10⁻⁴⁰⁰."""
    tiny = Fraction(int(wrong), 10**400)
    return _near([eq(c, 0), eq(c, t), (gt if wrong else ge)(t, 0)], lambda: {"c": _nothing(), "t": tiny}, wrong)


@with_twin(DETAIL, DETAILS)
def agree_to_an_exponential(wrong: bool) -> Proof:
    """1 + c = 1 and 1 + c = 1 + exp(−exp 6), which is 1 to 175 digits."""
    tiny = sp.exp(-sp.exp(6)) if wrong else sp.Integer(0)
    return _near([eq(1 + c, 1), eq(1 + c, 1 + tiny)], lambda: {"c": _nothing()}, wrong)


@with_twin(DETAIL, DETAILS)
def nearly_in_order(wrong: bool) -> Proof:
    """c ≤ 0 and c ≥ 10⁻⁶⁰, of log 6 − log 2 − log 3."""
    other = sp.Rational(1, 10**60) if wrong else 0
    return _near([le(c, 0), ge(c, other)], lambda: {"c": _nothing()}, wrong)


@with_twin(DETAIL, DETAILS)
def positive_by_declaration(wrong: bool) -> Proof:
    """A number that is declared positive, and is 0: an enclosure around 0 is not seen to be below it."""
    return _near([eq(some, 0 if wrong else sp.exp(1))], lambda: {"some": _nothing() if wrong else exp(1)}, wrong)


def _beside(name: str, *relations: Relation, **values: Any) -> Proof:
    """sd.acceptance, given something more."""

    def prove(d: Derivation) -> None:
        d.domain(name, *relations)
        ACCEPTANCE.prove(d)

    return replace(ACCEPTANCE, prove=prove, bind=lambda p, q: {"p": p, "q": q, "V": len(p), **values})


@with_twin(DETAIL, DETAILS)
def no_larger_than_a_number(wrong: bool) -> Proof:
    """V ≤ N, where N is 100; the twin has an N that is V."""
    if wrong:
        return _beside("a size", le(V, N), eq(N, 100), N=100)
    return replace(_beside("a size", le(V, N)), bind=lambda p, q: {"p": p, "q": q, "V": len(p), "N": len(p)})


@with_twin(DETAIL, DETAILS)
def no_larger_where_there_is_mass(wrong: bool) -> Proof:
    """V p ≤ 100 p at every token; the twin says V p ≥ p."""
    p = sp.IndexedBase("p", nonnegative=True)
    return _beside("a size", le(V * p[x], 100 * p[x]) if wrong else ge(V * p[x], p[x]))


@with_twin(DETAIL, DETAILS)
def no_mass_is_small(wrong: bool) -> Proof:
    """Every mass is 0 or at least 10⁻⁹, as all are that are drawn coarsely."""
    p = sp.IndexedBase("p", nonnegative=True)
    least = sp.Rational(1, 10**9) if wrong else sp.Integer(0)
    return _beside("a mass", ge(p[x] * (p[x] - least), 0))
