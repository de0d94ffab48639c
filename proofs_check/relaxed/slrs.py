"""relaxed.slrs: speculative decoding of ψ against p; a product of two masses is at most the smaller one."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.relaxed._rules import AIMED, aimed
from simspec.claims.relaxed.slrs import SLRS, psi
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p and every law ψ.

    Equality exactly where one of both laws is certain, or they share nothing.
    """
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    out, lossless, _ = aimed(d, p[x], q, (mass_p, mass_q), constant)
    rate = sp.Symbol("rate", real=True)
    overlap = sp.Min(p[x], q[x])
    acceptance_definition = d.define("acceptance", rate, total(overlap, x))
    ones = []
    for base, mass in ((p, mass_p), (q, mass_q)):
        low = d.derive("masses are not negative", ge(base[x], 0))
        ones.append(d.smt("at most one", le(base[x], 1), d.term("one is at most all", low, x), mass))
    product_bound = d.summed("a product of two masses", ge(sign * overlap, p[x] * q[x]), *ones, by="smt")
    d.qed(
        lossless,
        d.derive("that is", eq(-out, -p[x]), lossless),
        acceptance_definition,
        d.derive("that is", eq(-rate, -total(overlap, x)), acceptance_definition),
        d.derive(
            "at least that of a match", ge(rate, total(p[x] * q[x], x)), product_bound, acceptance_definition, by="smt"
        ),
    )


def bind(p: Any, drafts: Any) -> dict[str, Any]:
    return {"p": p, "q": psi(drafts), "r": SD.residual(p, psi(drafts)), "V": len(p)}


PROOF = Proof(SLRS, prove, drop=AIMED, bind=bind)
