"""In a convex family of drafts the minimiser of the divergence need not have the largest acceptance.

`loss.kl-best`: Samarin et al. 2026 (arXiv 2602.23881), abstract.  `loss.kl-best.gap`, how far it can fall behind: own statement.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, law
from simspec.claims.balls import ball
from simspec.claims.greedy.parts import positive_law
from simspec.claims.relaxed.parts import divergence
from simspec.laws import overlap

__all__ = ["MINIMUM", "QUARTER", "STATIONARY", "segment"]

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
    within=({"p": law("1/4", "1/4", "1/2"), "q": law("1/8", "1/2", "3/8"), "rival": law("1/12", "7/15", "9/20")},),
    note="Both have the same optimum where the family holds p. Elsewhere see `loss.kl-best.gap`.",
)


MINIMUM = "KL(p‖·) does not fall from q towards the rival"


def _any_family(draw: Draw) -> Instance:
    """A law q, and a rival towards which the divergence does not fall: one law, moved to a token of which q has most."""
    vocab = 2 + draw.integer(0, 2)
    p = draw.law(vocab)
    q = positive_law(draw, vocab)
    rival = draw.law(vocab)
    quotients = p / q
    value: Any = (quotients * rival).sum()
    if value > 1:
        away = (value - 1) / (value - quotients.min())
        rival = (1 - away) * rival
        rival[int(np.argmin(quotients))] += away
    return {"p": p, "q": q, "rival": rival}


def _is_least(p: Array, q: Array, rival: Array) -> bool:
    """Σ p r/q ≤ 1: the slope of KL(p‖·) at q towards r is 1 − Σ p r/q, and it is convex."""
    return bool((p * rival / q).sum() <= 1)


def _lost(p: Array, q: Array, rival: Array) -> Array:
    gap: Any = overlap(p, rival) - overlap(p, q)
    return np.array([ball(2 * max(gap, 0) ** 2), ball(gap)], dtype=object)


def _most(p: Array, q: Array, largest: F) -> Array:
    return np.array([divergence(p, q), ball(largest)], dtype=object)


QUARTER = {"p": law("1/2", "1/2", 0), "q": law("1/4", "1/64", "47/64"), "rival": law("1/2", 0, "1/2")}
"""Shares 1/2 with the rival, and 17/64 with the minimiser."""

KL_BEST_GAP = bound(
    name="loss.kl-best.gap",
    statement=r"In a convex family the minimiser $q$ of $\mathrm{KL}(p \Vert q)$ falls behind the largest acceptance by at most "
    r"$\min(\sqrt{\mathrm{KL}(p \Vert q)/2}, \frac14)$",
    reference="own statement, on Samarin et al. 2026 (arXiv 2602.23881)",
    instances=_any_family,
    assumes={MINIMUM: _is_least},
    lhs=_lost,
    rhs=lambda p, q: _most(p, q, F(1, 4)),
    tight=[{"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "rival": law("1/2", "1/2")}],
    outside={MINIMUM: {"p": law("1/2", "1/2"), "q": law("1/8", "7/8"), "rival": law("1/2", "1/2")}},
    sources=("exact",),
    note="Both are the best constants. ¼ is approached by p = (½, ½, 0), q = (¼, e, ¾ − e), and the rival (½, 0, ½), as e falls "
    "to 0 and the divergence grows without end; ½ under the root for small divergences, by two tokens that are half of p and a "
    "third of little mass. Between them there is no closed form.",
    broken=[
        broken(
            "a fifth in place of a quarter",
            lhs=lambda: _lost(**QUARTER),
            rhs=lambda: _most(QUARTER["p"], QUARTER["q"], F(1, 5)),
        )
    ],
)
