"""relaxed.ensemble-law: speculative decoding against the mixture; w of what p lacks of q is refused."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, le, total, x
from proofs_check.relaxed._rules import AIMED, aimed
from simspec.claims.relaxed.ensemble_law import ENSEMBLE_LAW
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and weights."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    w = d.number("w", 0, 1)
    pi_ = sp.IndexedBase("pi_", real=True)
    aim = pi_[x]
    mixture_definition = d.define("the mixture", aim, w * p[x] + (1 - w) * q[x])
    parts = d.sum("over the vocabulary", mixture_definition, x)
    mixture_mass = d.derive("a mixture is a law", eq(total(aim, x), 1), parts, mass_p, mass_q)
    out, lossless, _ = aimed(d, aim, q, (mixture_mass, mass_q), constant)
    lossless = d.smt("that is", eq(out, w * p[x] + (1 - w) * q[x]), lossless, mixture_definition)
    share = d.smt("a weight", le(w, 1))
    accepted = d.smt(
        "w of the excess is refused",
        eq(sp.Min(aim, q[x]), q[x] - w * sp.Max(q[x] - p[x], 0)),
        share,
        mixture_definition,
    )
    apart = d.summed("above or below", eq(sp.Abs(p[x] - q[x]), 2 * sp.Max(q[x] - p[x], 0) + sign * (p[x] - q[x])))
    accepted = d.sum("over the vocabulary", accepted, x)
    goal = eq(total(sp.Min(aim, q[x]), x), 1 - w * total(sp.Abs(p[x] - q[x]), x) / 2)
    d.qed(lossless, d.derive("the rest is kept", goal, accepted, apart, mass_p, mass_q))


def bind(p: Any, q: Any, w: Any) -> dict[str, Any]:
    return {"p": p, "q": q, "w": w, "r": SD.residual(w * p + (1 - w) * q, q), "V": len(p)}


PROOF = Proof(ENSEMBLE_LAW, prove, drop=AIMED, bind=bind)
