"""pad.all-pivots-is-sd: with every token flagged PAD keeps min(p, q), and the residual brings back exactly the rest of p."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.ears._gain_and_price import residual
from proofs_check.language import Derivation, Proof, eq, x
from proofs_check.pad._kept_share import without
from simspec.claims.pad.all_pivots_is_sd import _NO_GUARDRAIL, ALL_PIVOTS
from simspec.laws import Array
from simspec.methods import SD


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    g = d.weights("g")
    k = sp.IndexedBase("k", real=True)
    none = d.assume(_NO_GUARDRAIL, eq(g[x], 0))
    residue = residual(d, p[x], q[x])
    accept_rule = d.define("kept: min(p, q), nothing below the limit", k[x], (1 - g[x]) * sp.Min(p[x], sign * q[x]))
    all_kept = d.derive("no token is below it", eq(k[x], sp.Min(p[x], q[x])), accept_rule, none)
    out, law = without(d, (p[x], q[x]), sp.S.Zero, (mass_p, mass_q), residue, (k[x], all_kept), constant)
    d.qed(d.derive("the target's law", eq(out, p[x]), law), all_kept)


def values(p: Array, q: Array, limit: Fraction | int) -> dict[str, Any]:
    """What the symbols stand for; g marks the tokens below the limit."""
    return {"p": p, "q": q, "V": len(p), "g": [int(v < limit) for v in p], "r": SD.residual(p, q)}


PROOF = Proof(ALL_PIVOTS, prove, drop="q sums to one", bind=values, scope="every vocabulary size, all laws")
