"""A small KL divergence from draft to target certifies that both have the same most likely token.

`relaxed.certificate-reverse`: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, at_least, exact, identity, law
from simspec.claims.balls import ball, log
from simspec.claims.relaxed.parts import divergence, highest, lower_bound_scaled, rank

__all__ = ["limit"]


def _full(draw: Draw) -> Instance:
    """As `highest`, the target nowhere zero."""
    it = dict(highest(draw))
    p = it["p"]
    q = it["q"]
    b = it["b"]
    if not (p > 0).all():
        p = (p + exact([F(1, len(p))] * len(p))) / 2
    first, second = rank(p)
    b = b if b != first else second
    if q[b] < q[first]:
        q = q.copy()
        q[[b, first]] = q[[first, b]]
    return {"p": p, "q": q, "b": b}


def _roots(p: Array) -> tuple[Any, Any]:
    """√p₁ and √p₂."""
    largest, two = (ball(p[x]).sqrt() for x in rank(p))
    return largest, two


def limit(p: Array) -> Any:
    """−log(1 − (√p₁ − √p₂)²)."""
    largest, two = _roots(p)
    return -log(1 - (largest - two) * (largest - two))


def _reached(p: Array) -> Any:
    """KL(q‖p) of p with √(p₁p₂) on both tokens, made a law."""
    largest, two = _roots(p)
    q = np.array([ball(m) for m in p], dtype=object)
    q[list(rank(p))] = largest * two
    return divergence(q / q.sum(), p)


CERTIFICATE_REVERSE = identity(
    name="relaxed.certificate-reverse",
    statement=r"$p_2 > 0$: $\mathrm{KL}(q \Vert p) < -\log(1 - (\sqrt{p_1} - \sqrt{p_2})^2)$ implies "
    r"$\operatorname{argmax} q = \operatorname{argmax} p$, and no larger constant does",
    reference="own statement, on Sharma 2026 (arXiv 2606.30265)",
    instances=_full,
    relation=at_least,
    lhs=lambda p, q: np.array([divergence(q, p), _reached(p), -_reached(p)], dtype=object),
    rhs=lambda p: np.array([limit(p), limit(p), -limit(p)], dtype=object),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "b": 1},),
    sources=("exact",),
    note="With p₂ = 0 every other law is infinitely far.",
    broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
)
