"""For at most two drafts, token and block verification decide alike.

`folk.block-gamma-two`, with its correction: vLLM #40819.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, law
from simspec.claims.folk.parts import chances, first_token
from simspec.methods import SD, Outcome, block_outcomes
from simspec.methods.block.verification import block_verifier
from simspec.methods.verifier.verifier import outcomes


def _one_or_two(draw: Draw) -> Instance:
    return {"p": draw.law(2), "q": draw.law(2), "gamma": draw.integer(1, 2)}


def _block(p: Array, q: Array, gamma: int) -> list[Outcome]:
    """Every outcome of block verification; the laws do not depend on the context."""
    return outcomes(block_verifier(), lambda x: p, lambda x: q, gamma)


def _token(p: Array, q: Array, gamma: int) -> list[Outcome]:
    """Every outcome of token verification."""
    return list(block_outcomes(SD, lambda x: p, lambda x: q, (), gamma))


def _kept_and_replaced(outcome_list: Sequence[Outcome], vocab: int) -> Array:
    """Of one draft: with which probability each token is kept, and drawn after a rejection."""
    return np.stack([first_token(outcome_list, vocab, accepted) for accepted in (1, 0)])


GAMMA_TWO = identity(
    name="folk.block-gamma-two",
    statement=r"For $\gamma \le 2$ token and block verification degenerate to the same decisions",
    reference="vLLM #40819",
    instances=_one_or_two,
    lhs=lambda p, q, gamma: chances(_block(p, q, gamma), gamma),
    rhs=lambda p, q, gamma: chances(_token(p, q, gamma), gamma),
    sources=("exact",),
    against=({"p": law("1/3", "2/3"), "q": law("2/3", "1/3"), "gamma": 2},),
    corrected_by=("folk.block-gamma-two-corrected",),
    note="With two drafts the block may keep a second token that makes up for the first: for p = (1/3, 2/3) and q = (2/3, "
    "1/3) it accepts 11/9 of two drafts, token verification 10/9.",
)

GAMMA_TWO_CORRECTED = identity(
    name="folk.block-gamma-two-corrected",
    statement=r"For $\gamma = 1$ block and token verification make the same decisions: each token is kept, and drawn "
    r"after a rejection, equally often",
    reference="correction of vLLM #40819",
    instances=lambda draw: {"p": draw.law(n := draw.integer(1, 4)), "q": draw.law(n)},
    lhs=lambda p, q: _kept_and_replaced(_block(p, q, 1), len(p)),
    rhs=lambda p, q: _kept_and_replaced(_token(p, q, 1), len(p)),
    sources=("exact",),
    broken=[broken("the second part is the difference of the distributions", lhs=lambda p, q: np.stack([p, q - p]))],
)
