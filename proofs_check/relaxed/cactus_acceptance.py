"""relaxed.cactus-acceptance: the raised mass is at least p, so no less of it is shared with q."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, ge, x
from proofs_check.relaxed._cactus import raised, roots
from simspec.claims.relaxed.cactus_acceptance import CACTUS_ACCEPTANCE


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws and every δ.

    Equality exactly where no token with p < q is raised: for δ = 0, say.
    """
    r = raised(d, sign)
    p = r.p[x]
    q = r.q[x]
    h = r.h[x]
    per_token = ge(sp.Min(q, h), constant * sp.Min(p, q))
    d.qed(d.summed("token by token", per_token, r.more, by="smt"))


PROOF = Proof(
    CACTUS_ACCEPTANCE,
    prove,
    drop="p sums to one",
    bind=lambda p, q, delta: {"p": p, "q": q, "delta": delta, "s": roots(p, delta), "V": len(p)},
)
