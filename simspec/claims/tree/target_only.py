"""Target-only verification with both thresholds at one is lossless for every tree whose siblings differ.

`tree.target-only.distinct`, and `tree.target-only`, which asks for it of repeated siblings too and fails: documentation of
flashinfer and SGLang.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, law
from simspec.claims.tree.parts import candidate_tree, contexts, levels, output, target_text
from simspec.methods.tree.shapes import Drafted
from simspec.methods.tree.walking import target_only, top_down

__all__ = ["different"]


def _candidates(draw: Draw) -> Instance:
    vocab = draw.integer(1, 2)
    target = np.stack([draw.law(vocab) for _ in range(contexts(vocab, 2))])
    return {"target": target, "tree": candidate_tree(draw, vocab, 2, repeats=bool(draw.integer(0, 1)))}


def _different(draw: Draw) -> Instance:
    vocab = draw.integer(1, 2)
    target = np.stack([draw.law(vocab) for _ in range(contexts(vocab, 2))])
    return {"target": target, "tree": candidate_tree(draw, vocab, 2)}


def _emitted(target: Array, tree: Drafted) -> Array:
    return output(top_down(target_only()), lambda draft, gamma: [(1, tree)], target, target, levels(tree) + 1)


def different(tree: Sequence[tuple[int, Drafted]]) -> bool:
    """Whether no node has two children with the same token.

    >>> different(((0, ()), (1, ((0, ()),)))), different(((0, ()), (0, ())))
    (True, False)
    """
    return len({token for token, _ in tree}) == len(tree) and all(different(below) for _, below in tree)


_REFERENCE = "flashinfer and SGLang, documentation of `tree_speculative_sampling_target_only`"

DISTINCT = identity(
    name="tree.target-only.distinct",
    statement=r"Target-only verification with both thresholds at 1 is lossless for every tree in which no two siblings "
    r"have the same token",
    reference=f"{_REFERENCE}, with siblings that differ",
    instances=_different,
    lhs=_emitted,
    rhs=lambda target, tree: target_text(target, levels(tree) + 1),
    assumes={"siblings are different": lambda tree: different(tree)},
    outside={"siblings are different": {"target": law("1/2", "1/2")[None], "tree": ((0, ()), (0, ()))}},
    sources=("exact",),
    note="Engines draft the most likely tokens of a node, which differ, so that this is the rule as it is used. Repeated "
    "siblings "
    "are tree.target-only.",
    broken=[
        broken(
            "the target's tokens in reverse order",
            rhs=lambda target, tree: target_text(target[:, ::-1], levels(tree) + 1),
        )
    ],
)

TARGET_ONLY = identity(
    name="tree.target-only",
    statement=r"Target-only verification with both thresholds at 1 is lossless, whatever the candidate tree, also with "
    "repeated siblings",
    reference=_REFERENCE,
    instances=_candidates,
    lhs=_emitted,
    rhs=lambda target, tree: target_text(target, levels(tree) + 1),
    sources=("exact",),
    against=({"target": law("1/2", "1/2")[None], "tree": ((0, ()), (0, ()))},),
    corrected_by=("tree.target-only.distinct",),
    note="Two children with the same token, as independent draws give them, add its mass to c twice: for p = (1/2, 1/2) and "
    "candidates (a, a) the output is a for sure. Whether u ≤ c or u < c accepts does not matter for a real coin.",
)
