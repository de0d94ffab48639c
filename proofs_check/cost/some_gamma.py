"""cost.some-gamma: one draft is enough above c; at or below c each draft brings at most c and costs c."""

from __future__ import annotations

import sympy as sp

from proofs_check.cost._powers import gamma, n
from proofs_check.language import Derivation, Proof, eq, ge, gt, le
from simspec.claims.cost.some_gamma import ABOVE, BELOW, SOME_GAMMA


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Both halves; every pair of rates, every cost, every number of drafts.

    Equality in the first part (γ = 1 is the bound), and in the last one at γ = 1 and a rate equal to c.
    """
    alpha = d.number("alpha", 0, 1)
    low = d.number("low", 0, 1)
    cost = d.number("cost", 0)
    above = d.assume(ABOVE, gt(alpha, cost))
    below = d.assume(BELOW, le(low, cost))
    B = sp.IndexedBase("B", real=True)
    none, recursion_step = d.recursion("1 + α + … + α^n", eq(B[0], 1), eq(B[n + 1], 1 + sign * low * B[n]))
    slow = ge(n * cost + constant, B[n])
    slow = d.inductive("a rate of at most c", slow, n, [none], [recursion_step, below], by="smt")
    slow = d.instantiate("a block of γ drafts", slow, {n: gamma})
    S = sp.IndexedBase("S", real=True)
    first, then = d.recursion("1 + α + … + α^n", eq(S[0], 1), eq(S[n + 1], 1 + alpha * S[n]))
    then = d.instantiate("one draft", then, {n: 0})
    d.qed(
        d.derive("one draft is enough", ge(S[1] / (cost + 1), (1 + alpha) / (1 + cost)), then, first),
        d.derive("exceeds one", ge((1 + alpha) / (1 + cost) - 1, (alpha - cost) / 2), above),
        d.derive("no gain", ge(1 - B[gamma] / (gamma * cost + 1), 0), slow),
    )


PROOF = Proof(
    SOME_GAMMA,
    prove,
    drop=BELOW,
    change={"constant": sp.S.Half},
    bind=lambda alpha, low, cost, gamma: {"alpha": alpha, "low": low, "cost": cost, "gamma": gamma},
)
