"""relaxed.cactus-zero: without δ nothing is raised, and what is drawn again makes up for p exactly."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, x
from proofs_check.relaxed._cactus import AGAIN, bind, cactus
from proofs_check.relaxed.cactus_tv import moved
from simspec.claims.relaxed.cactus_zero import CACTUS_ZERO


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size and all laws."""
    it = cactus(d, sign, delta=sp.Integer(0))
    p = it.r.p[x]
    q = it.r.q[x]
    h = it.r.h[x]
    o = it.o[x]
    none = d.smt("no root", eq(it.r.s[x], 0), it.r.root)
    same = d.smt("so nothing is raised", eq(h, p), none, it.r.means, it.r.one)
    same_acceptance = d.derive("and as much is kept", eq(sp.Min(q, h), sp.Min(p, q)), same)
    apart = moved(d, it, constant)
    kept_all = d.sum("over the vocabulary", same_acceptance, x)
    size = d.derive("distances are not negative", ge(sp.Abs(o - p), 0))
    term = d.term("one is at most all", size, x)
    d.qed(same_acceptance, d.smt("so o is p", eq(o, p), term, apart, kept_all))


def _values(p: Any, q: Any) -> dict[str, Any]:
    return {name: value for name, value in bind(p, q, 0).items() if name != "delta"}


PROOF = Proof(CACTUS_ZERO, prove, drop=AGAIN, bind=_values)
