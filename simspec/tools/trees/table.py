"""The table of `simspec.tools.trees`: a row for each number of nodes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from simspec.html.results import Tabular
from simspec.laws import Array
from simspec.methods.tree.shapes import Shape

__all__ = ["COLUMNS", "Row", "TreesTable"]

COLUMNS = {
    "nodes": "draft tokens that one target step verifies",
    "best": "mean number of accepted draft tokens of the best tree",
    "held out": (
        "the same, if the tree is chosen on one half of the documents and measured on the other, and vice versa"
    ),
    "levels": "levels of the best tree",
    "sequoia": "the same for the tree that is best for the rates averaged over depths (Sequoia)",
    "chain": "the same for a chain, with children by rank as in the trees",
    "fixed": "the same for a fixed tree with equally many children at every node, filled level by level",
    "tokens": "mean acceptance length with the best tree: accepted draft tokens plus one",
}
"""What each column means."""


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

    def __init__(self, rows: Iterable[Row], rates: Array, source: str, kind: str | None = None) -> None:
        super().__init__(rows)
        self.rates = rates
        self.source = source
        self.kind = kind

    def records(self) -> list[dict[str, Any]]:
        """Rows of numbers, without the shapes."""
        return [dict(zip(COLUMNS, row[:-1], strict=True)) for row in self]

    def __repr__(self) -> str:
        return f"TreesTable({self.source}: {len(self)} sizes, {self.rates.shape[-1]} children)"
