"""What claims on watermarks share: the work that they are about, and joint laws of a draft and a residual token over keys."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance
from simspec.methods.watermark import quantile_coupling

__all__ = ["ABSTRACT", "chances", "coupled", "residual"]

ABSTRACT = "Hu and Huang 2024 (2410.20418), abstract at hand (statement restored)"


def residual(p: Array, q: Array) -> Array:
    """(p − q)₊ over its sum, or p where that is 0."""
    rest = np.maximum(p - q, 0)
    return rest / rest.sum() if rest.any() else p


def chances(p: Array, q: Array) -> Array:
    """The probability min(1, p/q) that each draft is kept; 1 for one that is never drawn."""
    return np.array([min(F(1), a / b) if b else F(1) for a, b in zip(p, q, strict=True)], dtype=object)


def coupled(draw: Draw) -> Instance:
    """Both laws, and a joint law of draft and residual token: independent, by one uniform number, or between."""
    vocab = draw.vocab()
    p, q = draw.pair(vocab)
    share: Any = draw.number(0, 1)
    apart = q[:, None] * residual(p, q)
    return {"p": p, "q": q, "joint": (1 - share) * apart + share * quantile_coupling(q, residual(p, q))}
