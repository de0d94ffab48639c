"""ears.beta-zero: at β = 0 the rule is speculative decoding, lossless with its residual, and biased with a fresh draw."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._relaxed_step import SHAPE, distance, emitted, residual, tolerance, two_laws
from proofs_check.ears._truth_values import (
    equivalent,
    flag,
    flags,
    if_proportional,
    proportional,
    proportional_if,
    zeros,
)
from proofs_check.language import Derivation, Proof, Refutation, eq, ge, laws, le, total, x
from simspec.claims.claim import Instance
from simspec.claims.ears.beta_zero import BETA_ZERO_FRESH, BETA_ZERO_FRESH_CORRECTED, BETA_ZERO_RESIDUAL
from simspec.laws import Array
from simspec.methods import SD


def prove_residual(d: Derivation, sign: int = 1, beta: sp.Expr | int = 0) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    p = s.p
    q = s.q
    r, _, shape = residual(d, s)
    t, meaning, _ = tolerance(d, beta=beta)
    k = sp.IndexedBase("k", real=True)
    nothing = d.derive("nothing is tolerated", eq(t, 0), meaning)
    rule = d.define("what EARS keeps of a drafted token", k[x], sp.Min(q[x], p[x] + t * q[x]))
    plain = d.derive("that is min(p, q)", eq(k[x], sp.Min(p[x], q[x])), rule, nothing)
    below = d.derive("a part of the draft", le(k[x], q[x]), plain)
    out = emitted(d, s, k, r, below)
    per_token = d.derive("it lacks what p has beyond q", eq(k[x], p[x] - sign * sp.Max(p[x] - q[x], 0)), plain)
    parts = d.sum("over the vocabulary", per_token, x)
    reject = d.derive(
        "so a rejection is as likely as the mass that p has beyond q",
        eq(1 - out.kappa, total(sp.Max(p[x] - q[x], 0), x)),
        *(parts, out.rate, s.mass_p),
    )
    d.qed(d.smt("and the residual fills up to p", eq(out.o[x], p[x]), out.law, per_token, reject, shape))


def prove_corrected(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    p = s.p
    q = s.q
    z, is_zero = zeros(d, "z", p)
    k = sp.IndexedBase("k", real=True)
    rule = d.define("what is kept of a drafted token at β = 0", k[x], sp.Min(p[x], q[x]))
    below = d.derive("a part of the draft", le(k[x], q[x]), rule)
    out = emitted(d, s, k, p, below)
    b = sp.Symbol("b", real=True)
    bias = d.define("the bias", b, distance(out.o, p))
    near = proportional(d, s, z, is_zero, constant)
    S = near.S
    D = near.D
    gap = d.derive(
        "a token is off by what is kept less κ p", eq(out.o[x] - p[x], k[x] - sign * out.kappa * p[x]), out.law
    )
    size = d.derive("a token's error is not negative", ge(sp.Abs(out.o[x] - p[x]), 0))
    sizes = d.sum("over the vocabulary", size, x)
    fars = d.summed("nor is its distance from S p", ge(sp.Abs((1 - z[x]) * (constant * q[x] - S * p[x])), 0))
    signs = (
        d.smt("the bias is not negative", ge(b, 0), sizes, bias),
        d.smt("nor is the distance from a multiple", ge(D, 0), fars, near.far),
    )
    single = d.term("a token's error is at most their sum", size, x)

    def only_if(zero: Any) -> Any:
        multiple = d.smt(
            "no bias: what is kept is κ p", eq(sp.Min(p[x], q[x]), out.kappa * p[x]), *(zero, single, bias, gap, rule)
        )
        return proportional_if(d, s, near, out, multiple)

    def if_(zero: Any) -> Any:
        multiple = if_proportional(d, s, near, zero, out, rule)
        none = d.summed("so no token is off", le(sp.Abs(out.o[x] - p[x]), 0), multiple, gap, rule, by="smt")
        return d.smt("there is no bias", le(b, 0), none, bias)

    d.qed(equivalent(d, b, D, only_if, if_, signs))


def bind(p: Array, q: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "m": max(p), "r": SD.residual(p, q), "V": len(p)}


def bind_corrected(p: Array, q: Array) -> dict[str, Any]:
    accepted = np.minimum(p, q)
    on = np.where(p > 0, q, 0)
    lossless = (accepted == accepted.sum() * p).all()
    return {**bind(p, q), "z": flags(p == 0), "I": flag(lossless), "J": flag((on == on.sum() * p).all())}


def pairs() -> Iterator[Instance]:
    """Pairs of laws over one token and over two, denominator by denominator."""
    for vocab, denominator in ((1, 1), (2, 1), (2, 2), (2, 3)):
        for p in laws(vocab, denominator):
            yield from ({"p": p, "q": q} for q in laws(vocab, denominator))


def lossless_pairs() -> Iterator[Instance]:
    """Those of laws that the correction says to be lossless."""
    return (i for i in pairs() if BETA_ZERO_FRESH_CORRECTED.sides(i)[1])


PROOFS = (
    Refutation(
        BETA_ZERO_FRESH,
        pairs,
        scope="the first of all pairs of laws, vocabulary by vocabulary and denominator by denominator; V = 1 has none",
        repaired={"q is proportional to p on the support of p": lossless_pairs},
    ),
    Proof(BETA_ZERO_FRESH_CORRECTED, prove_corrected, drop="z is 1 where p is 0, else 0", bind=bind_corrected),
    Proof(BETA_ZERO_RESIDUAL, prove_residual, drop=SHAPE, change={"beta": sp.Rational(1, 8)}, bind=bind),
)
