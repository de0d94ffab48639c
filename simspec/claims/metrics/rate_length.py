"""`metrics.rate-length` in two readings: vLLM #39359; ROCm/ATOM #1850, #1948."""

from __future__ import annotations

from simspec.claims.authoring import exact, identity
from simspec.claims.metrics.parts import alike, equal_run
from simspec.methods.counters import acceptance_length, draft_acceptance

SAME = "every step drafts γ tokens"
UNEQUAL = {"drafted": exact([1, 2]), "accepted": exact([1, 2]), "gamma": 2}

BONUS = identity(
    name="metrics.rate-length.bonus",
    statement=r"All $g_s = \gamma$: $AL = \gamma \cdot AR$, the bonus token counted in $AL$",
    reference="vLLM #39359; ROCm/ATOM #1850, #1948",
    instances=equal_run,
    assumes={SAME: alike},
    lhs=lambda accepted: acceptance_length(accepted),
    rhs=lambda drafted, accepted, gamma: gamma * draft_acceptance(drafted, accepted),
    sources=("exact",),
    outside={SAME: UNEQUAL},
    corrected_by=("metrics.rate-length.no-bonus",),
    note="The bonus token is in the length and not in the rate: the two sides differ by exactly one.",
)

NO_BONUS = identity(
    name="metrics.rate-length.no-bonus",
    statement=r"All $g_s = \gamma$: $AL - 1 = \gamma \cdot AR$",
    reference="vLLM #39359; ROCm/ATOM #1850, #1948",
    instances=equal_run,
    assumes={SAME: alike},
    lhs=lambda accepted: acceptance_length(accepted) - 1,
    rhs=lambda drafted, accepted, gamma: gamma * draft_acceptance(drafted, accepted),
    sources=("exact",),
    outside={SAME: UNEQUAL},
    note="Both are the accepted drafts of a step. With unequal drafts AR weighs steps by what they drafted.",
)
