"""Where the draft or the target is certain at every position, token and block verification are the same.

`block.one-hot.draft` and `.target`: Sun et al. 2024 (2403.10444), section 6.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, identity, other_claim
from simspec.claims.block.parts import contexts, ended, first, token_ends
from simspec.claims.texts import markov
from simspec.methods.block import Outcome, Prefix
from simspec.methods.block.verification import block_verifier

__all__ = ["certain", "listed"]


def _certain(draw: Draw, vocab: int) -> Array:
    hot = exact(np.zeros((vocab + 1, vocab), dtype=int))
    for row in hot:
        row[draw.integer(0, vocab - 1)] += 1
    return hot


def _draft(draw: Draw) -> Instance:
    instance = contexts(draw)
    return {**instance, "q": _certain(draw, instance["p"].shape[-1])}


def _target(draw: Draw) -> Instance:
    instance = contexts(draw)
    return {**instance, "p": _certain(draw, instance["p"].shape[-1])}


def certain(table: Array, gamma: int) -> Prefix:
    """The text of γ tokens that certain laws write."""
    text: Prefix = ()
    while len(text) < gamma:
        text = (*text, int(np.argmax(markov(table)(text))))
    return text


def listed(found: Sequence[Outcome], text: Prefix, vocab: int) -> Array:
    """Probability of y after the first i tokens of a text, which are accepted: i = 0, …, γ.  Nothing else is emitted here."""
    table = first(found)
    return exact([table.get(((*text[:i], y), i), 0) for i in range(len(text) + 1) for y in range(vocab)])


ONE_HOT_DRAFT = identity(
    name="block.one-hot.draft",
    statement=r"Where every draft law is a point mass, token and block verification have the same outcomes with the same "
    r"probabilities",
    reference="Sun et al. 2024 (2403.10444), section 6",
    instances=_draft,
    lhs=lambda p, q, gamma: listed(ended(block_verifier(), p, q, gamma), certain(q, gamma), p.shape[-1]),
    rhs=lambda p, q, gamma: listed(token_ends(p, q, gamma), certain(q, gamma), p.shape[-1]),
    sources=("exact",),
    note="No ratio exceeds one, so r is the product of the ratios, as token by token.",
    broken=[Broken("any drafter", lambda _: {"instances": other_claim("block.never-worse").instances})],
)

ONE_HOT_TARGET = identity(
    name="block.one-hot.target",
    statement=r"Where every target law is a point mass, token and block verification have the same outcomes with the same "
    r"probabilities",
    reference="Sun et al. 2024 (2403.10444), section 6 (temperature 0)",
    instances=_target,
    lhs=lambda p, q, gamma: listed(ended(block_verifier(), p, q, gamma), certain(p, gamma), p.shape[-1]),
    rhs=lambda p, q, gamma: listed(token_ends(p, q, gamma), certain(p, gamma), p.shape[-1]),
    sources=("exact",),
    note="r is one as long as the drafts are the target's tokens, and zero from the first that is not.",
    broken=[Broken("any drafter", lambda _: {"instances": other_claim("block.never-worse").instances})],
)
