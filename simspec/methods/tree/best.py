"""The best tree for a number of nodes, given how often each child of a node is accepted; beside it those that others choose.

`rates` are accepted shares by place: row d for children at depth d + 1, column j for child number j + 1 of a node that is
reached; a single row stands for all depths.  A node is reached with the product of the rates on its path, and the mean
number of accepted drafts of a tree is the sum of these products over its nodes.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from simspec.checks import whole_number
from simspec.laws import Array, is_exact
from simspec.methods.tree.shapes import Shape, every_shape

__all__ = ["MOST_NODES", "BestTree", "accepted_drafts", "best_of_all", "best_tree", "level_order", "sequoia_tree"]

MOST_NODES = 512
"""Most nodes of a tree that is searched for."""


class BestTree(NamedTuple):
    """A mean number of accepted drafts, and the tree that has it."""

    accepted: Any
    shape: Shape


def accepted_drafts(shape: Shape, rates: Array) -> Any:
    """Mean number of accepted drafts of a tree: the sum over its nodes of the product of rates on their path.

    Children beyond the last column, and levels beyond the last of several rows, are never accepted.

    Parameters
    ----------
    shape : a tree
    rates : (K,) or (D, K), each in [0, 1]

    >>> print(accepted_drafts(((), ((),)), [0.5, 0.25]))
    0.875
    """
    table = _table(rates)
    total = 0 * table[0, 0]
    level = [(shape, total + 1)]
    for row in _rows(table, MOST_NODES):
        level = [(c, w * a) for node, w in level for c, a in zip(node, row, strict=False) if w * a > 0]
        if not level:
            break
        total = total + sum(weight for _, weight in level)
    return total


def best_tree(nodes: int, rates: Any, depth: int | None = None) -> BestTree:
    r"""The tree of at most so many nodes that accepts the most, by dynamic programming.

    .. math:: F_d(n) = \max_{n_1 + \dots + n_k \le n,\ n_j \ge 1} \sum_{j \le k} a_{d,j}\,(1 + F_{d+1}(n_j - 1))

    Parameters
    ----------
    nodes : int, 0 to `MOST_NODES`
    rates : (K,) or (D, K), each in [0, 1]; several rows allow no more than D levels
    depth : most levels; by default as many as there are nodes

    Takes time D K n²; K n² for a single row without a limit of depth, which is Sequoia's recursion (claim
    ``tree.sequoia-dp``).  Exact on fractions.  Nodes that gain nothing are left out.

    >>> print(*best_tree(3, [0.5, 0.25]))
    1.0 (((),), ())
    """
    table = _table(rates)
    nodes = whole_number("nodes", nodes, 0, MOST_NODES, f"a number of nodes from 0 to {MOST_NODES}")
    if depth is None and len(table) == 1:
        level = _level(table[0], nodes, None)
        return BestTree(level.best[nodes], _shape([level] * nodes, 0, nodes))
    depth_limit = nodes if depth is None else whole_number("depth", depth, 0, None, "a number of levels")
    rows = _rows(table, min(depth_limit, nodes))
    levels = list[_Level]()
    for row in rows[::-1]:
        levels.insert(0, _level(row, nodes, levels[0].best if levels else np.full(nodes + 1, 0 * row[0])))
    return BestTree(levels[0].best[nodes], _shape(levels, 0, nodes)) if levels else BestTree(0 * table[0, 0], ())


def best_of_all(nodes: int, rates: Array) -> BestTree:
    """The same by listing every tree: for few nodes, and to check the other.

    >>> print(*best_of_all(3, [0.5, 0.25]))
    1.0 (((),), ())
    """
    trees = (BestTree(accepted_drafts(shape, rates), shape) for shape in every_shape(nodes))
    return max(trees, key=lambda tree: tree.accepted)


def sequoia_tree(nodes: int, rates: Any, depth: int | None = None) -> BestTree:
    """The tree of Sequoia (Chen et al. 2024, arXiv 2402.12374): best if rates did not depend on depth; of their mean over depths.

    What it accepts is told at the rates given; `depth` as in `best_tree`.

    >>> sequoia_tree(3, [0.5, 0.25]).shape
    (((),), ())
    """
    table = _table(rates)
    depth = len(table) if depth is None and len(table) > 1 else depth
    shape = best_tree(nodes, table.sum(axis=0) / len(table), depth).shape
    return BestTree(accepted_drafts(shape, rates), shape)


def level_order(nodes: int, arity: int) -> Shape:
    """A fixed tree: every node has `arity` children, level by level, until there are enough nodes.

    >>> level_order(3, 2)
    (((),), ())
    """
    whole_number("nodes", nodes, 0, MOST_NODES, f"a number of nodes from 0 to {MOST_NODES}")
    whole_number("arity", arity, 1, None, "a number of children that is positive")
    subtrees: list[Shape] = [()] * (nodes + 1)
    for at in reversed(range(nodes + 1)):
        subtrees[at] = tuple(subtrees[arity * at + 1 : min(arity * at + arity, nodes) + 1])
    return subtrees[0]


class _Level(NamedTuple):
    """Below a node of one depth: the most that n nodes accept, and how many of m nodes go to child j and below it."""

    best: Array
    chosen: Array


def _level(row: Array, nodes: int, below: Array | None) -> _Level:
    """From the best of the next depth; None where all depths are alike, so that smaller trees of this one are taken."""
    children = len(row)
    best = np.full((children + 1, nodes + 1), 0 * row[0])
    choices = np.zeros((children, nodes + 1), dtype=int)
    deeper = best[0] if below is None else below
    for m in range(1, nodes + 1):
        for j in reversed(range(children)):
            gain = row[j] * (1 + deeper[:m]) + best[j + 1, m - 1 :: -1]
            best_index = int(np.argmax(gain))
            if gain[best_index] > 0:
                best[j, m] = gain[best_index]
                choices[j, m] = best_index + 1
    return _Level(best[0], choices)


def _shape(levels: list[_Level], depth: int, nodes: int) -> Shape:
    children: list[Shape] = []
    while depth < len(levels) and len(children) < len(levels[depth].chosen):
        size = int(levels[depth].chosen[len(children), nodes])
        if not size:
            break
        children.append(_shape(levels, depth + 1, size - 1))
        nodes -= size
    return tuple(children)


def _table(rates: Array) -> Array:
    table = np.atleast_2d(np.asarray(rates))
    table = table if is_exact(table) else table.astype(float)
    if table.ndim != 2 or not table.size or not np.all((table >= 0) & (table <= 1)):
        raise ValueError(f"rates: {rates!r}; expected accepted shares in [0, 1], by child or by depth and child")
    return table


def _rows(table: Array, limit: int) -> list[Array]:
    return [table[0]] * limit if len(table) == 1 else list(table[:limit])
