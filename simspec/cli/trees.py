"""`simspec trees`: the best draft tree for a number of nodes."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument("source", nargs="?", metavar="FILE", help="an .npz with p and q, or target and draft; or a bank")
    p.add_argument(
        "--bank", metavar="BANK", help="the same: a bank's file, or the name of one that ships (wiki, stories)"
    )
    p.add_argument(
        "--rates",
        type=Path,
        metavar="FILE",
        help="JSON with accepted shares: by child, or a list of them for each depth",
    )
    p.add_argument("--nodes", type=int, default=64, metavar="N", help="most drafts of a tree (default 64)")
    p.add_argument("--depth", type=int, metavar="D", help="most levels of a tree (default: no limit)")
    p.add_argument("--children", type=int, default=8, metavar="K", help="most children of a node (default 8)")
    p.add_argument(
        "--arity", type=int, default=2, metavar="K", help="children at each node of the fixed tree (default 2)"
    )
    p.add_argument(
        "--rule",
        choices=("top", "iid", "swor"),
        default="top",
        help="children: the draft's most likely tokens (default), or draws under recursive rejection: independent (iid) or "
        "without replacement (swor), as in Sequoia",
    )
    p.add_argument("--temperature", type=float, default=1, metavar="T", help="of both models; needs logits (default 1)")
    p.add_argument("--draw", action="store_true", help="draw the largest tree as text")
    p.add_argument("--json", action="store_true", help="print JSON, with the shape of each tree as nested lists")


def run(args: argparse.Namespace) -> int:
    """Find the trees, then print a table or JSON."""
    from simspec.tools.reading import load
    from simspec.tools.trees import read_rates, trees

    given = [source for source in (args.source, args.bank, args.rates) if source is not None]
    if len(given) != 1:
        raise ValueError("FILE: expected one of a file, --bank and --rates (`simspec trees --bank wiki`)")
    if args.nodes < 1:
        raise ValueError(f"--nodes: {args.nodes}; expected at least one draft")
    source = read_rates(args.rates) if args.rates is not None else load(given[0], args.temperature)
    sizes = [2**k for k in range(args.nodes.bit_length()) if 2**k < args.nodes] + [args.nodes]
    found = trees(source, sizes, args.depth, args.children, args.rule, args.arity)
    if args.json:
        rows = [{**record, "shape": row.shape} for record, row in zip(found.records(), found, strict=True)]
        print(json.dumps({"rates": found.rates.tolist(), "trees": rows}, indent=1))
        return 0
    _show(found)
    if args.draw:
        print("\n".join(["", *_drawn(found[-1].shape)]))
    return 0


def _show(found: Any) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting
    from simspec.tools.trees.budget import COLUMNS

    records = found.records()
    shown = [name for name in COLUMNS if any(record[name] is not None for record in records)]
    made = Table(title=Text(f"{found.source}: best trees of drafts", "table.title"), box=None)
    for name in shown:
        made.add_column(name, justify="right")
    for record in records:
        made.add_row(*(str(v) if isinstance(v, int) else f"{v:.3f}" for v in (record[name] for name in shown)))
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 160)
    print_fitting(console, made)
    for name in shown:
        console.print(f"  {name}: {COLUMNS[name]}")
    rows = found.rates if found.rates.ndim == 2 else found.rates[None]
    for depth, row in enumerate(rows, 1):
        at = f" at depth {depth}" if len(rows) > 1 else ""
        console.print(f"  share accepted by child{at}: {' '.join(f'{share:.3f}' for share in row)}")


def _drawn(shape: Any, before: str = "") -> list[str]:
    """A tree as indented text; children that are leaves on one line."""
    lines = []
    for at, child in enumerate(shape):
        last = at == len(shape) - 1
        lines.append(f"{before}{'└' if last else '├'}─ {at + 1}")
        lines += _drawn(child, before + ("   " if last else "│  "))
    return lines
