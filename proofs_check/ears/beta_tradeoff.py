"""ears.beta-tradeoff: a larger β keeps more of every token; with a fresh draw what the drafts then lose is less than that."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.ears._relaxed_step import (
    SHAPE,
    Step,
    distance,
    ears_bias,
    emitted,
    fresh_bias,
    kept,
    residual,
    two_laws,
)
from proofs_check.language import Derivation, Fact, Proof, ge, total, x
from simspec.claims.ears.beta_tradeoff import ORDER, TRADEOFF_FRESH, TRADEOFF_RESIDUAL
from simspec.laws import Array
from simspec.methods import SD


def two_tolerances(d: Derivation, sign: int = 1) -> tuple[Any, Any, list[Fact]]:
    """t = β(1 − m) and u = β′(1 − m) with β ≤ β′: 0 ≤ t ≤ u."""
    beta = d.number("beta", low=0)
    larger_beta = d.number("more", low=0)
    m = d.number("m", low=0, high=1)
    order = d.assume(ORDER, ge(larger_beta, beta))
    t = sp.Symbol("t", real=True)
    u = sp.Symbol("u", real=True)
    tolerance_rule = d.define("the tolerance, where m = max p", t, beta * (1 - m))
    larger_rule = d.define("and", u, sign * larger_beta * (1 - m))
    never = d.derive("the tolerance is not negative, as no probability exceeds 1", ge(t, 0), tolerance_rule)
    return t, u, [never, d.smt("it grows with β", ge(u, t), tolerance_rule, larger_rule, order)]


def prove_residual(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    s = two_laws(d)
    t, u, (never, order) = two_tolerances(d, sign)
    later = d.derive("nor is the other", ge(u, 0), never, order)
    filler = residual(d, s)
    k, out, bias, gain = ears_bias(d, s, t, never, filler)
    k2, out2, bias2, gain2 = ears_bias(d, s, u, later, filler, "_2")
    pardons_more = d.summed("more is pardoned", ge(_pardoned(s, u), _pardoned(s, t)), order, by="smt")
    d.qed(
        d.smt("more is accepted", ge(total(k2[x], x), constant * total(k[x], x)), pardons_more, gain, gain2),
        d.smt("and the bias grows", ge(distance(out2.o, s.p), distance(out.o, s.p)), pardons_more, bias, bias2),
    )


def _pardoned(s: Step, t: sp.Symbol) -> sp.Expr:
    return sp.Min(sp.Max(s.q[x] - s.p[x], 0), t * s.q[x])


def prove_fresh(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    p = s.p
    t, u, (never, order) = two_tolerances(d, sign)
    k, rule, below = kept(d, s, t)
    k2, rule2, below2 = kept(d, s, u, "k_2")
    out = emitted(d, s, k, p, below)
    out2 = emitted(d, s, k2, p, below2, "_2")
    bias = fresh_bias(d, s, k, out)
    bias2 = fresh_bias(d, s, k2, out2)
    grow = d.summed("more of every token is kept", ge(k2[x], k[x]), rule, rule2, order, by="smt")
    rates = d.smt("κ grows", ge(out2.kappa, out.kappa), grow, out.rate, out2.rate)
    per_token = d.summed(
        "a token below κ p keeps its whole draft, so it is below κ′ p by more: the positive part grows more than the difference",
        ge(
            sp.Max(k2[x] - out2.kappa * p[x], 0) - sp.Max(k[x] - out.kappa * p[x], 0),
            k2[x] - k[x] - (out2.kappa - out.kappa) * p[x],
        ),
        *(rule, rule2, order, rates, never, out.most, out2.most),
        by="smt",
    )
    d.qed(
        d.smt("more is accepted", ge(total(k2[x], x), constant * total(k[x], x)), grow),
        d.smt(
            "and the bias grows",
            ge(distance(out2.o, p), distance(out.o, p)),
            *(per_token, bias, bias2, out.rate, out2.rate, s.mass_p),
        ),
    )


def bind(p: Array, q: Array, beta: Fraction, more: Fraction) -> dict[str, Any]:
    return {"p": p, "q": q, "beta": beta, "more": more, "m": max(p), "r": SD.residual(p, q), "V": len(p)}


SHARP = "Equality where nothing can be pardoned: p = (1, 0), for every β; the constant 1 is the least."

PROOFS = (
    Proof(
        TRADEOFF_FRESH,
        prove_fresh,
        drop="p sums to one",
        change={"constant": sp.Rational(11, 10)},
        bind=bind,
        sharp=SHARP,
    ),
    Proof(
        TRADEOFF_RESIDUAL, prove_residual, drop=SHAPE, change={"constant": sp.Rational(11, 10)}, bind=bind, sharp=SHARP
    ),
)
