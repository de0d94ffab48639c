"""The best draft tree for a budget of nodes, from laws, a bank, or measured shares of acceptance: `simspec trees`.

`load` makes shares of acceptance of what is given, `compute` finds the trees, `table` holds the rows, and `show` prints them.
What a tree gains in speed is `simspec.methods.speed.tree_speedup`, at costs that this tool does not ask for.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from simspec.laws import Array
from simspec.tools.reading import Pairs
from simspec.tools.trees.compute import compute
from simspec.tools.trees.load import Shares, child_rates, read_rates, shares_of
from simspec.tools.trees.table import Row, TreesTable

__all__ = ["SIZES", "Row", "Shares", "TreesTable", "child_rates", "read_rates", "trees"]

SIZES = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of nodes that are told where none are named."""


def trees(
    source: Pairs | Shares | str | Path | tuple[Any, Any] | Sequence[Any] | Array,
    sizes: Sequence[int] = SIZES,
    depth: int | None = None,
    children: int = 8,
    rule: str = "top",
    arity: int = 2,
) -> TreesTable:
    r"""The best tree for each number of nodes, beside Sequoia's, a chain and a fixed tree.

    Parameters
    ----------
    source : Pairs, Shares, or what `load` takes: an ``.npz`` file, a bank's file or name, laws (p, q); or shares of acceptance in
        [0, 1] as a list or an array, (K,) by child or (D, K) by depth and child.  Of a bank with both kinds of text the target's
        own answers are read: pass ``load(bank, kind="texts")`` for its corpus texts
    sizes : numbers of nodes
    depth : most levels of the trees, of any kind
    children : int >= 1; most children of a node, where the source is laws
    rule : "top", "iid" or "swor"; how children come from the draft law, where the source is laws
    arity : int >= 1; children of each node of the fixed tree

    The shares of laws are means over all rows, taken to hold at every depth.  Trees of two halves of the documents, each
    valued on the other, tell how much of a gain is chance.

    >>> row = trees([0.5, 0.25], sizes=[3])[0]
    >>> row.best, row.chain, row.tokens, row.shape
    (1.0, 0.875, 2.0, (((),), ()))
    """
    if not len(sizes):
        raise ValueError(f"sizes: {sizes!r}; expected a number of nodes at least")
    shares = shares_of(source, children, rule)
    return TreesTable(
        [compute(shares, nodes, depth, arity) for nodes in sizes], shares.rates, shares.source, shares.kind
    )
