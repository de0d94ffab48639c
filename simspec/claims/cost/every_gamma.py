"""`cost.every-gamma`, with its correction: what Corollary 3.9 of Leviathan et al. 2023 is often taken to say."""

from __future__ import annotations

from simspec.claims.authoring import Draw, F, Instance, at_least, bound, identity
from simspec.claims.cost.parts import accepted, block, rates_sum
from simspec.methods import speedup


def _above(draw: Draw) -> Instance:
    cost = draw.number(0, "3/4") if draw.exact else draw.number(0, 0.75)
    share = draw.number("1/16", 1) if draw.exact else draw.number(0.0625, 1)
    return {"alpha": cost + (1 - cost) * share, "cost": cost, "gamma": draw.integer(1, 8)}


EVERY_GAMMA = bound(
    name="cost.every-gamma",
    statement=r"If $\alpha > c$, then $S(\gamma) > 1$ for every $\gamma \ge 1$",
    reference="folk form of Leviathan et al. 2023, Corollary 3.9",
    instances=_above,
    lhs=lambda alpha, gamma, cost: speedup(alpha, gamma, cost),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact", "float"),
    against=({"alpha": F(1, 2), "cost": F(2, 5), "gamma": 2},),
    corrected_by=("cost.every-gamma-corrected",),
    note="Draft i is kept with probability α^i and costs c: late drafts cost more than they bring. At α = 1/2, c = 2/5 two "
    "drafts bring 7/4 tokens in the time of 9/5.",
)

EVERY_GAMMA_CORRECTED = identity(
    name="cost.every-gamma-corrected",
    statement=r"$S(\gamma) - 1 = \frac{\sum_{i=1}^{\gamma} \alpha^i - \gamma c}{\gamma c + 1}$: a block of $\gamma$ drafts saves "
    r"time exactly when $c$ is below the mean of $\alpha, \dots, \alpha^\gamma$",
    reference="correction of the folk form of Leviathan et al. 2023, Corollary 3.9",
    instances=lambda draw: block(draw, 1),
    lhs=lambda alpha, gamma, cost: (accepted(alpha, gamma) + 1) / (gamma * cost + 1) - 1,
    rhs=lambda alpha, gamma, cost: (rates_sum(alpha, gamma) - gamma * cost) / (gamma * cost + 1),
    sources=("exact", "float"),
    sums=16,
)
