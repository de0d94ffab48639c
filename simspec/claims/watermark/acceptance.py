"""Keys cost acceptance, exactly where two keys disagree on which model has more of a token.

`watermark.acceptance`: Hu and Huang 2024 (2410.20418).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, bound, broken, law, matrix
from simspec.claims.watermark.parts import ABSTRACT
from simspec.laws import overlap
from simspec.methods.watermark import Keys, keyed_acceptance, keyed_deficit


def _keys(draw: Draw) -> Instance:
    """Up to three keys, and what both models make of each."""
    vocab = draw.vocab()
    number = draw.integer(1, 3)
    P, Q = (np.stack([draw.law(vocab) for _ in range(number)]) for _ in range(2))
    return {"w": draw.law(number), "P": P, "Q": Q}


def _means(w: Array, P: Array, Q: Array) -> tuple[Array, Array]:
    weights = w[:, None]
    return (weights * P).sum(axis=0), (weights * Q).sum(axis=0)


def _sides(w: Array, P: Array, Q: Array) -> Array:
    """The mean acceptance, and what it lacks, both ways."""
    accepted = keyed_acceptance(Keys(w, P, Q))
    lost = overlap(*_means(w, P, Q)) - accepted
    return np.array([accepted, lost, -lost], dtype=object)


def _bounds(w: Array, P: Array, Q: Array) -> Array:
    deficit = keyed_deficit(Keys(w, P, Q))
    return np.array([overlap(*_means(w, P, Q)), deficit, -deficit], dtype=object)


def _squares(w: Array, P: Array, Q: Array) -> Any:
    """The larger of both parts of each token in place of the smaller."""
    bounds = _bounds(w, P, Q)
    apart = abs(w[:, None] * (P - Q)).sum()
    return np.array([bounds[0], apart - bounds[1], bounds[1] - apart], dtype=object)


ACCEPTANCE = bound(
    name="watermark.acceptance",
    statement=r"$E_k \sum \min(P_k, Q_k) \le \sum \min(p, q)$, and it lacks $\sum_x \min(E (P_k - Q_k)_+, E (Q_k - P_k)_+)$: "
    r"equal if and only if no two keys disagree on which model has more of a token",
    reference=ABSTRACT,
    instances=_keys,
    lhs=_sides,
    rhs=_bounds,
    tight=[{"w": law("1/2", "1/2"), "P": matrix("1 0", "1/2 1/2"), "Q": matrix("1/2 1/2", "1/2 1/2")}],
    sources=("exact",),
    note="The smaller of two masses is concave. One key, and keys that ignore their models, cost nothing; swapped one-hot keys "
    "cost all.",
    broken=[broken("the larger part of each token", rhs=_squares)],
)
