"""What the best tree of each size accepts, beside the tree of Sequoia, a chain, and a fixed tree.

A node's children are accepted with shares that depend on their number, and where they are given so on their depth; that is
the model of Sequoia (claim ``tree.sequoia-dp``).  Within it the best tree is exact.
"""

from __future__ import annotations

import numpy as np

from simspec.methods.block import DEEPEST
from simspec.methods.tree.best import accepted_drafts, best_tree, level_order, sequoia_tree
from simspec.methods.tree.shapes import chain, height
from simspec.tools.trees.load import Shares
from simspec.tools.trees.table import Row

__all__ = ["compute"]


def compute(shares: Shares, nodes: int, depth: int | None = None, arity: int = 2) -> Row:
    """What trees of one size accept.

    Parameters
    ----------
    shares : of acceptance by child
    nodes : drafts of each tree
    depth : most levels, None for no limit
    arity : children of each node of the fixed tree

    >>> from simspec.tools.trees.load import shares_of
    >>> compute(shares_of([0.5, 0.25], 8, "top"), 3).best
    1.0
    """
    rates = shares.rates
    best = best_tree(nodes, rates, depth)
    accepted = float(best.accepted)
    limited = rates
    if depth is not None:
        by_depth = np.vstack([np.atleast_2d(rates)] * (depth if rates.ndim == 1 else 1))
        limited = by_depth[:depth]
    return Row(
        nodes=nodes,
        best=accepted,
        held_out=_held_out(shares, nodes, depth),
        levels=height(best.shape),
        sequoia=float(sequoia_tree(nodes, rates, depth).accepted),
        chain=float(accepted_drafts(chain(min(nodes, DEEPEST)), limited)),  # shapes go no deeper
        fixed=float(accepted_drafts(level_order(nodes, arity), limited)),
        tokens=1 + accepted,
        shape=best.shape,
    )


def _held_out(shares: Shares, nodes: int, depth: int | None) -> float | None:
    """Mean drafts accepted of the trees that are best on each half of the documents, each on the other half."""
    if shares.halves is None:
        return None
    first, second = shares.halves
    of_first = accepted_drafts(best_tree(nodes, first, depth).shape, second)
    of_second = accepted_drafts(best_tree(nodes, second, depth).shape, first)
    return float(of_first + of_second) / 2
