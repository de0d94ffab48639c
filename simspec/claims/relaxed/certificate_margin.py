"""The margin of the two largest probabilities alone gives the best such certificate.

`relaxed.certificate-margin`: 2606.30265 (restored).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, at_least, bound, exact, law
from simspec.claims.relaxed.fsd_js import phi
from simspec.claims.relaxed.parts import HALF, divergence, highest, lower_bound_scaled, rank

__all__ = ["margin"]


def margin(p: Array) -> Any:
    """p₁ − p₂."""
    largest, two = (p[x] for x in rank(p))
    return largest - two


def _only(p: Array) -> Any:
    """KL of the law of two tokens with that margin from (1/2, 1/2)."""
    m = margin(p)
    return divergence(exact([(1 + m) / 2, (1 - m) / 2]), HALF)


CERTIFICATE_MARGIN = bound(
    name="relaxed.certificate-margin",
    statement=r"With the margin $m = p_1 - p_2$ alone: $\mathrm{KL}(p \Vert q) < \log 2 - h(\tfrac{1 + m}2)$ implies it "
    r"($h$ binary entropy, nats), and this is the best constant in $m$: attained by two tokens",
    reference="Sharma 2026 (arXiv 2606.30265, restored)",
    instances=highest,
    relation=at_least,
    lhs=lambda p, q: np.array([divergence(p, q), _only(p), -_only(p)], dtype=object),
    rhs=lambda p: np.array([phi(margin(p)), phi(margin(p)), -phi(margin(p))], dtype=object),
    tight=({"p": law("3/4", "1/4"), "q": HALF, "b": 1},),
    sources=("exact",),
    broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
)
