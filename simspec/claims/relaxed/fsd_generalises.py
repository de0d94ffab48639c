"""`relaxed.fsd-generalises`, with its correction: abstract of 2502.20704."""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, identity, law
from simspec.claims.relaxed.fsd_law import by_tv
from simspec.claims.relaxed.parts import pair
from simspec.laws import overlap, tv
from simspec.methods import acceptance_rate

PAPER = "Holsman et al. 2025 (arXiv 2502.20704), abstract"


def _nearest(p: Array, q: Array) -> Any:
    """The acceptance of FSD that is nearest to α over all thresholds: that of T = 0 or of T = 1."""
    rates = [acceptance_rate(by_tv(threshold), p, q) for threshold in (0, 1)]
    return min(rates, key=lambda rate: abs(rate - overlap(p, q)))


FSD_GENERALISES = identity(
    name="relaxed.fsd-generalises",
    statement=r"For every $p$, $q$ some threshold $T$ gives the acceptance $\alpha$ of speculative decoding",
    reference=PAPER,
    instances=pair,
    lhs=_nearest,
    rhs=lambda p, q: overlap(p, q),
    sources=("exact",),
    corrected_by=("relaxed.fsd-generalises-corrected",),
    within=({"p": law("1/3", "2/3"), "q": law("1/2", "1/2")},),
    note="FSD looks at two laws, not at the token: it keeps every draft of a step or none.",
)

FSD_GENERALISES_CORRECTED = identity(
    name="relaxed.fsd-generalises-corrected",
    statement=r"The acceptance of FSD that is nearest to $\alpha$ over all thresholds misses it by $\min(\alpha, 1 - "
    r"\alpha)$: it is 0 or 1, and $\alpha$ only where $p = q$ or the two share no token",
    reference="correction of " + PAPER,
    instances=pair,
    lhs=lambda p, q: abs(_nearest(p, q) - overlap(p, q)),
    rhs=lambda p, q: min(overlap(p, q), tv(p, q)),
    sources=("exact",),
    note="Of any divergence that is 0 only for equal laws.",
)
