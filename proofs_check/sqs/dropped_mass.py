"""sqs.dropped-mass: what is kept only grows, so the distance is the mass that the draft law has elsewhere."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x
from proofs_check.sqs._kept_tokens import lost, sparse, values
from simspec.claims.sqs.dropped_mass import DROPPED_MASS


def prove(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary size, law and set of tokens that has mass."""
    s = sparse(d)
    d.qed(d.derive("half of both", eq(half * total(sp.Abs(s.q[x] - s.law), x), s.dropped), lost(d, s, sign)))


PROOF = Proof(
    DROPPED_MASS,
    prove,
    drop="the kept tokens have mass",
    change={"half": sp.Rational(1, 3)},
    bind=lambda q, kept: {name: v for name, v in values(q, kept, 1).items() if name in {"V", "q", "u", "c"}},
)
