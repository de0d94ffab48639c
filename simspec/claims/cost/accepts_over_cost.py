"""`cost.accepts-over-cost`, with its correction: torchedup.dev 2026."""

from __future__ import annotations

from simspec.claims.authoring import F, identity
from simspec.claims.cost.parts import accepted, block, rates_sum
from simspec.methods import speedup

ACCEPTS_OVER_COST = identity(
    name="cost.accepts-over-cost",
    statement=r"The speed-up is $\frac{\mathbb{E}[\tau]}{1 + \gamma c}$: 1.687 at $\alpha = 0.8$, $\gamma = 4$, $c = 0.1$",
    reference="torchedup.dev 2026",
    instances=lambda draw: block(draw, 1),
    lhs=lambda alpha, gamma, cost: speedup(alpha, gamma, cost),
    rhs=lambda alpha, gamma, cost: rates_sum(alpha, gamma) / (gamma * cost + 1),
    sources=("exact", "float"),
    against=({"alpha": F(4, 5), "gamma": 4, "cost": F(1, 10)},),
    corrected_by=("cost.accepts-over-cost-corrected",),
    note="The token that every block emits beside its accepted drafts is forgotten: with no drafts the formula says 0, not 1. "
    "For the printed example the speed-up is 2.401, not 1.687.",
)

ACCEPTS_OVER_COST_CORRECTED = identity(
    name="cost.accepts-over-cost-corrected",
    statement=r"The speed-up is $\frac{\mathbb{E}[\tau] + 1}{1 + \gamma c}$: 2.401 at $\alpha = 0.8$, $\gamma = 4$, $c = 0.1$",
    reference="correction of torchedup.dev 2026; Leviathan et al. 2023, Theorem 3.8",
    instances=lambda draw: block(draw, 1),
    lhs=lambda alpha, gamma, cost: speedup(alpha, gamma, cost),
    rhs=lambda alpha, gamma, cost: (accepted(alpha, gamma) + 1) / (gamma * cost + 1),
    sources=("exact", "float"),
    sums=16,
)
