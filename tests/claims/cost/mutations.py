"""The formulas of cost.* claims, broken on purpose: each change must refute its claim."""

import numpy as np

from simspec.claims.cost.parts import accepted, rates_sum
from simspec.claims.cost.unimodal import rises
from tests.claims.cases import broken, swapped

MUTATIONS = [
    broken("cost.speedup", rhs=lambda alpha, gamma, cost: (1 - alpha**gamma) / ((1 - alpha) * (gamma * cost + 1))),
    broken("cost.speedup", lhs=lambda alpha, gamma, cost: accepted(alpha, gamma) / (gamma * cost + 1)),
    broken("cost.some-gamma", rhs=lambda alpha, cost: np.array([alpha / cost if cost else 2, alpha - cost, 0])),
    broken("cost.every-gamma-corrected", rhs=lambda alpha, gamma, cost: (alpha - cost) * gamma / (gamma * cost + 1)),
    broken("cost.unimodal", lhs=lambda alpha, more, cost, dearer, most: np.stack([rises(alpha, dearer, most)[1:]] * 3)),
    broken("cost.ceiling", rhs=lambda alpha, gamma, cost: np.array([1 / (1 - alpha), gamma / (gamma * cost + 1)])),
    broken(
        "cost.accepts-over-cost-corrected", rhs=lambda alpha, gamma, cost: rates_sum(alpha, gamma) / (gamma * cost + 1)
    ),
    broken("cost.geometric", rhs=lambda alpha, gamma: sum(i * alpha**i * (1 - alpha) for i in range(gamma + 1))),
    broken("cost.geometric", **swapped("cost.geometric") | {"lhs": lambda alpha, gamma: gamma * alpha}),
]
