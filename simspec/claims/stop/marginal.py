"""One more draft pays exactly where its chance of acceptance exceeds its cost times the speed-up.

`stop.marginal`: own statement.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity
from simspec.laws import Scalar
from simspec.methods import speedup

__all__ = ["one_more"]


def _draw(draw: Draw) -> Instance:
    return {"alpha": draw.number(0, 1), "cost": draw.number(0, 2), "gamma": draw.integer(0, 5)}


def one_more(alpha: Scalar, cost: Scalar, gamma: int) -> Array:
    """S(γ + 1) − S(γ), and α^(γ + 1) − c S(γ).

    >>> one_more(0.5, 0.25, 0).tolist()
    [0.19999999999999996, 0.25]
    """
    now = speedup(alpha, gamma, cost)
    return np.array([speedup(alpha, gamma + 1, cost) - now, alpha ** (gamma + 1) - cost * now])


MARGINAL = identity(
    name="stop.marginal",
    statement=r"With independent steps of acceptance $\alpha$ and drafts of cost $c$, $S(\gamma + 1) > S(\gamma)$ if and only if "
    r"$\alpha^{\gamma + 1} > c\,S(\gamma)$, $S(\gamma) = (1 + \alpha + \dots + \alpha^\gamma)/(\gamma c + 1)$",
    reference="own statement, after Leviathan et al. 2023, Theorem 3.8",
    instances=_draw,
    lhs=lambda alpha, cost, gamma: int(one_more(alpha, cost, gamma)[0] > 0),
    rhs=lambda alpha, cost, gamma: int(one_more(alpha, cost, gamma)[1] > 0),
    sources=("exact",),
    note="The difference of speeds, times the time of the longer call, is the difference of the other two.",
    broken=[
        broken(
            "α^γ at the margin", rhs=lambda alpha, cost, gamma: int(alpha**gamma > cost * speedup(alpha, gamma, cost))
        )
    ],
)
