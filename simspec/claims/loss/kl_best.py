"""In a convex family of drafts the minimiser of the divergence need not have the largest acceptance.

`loss.kl-best`: Samarin et al. 2026 (arXiv 2602.23881), abstract.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, law
from simspec.claims.greedy.parts import positive_law
from simspec.laws import overlap

__all__ = ["STATIONARY", "segment"]

STATIONARY = "q minimises the divergence over the segment"


def segment(p: Array, q: Array, first: Array, second: Array) -> Array | None:
    """A direction of which q is the minimiser: a mixture of two directions along which the slope of KL(p‖q) is zero in sum."""
    slopes = [(p * direction / q).sum() for direction in (first, second)]
    direction = slopes[1] * first - slopes[0] * second
    return direction if (direction != 0).any() else None


def _family(draw: Draw) -> Instance:
    """A law q inside a segment on which it has the least KL(p‖q), and another law of the segment."""
    vocab = 3 + draw.integer(0, 1)
    p = draw.law(vocab)
    q = positive_law(draw, vocab)
    direction = segment(p, q, draw.law(vocab) - draw.law(vocab), draw.law(vocab) - draw.law(vocab))
    if direction is None:
        return {"p": p, "q": q, "rival": q}
    reach = min((q[x] / abs(direction[x]) for x in range(vocab) if direction[x] != 0), default=F(1))
    return {"p": p, "q": q, "rival": q + reach * draw.number(-1, 1) * direction}


def _is_minimum(p: Array, q: Array, rival: Array) -> bool:
    """Whether the slope of KL(p‖q) from q to the rival is 0; it is convex along the segment."""
    slope: Any = (p * (rival - q) / q).sum()
    return bool(slope == 0)


KL_BEST = bound(
    name="loss.kl-best",
    statement=r"In a convex family of drafts the minimiser of $\mathrm{KL}(p \Vert q)$ has the largest acceptance",
    reference="Samarin et al. 2026 (arXiv 2602.23881), abstract at hand: “converge to suboptimal solutions”, as a "
    "universal",
    instances=_family,
    assumes={STATIONARY: _is_minimum},
    lhs=lambda p, q: overlap(p, q),
    relation=at_least,
    rhs=lambda p, rival: overlap(p, rival),
    outside={STATIONARY: {"p": law("1/2", "1/2"), "q": law("1/4", "3/4"), "rival": law("1/2", "1/2")}},
    sources=("exact",),
    corrected_by=("loss.kl-orders-corrected",),
    note="Both have the same optimum where the family holds p. Elsewhere the minimiser can lose up to √(KL/2) of "
    "acceptance, and no more.",
)
