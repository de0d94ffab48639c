"""`cost.geometric`: llama.cpp #3649."""

from __future__ import annotations

from simspec.claims.authoring import identity
from simspec.claims.cost.parts import accepted, block

GEOMETRIC = identity(
    name="cost.geometric",
    statement=r"Independent steps of acceptance $\alpha$: $\mathbb{E}[\tau] = \sum_{i < \gamma} i\,\alpha^i (1 - \alpha) + "
    r"\gamma\,\alpha^\gamma$",
    reference="llama.cpp #3649",
    instances=lambda draw: block(draw, 1),
    lhs=accepted,
    rhs=lambda alpha, gamma: sum((i * alpha**i * (1 - alpha) for i in range(gamma)), gamma * alpha**gamma),
    sources=("exact", "float"),
    sums=16,
    note="τ is geometric, cut off at γ; the sum is α + α² + … + α^γ.",
)
