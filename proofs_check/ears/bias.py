"""ears.bias: the distance of the emitted law from p is the acceptance gained, as no token is both above p and in the residual."""

from __future__ import annotations

from fractions import Fraction
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
from proofs_check.language import Derivation, Proof, eq, total, x
from simspec.claims.ears.bias import BIAS_FRESH, BIAS_RESIDUAL
from simspec.laws import Array
from simspec.methods import SD


def prove_residual(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    s = two_laws(d)
    t, _, not_negative = tolerance(d)
    k, out, exact, gain = ears_bias(d, s, t, not_negative, residual(d, s), sign=sign)
    tv = distance(out.o, s.p)
    rates = total(k[x], x) - total(sp.Min(s.p[x], s.q[x]), x)
    d.qed(
        d.derive("the closed form", eq(tv, constant * total(pardoned(s, t), x)), exact),
        d.derive("and the acceptance gained over speculative decoding", eq(tv, rates), exact, gain),
    )


def prove_fresh(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    p = s.p
    q = s.q
    t, _, not_negative = tolerance(d)
    k, rule, out, exact = ears_fresh(d, s, t)
    g = pardoned(s, t)
    kappa = out.kappa
    excess_sum = d.summed(
        "a pardoned token is above κ p by its pardon and by (1 − κ) p; the others pardon nothing",
        eq(sp.Max(k[x] - kappa * p[x], 0), g + sign * sp.Max(sp.Min(p[x], q[x]) - kappa * p[x], 0)),
        *(rule, not_negative, out.most),
        by="smt",
    )
    gain = pardons(d, s, t, not_negative, k, rule)
    gain = d.sum("over the vocabulary", gain, x)
    rate = total(sp.Min(p[x], q[x]), x) + constant * total(g, x)
    K = sp.Symbol("K", real=True)
    named = d.define("the acceptance rate of speculative decoding and the pardoned mass", K, rate)
    same = d.smt("together they are κ", eq(kappa, K), named, gain, out.rate)
    closed = total(g, x) + total(sp.Max(sp.Min(p[x], q[x]) - K * p[x], 0), x)
    fresh_part = d.summed(
        "in the second part",
        eq(sp.Max(sp.Min(p[x], q[x]) - kappa * p[x], 0), sp.Max(sp.Min(p[x], q[x]) - K * p[x], 0)),
        same,
    )
    d.qed(d.derive("the closed form", eq(distance(out.o, p), closed), exact, excess_sum, fresh_part))


def bind(p: Array, q: Array, beta: Fraction) -> dict[str, Any]:
    return {"p": p, "q": q, "beta": beta, "m": max(p), "r": SD.residual(p, q), "V": len(p)}


PROOFS = (
    Proof(BIAS_RESIDUAL, prove_residual, drop=SHAPE, bind=bind),
    Proof(BIAS_FRESH, prove_fresh, drop="q sums to one", bind=bind),
)
