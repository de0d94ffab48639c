"""ears.certain-target: where a token is certain nothing is tolerated, and min(p, q) is kept."""

from __future__ import annotations

import sympy as sp

from proofs_check.ears._relaxed_step import two_laws
from proofs_check.language import Derivation, Proof, eq, x
from simspec.claims.ears.certain_target import CERTAIN, CERTAIN_TARGET


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    s = two_laws(d)
    p = s.p
    q = s.q
    beta = d.number("beta", low=0)
    m, _, _ = d.extremum("the largest probability", "m", p[x], x)
    certain = d.assume(CERTAIN, eq(m, 1))
    t = sp.Symbol("t", real=True)
    meaning = d.define("the tolerance", t, beta * (constant - sign * m))
    zero = d.derive("nothing is tolerated", eq(t, 0), meaning, certain)
    k = sp.IndexedBase("k", real=True)
    rule = d.define("what EARS keeps of a drafted token", k[x], sp.Min(q[x], p[x] + t * q[x]))
    d.qed(d.derive("it is what speculative decoding keeps", eq(k[x], sp.Min(p[x], q[x])), rule, zero))


PROOF = Proof(
    CERTAIN_TARGET,
    prove,
    drop=CERTAIN,
    bind=lambda p, q, beta: {"p": p, "q": q, "beta": beta, "m": max(p), "V": len(p)},
)
