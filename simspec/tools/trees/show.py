"""How a table of trees is shown: in a terminal, as JSON, as HTML in a notebook, and the largest tree as text."""

from __future__ import annotations

import json
import sys

from simspec.html import Html, number, table, tag
from simspec.methods.tree.shapes import Shape
from simspec.tools.kinds import kind_facts, kind_sentence
from simspec.tools.trees.table import COLUMNS, TreesTable

__all__ = ["drawn", "json_text", "print_trees", "trees_html"]


def trees_html(rows: TreesTable) -> Html:
    """What a notebook shows: the table, and what its columns mean."""
    lines = [["" if value is None else number(value) for value in row[:-1]] for row in rows]
    meanings = (tag("div", f"{name}: {COLUMNS[name]}") for name in COLUMNS)
    sentence = kind_sentence(rows.kind)
    below = [tag("div", sentence)] if sentence else []
    return tag("div", tag("div", repr(rows)), table(list(COLUMNS), lines), *meanings, *below)


def json_text(rows: TreesTable) -> str:
    """Shares and rows as JSON, with the shape of each tree as nested lists."""
    records = [{**record, "shape": row.shape} for record, row in zip(rows.records(), rows, strict=True)]
    return json.dumps({**kind_facts(rows.kind), "rates": rows.rates.tolist(), "trees": records}, indent=1)


def print_trees(rows: TreesTable) -> None:
    """The table as `simspec trees` prints it, and under it what the columns mean and the shares."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    records = rows.records()
    names = [name for name in COLUMNS if any(record[name] is not None for record in records)]
    listed = Table(title=Text(f"{rows.source}: best trees of draft tokens", "table.title"), box=None)
    for name in names:
        listed.add_column(name, justify="right")
    for record in records:
        values = [record[name] for name in names]
        listed.add_row(*(str(value) if isinstance(value, int) else f"{value:.3f}" for value in values))
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 160)
    print_fitting(console, listed)
    for name in names:
        console.print(f"  {name}: {COLUMNS[name]}")
    by_depth = rows.rates if rows.rates.ndim == 2 else rows.rates[None]
    for depth, shares in enumerate(by_depth, 1):
        where = f" at depth {depth}" if len(by_depth) > 1 else ""
        console.print(f"  acceptance rate by child{where}: {' '.join(f'{share:.3f}' for share in shares)}")
    if sentence := kind_sentence(rows.kind):
        console.print(f"  {sentence}", soft_wrap=True)


def drawn(shape: Shape, before: str = "") -> list[str]:
    """A tree as indented text, a line for each node: its number among its siblings.

    >>> print("\\n".join(drawn((((),), ()))))
    ├─ 1
    │  └─ 1
    └─ 2
    """
    lines = []
    for place, child in enumerate(shape):
        is_last = place == len(shape) - 1
        lines.append(f"{before}{'└' if is_last else '├'}─ {place + 1}")
        lines += drawn(child, before + ("   " if is_last else "│  "))
    return lines
