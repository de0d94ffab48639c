"""How acceptance of heads is shown: in a terminal, as sentences, and as JSON."""

from __future__ import annotations

import json
import sys
from typing import Any

import numpy as np

from simspec.engine.estimates.clusters import too_few
from simspec.engine.estimates.halves import too_few_to_halve
from simspec.engine.estimates.intervals import Interval
from simspec.html.escaping import escaped
from simspec.tools.heads.choice import best_gamma
from simspec.tools.heads.table import COLUMNS, PARALLEL_COLUMNS, HeadsTable
from simspec.tools.heads.trees import HeadTree
from simspec.tools.rates.show import cell_text, count_text, plain_interval

__all__ = ["advice_sentences", "facts", "json_text", "print_heads", "tree_sentence"]

ROUNDING = 1e-9
"""Gaps of a certificate up to here come of rounding."""


def print_heads(rows: HeadsTable) -> None:
    """The table as `simspec rates` prints it, what its columns mean, and what they rest on."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from simspec.engine.show.columns import print_fitting

    blocks, _, vocab = rows.heads.q.shape
    title = (
        f"{escaped(rows.heads.source)}: {count_text(blocks, 'block')} of {count_text(len(rows), 'position')} over "
        f"{count_text(vocab, 'token')}"
    )
    listed = Table(title=Text(title, "table.title"), box=None)
    names = [name for name in COLUMNS if rows[0].values[name] is not None]
    has_bounds = rows.heads.tokens is None
    listed.add_column("position", justify="right")
    for name in names:
        listed.add_column(name, justify="right")
    if has_bounds:
        listed.add_column("bounds", justify="right")
    for row in rows:
        cells = [cell_text(row.values[name], name) for name in names]
        bounds = ["{:.3f} to {:.3f}".format(*row.bounds)] if has_bounds else []
        listed.add_row(str(row.position), *cells, *bounds)
    console = Console(file=sys.stdout, highlight=False, width=None if sys.stdout.isatty() else 160)
    print_fitting(console, listed)
    for name in names:
        console.print(f"  {name}: {COLUMNS[name]}", soft_wrap=True)
    for line in _notes(rows):
        console.print(line, soft_wrap=True, markup=False)


def _notes(rows: HeadsTable) -> list[str]:
    """What the table rests on, and what the laws after each first token add."""
    notes = []
    if rows.heads.tokens is None:
        notes += [
            "  bounds: of the probability that it and all before it are accepted, on text that the target drew",
            "  tokens and speedup take independent; an array tokens, of text that the target drew, makes them unbiased",
        ]
    verify = f", verify cost = {rows.measured.verify:g} for each" if rows.measured.verify else ""
    notes.append(f"  cost = {rows.measured.cost:g} for all drafts of a block{verify}; {_clusters(rows)}")
    parallel = rows.parallel
    if parallel is not None:
        notes.append("second position, over all first tokens of the target:")
        notes += [f"  {cell_text(parallel.values[name], name)}  {PARALLEL_COLUMNS[name]}" for name in PARALLEL_COLUMNS]
        certificate = (
            "none is better" if parallel.gap <= ROUNDING else f"no other is better by more than {parallel.gap:.3g}"
        )
        notes.append(f"  certificate of the best one: {certificate}, at any block")
        notes.append(f"  both positions are accepted with probability {cell_text(parallel.survival, 'survival')}")
    return notes


def _clusters(rows: HeadsTable) -> str:
    """What the intervals are over, or why there are none."""
    units, noun = _units(rows)
    return too_few(units, noun) or f"± the longer side of the {rows.level:.0%} interval over {count_text(units, noun)}"


def _units(rows: HeadsTable) -> tuple[int, str]:
    """How many documents there are, and what they are: each block one of its own, or documents of several."""
    document = rows.heads.document
    count = len(np.unique(document))
    return count, "block" if count == len(document) else "document"


def _ends(speedup: Interval) -> str:
    """The ends of an interval in words; nothing where there are none."""
    if not np.isfinite(speedup.low):
        return ""
    return f" ({100 * speedup.level:g} % interval {speedup.low:.2f} to {speedup.high:.2f})"


def advice_sentences(rows: HeadsTable) -> list[str]:
    """How many heads to use, what its interval allows for, and which numbers cannot be told from it.

    >>> from simspec.tools.heads import head_rates
    >>> print(*advice_sentences(head_rates({"p": [[[0.5, 0.5]]] * 6, "heads": [[[0.5, 0.5]]] * 6})), sep="\\n")
    Draft 1 token per target step: mean acceptance length 2.00, 1.82 times the target's speed (95 % interval 1.37 to 1.82).
    """
    best = best_gamma(rows)
    if best.gamma == 0:
        sentences = ["Do not draft: no number of heads is faster than the target alone at these costs."]
    else:
        tokens = rows[best.gamma - 1].values["tokens"]
        assert tokens is not None  # every row has one
        sentence = (
            f"Draft {count_text(best.gamma, 'token')} per target step: mean acceptance length {tokens.estimate:.2f}, "
            f"{best.speedup.estimate:.2f} times the target's speed{_ends(best.speedup)}."
        )
        sentences = [sentence]
        compared = len(best.compared) - 1
        if _ends(best.speedup) and compared > 1:
            sentences.append(f"The interval allows for the choice among {compared} numbers of draft tokens.")
    if best.rivals:
        numbers = ", ".join(map(str, best.rivals))
        sentences.append(f"These blocks do not show that other numbers are slower: γ = {numbers}.")
    if rows.heads.tokens is None and len(rows) > 1:
        sentences.append(
            "Lengths are those of acceptance that does not depend on which tokens were accepted; an array tokens makes them "
            "unbiased."
        )
    return sentences


def tree_sentence(tree: HeadTree, rows: HeadsTable) -> str:
    """The fastest tree in a sentence, and on what it was judged.

    >>> from simspec.tools.heads import HeadOptions, best_head_tree, head_rates
    >>> rows = head_rates({"p": [[[0.5, 0.5]]] * 10, "heads": [[[0.5, 0.5]]] * 10}, HeadOptions(cost=0.25))
    >>> print(tree_sentence(best_head_tree(rows), rows))  # doctest: +NORMALIZE_WHITESPACE
    A tree of 2 tokens on 1 level, of the heads' most likely tokens: mean acceptance length 2.00, 1.60 times the target's speed
    (95 % interval 1.12 to 1.60), if a level accepts as often after every branch; chosen on one half of 10 blocks, judged on
    the other.
    """
    units, noun = _units(rows)
    shape = f"{count_text(tree.nodes, 'token')} on {count_text(tree.levels, 'level')}"
    judged = f"chosen on one half of {count_text(units, noun)}, judged on the other"
    basis = judged if tree.is_judged else too_few_to_halve(units, noun)
    if tree.speedup.estimate < 1:
        return (
            f"No tree of the heads' most likely tokens is faster than the target alone: the best has {shape} and "
            f"{tree.speedup.estimate:.2f} times its speed{_ends(tree.speedup)}; {basis}."
        )
    return (
        f"A tree of {shape}, of the heads' most likely tokens: mean acceptance length {tree.tokens:.2f}, "
        f"{tree.speedup.estimate:.2f} times the target's speed{_ends(tree.speedup)}, if a level accepts as often after every "
        f"branch; {basis}."
    )


def facts(rows: HeadsTable) -> dict[str, Any]:
    """All numbers of a table, for JSON.

    >>> from simspec.tools.heads import head_rates
    >>> facts(head_rates({"p": [[[0.5, 0.5]]], "heads": [[[1, 0]]]}))["positions"][0]["bounds"]
    [0.5, 0.5]
    """
    parallel = rows.parallel
    best = best_gamma(rows)
    return {
        "source": rows.heads.source,
        "blocks": len(rows.heads.q),
        "cost": rows.measured.cost,
        "verify_cost": rows.measured.verify,
        "unbiased": rows.heads.tokens is not None,
        "positions": [
            {"position": row.position}
            | {name: plain_interval(value) for name, value in row.values.items()}
            | {"bounds": list(row.bounds)}
            for row in rows
        ],
        "second_position": None
        if parallel is None
        else {name: plain_interval(value) for name, value in parallel.values.items()}
        | {"both": plain_interval(parallel.survival), "gap": parallel.gap},
        "best": {
            "gamma": best.gamma,
            "speedup": plain_interval(best.speedup),
            "compared": best.compared,
            "not_shown_slower": best.rivals,
        },
    }


def json_text(rows: HeadsTable, tree: HeadTree | None = None) -> str:
    """A table as JSON, with a tree of the heads' tokens where there is one.

    >>> from simspec.tools.heads import head_rates
    >>> json.loads(json_text(head_rates({"p": [[[0.5, 0.5]]], "heads": [[[1, 0]]]})))["best"]["gamma"]
    1
    """
    extra = {} if tree is None else {"tree": tree._asdict() | {"speedup": plain_interval(tree.speedup)}}
    return json.dumps(facts(rows) | extra, indent=1)
