"""Tables as wide as the terminal: whole columns are left out, and named, where there is no room; no number is cut."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

__all__ = ["print_fitting"]


def print_fitting(console: Console, table: Table, whole: str = "--json") -> list[str]:
    """Print a table without the last columns that find no room, and a line that names them; returns their names.

    The first column is always shown; `whole` is the option that prints every column.

    >>> from rich.console import Console
    >>> from rich.table import Table
    >>> table = Table("rule", "acceptance", box=None)
    >>> table.add_row("sd", "0.1234567")
    >>> print_fitting(Console(width=12), table)
    rule
    sd
    no room for: acceptance; --json, or a wider terminal, shows them
    ['acceptance']
    """
    for column in table.columns:
        column.no_wrap = True
    left_out: list[str] = []
    while len(table.columns) > 1 and console.measure(table, options=console.options.update(width=10_000)).maximum > (
        console.width
    ):
        left_out.insert(0, str(table.columns.pop().header))
    table.columns[0].no_wrap = False  # a name longer than the terminal is wide goes on below
    table.columns[0].overflow = "fold"
    title, table.title = table.title, None
    if title:
        console.print(title, soft_wrap=True)
    console.print(table)
    if left_out:
        names = ", ".join(left_out)
        console.print(f"no room for: {names}; {whole}, or a wider terminal, shows them", markup=False, soft_wrap=True)
    return left_out
