"""Candidates compared with one sample of the target: it is emitted in either case, so it does not matter which they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, index, total, y
from simspec.claims.claim import Claim

__all__ = ["proof"]

APART = "the sample of the target does not depend on the candidates"
K = sp.Symbol("K", integer=True, positive=True)
c = index("c")


def _prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target law, and candidates that are drawn or chosen in any way without the sample."""
    p = d.weights("p")
    w = d.weights("w", c)
    joint = d.weights("both", c, y)
    some = d.domain("some candidates are drawn", eq(total(w[c], c, upto=K), constant))
    apart = d.domain(APART, eq(joint[c, y], w[c] * p[y]))
    emitted = d.sum("whatever the candidates are", apart, c, upto=K)
    d.qed(d.derive("the sample is emitted", eq(total(joint[c, y], c, upto=K), sign * p[y]), emitted, some))


def proof(claim: Claim, chance: Callable[..., Any]) -> Proof:
    """The proof for a rule, with the probabilities of its candidates as a function of the instance."""

    def bind(**instance: Any) -> dict[str, Any]:
        p = instance["p"]
        w = chance(**instance)
        joint = [[share * mass for mass in p] for share in w]
        return {"p": p, "w": w, "both": joint, "K": len(w), "V": len(p), "ranges": {"c": range(1, len(w) + 1)}}

    return Proof(claim, _prove, drop=APART, bind=bind)
