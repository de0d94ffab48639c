"""metrics.one-draft: a kept draft brings two tokens, a rejected one brings one."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, total, x
from simspec.claims.metrics.one_draft import ONE_DRAFT
from simspec.laws import overlap

REJECTED = "what is not kept is rejected"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    p, q = d.weights("p"), d.weights("q")
    kept, rejected = total(sp.Min(p[x], q[x]), x), d.number("rejected", 0)
    rest = d.domain(REJECTED, eq(rejected, 1 - kept))
    d.qed(d.derive("two tokens, or one", eq(2 * kept + sign * rejected, constant + kept), rest))


PROOF = Proof(
    ONE_DRAFT, prove, drop=REJECTED, bind=lambda p, q: {"p": p, "q": q, "rejected": 1 - overlap(p, q), "V": len(p)}
)
