"""sd.speedup-monotone: the speed is the mean number of tokens times a positive number that falls with the draft's time."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Proof, ge
from simspec.claims.sd.speedup_monotone import SPEEDUP_MONOTONE


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every γ, every mean number of kept drafts, every cost.

    Strictly monotone in the mean, and in the cost where γ > 0; equality at equal means and equal costs. The slope in
    the mean is 1/(γc + 1).
    """
    accepted = d.number("accepted", 0)
    other_accepted = d.number("more", 0)
    gamma = sp.Symbol("gamma", integer=True, nonnegative=True)
    cost = d.number("cost", 0)
    slower = d.number("slower", 0)
    gains = d.domain("the other has no fewer kept drafts", ge(other_accepted, accepted))
    costs = d.domain("the other draft is no faster", ge(slower, cost))
    time = d.derive("a block takes time", ge(gamma * cost + 1, 1))
    longer = sign * (gamma * slower + 1)
    longer_time = d.derive("a slower draft takes no less", ge(longer, gamma * cost + 1), costs)
    d.qed(
        d.derive(
            "more tokens in the same time",
            ge((other_accepted + constant) / (gamma * cost + 1), (accepted + 1) / (gamma * cost + 1)),
            *(gains, time),
        ),
        d.derive(
            "the same tokens in no less time",
            ge((accepted + 1) / (gamma * cost + 1), (accepted + 1) / (gamma * slower + 1)),
            *(time, longer_time),
        ),
    )


PROOF = Proof(
    SPEEDUP_MONOTONE,
    prove,
    drop="the other has no fewer kept drafts",
    change={"constant": sp.S.Half},
    bind=lambda accepted, more, gamma, cost, slower: {
        **{"accepted": accepted, "more": more, "gamma": gamma, "cost": cost, "slower": slower}
    },
)
