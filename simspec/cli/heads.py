"""What `simspec rates`, `trees` and `advise` do with a file that holds heads of a block drafter."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from simspec.cli.options import only_temperature, refuse_other_options
from simspec.cli.output import put

if TYPE_CHECKING:
    from simspec.tools.trees import Shares

__all__ = ["advise_heads", "rate_heads", "shares_of_heads"]

Declare = Callable[[argparse.ArgumentParser], None]
PAIR = "save one head as q beside p for other options: np.savez('head.npz', p=p[:, 0], q=heads[:, 0])"


def rate_heads(source: Any, args: argparse.Namespace, declare: Declare) -> int:
    """Measure heads for `simspec rates`, then print a table or JSON."""
    from simspec.cli.progress import progress
    from simspec.tools.heads import HeadOptions, head_rates
    from simspec.tools.heads.show import json_text, print_heads

    taken = ("source", "bank", "gamma", "cost", "temperature", "json")
    refuse_other_options(args, declare, taken, _subject(source))
    with progress() as report_progress:
        report_progress("reading laws", 0, None)
        rows = head_rates(source, HeadOptions(args.gamma, cost=args.cost), args.temperature, report_progress)
    if args.json:
        print(json_text(rows))
    else:
        print_heads(rows)
    return 0


def shares_of_heads(source: Any, args: argparse.Namespace) -> Shares:
    """Shares of acceptance by depth for `simspec trees`, of the heads' most likely tokens."""
    from simspec.tools.heads import head_shares, load_heads

    if args.rule != "top":
        raise ValueError(
            f"--rule: {args.rule!r}; {source} holds heads, whose most likely tokens are the children; expected --rule top"
        )
    return head_shares(load_heads(source, args.temperature), args.children)


def advise_heads(source: Any, args: argparse.Namespace, gammas: tuple[int, ...] | None, declare: Declare) -> int:
    """How many heads to use for `simspec advise`, and what a tree of their tokens gives; a table or JSON.

    `gammas` are the numbers of draft tokens that are compared, None for all that there are.
    """
    from simspec.cli.progress import progress
    from simspec.tools.heads import HeadOptions, best_head_tree, head_rates, load_heads
    from simspec.tools.heads.show import advice_sentences, json_text, print_heads, tree_sentence

    taken = ("models", "bank", "gamma", "cost", "verify_cost", "temperature", "json")
    refuse_other_options(args, declare, taken, _subject(source))
    with progress() as report_progress:
        report_progress("reading laws", 0, None)
        heads = load_heads(source, only_temperature(args.temperature, _subject(source)))
        count = heads.q.shape[1]
        numbers = gammas or tuple(range(1, count + 1))
        if numbers[-1] > count:
            raise ValueError(f"--gamma: {args.gamma!r}; {source} has {count} heads, expected numbers from 1 to {count}")
        options = HeadOptions(
            gamma=numbers[-1],
            fewest=numbers[0],
            cost=0.1 if args.cost is None else args.cost,
            verify=args.verify_cost or 0.0,
        )
        rows = head_rates(heads, options, progress=report_progress)
        tree = best_head_tree(rows)
    if args.json is None or not put(json_text(rows, tree) + "\n", args.json):
        print_heads(rows)
        print("\n".join([*advice_sentences(rows), tree_sentence(tree, rows)]))
    return 0


def _subject(source: Any) -> str:
    return f"{source}, which holds heads ({PAIR})"
