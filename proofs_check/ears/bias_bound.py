"""ears.bias-bound: each pardoned mass is at most t q; with a fresh draw the distance is at most κ(1 − α)."""

from __future__ import annotations

from fractions import Fraction
from fractions import Fraction as F
from typing import Any

import sympy as sp

from proofs_check.ears._relaxed_step import (
    SHAPE,
    distance,
    ears_bias,
    ears_fresh,
    pardoned,
    pardons,
    residual,
    tolerance,
    two_laws,
)
from proofs_check.ears.bias import bind
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, le, total, x
from simspec.claims.ears.bias_bound import BOUND_FRESH, BOUND_FRESH_CORRECTED, BOUND_RESIDUAL, BOUND_RESIDUAL_SHARP
from simspec.laws import Array


def prove_residual(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    The constant 1 is the least: p = (1/2, 1/2, 0), q = (0, 0, 1), β = 1 has TV = 1/2 = t; pointwise the bound is
    improved to min(TV(p, q), t q{q > p}).
    """
    s = two_laws(d)
    t, _, not_negative = tolerance(d)
    _, out, exact, _ = ears_bias(d, s, t, not_negative, residual(d, s), sign=sign)
    pardon_bound = d.summed("a minimum is at most either part", le(pardoned(s, t), t * s.q[x]))
    d.qed(d.smt("q has mass one", le(distance(out.o, s.p), constant * t), exact, pardon_bound, s.mass_q))


def prove_sharp(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    Both parts of the minimum are reached: TV(p, q) by p = (1/2, 1/2), q = (1, 0), β = 2; t q{q > p} by p = (1/2, 1/4,
    1/4), q = (1/4, 0, 3/4), β = 1/2.
    """
    s = two_laws(d)
    p = s.p
    q = s.q
    t, _, not_negative = tolerance(d)
    _, out, exact, _ = ears_bias(d, s, t, not_negative, residual(d, s), sign=sign)
    S = d.weights("S")
    inside = d.domain(
        "S is 1 where q > p, else 0",
        eq(S[x] * (1 - S[x]), 0),
        ge(S[x] * (q[x] - p[x]), 0),
        ge((1 - S[x]) * (p[x] - q[x]), 0),
    )
    g = pardoned(s, t)
    tv = total(sp.Abs(p[x] - q[x]), x) / 2
    far = d.summed("no more than the draft's own excess", le(g, (sp.Abs(p[x] - q[x]) + q[x] - p[x]) / 2))
    far = d.derive("which is TV(p, q)", le(total(g, x), tv), far, s.mass_p, s.mass_q)
    near = d.summed(
        "no more than t q where q > p, and nothing elsewhere", le(g, t * q[x] * S[x]), *inside, not_negative
    )
    bound = constant * sp.Min(tv, t * total(q[x] * S[x], x))
    d.qed(d.smt("so no more than either", le(distance(out.o, p), bound), exact, far, near))


def prove_fresh(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    The constant 1 is the least: p = (1/2, 1/2), q = (1, 0) has TV = 1/4 = α(1 − α) at β = 0; there and at β = 1 both
    inequalities are equalities.
    """
    s = two_laws(d)
    p = s.p
    q = s.q
    t, _, not_negative = tolerance(d)
    k, rule, out, exact = ears_fresh(d, s, t)
    kappa = out.kappa
    overlap = total(sp.Min(p[x], q[x]), x)
    positive = d.summed("kept masses are not negative", ge(k[x], 0), rule, not_negative)
    per_token = d.summed(
        "as κ ≤ 1, at least κ min(p, q) of k is not above κ p",
        le(sp.Max(k[x] - kappa * p[x], 0), k[x] - sign * kappa * sp.Min(p[x], q[x])),
        *(*(rule, not_negative, out.most), d.derive("κ is not negative", ge(kappa, 0), positive, out.rate)),
        by="smt",
    )
    tv = total(sp.Abs(p[x] - q[x]), x) / 2
    apart = d.summed("what two laws share", eq(sp.Abs(p[x] - q[x]), p[x] + q[x] - 2 * sp.Min(p[x], q[x])))
    apart = d.derive("and what they do not", eq(tv, 1 - overlap), apart, s.mass_p, s.mass_q)
    gain = pardons(d, s, t, not_negative, k, rule)
    small = d.summed("a pardon adds at most t q", le(k[x], sp.Min(p[x], q[x]) + t * q[x]), gain, by="smt")
    rate = total(k[x], x)
    d.qed(
        d.smt("κ − κ α in all", le(distance(out.o, p), constant * rate * (1 - overlap)), exact, per_token, out.rate),
        d.smt(
            "and κ is at most α + t",
            le(rate * tv, (overlap + t) * tv),
            *(*(small, s.mass_q), d.derive("a distance is not negative", ge(tv, 0))),
        ),
    )


def bind_sharp(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    return {**bind(p, q, beta), "S": [F(int(b > a)) for a, b in zip(p, q, strict=True)]}


PROOFS = (
    Proof(BOUND_RESIDUAL, prove_residual, drop=SHAPE, change={"constant": sp.Rational(9, 10)}, bind=bind),
    Proof(BOUND_RESIDUAL_SHARP, prove_sharp, drop=SHAPE, change={"constant": sp.Rational(9, 10)}, bind=bind_sharp),
    Proof(BOUND_FRESH_CORRECTED, prove_fresh, drop="p sums to one", change={"constant": sp.Rational(9, 10)}, bind=bind),
    Refutation(
        BOUND_FRESH,
        lambda: (
            {"p": p, "q": q, "beta": F(beta)}
            for denominator in (1, 2, 3)
            for p in laws(2, denominator)
            for q in laws(2, denominator)
            for beta in (0, 1)
        ),
        scope="the first of all pairs of laws over two tokens in order of denominator, with β = 0 or 1; V = 1 cannot refute it",
        repaired={"the corrected bound, the same pairs": BOUND_FRESH_CORRECTED},
    ),
)
