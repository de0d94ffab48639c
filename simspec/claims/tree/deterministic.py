"""`tree.deterministic`: answers in EAGLE #171 and #183."""

from __future__ import annotations

from collections.abc import Sequence

from simspec.claims.authoring import Array, identity
from simspec.claims.tree.parts import candidates, levels, output, target_text
from simspec.methods.multi.recursive import Node
from simspec.methods.tree.shapes import Drafted
from simspec.methods.tree.walking import certain, top_down

__all__ = ["emitted", "text_length"]


def text_length(trees: Sequence[Drafted]) -> int:
    """How many tokens a call emits at most."""
    return max(map(levels, trees)) + 1


def emitted(target: Array, trees: Sequence[Drafted], weights: Array, rule: Node = certain) -> Array:
    """Law of the first tokens, the candidate tree drawn with given probabilities."""
    drawn = [(weight, tree) for weight, tree in zip(weights, trees, strict=True) if weight]
    return output(top_down(rule), lambda draft, gamma: drawn, target, target, text_length(trees))


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
)
