"""What claims on couplings share: pairs of laws, lists of drafts, the printed formula."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance

__all__ = ["listed", "pair", "wins_both"]


def pair(draw: Draw) -> Instance:
    """A target and a draft law."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def listed(draw: Draw) -> Instance:
    """Laws over at most three tokens, and up to three drafts."""
    p, q = draw.pair(draw.integer(1, 3))
    return {"p": p, "q": q, "drafts": draw.integer(1, 3)}


def wins_both(p: Array, q: Array) -> Array:
    """1/Σ_i max(p_i/p_j, q_i/q_j) for each token j, as it is printed; 0 for a token that one law lacks.

    >>> wins_both(np.array([0.5, 0.5]), np.array([0.75, 0.25])).tolist()
    [0.5, 0.25]
    """
    probabilities: list[Any] = []
    for a, b in zip(p, q, strict=True):
        both_have_it = a > 0 and b > 0
        probabilities.append(1 / np.maximum(p / a, q / b).sum() if both_have_it else 0 * a)
    return np.array(probabilities, dtype=p.dtype)
