"""Drawing draft trees: children independent or without replacement, or the most likely ones for sure.

Each makes a `Drafting`: (draft laws, levels) -> every drafted tree and its probability.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from simspec.methods.block import Model, Prefix
from simspec.methods.tree.shapes import Drafted, Shape, height
from simspec.methods.verifier.verifier import Drafting

__all__ = ["drawn", "most_likely", "ranked", "tree_of", "wide_then_best"]


def drawn(shape: Shape, replace: bool = True) -> Drafting:
    """Children drawn from the draft law at their parent: independent of each other, or without replacement.

    Of a law with fewer tokens than children the last ones are missing where nothing can be drawn again.

    >>> half = lambda prefix: [0.5, 0.5]
    >>> list(drawn(((), ()), replace=False)(half, 1))
    [(0.5, ((0, ()), (1, ()))), (0.5, ((1, ()), (0, ())))]
    """

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Drafted]]:
        _fits(shape, gamma)
        return _grown(draft, (), shape, replace)

    return drafting


def most_likely(shape: Shape) -> Drafting:
    """Child number j is the j-th most likely token of the draft law, the lowest at ties; nothing is drawn.

    >>> list(most_likely(((), ()))(lambda prefix: [0.25, 0.5, 0.25], 1))
    [(1, ((1, ()), (0, ())))]
    """

    def grown(draft: Model, at: Prefix, below: Shape) -> Drafted:
        if not below:
            return ()
        best = ranked(draft(at))
        return tuple((token, grown(draft, (*at, token), child)) for token, child in zip(best, below, strict=False))

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Drafted]]:
        _fits(shape, gamma)
        yield 1, grown(draft, (), shape)

    return drafting


def wide_then_best(k: int, keep: int) -> Drafting:
    """The tree of EAGLE-2 (Li et al. 2024, arXiv 2406.16858): grow wide, then keep the nodes of the largest products.

    On each level the k nodes of the largest product of q along their path get their k most likely children; of all of them
    `keep` nodes stay, a parent before its children at ties.

    Parameters
    ----------
    k : int; nodes that grow on each level, and children of each
    keep : int; drafts of the tree

    >>> list(wide_then_best(2, 3)(lambda prefix: [0.75, 0.25], 2))
    [(1, ((0, ((0, ()),)), (1, ())))]
    """

    def drafting(draft: Model, gamma: int) -> Iterator[tuple[Any, Drafted]]:
        nodes: list[tuple[Any, Prefix]] = []
        level: list[tuple[Any, Prefix]] = [(1, ())]
        for _ in range(gamma):
            laws = [(weight, at, draft(at)) for weight, at in level]
            children = [(w * law[t], (*at, t)) for w, at, law in laws for t in ranked(law)[:k] if law[t] > 0]
            level = sorted(children, key=lambda node: -node[0])[:k]
            nodes += children
        best = sorted(nodes, key=lambda node: (-node[0], len(node[1])))[:keep]
        yield 1, tree_of([path for _, path in best])

    return drafting


def ranked(law: Any) -> Prefix:
    """Tokens from the most to the least likely, the lowest first at ties.

    >>> ranked([0.25, 0.5, 0.25])
    (1, 0, 2)
    """
    return tuple(sorted(range(len(law)), key=lambda token: (-law[token], token)))


def tree_of(paths: Sequence[Prefix]) -> Drafted:
    """The tree of which some paths are the nodes, siblings in the order of the list.

    >>> tree_of([(1,), (0,), (1, 1)])
    ((1, ((1, ()),)), (0, ()))
    """
    first = dict.fromkeys(path[0] for path in paths)
    return tuple((token, tree_of([p[1:] for p in paths if p[0] == token and len(p) > 1])) for token in first)


def _grown(draft: Model, at: Prefix, below: Shape, replace: bool) -> Iterator[tuple[Any, Drafted]]:
    """Every way to draw what is below a node."""
    for weight, tokens in _siblings(list(draft(at)) if below else [], len(below), replace, ()):
        for subtree_weight, tree in _filled(draft, at, tokens, below, replace):
            yield weight * subtree_weight, tree


def _siblings(law: list[Any], count: int, replace: bool, had: Prefix) -> Iterator[tuple[Any, Prefix]]:
    remaining = [0 * mass if token in had and not replace else mass for token, mass in enumerate(law)]
    total = sum(remaining)
    if not count or not total:
        yield 1, ()
        return
    for token, mass in enumerate(remaining):
        if mass > 0:
            for weight, others in _siblings(law, count - 1, replace, (*had, token)):
                yield mass / total * weight, (token, *others)


def _filled(draft: Model, at: Prefix, tokens: Prefix, below: Shape, replace: bool) -> Iterator[tuple[Any, Drafted]]:
    """Every way to draw what hangs below some siblings."""
    if not tokens:
        yield 1, ()
        return
    for weight, first in _grown(draft, (*at, tokens[0]), below[0], replace):
        for rest_weight, others in _filled(draft, at, tokens[1:], below[1:], replace):
            yield weight * rest_weight, ((tokens[0], first), *others)


def _fits(shape: Shape, gamma: int) -> None:
    if height(shape) > gamma:
        raise ValueError(f"gamma: {gamma}; expected at least the {height(shape)} levels of the tree")
