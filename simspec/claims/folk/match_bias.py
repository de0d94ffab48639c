"""Accepting a draft only if it equals the target's sample biases the output towards common modes.

`folk.match-bias` in two readings, with a correction: mlx-swift-lm #459.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, F, at_least, broken, identity, law
from simspec.claims.folk.parts import few, first_token, some_bias
from simspec.laws import tv
from simspec.methods.verifier.match import exact_match, exact_match_fresh
from simspec.methods.verifier.verifier import Verifier, outcomes

__all__ = ["WITNESS", "matched"]

WITNESS = law("3/4", "1/4")
"""A law that is biased when it is drafted from itself, and a fresh draw follows a mismatch."""


def matched(p: Array, q: Array, verifier: Verifier = exact_match) -> Array:
    """Law of the first token, drafts from q, every draft and every coin enumerated."""
    return first_token(outcomes(verifier, lambda x: p, lambda x: q, 1), len(p))


def _towards(p: Array, q: Array) -> Any:
    """Each token gains by how much likelier it is under q than a token of p is on average."""
    return p * (1 + q - (p * q).sum())


TARGET = identity(
    name="folk.match-bias.target",
    statement=r"“Accept iff equal” biases the output towards common modes: with the target's own sample emitted, the output "
    r"law is not $p$",
    reference="mlx-swift-lm #459",
    instances=few,
    lhs=lambda p, q: some_bias(matched(p, q), p),
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    corrected_by=("folk.match-bias.target-corrected",),
    note="The emitted token is the target's own sample, whatever was drafted: the draft decides only how many tokens a call "
    "yields. The statement asks for some p and q; there are none.",
)

TARGET_CORRECTED = identity(
    name="folk.match-bias.target-corrected",
    statement=r"“Accept iff equal”, with the target's own sample emitted after a mismatch, has the output law $p$, for "
    r"every $p$ "
    "and $q$",
    reference="correction of mlx-swift-lm #459",
    instances=few,
    lhs=lambda p, q: matched(p, q),
    rhs=lambda p: p,
    sources=("exact",),
    broken=[
        broken("the product of the laws, normalised", lhs=lambda p, q: p * q / (p * q).sum() if (p * q).sum() else q)
    ],
)

FRESH = identity(
    name="folk.match-bias.fresh",
    statement=r"“Accept iff equal” biases the output towards common modes when a fresh draw follows a mismatch: the output "
    r"law is $p(x)\,(1 + q(x) - \sum p q)$, which is not $p$ for $p = q = (3/4, 1/4)$, by a total variation of 3/32",
    reference="mlx-swift-lm #459",
    instances=few,
    lhs=lambda p, q: np.append(
        matched(p, q, exact_match_fresh), tv(matched(WITNESS, WITNESS, exact_match_fresh), WITNESS)
    ),
    rhs=lambda p, q: np.array([*_towards(p, q), F(3, 32)]),
    sources=("exact",),
    note="Tokens that the draft likes better than the target's tokens on average gain; nothing changes only if q is "
    "constant "
    "on the support of p.",
    broken=[
        broken(
            "the square of the draft in place of the target's",
            rhs=lambda p, q: np.append(p * (1 + q - (p * p).sum()), (p * p).sum()),
        )
    ],
)
