"""Tables as wide as the terminal: whole columns are left out, and named, where there is no room; no number is cut."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["fit", "print_fitting"]


def fit(console: Console, table: Table, last: Collection[str] = ()) -> list[str]:
    """Remove columns, the rightmost first, until the table is as narrow as the console; returns their names in order.

    The first column always stays, and those whose headings are in `last` are removed after all others.
    """
    for column in table.columns:
        column.no_wrap = True
    title = table.title
    table.title = None  # it wraps by itself
    wide = console.options.update(width=10_000)
    order = [str(column.header) for column in table.columns]
    left_out: set[str] = set()
    while len(table.columns) > 1 and console.measure(table, options=wide).maximum > console.width:
        rest = range(1, len(table.columns))
        place = max(rest, key=lambda i: (str(table.columns[i].header) not in last, i))
        left_out.add(str(table.columns.pop(place).header))
        for number, column in enumerate(table.columns):
            column._index = number  # the padding at the edges goes by it
    table.title = title
    table.columns[0].no_wrap = False  # a name longer than the terminal is wide goes on below
    table.columns[0].overflow = "fold"
    return [name for name in order if name in left_out]


def print_fitting(console: Console, table: Table, full_output: str = "--json", last: Collection[str] = ()) -> list[str]:
    """Print a table without the columns that find no room, and a line that names them; returns their names.

    The first column is always shown; `full_output` is the option that prints every column; those named in `last` are left out
    after all others.

    >>> from rich.console import Console
    >>> from rich.table import Table
    >>> table = Table("rule", "acceptance", box=None)
    >>> table.add_row("sd", "0.1234567")
    >>> print_fitting(Console(width=12), table)
    rule
    sd
    not enough room for: acceptance; use --json or a wider terminal
    ['acceptance']
    """
    left_out = fit(console, table, last)
    title = table.title
    table.title = None
    if title:
        console.print(title, soft_wrap=True)
    console.print(table)
    table.title = title
    if left_out:
        names = ", ".join(left_out)
        console.print(
            f"not enough room for: {names}; use {full_output} or a wider terminal", markup=False, soft_wrap=True
        )
    return left_out
