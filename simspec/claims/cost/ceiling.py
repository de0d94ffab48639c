"""`cost.ceiling`: practice."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import F, bound
from simspec.claims.cost.parts import block
from simspec.methods import speedup

CEILING = bound(
    name="cost.ceiling",
    statement=r"$S(\gamma) \le \min\left(\frac{1}{1 - \alpha}, \frac{\gamma + 1}{\gamma c + 1}\right)$ for $\alpha < 1$",
    reference="practice, on Leviathan et al. 2023, Theorem 3.8",
    instances=block,
    lhs=lambda alpha, gamma, cost: np.array([speedup(alpha, gamma, cost)] * 2),
    rhs=lambda alpha, gamma, cost: np.array([1 / (1 - alpha), (gamma + 1) / (gamma * cost + 1)]),
    sources=("exact", "float"),
    sums=64,
    tight=({"alpha": F(0), "gamma": 0, "cost": F(0)}, {"alpha": F(0), "gamma": 1, "cost": F(0)}),
    note="No γ gets more than 1/(1 − α), however cheap the drafts; no acceptance gets more than (γ + 1)/(γc + 1), below 1/c.",
)
