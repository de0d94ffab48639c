"""folk.sampled-match-price: two independent samples of p agree with the sum of its squares; min(p, p) is p."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, x
from simspec.claims.folk.sampled_match_price import SAMPLED_MATCH_PRICE

SAME = "the draft is drawn from p"
APART = "draft and sample are independent"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    p = d.weights("p")
    q = d.weights("q")
    joint = d.weights("both")
    same = d.domain(SAME, eq(q[x], p[x]))
    apart = d.domain(APART, eq(joint[x], p[x] * q[x]))
    square = d.derive("of each token", eq(constant * joint[x], p[x] ** 2), apart, same)
    overlap_is_p = d.derive("all is kept", eq(sp.Min(p[x], sign * q[x]), p[x]), same)
    d.qed(d.sum("over the vocabulary", square, x), d.sum("over the vocabulary", overlap_is_p, x))


PROOF = Proof(SAMPLED_MATCH_PRICE, prove, drop=SAME, bind=lambda p: {"p": p, "q": p, "both": p * p, "V": len(p)})
