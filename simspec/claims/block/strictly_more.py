"""For two drafts or more, block verification accepts strictly more drafts than token verification.

`block.strictly-more`: SGLang #36516 (description).
"""

from __future__ import annotations

from simspec.claims.authoring import Array, Draw, Instance, at_least, bound, matrix
from simspec.claims.block.parts import EXAMPLE, accepted, contexts, ended, token_ends, whether
from simspec.methods.block.verification import block_verifier


def _two_or_more(draw: Draw) -> Instance:
    instance = contexts(draw)
    return {**instance, "gamma": max(instance["gamma"], 2)}


def _more(p: Array, q: Array, gamma: int) -> int:
    return whether(accepted(ended(block_verifier(), p, q, gamma)) > accepted(token_ends(p, q, gamma)))


STRICTLY_MORE = bound(
    name="block.strictly-more",
    statement=r"For $\gamma \ge 2$ block verification accepts strictly more tokens in expectation than token verification",
    reference="SGLang #36516 (description)",
    instances=_two_or_more,
    lhs=_more,
    rhs=lambda: 1,
    relation=at_least,
    sources=("exact",),
    against=({**EXAMPLE, "q": EXAMPLE["p"]},),
    corrected_by=("block.gain-when",),
    within=({"p": matrix("1/2 1/2", "1/3 2/3", "1/2 1/2"), "q": matrix("1/3 2/3", "1/3 2/3", "1/2 1/2"), "gamma": 3},),
    note="Where both models agree there is nothing to gain, nor where no token that the target likes more can follow one "
    "that it likes less.",
)
