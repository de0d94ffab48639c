"""ears.support-lenience: lenience keeps at most p/ℓ, so nothing where p = 0, and its bias is the acceptance it gains."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.ears._relaxed_step import (
    SHAPE,
    Emitted,
    Filler,
    Step,
    distance,
    emitted,
    exact_bias,
    keeps_target,
    residual,
    two_laws,
)
from proofs_check.ears._truth_values import flags, zeros
from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x
from simspec.claims.ears.support_lenience import SUPPORT_LENIENCE
from simspec.laws import Array
from simspec.methods import SD


def lenient(d: Derivation, s: Step, factor: int = 1) -> tuple[Any, Any, Fact, Fact, Fact]:
    """c = 1/ℓ ≥ 1, k = min(q, c p), what it means, k ≤ q and k ≥ min(p, q)."""
    c = d.number("c", low=1)
    k = sp.IndexedBase("k", real=True)
    rule = d.define("what lenience keeps of a drafted token, with c = 1/ℓ", k[x], sp.Min(s.q[x], c * s.p[x]))
    below = d.derive("it is a part of the draft", le(k[x], s.q[x]), rule)
    text = "all that speculative decoding keeps is kept, as c = 1/ℓ is at least 1"
    return c, k, rule, below, d.smt(text, ge(k[x], factor * sp.Min(s.p[x], s.q[x])), rule)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    s = two_laws(d)
    p = s.p
    q = s.q
    z, is_zero = zeros(d, "z", p)
    c, k, rule, below, above_overlap = lenient(d, s, constant)
    filler: Filler = keeps_target(d, s, k, below, above_overlap, residual(d, s))
    out: Emitted = emitted(d, s, k, filler.r, below)
    exact = exact_bias(d, s, k, out, filler, sign=sign)
    gain = sp.Min(sp.Max(q[x] - p[x], 0), p[x] * (c - 1))
    extra = d.summed("what it keeps beyond p", eq(sp.Max(k[x] - p[x], 0), gain), rule, by="smt")
    lack = total(sp.Max(p[x] - k[x], 0), x)
    per_token = d.summed(
        "the mass kept is p less its lack, and its excess",
        eq(k[x], p[x] - sp.Max(p[x] - k[x], 0) + sp.Max(k[x] - p[x], 0)),
    )
    never = d.summed("an excess is not negative", ge(sp.Max(k[x] - p[x], 0), 0))
    no_rejection = d.smt(
        "so there is no rejection where nothing is lacking",
        le(1 - out.kappa, lack),
        *(per_token, never, out.rate, s.mass_p),
    )
    none = d.summed(
        "a token with p = 0 is not kept, and lacks nothing that the residual could bring",
        eq(z[x] * out.o[x], 0),
        *(out.law, rule, filler.shape, no_rejection, out.most, *is_zero),
        by="smt",
    )
    tv = distance(out.o, p)
    d.qed(none, d.derive("the bias is the acceptance gained", eq(tv, total(gain, x)), exact, extra))


def bind(p: Array, q: Array, factor: Fraction) -> dict[str, Any]:
    return {"p": p, "q": q, "c": 1 / factor, "z": flags(p == 0), "r": SD.residual(p, q), "V": len(p)}


PROOF = Proof(SUPPORT_LENIENCE, prove, drop=SHAPE, bind=bind)
