"""What the best tree of each size accepts, beside the tree of Sequoia, a chain, and a fixed tree.

A node's children are accepted with shares that depend on their number, and where they are given so on their depth; that is
the model of Sequoia (claim ``tree.sequoia-dp``).  Within it the best tree is exact.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from simspec.html import number, table, tag
from simspec.html.results import Tabular
from simspec.laws import Array
from simspec.methods.multi.acceptance import rrsw_rates
from simspec.methods.tree.best import accepted_drafts, best_tree, level_order, sequoia_tree
from simspec.methods.tree.rates import rates_of_drawn, rates_of_top
from simspec.methods.tree.shapes import Shape, chain, height
from simspec.tools.reading import Pairs, load

__all__ = ["COLUMNS", "RULES", "SIZES", "Row", "TreesTable", "child_rates", "read_rates", "trees"]

RULES: dict[str, Callable[[Array, Array, int, int], Array]] = {
    "top": lambda p, q, children, first: rates_of_top(p, q, children),
    "iid": lambda p, q, children, first: rates_of_drawn(p, q, children),
    "swor": lambda p, q, children, first: rrsw_rates(p, q, children, _WAYS, first),
}
"""Shares from laws, (p, q, children, number of the first row): the draft's most likely tokens as candidates, or recursive
rejection of independent draws, or of draws without replacement, as in Sequoia."""
SIZES = (1, 2, 4, 8, 16, 32, 64)
"""Numbers of nodes that are told where none are named."""
COLUMNS = {
    "nodes": "drafts that one call verifies",
    "best": "mean number of accepted drafts of the best tree",
    "held out": "the same of the tree that is best on one half of the documents, on the other half, and the reverse",
    "levels": "levels of the best tree",
    "sequoia": "of the tree that is best for the mean shares over depths (Sequoia)",
    "chain": "of a chain, children by rank as in the trees",
    "fixed": "of a fixed tree, level by level with as many children at every node",
    "tokens": "tokens per call with the best tree: accepted drafts and one more",
}
"""What each column means."""
_WAYS = 2
"""Ways to be refused that are drawn at each row, of which there are many."""


class Row(NamedTuple):
    """What trees of one size accept on average; `held_out` is None where there is one document or none."""

    nodes: int
    best: float
    held_out: float | None
    levels: int
    sequoia: float
    chain: float
    fixed: float
    tokens: float
    shape: Shape


class TreesTable(Tabular, list[Row]):
    """The rows of `trees`, with the shares they come from; a notebook shows it as a table."""

    def __init__(self, rows: Iterable[Row], rates: Array, source: str) -> None:
        super().__init__(rows)
        self.rates, self.source = rates, source

    def records(self) -> list[dict[str, Any]]:
        """Rows of numbers, without the shapes."""
        return [dict(zip(COLUMNS, row[:-1], strict=True)) for row in self]

    def __repr__(self) -> str:
        return f"TreesTable({self.source}: {len(self)} sizes, {self.rates.shape[-1]} children)"

    def _repr_html_(self) -> str:
        lines = [["" if value is None else number(value) for value in row[:-1]] for row in self]
        meanings = (tag("div", f"{name}: {COLUMNS[name]}") for name in COLUMNS)
        return tag("div", tag("div", repr(self)), table(list(COLUMNS), lines), *meanings)


def trees(
    source: Pairs | str | Path | tuple[Any, Any] | Sequence[Any] | Array,
    sizes: Sequence[int] = SIZES,
    depth: int | None = None,
    children: int = 8,
    rule: str = "top",
    arity: int = 2,
) -> TreesTable:
    r"""The best tree for each number of nodes, beside Sequoia's, a chain and a fixed tree.

    Parameters
    ----------
    source : Pairs, or what `load` takes: an ``.npz`` file, a bank's file or name, laws (p, q); or shares of acceptance in
        [0, 1] as a list or an array, (K,) by child or (D, K) by depth and child
    sizes : numbers of nodes
    depth : most levels of the trees, of any kind
    children : int >= 1; most children of a node, where the source is laws
    rule : "top", "iid" or "swor"; how children come from the draft law, where the source is laws
    arity : int >= 1; children of each node of the fixed tree

    The shares of laws are means over all rows, taken to hold at every depth.  Trees of two halves of the documents, each
    valued on the other, tell how much of a gain is chance.

    >>> found = trees([0.5, 0.25], sizes=[3])[0]
    >>> found.best, found.chain, found.tokens, found.shape
    (1.0, 0.875, 2.0, (((),), ()))
    """
    if not len(sizes):
        raise ValueError(f"sizes: {sizes!r}; expected a number of nodes at least")
    rates, halves, name = _shares(source, children, rule)
    return TreesTable([_row(n, rates, halves, depth, arity) for n in sizes], rates, name)


def _row(nodes: int, rates: Array, halves: tuple[Array, Array] | None, depth: int | None, arity: int) -> Row:
    best = best_tree(nodes, rates, depth)
    other = None
    if halves is not None:
        one, two = (best_tree(nodes, half, depth).shape for half in halves)
        other = float(accepted_drafts(one, halves[1]) + accepted_drafts(two, halves[0])) / 2
    limited = rates if depth is None else np.vstack([np.atleast_2d(rates)] * (depth if rates.ndim == 1 else 1))[:depth]
    chained, fixed = (accepted_drafts(shape, limited) for shape in (chain(min(nodes, 250)), level_order(nodes, arity)))
    sequoia = sequoia_tree(nodes, rates, depth).accepted
    accepted = float(best.accepted)
    return Row(
        nodes,
        accepted,
        other,
        height(best.shape),
        float(sequoia),
        float(chained),
        float(fixed),
        1 + accepted,
        best.shape,
    )


def _shares(source: Any, children: int, rule: str) -> tuple[Array, tuple[Array, Array] | None, str]:
    """Mean shares, those of both halves of the documents, and the name of the source."""
    if isinstance(source, (Pairs, str, Path, tuple)):
        pairs = source if isinstance(source, Pairs) else load(source)
        found = child_rates(pairs, children, rule)
        places = np.unique(pairs.document, return_inverse=True)[1] % 2
        halves = (found[places == 0].mean(axis=0), found[places == 1].mean(axis=0)) if places.any() else None
        return found.mean(axis=0), halves, pairs.source
    rates = np.asarray(source, dtype=float)
    if rates.ndim not in (1, 2) or not rates.size:
        raise ValueError(f"rates: shape {rates.shape}; expected (K,) by child, or (D, K) by depth and child")
    return rates, None, "shares given"


def child_rates(pairs: Pairs, children: int = 8, rule: str = "top") -> Array:
    """How often each child of a node is accepted at each row of laws, (n, children).

    Parameters
    ----------
    pairs : laws
    children : int >= 1
    rule : "top", the draft's most likely tokens; "iid", recursive rejection of independent draws; "swor", of draws without
        replacement (Sequoia; beyond the second child a mean over a few drawn ways to be refused at each row)

    >>> half = Pairs(np.array([[0.5, 0.5]]), np.array([[0.75, 0.25]]), np.array([0]), "by hand")
    >>> print(child_rates(half, 2), child_rates(half, 2, "iid"), child_rates(half, 2, "swor"))
    [[0.5 0.5]] [[0.75   0.0625]] [[0.75 0.25]]
    """
    if rule not in RULES:
        raise ValueError(f"rule: {rule!r}; expected one of {', '.join(RULES)}")
    made = [RULES[rule](pairs.p[part], pairs.q[part], children, part.start) for part in pairs.parts()]
    return np.concatenate(made)


def read_rates(path: str | Path) -> list[Any]:
    """Shares of acceptance from a JSON file: a list by child, or a list for each depth.

    Raises ValueError for a file that is no such list.
    """
    try:
        found = json.loads(Path(path).read_text(encoding="utf-8"))
    except json.JSONDecodeError as error:
        raise ValueError(f"{path}: is no JSON ({error}); expected a list of shares") from None
    rows = found if isinstance(found, list) and found and isinstance(found[0], list) else [found]
    whole = all(isinstance(row, list) and row and len(row) == len(rows[0]) for row in rows)
    if not whole or not all(isinstance(x, (int, float)) and 0 <= x <= 1 for row in rows for x in row):
        raise ValueError(f"{path}: expected a list of shares in [0, 1], or a list of equally long ones for each depth")
    return found if isinstance(found, list) else []
