"""Some number of drafts speeds decoding up exactly where acceptance exceeds the draft's cost.

`cost.some-gamma`: Leviathan et al. 2023, Corollary 3.9.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken
from simspec.laws import Scalar
from simspec.methods import speedup


def _rates(draw: Draw) -> Instance:
    """A cost below one rate, and no smaller than another."""
    low, cost = sorted(draw.number(0, "3/4") if draw.exact else draw.number(0, 0.75) for _ in range(2))
    share = draw.number("1/16", 1) if draw.exact else draw.number(0.0625, 1)
    return {"alpha": cost + (1 - cost) * share, "low": low, "cost": cost, "gamma": draw.integer(1, 6)}


def _speeds(alpha: Scalar, low: Scalar, cost: Scalar, gamma: int) -> Array:
    return np.array([speedup(alpha, 1, cost), (1 + alpha) / (1 + cost) - 1, 1 - speedup(low, gamma, cost)])


ABOVE = "α exceeds c"
BELOW = "the other rate does not exceed c"

SOME_GAMMA = bound(
    name="cost.some-gamma",
    statement=r"If $\alpha > c$, some $\gamma$ has $S(\gamma) \ge \frac{1 + \alpha}{1 + c} > 1$; if $\alpha \le c$, no $\gamma "
    r"\ge 1$ has $S(\gamma) > 1$",
    reference="Leviathan et al. 2023, Corollary 3.9",
    instances=_rates,
    assumes={
        ABOVE: lambda alpha, cost: alpha > cost,
        BELOW: lambda low, cost: low <= cost,
    },
    lhs=_speeds,
    rhs=lambda alpha, cost: np.array([(1 + alpha) / (1 + cost), (alpha - cost) / 2, cost * 0]),
    relation=at_least,
    sources=("exact", "float"),
    tight=({"alpha": F(1), "low": F(1, 2), "cost": F(1, 2), "gamma": 1},),
    outside={
        ABOVE: {"alpha": F(0), "low": F(0), "cost": F(1, 2), "gamma": 1},
        BELOW: {"alpha": F(1), "low": F(1), "cost": F(0), "gamma": 1},
    },
    note="γ = 1 does it: S(1) is (1 + α)/(1 + c), which exceeds 1 by (α − c)/(1 + c), more than (α − c)/2. A rate of at most c "
    "gains at most c per draft and pays c for it.",
    broken=[
        broken(
            "zero as the third condition",
            rhs=lambda alpha, cost: np.array([alpha / cost if cost else 2, alpha - cost, 0]),
        )
    ],
)
