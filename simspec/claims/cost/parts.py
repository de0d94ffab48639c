"""What claims about the cost of a block share: blocks of independent steps, enumerated, and how their numbers are drawn."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, exact
from simspec.laws import Scalar
from simspec.methods import SD, block_outcomes

__all__ = ["accepted", "block", "rates_sum"]

TOP = F(63, 64)
"""The largest rate below one that is drawn: dividing by 1 − α magnifies rounding at most 64 times."""


def block(draw: Draw, top: Scalar = TOP, longest: int = 5, cost: Scalar = 2) -> Instance:
    """Acceptance α in [0, top], γ drafts in a block, each of a cost up to `cost`."""
    return {"alpha": draw.number(0, top), "gamma": draw.integer(0, longest), "cost": draw.number(0, cost)}


def _coin(alpha: Scalar) -> tuple[Array, Array]:
    """Two tokens: the drafter always says the first, which the target says with probability α."""
    p = [alpha, 1 - alpha]
    q = [1, 0]
    return (np.array(p), np.array(q, dtype=float)) if isinstance(alpha, float) else (exact(p), exact(q))


def accepted(alpha: Scalar, gamma: int) -> Any:
    """E[τ] of a block of independent steps, every outcome enumerated.

    >>> accepted(F(1, 2), 2)
    Fraction(3, 4)
    """
    p, q = _coin(alpha)
    return sum(o.probability * o.accepted for o in block_outcomes(SD, lambda x: p, lambda x: q, (), gamma))


def rates_sum(alpha: Scalar, gamma: int) -> Any:
    """Σ α^i for i from 1 to γ.

    >>> rates_sum(F(1, 2), 2)
    Fraction(3, 4)
    """
    return sum((alpha**i for i in range(1, gamma + 1)), alpha * 0)
