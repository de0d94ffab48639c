"""Keeping each candidate with its share of what the earlier ones leave is lossless for fixed candidates.

`tree.deterministic`: answers in EAGLE #171 and #183.
"""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.authoring import Array, broken, identity
from simspec.claims.tree.parts import candidates, levels, output, target_text
from simspec.methods.multi.recursive import Node
from simspec.methods.tree.shapes import Drafted
from simspec.methods.tree.walking import certain, top_down
from simspec.methods.verifier.chance import Chance

__all__ = [
    "emitted",
    "first_only",
    "first_sibling",
    "text_length",
]


def text_length(trees: Sequence[Drafted]) -> int:
    """How many tokens a call emits at most."""
    return max(map(levels, trees)) + 1


def emitted(target: Array, trees: Sequence[Drafted], weights: Array, rule: Node = certain) -> Array:
    """Law of the first tokens, the candidate tree drawn with given probabilities."""
    weighted_trees = [(weight, tree) for weight, tree in zip(weights, trees, strict=True) if weight]
    return output(top_down(rule), lambda draft, gamma: weighted_trees, target, target, text_length(trees))


def first_only(p: Array, q: Array, children: Sequence[int], chance: Chance) -> tuple[int, int | None]:
    """The rule for deterministic candidates that draws from the whole target after a refusal."""
    token, place = certain(p, q, children, chance)
    return (token, place) if place is not None else (chance.draw(p), None)


def first_sibling(target: Array, trees: Sequence[Drafted], weights: Array) -> Array:
    """What is emitted under that rule."""
    return emitted(target, trees, weights, first_only)


DETERMINISTIC = identity(
    name="tree.deterministic",
    statement=r"Keeping candidates with $p(x)$ of what the ones before leave is lossless for every candidate set that does not "
    r"depend on the verifier's draws",
    reference="EAGLE #171, #183 (answers)",
    instances=candidates,
    lhs=emitted,
    rhs=lambda target, trees: target_text(target, text_length(trees)),
    sources=("exact",),
    note="The set may be chosen or drawn in any way, with siblings in any order: from the draft's top k, the tree of EAGLE-2, "
    "or the text so far.",
    broken=[broken("a whole draw from the target after a refusal", lhs=first_sibling)],
)
