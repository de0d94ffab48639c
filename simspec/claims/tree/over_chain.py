"""`tree.over-chain`, with its correction: a tree of candidates against a sampled chain of as many drafts."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, matrix
from simspec.claims.tree.eagle_best import trees
from simspec.claims.tree.parts import accepted, contexts
from simspec.methods.block.verification import block_verifier
from simspec.methods.joint.match import exact_match
from simspec.methods.joint.verifier import Verifier, one_path

__all__ = ["laws", "matched"]


def laws(draw: Draw) -> Instance:
    """Laws by context over two tokens, of one to three drafts."""
    gamma = draw.integer(1, 3)
    size = contexts(2, gamma - 1)
    return {name: np.stack([draw.law(2) for _ in range(size)]) for name in ("target", "draft")} | {"gamma": gamma}


def _chain(verifier: Verifier, target: Array, draft: Array, gamma: int) -> Any:
    return accepted(verifier, one_path, target, draft, gamma)


def matched(target: Array, draft: Array, gamma: int) -> Any:
    """Mean number of accepted drafts of a sampled chain that is matched with samples of the target."""
    return _chain(exact_match, target, draft, gamma)


OVER_CHAIN = bound(
    name="tree.over-chain",
    statement=r"With the same number of verified tokens, some tree of deterministic candidates accepts on average at least what "
    r"a sampled chain accepts under block verification",
    reference="own",
    instances=laws,
    lhs=lambda target, gamma: trees(target, gamma),
    rhs=lambda target, draft, gamma: _chain(block_verifier(), target, draft, gamma),
    relation=at_least,
    sources=("exact",),
    against=({"target": matrix("1/2 1/2"), "draft": matrix("1/2 1/2"), "gamma": 1},),
    corrected_by=("tree.over-chain-corrected",),
    note="A drafter that says what the target says is always accepted when it samples; no fixed set of fewer candidates than "
    "there are likely texts is.",
)

OVER_CHAIN_CORRECTED = bound(
    name="tree.over-chain-corrected",
    statement=r"Some tree of deterministic candidates accepts on average at least what a sampled chain of as many drafts accepts "
    r"under exact matching",
    reference="correction of the statement above",
    instances=laws,
    lhs=lambda target, gamma: trees(target, gamma),
    rhs=matched,
    relation=at_least,
    sources=("exact",),
    tight=({"target": matrix("1 0"), "draft": matrix("1 0"), "gamma": 1},),
    note="Under exact matching a sampled chain is a tree that is drawn without the verifier's coins, and no mean exceeds the "
    "largest value.",
)
