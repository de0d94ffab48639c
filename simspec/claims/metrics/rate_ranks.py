"""Of several budgets the one with the highest acceptance rate is not the fastest.

`metrics.rate-ranks`, with its correction: practice.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Draw, F, Instance, at_least, bound, broken
from simspec.laws import Scalar
from simspec.methods import speedup_of_accepted

__all__ = ["rate", "speed"]

HIGHER = "its acceptance rate is higher"
NO_LOWER = "its acceptance rate is no lower"
MORE = "it drafts no fewer tokens"
PAYS = "its acceptance rate is at least the cost of a draft"


def rate(alpha: Scalar, gamma: int) -> Any:
    """Acceptance rate with independent steps: the mean of α, …, α^γ (metrics.alpha-corrected).

    >>> print(rate(F(1, 2), 2))
    3/8
    """
    return sum(alpha**i for i in range(1, gamma + 1)) / gamma


def speed(share: Scalar, gamma: int, cost: Scalar) -> Any:
    """Speed against the target alone, (1 + γ r)/(1 + γ c), at an acceptance rate r.

    >>> print(speed(F(1, 2), 1, F(1, 4)))
    6/5
    """
    return speedup_of_accepted(gamma * share, gamma, cost)


def _budgets(draw: Draw) -> Instance:
    budgets = sorted((draw.integer(1, 4), draw.integer(1, 4)))
    return {"alpha": draw.number(0, 1), "cost": draw.number(0, 1), "gamma": budgets[0], "other": budgets[1]}


ONE = {"alpha": F(1, 2), "cost": F(0), "gamma": 1, "other": 2}

RATE_RANKS = bound(
    name="metrics.rate-ranks",
    statement=r"Of several budgets $\gamma$ the one with the highest acceptance rate is the fastest",
    reference="practice, on Leviathan et al. 2023",
    instances=_budgets,
    assumes={HIGHER: lambda alpha, gamma, other: rate(alpha, gamma) > rate(alpha, other)},
    lhs=lambda alpha, gamma, cost: speed(rate(alpha, gamma), gamma, cost),
    relation=at_least,
    rhs=lambda alpha, other, cost: speed(rate(alpha, other), other, cost),
    sources=("exact",),
    outside={HIGHER: {"alpha": F(1, 2), "cost": F(1), "gamma": 2, "other": 1}},
    corrected_by=("metrics.rate-ranks-corrected",),
    against=(ONE,),
    within=(ONE,),
    note="With independent steps the rate is highest for one draft, at every cost; the speed rises as long as a draft pays.",
)


def _rates(draw: Draw) -> Instance:
    budgets = sorted((draw.integer(1, 4), draw.integer(1, 4)))
    shares = sorted((draw.number(0, 1), draw.number(0, 1)))
    return {
        "share": shares[1],
        "other_share": shares[0],
        "cost": shares[1] * draw.number(0, 1),
        "gamma": budgets[1],
        "other": budgets[0],
    }


RATE_RANKS_CORRECTED = bound(
    name="metrics.rate-ranks-corrected",
    statement=r"Of two budgets the one with no lower acceptance rate is no slower if it drafts no fewer tokens and its rate is "
    r"at least the cost of a draft; in general the speed is $(1 + \gamma r)/(1 + \gamma c)$",
    reference="correction of practice, on Leviathan et al. 2023",
    instances=_rates,
    assumes={
        NO_LOWER: lambda share, other_share: share >= other_share,
        MORE: lambda gamma, other: gamma >= other,
        PAYS: lambda share, cost: share >= cost,
    },
    lhs=lambda share, gamma, cost: speed(share, gamma, cost),
    relation=at_least,
    rhs=lambda other_share, other, cost: speed(other_share, other, cost),
    tight=({"share": F(1, 2), "other_share": F(1, 2), "cost": F(1, 2), "gamma": 2, "other": 1},),
    sources=("exact",),
    outside={
        NO_LOWER: {"share": F(0), "other_share": F(1), "cost": F(0), "gamma": 1, "other": 1},
        MORE: {"share": F(1), "other_share": F(1), "cost": F(0), "gamma": 1, "other": 2},
        PAYS: {"share": F(1, 2), "other_share": F(1, 2), "cost": F(1), "gamma": 2, "other": 1},
    },
    note="All three conditions are needed. The rate alone says nothing of a budget's speed; the acceptance length and the time "
    "of a step do (metrics.speed-tracks-length-corrected).",
    broken=[
        broken("each draft costs a target step more", lhs=lambda share, gamma, cost: speed(share, gamma, cost + 1))
    ],
)
