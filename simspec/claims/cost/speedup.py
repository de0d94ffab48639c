"""`cost.speedup`: Leviathan et al. 2023, Theorem 3.8."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.cost.parts import accepted, block

SPEEDUP = identity(
    name="cost.speedup",
    statement=r"Tokens per unit of time, against the target alone: $S(\gamma) = \frac{1 - \alpha^{\gamma+1}}{(1 - "
    r"\alpha)(\gamma c + 1)}$, for independent steps of acceptance $\alpha < 1$",
    reference="Leviathan et al. 2023, Theorem 3.8",
    instances=block,
    lhs=lambda alpha, gamma, cost: (accepted(alpha, gamma) + 1) / (gamma * cost + 1),
    rhs=lambda alpha, gamma, cost: (1 - alpha ** (gamma + 1)) / ((1 - alpha) * (gamma * cost + 1)),
    sources=("exact", "float"),
    sums=64,
    note="The left side enumerates every way a block can end: E[τ] + 1 tokens in the time of γ drafts and one target call. "
    "At α = 1 the printed quotient is 0/0; the sum 1 + α + … + α^γ has no such gap.",
)
