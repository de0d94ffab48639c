r"""Several drafts a level, and trees, along a text: how many levels of a call survive from each position, and what it drafts.

As in `simspec.methods.steps` a law depends on the position in the text, not on the drafts before it.  Two forms:

* K drafts a level of a rule for several drafts (``rrs:4``): K siblings are judged at each level, and the first of them has the
  siblings of the next, so that K γ tokens are verified in γ levels; a call ends where another sibling is taken, or none.
  ``traversal:4`` judges the same tree as a whole, on drafts drawn at each position;
* the best tree of so many nodes, of those of any depth, at the mean rates of the children and the costs given.

What is not here: text and laws after a draft that is no token of the text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from simspec.kernels import random as philox
from simspec.laws import Array
from simspec.methods.registry import Rule, first_alone
from simspec.methods.speed import tree_speedup
from simspec.methods.steps import survived_steps
from simspec.methods.tree.best import best_tree
from simspec.methods.tree.levels import mean_levels
from simspec.methods.tree.shapes import Shape, height, nodes
from simspec.tools.reading import Pairs
from simspec.tools.trees.load import child_rates

__all__ = ["Drafted", "best_trees", "reached", "side_by_side"]

DRAWS = 4
"""Trees of such a rule that are drawn at each position."""
KEY = 0x74726565
CHILDREN = 8
"""Most children of a node."""
ANY_DEPTH = 32
"""Up to so many nodes a tree of each depth is tried, beyond it the one that accepts the most."""


class Drafted(NamedTuple):
    """What a call drafts, and how far it gets.

    Attributes
    ----------
    survived : probability that the first 1, ..., levels levels are kept, by the position where the call begins (n, levels)
    nodes : drafted tokens of a call
    accepted : probability that a first level is kept, at each position (n,)
    """

    survived: Array
    nodes: int
    accepted: Array

    @property
    def levels(self) -> int:
        """Levels of a call: how often the draft model is asked."""
        return self.survived.shape[1]


def side_by_side(candidate: Rule, pairs: Pairs, levels: Sequence[int]) -> list[Drafted]:
    r"""K drafts a level of a rule for several drafts, for each number of levels.

    With :math:`\alpha` the acceptance of K drafts and f that of the first of them alone, the first i levels survive with
    :math:`f(t) \cdots f(t + i - 2)\,\alpha(t + i - 1)`.

    Parameters
    ----------
    candidate : Rule with `accepts`, as ``rrs:4``
    pairs : laws, in the order of the text
    levels : numbers >= 1

    Of ``traversal`` they are a mean over `DRAWS` trees at each position, the same at every call.

    Raises ValueError for a name that is a bound and no rule.

    >>> from simspec.methods.registry import rule
    >>> law = np.array([[0.5, 0.5]] * 2), np.array([[0.75, 0.25]] * 2)
    >>> found = side_by_side(rule("rrs:2", several=True), Pairs(*law, np.array([0, 0]), "by hand"), [2])[0]
    >>> found.survived.tolist(), found.nodes
    ([[0.8125, 0.609375], [0.8125, 0.609375]], 4)
    """
    k, alone = first_alone(candidate.name)
    kind = candidate.kind
    siblings = None if kind is None else kind.siblings
    if siblings is not None and siblings.judges_tree:
        traversals = (_traversed(pairs, k, depth, siblings.drafts == "iid") for depth in levels)
        return [Drafted(survived, k * survived.shape[1], survived[:, 0]) for survived in traversals]
    if alone is None or candidate.accepts is None:
        raise ValueError(f"rule: {candidate.name!r} is a bound, not a rule that can run")
    count = len(pairs.p)
    some = np.empty(count)
    any_ = np.empty(count)
    for section in pairs.parts():
        p = pairs.p[section]
        q = pairs.q[section]
        some[section] = alone(p, q)
        any_[section] = candidate.accepts(p, q)
    some = some.clip(0, 1)
    any_ = any_.clip(0, 1)
    deepest = max(levels)
    before = np.ones((count, deepest))  # the first of the siblings is accepted at all levels above
    before[:, 1:] = survived_steps(some, deepest - 1)
    survived = before * np.stack([np.roll(any_, -level) for level in range(deepest)], axis=1)
    return [Drafted(survived[:, :depth], k * depth, any_) for depth in levels]


def _traversed(pairs: Pairs, k: int, levels: int, replace: bool) -> Array:
    """Probability (n, levels) that traversal verification keeps so many levels of K drafts each, by the call's position."""
    shape: Shape = ()
    for _ in range(levels):
        shape = (shape, *((),) * (k - 1))
    count = len(pairs.p)
    uniforms = philox.uniform(KEY, range(count), range(DRAWS * k * levels)).reshape(count, DRAWS, -1)
    survived = np.empty((count, levels))
    for section in pairs.parts():
        here = np.arange(count)[section]
        target = partial(_later, pairs.p, here)
        draft = partial(_later, pairs.q, here)
        level_masses = mean_levels(target, draft, shape, uniforms[section], replace)
        survived[section] = 1 - np.cumsum(level_masses, axis=1)[:, :-1]
    return np.asarray(survived.clip(0, 1))


def _later(laws: Array, here: Array, level: int) -> Array:
    return np.asarray(laws[(here + level) % len(laws)])


def best_trees(name: str, pairs: Pairs, sizes: Sequence[int], cost: float, verify: float) -> list[Drafted]:
    """For each number of nodes the tree that is fastest at the mean rates of the children, and how far its calls get.

    Parameters
    ----------
    name : of a tree of the registry
    pairs : laws, in the order of the text; the trees are fitted to the mean of their rates
    sizes : numbers of nodes >= 1
    cost, verify : time of a level of drafts, and of verifying one more token, over that of a target step

    >>> law = np.array([[0.5, 0.5]] * 2), np.array([[0.75, 0.25]] * 2)
    >>> found = best_trees("tree-swor", Pairs(*law, np.array([0, 0]), "by hand"), [2, 3], 0.1, 0)
    >>> [(one.levels, one.nodes, one.survived[0].tolist()) for one in found]
    [(2, 2, [0.75, 0.5625]), (2, 3, [1.0, 0.5625])]
    """
    rates = child_rates(pairs, min(CHILDREN, pairs.p.shape[-1]), name.removeprefix("tree-")).clip(0, 1)
    mean = rates.mean(axis=0)
    drafted_calls = []
    for size in sizes:
        deepest = best_tree(size, mean)
        top = max(height(deepest.shape), 1)
        shallower = [best_tree(size, mean, depth) for depth in range(1, top)] if size <= ANY_DEPTH else []
        best = max(
            [*shallower, deepest],
            key=lambda tree: tree_speedup(1 + tree.accepted, height(tree.shape), size, cost, verify),
        )
        shape = best.shape or ((),)  # a draft that gains nothing, where none does
        survived = reached(shape, rates)
        drafted_calls.append(Drafted(survived, nodes(shape), rates[:, : len(shape)].sum(axis=1).clip(0, 1)))
    return drafted_calls


def reached(shape: Shape, rates: Array) -> Array:
    """Probability that a call accepts a node of each level of a tree, by the position where it begins (n, levels).

    Parameters
    ----------
    shape : a tree
    rates : (n, K) probability that child 1, 2, ... of a node is accepted, at each position

    >>> reached((((),), ()), np.array([[0.5, 0.25], [1.0, 0.0]])).tolist()
    [[0.75, 0.5], [1.0, 0.5]]
    """
    level: list[tuple[Shape, Array]] = [(shape, np.ones(len(rates)))]
    columns = []
    for depth in range(height(shape)):
        here = np.roll(rates, -depth, axis=0)
        level = [(c, w * a) for node, w in level for c, a in zip(node, here.T, strict=False)]
        columns.append(np.minimum(sum(weight for _, weight in level), 1))
    survived = np.stack(columns, axis=1)
    return np.asarray(np.minimum.accumulate(survived, axis=1))
