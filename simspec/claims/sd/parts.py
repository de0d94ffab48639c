"""What claims about standard speculative decoding share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from simspec.claims.authoring import Draw, Instance
from simspec.methods import SD, block_outcomes

__all__ = ["mean_tokens", "pair_of_laws"]


def pair_of_laws(draw: Draw) -> Instance:
    """A target and a draft law."""
    p, q = draw.pair(draw.vocab())
    return {"p": p, "q": q}


def mean_tokens(p: Callable[..., Any], q: Callable[..., Any], gamma: int) -> Any:
    """Mean number of tokens that a block emits, every outcome enumerated."""
    return sum(o.probability * len(o.tokens) for o in block_outcomes(SD, p, q, (), gamma))
