"""`block.one-hot.draft` and `.target`: Sun et al. 2024 (2403.10444), section 6."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from simspec.claims.block.parts import contexts, ended, first, token_ends
from simspec.claims.words import Array, Draw, Instance, exact, identity
from simspec.methods.block import Outcome
from simspec.methods.block.verification import block_verifier


def _certain(draw: Draw, vocab: int) -> Array:
    hot = exact(np.zeros((vocab + 1, vocab), dtype=int))
    for row in hot:
        row[draw.integer(0, vocab - 1)] += 1
    return hot


def _draft(draw: Draw) -> Instance:
    found = contexts(draw)
    return {**found, "q": _certain(draw, found["p"].shape[-1])}


def _target(draw: Draw) -> Instance:
    found = contexts(draw)
    return {**found, "p": _certain(draw, found["p"].shape[-1])}


def listed(found: Sequence[Outcome], vocab: int, gamma: int) -> Array:
    """Probability of every text of i + 1 tokens with i accepted drafts, i = 0, …, γ."""
    table = first(found)
    return exact([table.get((t, i), 0) for i in range(gamma + 1) for t in product(range(vocab), repeat=i + 1)])


ONE_HOT_DRAFT = identity(
    name="block.one-hot.draft",
    statement=r"Where every draft law is a point mass, token and block verification have the same outcomes with the same "
    r"probabilities",
    reference="Sun et al. 2024 (2403.10444), section 6",
    instances=_draft,
    lhs=lambda p, q, gamma: listed(ended(block_verifier(), p, q, gamma), p.shape[-1], gamma),
    rhs=lambda p, q, gamma: listed(token_ends(p, q, gamma), p.shape[-1], gamma),
    sources=("exact",),
    note="No ratio exceeds one, so r is the product of the ratios, as token by token.",
)

ONE_HOT_TARGET = identity(
    name="block.one-hot.target",
    statement=r"Where every target law is a point mass, token and block verification have the same outcomes with the same "
    r"probabilities",
    reference="Sun et al. 2024 (2403.10444), section 6 (temperature 0)",
    instances=_target,
    lhs=lambda p, q, gamma: listed(ended(block_verifier(), p, q, gamma), p.shape[-1], gamma),
    rhs=lambda p, q, gamma: listed(token_ends(p, q, gamma), p.shape[-1], gamma),
    sources=("exact",),
    note="r is one as long as the drafts are the target's tokens, and zero from the first that is not.",
)
