"""rdk.identity-is-tli: of each column of the identity one entry remains, so every token keeps what it has."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, i, j, total, x
from proofs_check.rdk._shared_vocabulary import nothing, shared, tli
from simspec.claims.rdk.identity_is_tli import IDENTITY_IS_TLI


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, draft and shared vocabulary; of M = I is used that entries off the diagonal are 0 and that
    columns sum to one.
    """
    q = d.weights("q")
    t = tli(d, shared(d), q).law
    M = sp.IndexedBase("M", real=True)
    off, on = d.assume(
        "M is the identity", eq(M[i, j] * t[i], M[i, j] * t[j]), eq(total(M[i, j], i), constant)
    )  # nothing moves: only i = j has M[i, j] > 0
    per_arrival = d.derive("what arrives at j could be its own", eq(M[i, j] * (t[i] - t[j]), 0), off)
    arrivals = d.sum("over what moves to token j", per_arrival, i)
    arrivals = d.derive("all of it is its own", eq(total(M[i, j] * t[i], i), sign * t[j]), arrivals, on)
    d.qed(d.instantiate("for every token", arrivals, {j: x}))


PROOF = Proof(
    IDENTITY_IS_TLI,
    prove,
    drop="M is the identity",
    bind=lambda q, shared, M: {"q": q, "I": shared, "M": M, "none_t": nothing(q, shared), "V": len(q)},
)
