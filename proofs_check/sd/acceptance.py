"""sd.acceptance: the acceptance rate is the overlap, one minus the total variation, one minus the mass of the drafter kernel."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x
from simspec.claims.sd.acceptance import ACCEPTANCE


def prove(d: Derivation, half: sp.Expr = sp.S.Half, sign: int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    alpha = total(sp.Min(p[x], q[x]), x)
    tv = half * total(sp.Abs(p[x] - q[x]), x)
    kernel = total(sp.Max(q[x] - p[x], 0), x)
    a = d.derive(
        "the smaller of two numbers", eq(sp.Min(p[x], q[x]), (p[x] + q[x]) / 2 - sign * sp.Abs(p[x] - q[x]) / 2)
    )
    b = d.derive("what the draft has beyond the target", eq(sp.Min(p[x], q[x]), q[x] - sp.Max(q[x] - p[x], 0)))
    a = d.sum("over the vocabulary", a, x)
    b = d.sum("over the vocabulary", b, x)
    d.qed(
        d.derive("both laws have mass one", eq(alpha, 1 - tv), a, mass_p, mass_q),
        d.derive("the draft has mass one", eq(alpha, 1 - kernel), b, mass_q),
    )


PROOF = Proof(
    ACCEPTANCE,
    prove,
    drop="q sums to one",
    change={"half": sp.Rational(1, 3)},
    bind=lambda p, q: {"p": p, "q": q, "V": len(p)},
)
