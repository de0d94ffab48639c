"""`metrics.alpha`, with its correction: practice."""

from __future__ import annotations

from simspec.claims.authoring import Draw, F, Instance, identity
from simspec.claims.cost.parts import accepted, rates_sum


def _block(draw: Draw) -> Instance:
    return {"alpha": draw.number(0, 1), "gamma": draw.integer(1, 5)}


ALPHA = identity(
    name="metrics.alpha",
    statement=r"Independent steps of acceptance $\alpha$, all $g_s = \gamma$: $\mathbb{E}\left[\sum a_s\right] / "
    r"(N\gamma) = \alpha$",
    reference="practice, as in vLLM #39359",
    instances=_block,
    lhs=lambda alpha, gamma: accepted(alpha, gamma) / gamma,
    rhs=lambda alpha: alpha,
    sources=("exact", "float"),
    against=({"alpha": F(1, 2), "gamma": 2},),
    corrected_by=("metrics.alpha-corrected",),
    note="A draft after a rejected one counts as drafted and not accepted: the printed acceptance rate is below α for γ > 1, "
    "unless α is 0 or 1. At α = 0.8 and γ = 4 it is 0.59.",
)

ALPHA_CORRECTED = identity(
    name="metrics.alpha-corrected",
    statement=r"Independent steps of acceptance $\alpha$, all $g_s = \gamma$: $\mathbb{E}\left[\sum a_s\right] / "
    r"(N\gamma) = \frac{1}{\gamma}\sum_{i=1}^{\gamma} \alpha^i$",
    reference="correction of practice, as in vLLM #39359",
    instances=_block,
    lhs=lambda alpha, gamma: accepted(alpha, gamma) / gamma,
    rhs=lambda alpha, gamma: rates_sum(alpha, gamma) / gamma,
    sources=("exact", "float"),
    note="α is the acceptance rate with γ = 1, and the conditional rate c_i at every position.",
)
