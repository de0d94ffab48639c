"""watermark.acceptance: what both models have of a token is what one has, less where it has more, and the other way round."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, index, le, total, x
from simspec.claims.watermark.acceptance import ACCEPTANCE
from simspec.laws import Array

k = index("k")
K = sp.Symbol("K", integer=True, positive=True)
KEYS = "p and q are the means over keys"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every number of keys, all keyed laws.

    Equality where no two keys disagree on which model has more of a token.
    """
    w = d.weights("w", k)
    P = d.weights("P", k, x)
    Q = d.weights("Q", k, x)
    p = d.weights("p")
    q = d.weights("q")
    of_p, of_q = d.domain(KEYS, eq(p[x], total(w[k] * P[k, x], k, upto=K)), eq(q[x], total(w[k] * Q[k, x], k, upto=K)))
    target_excess = w[k] * sp.Max(P[k, x] - Q[k, x], 0)
    draft_excess = w[k] * sp.Max(Q[k, x] - P[k, x], 0)
    shared = w[k] * sp.Min(P[k, x], Q[k, x])
    low = d.derive("not negative", ge(w[k], 0))
    up = d.derive("what the target has beyond it", eq(sp.Min(P[k, x], Q[k, x]) + sp.Max(P[k, x] - Q[k, x], 0), P[k, x]))
    down = eq(sp.Min(P[k, x], Q[k, x]) + sign * sp.Max(Q[k, x] - P[k, x], 0), Q[k, x])
    down = d.derive("what the draft has beyond it", down)
    up = d.derive("weighed", eq(shared + target_excess, w[k] * P[k, x]), up)
    down = d.derive("weighed", eq(shared + draft_excess, w[k] * Q[k, x]), down)
    up = d.sum("over the keys", up, k, upto=K)
    down = d.sum("over the keys", down, k, upto=K)
    U, D, M = (total(e, k, upto=K) for e in (target_excess, draft_excess, shared))
    split = eq(sp.Min(p[x], q[x]), M + sp.Min(U, D))
    split = d.smt("of a token", split, up, down, of_p, of_q)
    signs = []
    for excess in (target_excess, draft_excess):
        some = d.smt("no part is negative", ge(excess, 0), low)
        signs.append(d.sum("over the keys", some, k, upto=K))
    some = d.smt("the smaller part", ge(sp.Min(U, D), 0), *signs)
    some = d.sum("over the vocabulary", some, x)
    split = d.sum("over the vocabulary", split, x)
    overlap = total(sp.Min(p[x], q[x]), x)
    accepted = total(M, x)
    lost = total(sp.Min(U, D), x)
    d.qed(
        d.derive("at most", le(constant * accepted, overlap), split, some, by="smt"),
        d.derive("what it lacks", le(overlap - accepted, lost), split, by="smt"),
        d.derive("and no less", le(accepted - overlap, -lost), split, by="smt"),
    )


def _values(w: Array, P: Array, Q: Array) -> dict[str, Any]:
    weights = w[:, None]
    return {
        **{"w": w, "P": P, "Q": Q, "p": (weights * P).sum(axis=0), "q": (weights * Q).sum(axis=0)},
        **{"K": len(w), "V": P.shape[1], "ranges": {"k": range(1, len(w) + 1)}},
    }


PROOF = Proof(ACCEPTANCE, prove, drop=KEYS, bind=_values)
