"""Dropping unlikely drafts and reporting it does not raise the acceptance rate.

`stop.dropped-price`, with what the price is and a cheaper repair: own statements.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, at_least, bound, broken, identity, law, swapped
from simspec.claims.stop.parts import step, surviving, threshold
from simspec.laws import Scalar, overlap


def _accepted(p: Array, q: Array, t: Scalar, told: str) -> Any:
    return step(p, q, surviving(q, t), told)[1]


def _price(p: Array, q: Array, t: Scalar) -> Any:
    """Σ over dropped tokens of min(p, q), and over the others of (min(p, q) − S p)₊."""
    s = surviving(q, t)
    overlap_mass = np.minimum(p, q)
    return ((1 - s) * overlap_mass + s * np.maximum(overlap_mass - (q * s).sum() * p, 0)).sum()


PRICE = bound(
    name="stop.dropped-price",
    statement=r"The probability that a drafted token is kept, told $\mathrm{norm}(q$ on $\{q \ge t\})$, is at most $\alpha$",
    reference="own statement, after llama.cpp #27694",
    instances=threshold,
    lhs=lambda p, q, t: _accepted(p, q, t, "kept"),
    rhs=lambda p, q: overlap(p, q),
    sources=("exact",),
    tight=({"p": law("1/2", "1/2"), "q": law("1/2", "1/2"), "t": 0},),
    corrected_by=("stop.dropped-price-sharp",),
    broken=[broken("half of the overlap", rhs=lambda p, q: overlap(p, q) / 2)],
)

PRICE_SHARP = identity(
    name="stop.dropped-price-sharp",
    statement=r"The probability that a drafted token is kept, told $\mathrm{norm}(q$ on $\{q \ge t\})$, is $\alpha - "
    r"\sum_{q < t} \min(p, q) - \sum_{q \ge t} (\min(p, q) - S p)_+$ with $S = \sum_{q \ge t} q$: what is "
    r"dropped is lost, and of the others the part that $p$ emits at dropped positions",
    reference="sharper form of an own statement, after llama.cpp #27694",
    instances=threshold,
    lhs=lambda p, q, t: _accepted(p, q, t, "kept"),
    rhs=lambda p, q, t: overlap(p, q) - _price(p, q, t),
    sources=("exact",),
    broken=[
        broken("the surviving share of the overlap", rhs=lambda p, q, t: (surviving(q, t) * np.minimum(p, q)).sum())
    ],
)

REJECTED = bound(
    name="stop.dropped-price.rejected",
    statement=r"A threshold costs less where a dropped token counts as rejected: with probability $\alpha - \sum_{q < t} \min(p, "
    r"q)$ a drafted token is kept, no less than told $\mathrm{norm}(q$ on $\{q \ge t\})$",
    reference="own statement, after llama.cpp #27694",
    instances=threshold,
    lhs=lambda p, q, t: np.array([_accepted(p, q, t, "rejected"), overlap(p, q) - _dropped(p, q, t)], dtype=object),
    rhs=lambda p, q, t: np.array([overlap(p, q) - _dropped(p, q, t), _accepted(p, q, t, "kept")], dtype=object),
    relation=at_least,
    sources=("exact",),
    tight=({"p": law(1), "q": law(1), "t": 0},),
    broken=[swapped()],
)


def _dropped(p: Array, q: Array, t: Scalar) -> Any:
    return ((1 - surviving(q, t)) * np.minimum(p, q)).sum()
