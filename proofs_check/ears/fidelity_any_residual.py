"""ears.fidelity.any-residual: what is kept is emitted, so the mass kept beyond p is a bias that no residual takes back."""

from __future__ import annotations

import sympy as sp

from proofs_check.ears._any_rule import above_itself, holds
from proofs_check.ears._relaxed_step import distance, emitted, kept, pardoned, pardons, tolerance, two_laws
from proofs_check.language import Derivation, Proof, ge, le, total, x
from simspec.claims.ears.fidelity import ANY_RESIDUAL


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    Equality with the residual of speculative decoding, for every p, q and β (ears.bias.residual).
    """
    s = two_laws(d)
    p = s.p
    q = s.q
    t, _, not_negative = tolerance(d)
    r, mass_r = d.law("r")
    k, rule, below = kept(d, s, t)
    out = emitted(d, s, k, r, below)
    over = above_itself(d, s, out, mass_r)
    within_output = holds(d, k, r, out)
    gain = pardons(d, s, t, not_negative, k, rule)
    per_token = d.smt(
        "a pardoned token is above p by its pardon at least",
        le(pardoned(s, t), sp.Max(sign * (out.o[x] - p[x]), 0)),
        *(within_output, gain, not_negative),
    )
    per_token = d.sum("over the vocabulary", per_token, x)
    gain = d.sum("over the vocabulary", gain, x)
    rates = total(k[x], x) - total(sp.Min(p[x], q[x]), x)
    d.qed(d.smt("the pardons are the gain", ge(distance(out.o, p), constant * rates), over, per_token, gain))


PROOF = Proof(
    ANY_RESIDUAL,
    prove,
    drop="r sums to one",
    change={"constant": sp.Rational(11, 10)},
    bind=lambda p, q, beta, r: {"p": p, "q": q, "beta": beta, "m": max(p), "r": r, "V": len(p)},
)
