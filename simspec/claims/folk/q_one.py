"""Accepting with the target's probability and zeroing refused tokens is not lossless for top-k candidates.

`folk.q-one`, with its correction: EAGLE #329, and #93, #110, #183, #221, #283.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, broken, exact, identity
from simspec.claims.folk.parts import off, some_bias

__all__ = ["candidates_of", "deterministic"]


def candidates_of(draw: Draw) -> Instance:
    """A law and an ordered list of some of its tokens."""
    p = draw.law(draw.vocab(2))
    tokens = list(range(len(p)))
    return {
        "p": p,
        "candidates": [tokens.pop(draw.integer(0, len(tokens) - 1)) for _ in range(draw.integer(1, len(p)))],
    }


def deterministic(p: Array, candidates: Sequence[int]) -> Array:
    """Output law where each candidate is kept with its probability, else set to zero and the rest renormalised.

    >>> print(*deterministic(exact([0.5, 0.25, 0.25]), [1]))
    1/2 1/4 1/4
    """
    law = p * 0
    remaining = p
    reached = 1
    for token in candidates:
        law[token] += reached * remaining[token]
        reached = reached * (1 - remaining[token])
        hot = p * 0
        hot[token] = 1
        remaining = off(remaining, exact(hot))
    return law + reached * remaining


Q_ONE = identity(
    name="folk.q-one",
    statement=r"Accepting with $p(x)$ (“q = 1”) and setting $x$ to zero after a refusal is not lossless for top-k candidates",
    reference="EAGLE #329, and EAGLE #93, #110, #183, #221, #283",
    instances=candidates_of,
    lhs=lambda p, candidates: some_bias(deterministic(p, candidates), p),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    corrected_by=("folk.q-one-corrected",),
    note="The ratio p/q would be wrong here: nothing was drawn, so q is one on each candidate in turn. The rule is lossless "
    "for every law and every list that does not depend on the verifier's draws.",
)

Q_ONE_CORRECTED = identity(
    name="folk.q-one-corrected",
    statement=r"Accepting a candidate with $p(x)$ and setting it to zero after a refusal has output law $p$ for every "
    r"law and every ordered list of different candidates",
    reference="correction of EAGLE #329",
    instances=candidates_of,
    lhs=deterministic,
    rhs=lambda p: p,
    sources=("exact",),
    note="Candidate j is reached with the mass that the earlier ones leave and kept with its share of that mass.",
    broken=[
        broken(
            "the draft's first candidate only",
            lhs=lambda p, candidates: off(p, np.eye(len(p), dtype=int)[candidates[0]]),
        )
    ],
)
