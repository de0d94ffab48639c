"""The tree with the largest path products of the draft accepts the most.

`tree.eagle-best` in two readings, with a correction: EAGLE-2 (Li et al. 2024, arXiv 2406.16858).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Broken, Draw, Instance, at_least, bound, matrix, other_claim
from simspec.claims.tree.parts import contexts, model
from simspec.methods.block import Model, Prefix

__all__ = ["best", "every_tree", "mass", "of_paths", "trees"]


def _two_models(draw: Draw) -> Instance:
    vocab = 2
    most_nodes = draw.integer(1, 3)
    size = contexts(vocab, most_nodes - 1)
    return {
        "target": np.stack([draw.law(vocab) for _ in range(size)]),
        "draft": np.stack([draw.law(vocab) for _ in range(size)]),
        "nodes": most_nodes,
    }


def _one_model(draw: Draw) -> Instance:
    models = dict(_two_models(draw))
    return {"target": models["target"], "nodes": models["nodes"]}


def every_tree(vocab: int, nodes: int) -> list[frozenset[Prefix]]:
    """All trees with a number of different nodes, as sets of paths.

    >>> [sorted(tree) for tree in every_tree(1, 2)]
    [[(0,), (0, 0)]]
    """
    trees = {frozenset[Prefix]()}
    for _ in range(nodes):
        trees = {
            tree | {(*at, token)}
            for tree in trees
            for at in [(), *tree]
            for token in range(vocab)
            if (*at, token) not in tree
        }
    return sorted(trees, key=sorted)


def mass(law: Model, path: Prefix) -> Any:
    """Probability of a text.

    >>> mass(lambda prefix: [0.5, 0.5], (0, 1))
    0.25
    """
    product: Any = 1
    for i, token in enumerate(path):
        product = product * law(path[:i])[token]
    return product


def of_paths(table: Array, tree: frozenset[Prefix]) -> Any:
    """Sum over the nodes of the probability of their path: accepted drafts where the table is the target's."""
    return sum(mass(model(table), path) for path in tree)


def best(table: Array, nodes: int) -> frozenset[Prefix]:
    """The tree of the largest path products: the most likely node next, a parent before its children, then in order of texts."""
    law = model(table)
    vocab = table.shape[-1]
    tree: frozenset[Prefix] = frozenset()
    for _ in range(nodes):
        open_ = [(*at, token) for at in [(), *tree] for token in range(vocab) if (*at, token) not in tree]
        tree |= {min(open_, key=lambda path: (-mass(law, path), len(path), path))}
    return tree


def trees(table: Array, nodes: int) -> Any:
    """The most that any tree with so many nodes accepts."""
    return max(of_paths(table, tree) for tree in every_tree(table.shape[-1], nodes))


def _apart(target: Array, draft: Array, nodes: int) -> Any:
    """Over the best tree of the draft and the first best of the target: Σ |P − Q| over nodes that only one of them has."""
    target_tree = max(every_tree(target.shape[-1], nodes), key=lambda tree: of_paths(target, tree))
    p = model(target)
    q = model(draft)
    return sum(abs(mass(p, path) - mass(q, path)) for path in target_tree ^ best(draft, nodes))


_REFERENCE = "EAGLE-2 (Li et al. 2024, arXiv 2406.16858; restored)"

ANY = bound(
    name="tree.eagle-best.any",
    statement=r"Among trees with $m$ nodes the one with the largest path products of $q$ accepts the most under verification of "
    r"deterministic candidates, for all $P$ and $Q$",
    reference=_REFERENCE,
    instances=_two_models,
    lhs=lambda target, draft, nodes: of_paths(target, best(draft, nodes)),
    rhs=lambda target, nodes: trees(target, nodes),
    relation=at_least,
    sources=("exact",),
    against=({"target": matrix("1 0"), "draft": matrix("0 1"), "nodes": 1},),
    corrected_by=("tree.eagle-best.any-corrected", "tree.eagle-best.calibrated"),
    within=({"target": matrix("1/3 2/3"), "draft": matrix("2/3 1/3"), "nodes": 1},),
    note="A draft that likes what the target never says loses everything. It costs no more than the draft's probabilities of "
    "the paths are off, on the nodes that only one of the two trees has.",
)

ANY_CORRECTED = bound(
    name="tree.eagle-best.any-corrected",
    statement=r"The tree of $m$ nodes with the largest path products of $q$ accepts, under verification of deterministic"
    r" candidates, at least as much as the best tree, less the sum of $|P - Q|$ over the paths that only one "
    r"of both has",
    reference=f"correction of {_REFERENCE}",
    instances=_two_models,
    lhs=lambda target, draft, nodes: of_paths(target, best(draft, nodes)),
    rhs=lambda target, draft, nodes: trees(target, nodes) - _apart(target, draft, nodes),
    relation=at_least,
    sources=("exact",),
    broken=[Broken("the printed right side", lambda _: {"rhs": other_claim("tree.eagle-best.any").rhs})],
)

CALIBRATED = bound(
    name="tree.eagle-best.calibrated",
    statement=r"Among trees with $m$ nodes the one with the largest path products of $q$ accepts the most, for $Q = P$",
    reference=_REFERENCE,
    instances=_one_model,
    lhs=lambda target, nodes: of_paths(target, best(target, nodes)),
    rhs=lambda target, nodes: trees(target, nodes),
    relation=at_least,
    tight=({"target": matrix("1/2 1/2"), "nodes": 1},),
    sources=("exact",),
    note="No child is likelier than its parent, so the most likely texts make a tree.",
    broken=[Broken("one node more", lambda claim: {"rhs": lambda target, nodes: claim.rhs(target, nodes + 1)})],
)
