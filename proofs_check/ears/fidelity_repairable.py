"""ears.fidelity.repairable: what is kept beyond p is a bias under any residual; filling up what p lacks adds none."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._any_rule import PART, above_itself, any_rule, holds
from proofs_check.ears._relaxed_step import distance, emitted, exact_bias, filling, two_laws
from proofs_check.language import Derivation, Proof, ge, le, total, x
from simspec.claims.ears.fidelity import REPAIRABLE, _lacking
from simspec.laws import Array


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    Equality for every p, q and k with the residual norm((p − k)₊), as the second part says.
    """
    s = two_laws(d)
    p = s.p
    k, below = any_rule(d, s)
    any_, mass = d.law("s")
    out = emitted(d, s, k, any_, below, "_s")
    over = above_itself(d, s, out, mass)
    within_output = holds(d, k, any_, out)
    per_token = d.summed(
        "so each token is above p by its excess at least",
        le(sp.Max(k[x] - p[x], 0), sp.Max(out.o[x] - p[x], 0)),
        within_output,
        by="smt",
    )
    excess = total(sp.Max(k[x] - p[x], 0), x)
    bias_bound = d.smt("whatever follows a rejection", ge(distance(out.o, p), constant * excess), over, per_token)
    filler = filling(d, "r", sp.Max(p[x] - k[x], 0))
    best = emitted(d, s, k, filler.r, below)
    exact = exact_bias(d, s, k, best, filler, sign=sign)
    d.qed(bias_bound, d.smt("and it is reached", ge(excess, distance(best.o, p)), exact))


def bind(p: Array, q: Array, k: Array, r: Array) -> dict[str, Any]:
    return {"p": p, "q": q, "k": k, "s": r, "r": _lacking(p, k), "V": len(p)}


PROOF = Proof(REPAIRABLE, prove, drop=PART, change={"constant": sp.Rational(11, 10)}, bind=bind)
