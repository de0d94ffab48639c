"""csqs.budget-minimax: a sum of zeros and ones is no number strictly between two neighbours."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, index, total
from simspec.claims.csqs.budget_minimax import MINIMAX

WHOLE = "m is a whole number of tokens, and so many are dropped beyond it, or short of its neighbour"
n = index("n")
T = sp.Symbol("T", integer=True, positive=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every number of tokens, every rule, every m.

    Attained: csqs.budget-rule with b = 1/2.
    """
    x = d.weights("x", n)
    m = d.number("m", 0)
    s = sp.Symbol("s", real=True)
    is_s = d.define("the tokens dropped", s, total(x[n], n, upto=T))
    whole_tokens = d.domain(WHOLE, ge((total(x[n], n, upto=T) - m) * (total(x[n], n, upto=T) - m - sign), 0))
    whole_tokens = d.derive("in short", ge((s - m) * (s - m - 1), 0), whole_tokens, is_s, by="smt")
    far = d.smt(
        "half a token from the target", ge(sp.Abs(s - m - sp.Rational(1, 2)), sp.Rational(constant, 2)), whole_tokens
    )
    share = eq(sp.Abs(s - m - sp.Rational(1, 2)), T * sp.Abs(s / T - (2 * m + 1) / (2 * T)))
    share = d.smt("of T tokens", share)
    far = d.smt("in shares", ge(sp.Abs(s / T - (2 * m + 1) / (2 * T)), 1 / (2 * T)), far, share)
    d.qed(d.derive("in full", far.relation.replace({s: total(x[n], n, upto=T)}), far, is_s, by="smt"))


def _bind(dropped: list[int], whole: int) -> dict[str, Any]:
    return {"x": dropped, "m": whole, "T": len(dropped), "ranges": {"n": range(1, len(dropped) + 1)}}


PROOF = Proof(MINIMAX, prove, drop=WHOLE, change={"constant": 2}, bind=_bind)
