"""What a tree over the heads' most likely tokens gives: all of its nodes are drafted in the one pass of the heads.

The tree is chosen on one half of the documents and judged on the other.  What is not here: the best tree of a number of nodes
(`simspec.tools.trees`).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from simspec.engine.estimates.clusters import bounded_statistic
from simspec.engine.estimates.halves import choosing_rows, halvable
from simspec.engine.estimates.intervals import Interval
from simspec.laws import Array
from simspec.methods.speed import step_time
from simspec.methods.tree.rates import rates_of_top
from simspec.methods.tree.shapes import Shape, height, nodes
from simspec.tools.heads.load import Heads
from simspec.tools.heads.table import HeadsTable
from simspec.tools.trees import SIZES, Row, Shares, trees
from simspec.tools.trees.load import mean_shares

__all__ = ["CHILDREN", "HeadTree", "accepted_by_cluster", "best_head_tree", "block_shares", "head_shares"]

CHILDREN = 8
"""Most children of a node."""


class HeadTree(NamedTuple):
    """The fastest tree of the sizes tried on the documents that choose it, with its values on those that judge it.

    Attributes
    ----------
    shape : the tree, a node as the tuple of its children
    nodes, levels : draft tokens, and levels
    tokens, speedup : mean acceptance length and speed-up
    is_judged : whether other documents chose it; without, it was chosen and valued on all, and has no interval
    """

    shape: Shape
    nodes: int
    levels: int
    tokens: float
    speedup: Interval
    is_judged: bool


def block_shares(heads: Heads, children: int = CHILDREN) -> Array:
    """How often each of a head's most likely tokens is the target's, at each block, (n, γ, children).

    >>> laws = np.array([[[0.5, 0.25, 0.25]]])
    >>> block_shares(Heads(laws, np.array([[[0.2, 0.7, 0.1]]]), np.array([0]), "by hand"), 2).tolist()
    [[[0.25, 0.5]]]
    """
    gamma = heads.q.shape[1]
    return np.stack([rates_of_top(heads.p[:, at], heads.q[:, at], children) for at in range(gamma)], axis=1)


def head_shares(heads: Heads, children: int = CHILDREN) -> Shares:
    """Mean shares of acceptance by depth and child, and those of both halves of the documents, for `simspec.tools.trees`.

    They hold after the text's own tokens.  Trees take them to hold whatever branch was accepted.

    >>> laws = np.array([[[0.5, 0.25, 0.25]]])
    >>> head_shares(Heads(laws, np.array([[[0.2, 0.7, 0.1]]]), np.array([0]), "by hand"), 2).rates.tolist()
    [[0.25, 0.5]]
    """
    return mean_shares(block_shares(heads, children), heads.document, heads.source)


def best_head_tree(rows: HeadsTable, sizes: tuple[int, ...] = SIZES) -> HeadTree:
    """The fastest tree at the costs of a table, of these numbers of nodes.

    Trees are many: the best one on some blocks looks better there than it is.  One half of the documents chooses, the other
    judges, and the interval is over that.  With fewer documents than that needs, all choose, and there is no interval.

    >>> from simspec.tools.heads import HeadOptions, head_rates
    >>> laws = {"p": [[[0.5, 0.25, 0.25]]], "heads": [[[0.5, 0.3, 0.2]]]}
    >>> tree = best_head_tree(head_rates(laws, HeadOptions(cost=0.25, verify=0.25)))
    >>> tree.nodes, tree.levels, tree.tokens, tree.speedup.estimate, tree.is_judged
    (1, 1, 1.5, 1.0, False)
    """
    measured = rows.measured
    shares = block_shares(rows.heads)
    document = rows.heads.document
    is_judged = halvable(document)
    chooses = choosing_rows(document) if is_judged else np.ones(len(document), dtype=bool)
    judges = ~chooses if is_judged else chooses

    def time_of(row: Row) -> float:
        return float(step_time(1, measured.cost, nodes(row.shape), measured.verify))

    candidates = trees(shares[chooses].mean(axis=0), sizes, depth=shares.shape[1])
    best = max(candidates, key=lambda row: row.tokens / time_of(row))
    time = time_of(best)
    columns, counts = _sums(shares[judges], document[judges])

    def speed(*sums: Array) -> Any:
        *accepted, blocks = sums
        by_place = np.stack([column / blocks for column in accepted])
        return (1 + accepted_by_cluster(best.shape, by_place.reshape(*shares.shape[1:], *by_place.shape[1:]))) / time

    # a document of which nothing is accepted, or at every level the first child
    extremes = np.zeros((*shares.shape[1:], 2))
    extremes[:, 0, 1] = 1
    extremes = np.concatenate([extremes.reshape(-1, 2), np.ones((1, 2))])
    interval = bounded_statistic(columns, speed, counts, extremes, rows.level)
    possible = (1 / time, (1 + height(best.shape)) / time)
    interval = interval._replace(low=max(interval.low, possible[0]), high=min(interval.high, possible[1]))
    if not is_judged:
        interval = interval._replace(low=math.nan, high=math.nan)
    return HeadTree(best.shape, nodes(best.shape), best.levels, time * interval.estimate, interval, is_judged)


def _sums(shares: Array, document: Array) -> tuple[Array, Array]:
    """Sums of all shares and numbers of blocks by document (places + 1, documents), and the latter alone."""
    _, index = np.unique(document, return_inverse=True)
    counts = np.bincount(index).astype(np.float64)
    return np.stack([*(np.bincount(index, column) for column in shares.reshape(len(shares), -1).T), counts]), counts


def accepted_by_cluster(shape: Shape, rates: Array) -> Any:
    """Mean drafts that a tree accepts, of shares (D, K, ...): `simspec.methods.tree.best.accepted_drafts` over further axes.

    >>> accepted_by_cluster(((), ((),)), np.array([[[0.5, 1.0], [0.25, 0.0]]] * 2)).tolist()
    [0.875, 1.0]
    """
    total = 0 * rates[0, 0]
    for child, subtree in enumerate(shape):
        deeper = accepted_by_cluster(subtree, rates[1:]) if subtree else 0
        total = total + rates[0, child] * (1 + deeper)
    return total
