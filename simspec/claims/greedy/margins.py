"""A greedy draft fails only if the draft law is far from the target: by half the margin, and by functions of the margin.

`greedy.reject-tv`, `greedy.margin-reverse`, and `greedy.margin-square` with its correction: Sharma 2026 (arXiv 2606.30265).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, F, Instance, at_least, bound, broken, exact, identity, law
from simspec.claims.balls import ball, log
from simspec.claims.greedy.least import SHARMA
from simspec.claims.relaxed.certificate_margin import margin
from simspec.claims.relaxed.certificate_reverse import CERTIFICATE_REVERSE
from simspec.claims.relaxed.certificate_strict import levelled
from simspec.claims.relaxed.parts import FAR, HALF, divergence, highest, lower_bound_scaled
from simspec.laws import tv

__all__ = ["margin_reverse", "mirrored", "nearest_tv"]


def nearest_tv(p: Array) -> Any:
    """TV of p and p with the mean of its two largest masses on both."""
    return tv(p, levelled(p))


REJECT_TV = identity(
    name="greedy.reject-tv",
    statement=r"$\operatorname{argmax} q \ne \operatorname{argmax} p$ implies $\mathrm{TV}(p, q) \ge (p_1 - "
    r"p_2)/2$; no larger constant "
    r"does: it is attained",
    reference="own statement, on Sharma 2026 (arXiv 2606.30265)",
    instances=highest,
    relation=at_least,
    lhs=lambda p, q: np.array([tv(p, q), nearest_tv(p), -nearest_tv(p)]),
    rhs=lambda p: np.array([margin(p) / 2, margin(p) / 2, -margin(p) / 2]),
    tight=({"p": law("3/4", "1/4"), "q": HALF, "b": 1},),
    sources=("exact",),
    note="Where p₁ = p₂ the bound is 0, and nothing is certified.",
    broken=[broken("the whole margin", rhs=lambda p: np.array([margin(p), margin(p) / 2, -margin(p) / 2]))],
)


def _full(draw: Draw) -> Instance:
    return CERTIFICATE_REVERSE.instances(draw)  # type: ignore[misc]


def margin_reverse(delta: F) -> Any:
    """−½ log(1 − δ²)."""
    return -log(ball(1 - delta * delta)) / 2


def mirrored(p: Array) -> Any:
    """KL(½, ½ ‖ (1 + δ)/2, (1 − δ)/2) with the margin of p."""
    delta = margin(p)
    return divergence(HALF, exact([(1 + delta) / 2, (1 - delta) / 2]))


MARGIN_REVERSE = identity(
    name="greedy.margin-reverse",
    statement=r"With the margin $\delta = p_1 - p_2 < 1$ alone: $\mathrm{KL}(q \Vert p) < -\tfrac12 \log(1 - "
    r"\delta^2)$ certifies the greedy "
    r"draft, and this is the best constant in $\delta$: attained by two tokens",
    reference=SHARMA,
    instances=_full,
    relation=at_least,
    lhs=lambda p, q: np.array([divergence(q, p), mirrored(p), -mirrored(p)], dtype=object),
    rhs=lambda p: np.array(
        [margin_reverse(margin(p)), margin_reverse(margin(p)), -margin_reverse(margin(p))], dtype=object
    ),
    tight=({"p": law("3/4", "1/4"), "q": HALF, "b": 1},),
    sources=("exact",),
    note="At δ = 1 the target has one token, and every law with another mode is infinitely far. A target with zeros "
    "is the limit of those "
    "that are drawn, which are nowhere zero.",
    broken=[Broken("twice the lower bound", lambda claim: lower_bound_scaled(claim, 2))],
)

MARGIN_SQUARE = bound(
    name="greedy.margin-square",
    statement=r"$\mathrm{KL}(p \Vert q) < \delta^2$, $\delta = p_1 - p_2$, certifies the greedy draft",
    reference="folk form of Sharma 2026 (arXiv 2606.30265)",
    instances=highest,
    relation=at_least,
    lhs=lambda p, q: divergence(p, q),
    rhs=lambda p: margin(p) ** 2,
    sources=("exact",),
    corrected_by=("greedy.margin-square-corrected",),
    against=({"p": FAR, "q": HALF, "b": 1},),
    within=({"p": law("3/4", "1/4"), "q": HALF, "b": 1},),
    note="p = (1, 0) and q = (½, ½): log 2 nats, and δ² = 1.",
)

MARGIN_SQUARE_CORRECTED = bound(
    name="greedy.margin-square-corrected",
    statement=r"$\mathrm{KL}(p \Vert q) < \delta^2/2$ certifies the greedy draft, and $\tfrac12$ is the largest "
    r"constant",
    reference="correction of the folk form of Sharma 2026 (arXiv 2606.30265)",
    instances=highest,
    relation=at_least,
    lhs=lambda p, q: divergence(p, q),
    rhs=lambda p: margin(p) ** 2 / 2,
    tight=({"p": HALF, "q": HALF, "b": 1},),
    sources=("exact",),
    note="The best bound in the margin, relaxed.certificate-margin, is δ²/2 + δ⁴/12 + …, so no larger constant "
    "holds for small margins.",
    broken=[broken("the margin in place of half its square", rhs=lambda p: margin(p))],
)
