"""rdk.worst-case-acceptance: half of the worst case in distance, as acceptance is one minus half the distance."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, j, le, total
from proofs_check.rdk._stochastic_maps import (
    Stochastic,
    acceptance,
    apart,
    contracted,
    contracting,
    image,
    minus,
    moved_law,
    non_expansive,
    split,
    stochastic,
)
from simspec.claims.rdk.parts import EPSILON, ROWS, contraction
from simspec.claims.rdk.worst_case_acceptance import WORST_CASE_ACCEPTANCE, WORST_CASE_ACCEPTANCE_SHARP
from simspec.laws import Array, restrict


def prove(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    The constant ½ is the least, for every ε from 0 to 2: a draft that is the target and an M that moves it by ε.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    M = sp.IndexedBase("M", real=True)
    epsilon = sp.Symbol("epsilon", real=True)
    signs, rows = d.assume(ROWS, *stochastic(M))
    price = d.assume(EPSILON, ge(epsilon, apart(p, image(p, M))))
    r = image(q, M)
    with_m = acceptance(d, p, r, mass_p, moved_law(d, "Mᵀq'", q, mass_q, M, rows), "RDK")
    without = acceptance(d, p, lambda k: q[k], mass_p, mass_q, "TLI")
    shrunk = non_expansive(d, minus(q, p), Stochastic(M, signs, rows))
    parts = split(d, q, p, M, "Mᵀ")
    distance = le(apart(p, r), apart(p, lambda k: q[k]) + epsilon)
    worst = d.derive("the worst case in distance", distance, parts, shrunk, price)
    goal = ge(with_m.relation.lhs, without.relation.lhs - sign * half * epsilon)
    d.qed(d.derive("halved", goal, with_m, without, worst))


def prove_sharp(d: Derivation, flipped: bool = False, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    Neither c(M) nor ½ can be less: a draft that is the target attains the second term; a target that is certain of a
    token which M keeps attains the first, with a draft certain of the token whose row is farthest from it.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    M = sp.IndexedBase("M", real=True)
    c = sp.Symbol("c", real=True)
    signs, rows = d.domain("M is row-stochastic", *stochastic(M))
    far = d.domain("c is the largest distance of two rows", contracted(c, M))
    r = image(q, M)
    with_m = acceptance(d, p, r, mass_p, moved_law(d, "Mᵀq'", q, mass_q, M, rows), "RDK")
    without = acceptance(d, p, lambda k: q[k], mass_p, mass_q, "TLI")
    even = d.derive("two laws", eq(total(q[j] - p[j], j), 0), mass_p, mass_q)
    shrunk = contracting(d, minus(q, p), even, Stochastic(M, signs, rows), c, far)
    parts = split(d, q, p, M, "Mᵀ")
    drift = (-half if flipped else half) * apart(p, image(p, M))
    goal = le(1 - with_m.relation.lhs, c * (1 - without.relation.lhs) + drift)
    d.qed(d.derive("halved", goal, with_m, without, parts, shrunk))


def _values(p: Array, q: Array, shared: Array, M: Array, epsilon: Fraction | None = None) -> dict[str, Any]:
    extra = {} if epsilon is None else {"epsilon": epsilon}
    return {"p": p, "q": restrict(q, shared), "M": M, "c": contraction(M), "V": len(p), **extra}


PROOFS = (
    Proof(WORST_CASE_ACCEPTANCE, prove, drop=ROWS, change={"half": sp.Rational(1, 3)}, bind=_values),
    Proof(
        WORST_CASE_ACCEPTANCE_SHARP,
        prove_sharp,
        drop="M is row-stochastic",
        flip={"flipped": True},
        change={"half": sp.Rational(1, 3)},
        bind=_values,
    ),
)
