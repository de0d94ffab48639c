"""Target-only verification and the rule for deterministic candidates accept the same.

`tree.same-acceptance`: target-only verification and the rule for deterministic candidates accept the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, exact, identity
from simspec.claims.tree.parts import candidate_tree, contexts, levels, model, place
from simspec.methods.block import Prefix
from simspec.methods.multi.recursive import Node
from simspec.methods.tree.shapes import Drafted
from simspec.methods.tree.walking import certain, target_only, top_down
from simspec.methods.verifier.chance import every
from simspec.methods.verifier.verifier import outcomes

__all__ = ["paths"]


def _tree(draw: Draw) -> Instance:
    vocab = draw.integer(1, 3)
    depth = 1 if vocab == 3 else 2
    target = np.stack([draw.law(vocab) for _ in range(contexts(vocab, depth))])
    return {"target": target, "tree": candidate_tree(draw, vocab, depth, fewest_children=1)}


def paths(tree: Sequence[tuple[int, Drafted]], at: Prefix = ()) -> list[Prefix]:
    """The nodes of a tree by their path, a parent before its children.

    >>> paths(((1, ((0, ()),)),))
    [(1,), (1, 0)]
    """
    return [path for token, below in tree for path in [(*at, token), *paths(below, (*at, token))]]


def _at_root(rule: Node, target: Array, tree: Drafted) -> list[Any]:
    """Which child is accepted, by place, and then which token is drawn where none is."""
    law = exact([0] * (len(tree) + target.shape[-1]))
    for weight, (token, child) in every(lambda chance: rule(target[0], target[0], [t for t, _ in tree], chance)):
        law[len(tree) + token if child is None else child] += weight
    return [*law, law[: len(tree)].sum()]


def _length(target: Array, tree: Drafted) -> Any:
    outcome_list = outcomes(
        top_down(target_only()), model(target), model(target), levels(tree), lambda d, g: [(1, tree)]
    )
    return sum(o.probability * o.accepted for o in outcome_list)


def _sum_of_paths(target: Array, tree: Drafted) -> Any:
    vocab = target.shape[-1]
    law = model(target)
    mass: dict[int, Any] = {0: 1}
    for path in paths(tree):
        mass[place(path, vocab)] = mass[place(path[:-1], vocab)] * law(path[:-1])[path[-1]]
    return sum(mass.values()) - 1


SAME_ACCEPTANCE = identity(
    name="tree.same-acceptance",
    statement=r"Target-only verification (both thresholds 1) and the rule for deterministic candidates have the same outcomes at "
    r"a node, acceptance $p(s_1, \dots, s_m)$; on a tree the mean number of accepted drafts is the sum over nodes of the "
    r"target's probability of their path",
    reference="own",
    instances=_tree,
    lhs=lambda target, tree: exact([*_at_root(target_only(), target, tree), _length(target, tree)]),
    rhs=lambda target, tree: exact(
        [
            *_at_root(certain, target, tree)[:-1],
            sum((target[0][token] for token, _ in tree), start=target[0][0] * 0),
            _sum_of_paths(target, tree),
        ]
    ),
    sources=("exact",),
    note="Siblings are different. So the best tree for such rules is the one of the most likely texts.",
    broken=[
        Broken(
            "the last entry is one",
            lambda claim: {"lhs": lambda target, tree: np.append(claim.rhs(target, tree)[:-1], 1)},
        )
    ],
)
