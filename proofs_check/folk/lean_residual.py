"""folk.lean-residual: the smaller of two numbers and what the first is beyond the second make the first."""

from __future__ import annotations

import sympy as sp

from proofs_check.folk._one_step import by_size
from proofs_check.language import Derivation, Proof, Refutation, eq, x
from simspec.claims.folk.lean_residual import LEAN_RESIDUAL, LEAN_RESIDUAL_CORRECTED
from simspec.laws import overlap


def prove(d: Derivation, sign: int = 1, constant: int = 1, share: int = 1) -> None:
    """Every vocabulary size and all laws; rows of any sum, too."""
    p = d.weights("p")
    q = d.weights("q")
    parts = eq(sp.Min(p[x], constant * q[x]) + share * sp.Max(p[x] - sign * q[x], 0), p[x])
    d.qed(d.derive("in both cases", parts))


PROOFS = (
    Refutation(
        LEAN_RESIDUAL,
        by_size,
        scope="the first pair by vocabulary and denominator; where the laws are equal or disjoint it holds",
        repaired={
            "α is 0 or 1": lambda: (i for i in by_size() if overlap(i["p"], i["q"]) in {0, 1}),
            "over the sum, which is 1 − α": LEAN_RESIDUAL_CORRECTED,
        },
    ),
    Proof(LEAN_RESIDUAL_CORRECTED, prove, drop={"share": 0}, bind=lambda p, q: {"p": p, "q": q, "V": len(p)}),
)
