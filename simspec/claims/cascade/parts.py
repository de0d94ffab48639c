"""What claims on cascades share: three laws, what the middle model emits, and what the target makes of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance
from simspec.methods.block import Model, Prefix
from simspec.methods.stop import told_verifier
from simspec.methods.verifier.chance import Chance
from simspec.methods.verifier.verifier import Drafting, outcomes

__all__ = ["OWN", "first_stage", "middle_token", "redrawn", "three_laws"]

OWN = "own statement, on Wang et al. 2025 (2510.26527, abstract at hand)"


def three_laws(draw: Draw) -> Instance:
    """A target, a middle model and a draft of one token."""
    vocab = draw.vocab()
    p, m = draw.pair(vocab)
    return {"p": p, "m": m, "q": draw.law(vocab)}


def redrawn(p: Array, reported: Array) -> Array:
    """Masses of (p − r)₊, or p where nothing is left."""
    rest: Array = np.maximum(p - reported, 0)
    return rest if rest.any() else p


def middle_token(chance: Chance, m: Array, q: Array) -> tuple[int, bool]:
    """The token that a step of the middle model emits, and whether it is the draft's."""
    x = chance.draw(q)
    if chance.keep(m[x], q[x]):
        return x, True
    return chance.draw(redrawn(m, q)), False


def first_stage(middle: Model, draft: Model, gamma: int) -> Drafting:
    """What the middle model emits when it verifies γ drafts, as drafts for the target."""

    def drafting(_: Model, __: int) -> Iterator[tuple[Any, Prefix]]:
        for outcome in outcomes(told_verifier(), middle, draft, gamma):
            yield outcome.probability, outcome.tokens

    return drafting
