"""`simspec trees`: the best draft tree for a number of nodes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from simspec.cli.heads import shares_of_heads
from simspec.cli.options import add_kind_argument

__all__ = ["add_arguments", "run"]


def add_arguments(p: argparse.ArgumentParser) -> None:
    """Arguments of the command."""
    p.add_argument(
        "source",
        nargs="?",
        metavar="FILE",
        help=(
            ".npz file with p and q (distributions), target and draft (logits), or p and heads (of a block drafter, a level for "
            "each head); or a logit bank (wiki, stories)"
        ),
    )
    p.add_argument("--bank", metavar="BANK", help="logit bank: `simspec trees --bank wiki` is `simspec trees wiki`")
    add_kind_argument(p)
    p.add_argument(
        "--rates",
        type=Path,
        metavar="FILE",
        help="JSON file with acceptance rates: a list by child, or one such list for each depth",
    )
    p.add_argument(
        "--nodes", type=int, default=64, metavar="N", help="largest number of draft tokens in a tree (default 64)"
    )
    p.add_argument("--depth", type=int, metavar="D", help="largest depth of a tree (default: no limit)")
    p.add_argument(
        "--children", type=int, default=8, metavar="K", help="largest number of children of a node (default 8)"
    )
    p.add_argument(
        "--arity",
        type=int,
        default=2,
        metavar="K",
        help="number of children of each node of the fixed tree, for comparison (default 2)",
    )
    p.add_argument(
        "--rule",
        choices=("top", "iid", "swor"),
        default="top",
        help=(
            "how children are drafted: the draft's most likely tokens (top, default), or recursive rejection "
            "sampling with independent draws (iid) or draws without replacement (swor), as in Sequoia"
        ),
    )
    p.add_argument(
        "--temperature", type=float, default=1, metavar="T", help="temperature of both models; needs logits (default 1)"
    )
    p.add_argument("--draw", action="store_true", help="print the largest tree")
    p.add_argument(
        "--json", action="store_true", help="write JSON instead of a table, with the shape of each tree as nested lists"
    )


def run(args: argparse.Namespace) -> int:
    """Find the trees, then print a table or JSON."""
    from simspec.tools.heads import holds_heads
    from simspec.tools.reading import load, placed
    from simspec.tools.trees import read_rates, show, trees

    sources = [source for source in (args.source, args.bank, args.rates) if source is not None]
    if len(sources) != 1:
        raise ValueError("FILE: expected exactly one of FILE, --bank and --rates (`simspec trees wiki`)")
    if args.nodes < 1:
        raise ValueError(f"--nodes: {args.nodes}; expected at least one draft token")
    source: Any
    if args.rates is not None:
        if args.kind is not None:
            raise ValueError("--kind: acceptance rates have no texts; leave it out")
        source = read_rates(args.rates)
    else:
        place = placed(sources[0])
        source = shares_of_heads(place, args) if holds_heads(place) else load(place, args.temperature, args.kind)
    sizes = [2**k for k in range(args.nodes.bit_length()) if 2**k < args.nodes] + [args.nodes]
    table = trees(source, sizes, args.depth, args.children, args.rule, args.arity)
    if args.json:
        print(show.json_text(table))
        return 0
    show.print_trees(table)
    if args.draw:
        print("\n".join(["", *show.drawn(table[-1].shape)]))
    return 0
