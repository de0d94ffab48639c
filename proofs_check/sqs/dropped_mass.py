"""sqs.dropped-mass: what is kept only grows, so the distance is the mass that the draft law has elsewhere."""

from __future__ import annotations

import sympy as sp

from proofs_check.checking.proof import Proof
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import eq, total, x
from proofs_check.sqs._kept_tokens import lost, sparse, values
from simspec.claims.sqs.dropped_mass import DROPPED_MASS


def prove(d: Derivation, sign: int = 1, half: sp.Expr = sp.S.Half) -> None:
    s = sparse(d)
    d.qed(d.derive("half of both", eq(half * total(sp.Abs(s.q[x] - s.law), x), s.dropped), lost(d, s, sign)))


PROOFS = (
    Proof(
        DROPPED_MASS,
        prove,
        mutations={
            "drop an assumption": "the kept tokens have mass",
            "flip a sign": {"sign": -1},
            "change a constant": {"half": sp.Rational(1, 3)},
        },
        bind=lambda q, kept: {name: v for name, v in values(q, kept, 1).items() if name in {"V", "q", "u", "c"}},
        scope="every vocabulary size, law and set of tokens that has mass",
    ),
)
