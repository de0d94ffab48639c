"""A small KL divergence from target to draft certifies that both have the same most likely token.

`relaxed.certificate-strict`: 2606.30265 (restored).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, at_least, identity, law
from simspec.claims.relaxed.parts import divergence, highest, lower_bound_scaled, rank, xlogx

__all__ = ["levelled", "limit"]


def limit(p: Array) -> Any:
    """p₁ log(2p₁/(p₁ + p₂)) + p₂ log(2p₂/(p₁ + p₂))."""
    largest, two = (p[x] for x in rank(p))
    return xlogx(largest, (largest + two) / 2) + xlogx(two, (largest + two) / 2)


def levelled(p: Array) -> Array:
    """p with the mean of its two largest masses on both: the nearest law without p's mode alone on top."""
    first, second = rank(p)
    q = p.copy()
    q[[first, second]] = (p[first] + p[second]) / 2
    return q


CERTIFICATE_STRICT = identity(
    name="relaxed.certificate-strict",
    statement=r"$p_1 > p_2$ the two largest of $p$: $\mathrm{KL}(p \Vert q) < p_1 \log \frac{2p_1}{p_1 + p_2} + p_2 \log "
    r"\frac{2p_2}{p_1 + p_2}$ implies $\operatorname{argmax} q = \operatorname{argmax} p$, and no larger "
    r"constant does: it is the least divergence of a law $q$ that has as much on another token, and attained",
    reference="Sharma 2026 (arXiv 2606.30265, restored)",
    instances=highest,
    relation=at_least,
    lhs=lambda p, q: np.array(
        [divergence(p, q), divergence(p, levelled(p)), -divergence(p, levelled(p))], dtype=object
    ),
    rhs=lambda p: np.array([limit(p), limit(p), -limit(p)], dtype=object),
    tight=({"p": law("3/4", "1/4"), "q": law("1/2", "1/2"), "b": 1},),
    sources=("exact",),
    note="Laws q with no mass where p has some are infinitely far, and are not drawn.",
    broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
)
