"""Candidates compared with one sample of the target: it is emitted in either case, so it does not matter which they are."""

from __future__ import annotations

from typing import Any

from proofs_check.language import Derivation, Fact, Proof, eq, x
from simspec.claims.claim import Claim

__all__ = ["EMITTED", "matches", "proof"]

EMITTED = "a sample of the target that no candidate depends on is emitted"


def matches(d: Derivation, p: Any, b: Any, sign: int = 1, constant: int = 1) -> tuple[Any, Any, Fact, Fact]:
    """Mass emitted as a match and as none, b[x] the probability that x is a candidate; together they are p."""
    hit, miss = d.weights("hit"), d.weights("miss")
    a, c = d.domain(EMITTED, eq(hit[x], b[x] * p[x]), eq(miss[x], (1 - sign * b[x]) * p[x] * constant))
    return hit, miss, a, d.derive("in either case", eq(hit[x] + miss[x], p[x]), a, c)


def _prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every target law, and candidates that are drawn or chosen in any way without the sample."""
    p, b = d.weights("p"), d.weights("b")
    d.qed(matches(d, p, b, sign, constant)[3])


def proof(claim: Claim, candidate: Any) -> Proof:
    """The proof for a rule, with the probability of each token to be a candidate as a function of the instance."""

    def bind(**instance: Any) -> dict[str, Any]:
        p, b = instance["p"], candidate(**instance)
        return {"p": p, "b": b, "hit": p * b, "miss": p * (1 - b), "V": len(p)}

    return Proof(claim, _prove, drop=EMITTED, bind=bind)
