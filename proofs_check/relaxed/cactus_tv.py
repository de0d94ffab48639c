"""relaxed.cactus-tv: o is min(q, h) where q ≥ p, and at most p elsewhere."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, total, x
from proofs_check.relaxed._cactus import AGAIN, Cactus, bind, cactus
from simspec.claims.relaxed.cactus_tv import CACTUS_TV

__all__ = ["moved"]


def moved(d: Derivation, it: Cactus, constant: sp.Expr | int = 1) -> Fact:
    """Σ |o − p|/2 = Σ min(q, h) − Σ min(p, q)."""
    p = it.r.p[x]
    q = it.r.q[x]
    h = it.r.h[x]
    o = it.o[x]
    gained = sp.Min(q, h) - constant * sp.Min(p, q)
    per_token = d.smt("above p by what is gained", eq(sp.Max(o - p, 0), gained), it.law, it.again, it.some, it.r.more)
    parts = d.summed("above or below", eq(sp.Abs(o - p), 2 * gained - o + p), per_token, by="smt")
    goal = eq(total(sp.Abs(o - p), x) / 2, total(sp.Min(q, h), x) - total(sp.Min(p, q), x))
    return d.derive("both are laws", goal, parts, it.mass, it.r.mass_p)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and every δ."""
    d.qed(moved(d, cactus(d, sign), constant))


PROOF = Proof(CACTUS_TV, prove, drop=AGAIN, bind=bind)
