"""Depth and siblings on a real pair: the best tree by number of nodes, eight drafts as siblings or levels, rules that stop.

The picture: accepted drafts over nodes of a tree, over siblings of a level, and over the tokens that a chain drafts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.laws import Array
from simspec.logits.bank import Bank, open_bank
from simspec.methods.tree.best import accepted_drafts, best_tree, level_order, sequoia_tree
from simspec.methods.tree.shapes import Shape, chain
from simspec.studies.joint.budgets import child_rates, tuned_laws
from simspec.studies.joint.shapes import drafted_chains, drafted_siblings
from simspec.studies.pairs import bank_laws

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SHAPES"]

_SIZES = (1, 2, 4, 8, 16, 32, 64)
_SPENT = 8
"""Drafted tokens of the panels of siblings."""
_SIBLINGS = ("rrs", "rrsw", "kseq", "target-only", "traversal", "traversal-swor")
_STOPPING = ("top-stop:0.3", "entropy-stop:0.3", "p-min-kept:0.3")
_CHILDREN = 8


def _trees(rates: Array, size: int) -> dict[str, Shape]:
    """Trees of some nodes: the best at the mean rates of children, Sequoia's, a chain and a fixed one."""
    return {
        "best tree": best_tree(size, rates).shape,
        "Sequoia": sequoia_tree(size, rates).shape,
        "chain": chain(size),
        "two children each": level_order(size, 2),
    }


def _of_trees(bank: Bank, count: int, fitted: int) -> Values:
    """Accepted drafts in each context of trees fitted on other contexts; children drawn without replacement."""
    p, q = tuned_laws(bank, fitted, 1.0)
    rates = child_rates("rrsw", p, q, range(count, count + len(p)), _CHILDREN).mean(axis=0)
    p, q = bank_laws(bank, np.arange(count), 1.0)
    here = child_rates("rrsw", p, q, range(count), _CHILDREN)
    columns = {
        f"{name} {size}": np.array([accepted_drafts(shape, row) for row in here])
        for size in _SIZES
        for name, shape in _trees(rates, size).items()
    }
    return {**columns, "document": np.asarray(bank.documents)[:count].astype(np.float64)}


def _study(
    contexts: int = 150,
    fitted: int = 40,
    *,
    depths: tuple[int, ...] = (1, 2, 4, 8),
    sibling_counts: tuple[int, ...] = (1, 2, 4, 8),
) -> Study:
    """Return one study of fitted trees, siblings and chains of drafts on the wiki bank."""
    bank = open_bank("wiki")
    contexts = min(contexts, bank.contexts)
    chains, siblings = (make_study(bank, (1.0,), contexts) for make_study in (drafted_chains, drafted_siblings))
    sides = tuple(c for c in siblings.grid if c["k"] * c["depth"] == _SPENT and c["k"] in sibling_counts)
    levels = tuple(c for c in chains.grid if c["depth"] in depths and c["contexts"] == "one a level")

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        # the parameters of a cell tell which of the three it belongs to
        if "tree" in cell:
            return _of_trees(bank, contexts, fitted)
        return (siblings if "k" in cell else chains).simulate(cell, rows, device)

    return replace(
        chains,
        name="shapes",
        question="How do accepted drafts depend on siblings, depth and the shape of a tree?",
        grid=({"tree": "fitted", "rows": contexts}, *sides, *levels),
        simulate=simulate,
        rows=contexts,
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        cell = result.cell
        document = result.values["document"]
        means = {n: documents(values, document) for n, values in result.values.items() if n != "document"}
        if "tree" in cell:
            for name, mean in means.items():
                series, size = name.rsplit(" ", 1)
                yield point("best tree", series, int(size), mean)
        elif "k" in cell:
            yield from (point(cell["contexts"], name, cell["k"], means[name]) for name in _SIBLINGS)
        else:
            yield point("stopping", "sd", cell["depth"], means["sd"])
            yield from (point("stopping", n, means[f"drafted {n}"].estimate, means[n]) for n in _STOPPING)


_TREE_LOOKS = {
    "best tree": ("#009E73", "^", "-"),
    "Sequoia": ("#E69F00", "s", "--"),
    "two children each": ("#0072B2", "o", "-."),
    "chain": ("#000000", "x", ":"),
}
_SIBLING_LOOKS = {
    "traversal-swor": ("#CC79A7", "D", "-"),
    "traversal": ("#CC79A7", "d", "--"),
    "rrsw": ("#009E73", "^", "-"),
    "rrs": ("#009E73", "v", "--"),
    "kseq": ("#0072B2", "s", "-"),
    "target-only": ("#000000", "x", ":"),
}
_STOPPING_LOOKS = {
    "sd": ("#000000", "o", "-"),
    "top-stop:0.3": ("#D55E00", "^", "-"),
    "entropy-stop:0.3": ("#E69F00", "s", "--"),
    "p-min-kept:0.3": ("#0072B2", "D", ":"),
}
_PANELS = (
    ("best tree", _TREE_LOOKS, "trees without replacement", "nodes of the tree"),
    ("one a call", _SIBLING_LOOKS, "eight drafts, one context a call", "siblings of a level"),
    ("one a level", _SIBLING_LOOKS, "eight drafts, a context a level", "siblings of a level"),
    ("stopping", _STOPPING_LOOKS, "chains that stop", "tokens drafted"),
)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the best tree beside others, rules for siblings at eight drafts, and chains that stop."""
    for axes, (panel, looks, title, label) in zip(ax, _PANELS, strict=True):
        for name, (ink, mark, dashes) in looks.items():
            if len(rows.of(panel, name)):
                marks.curve(axes, rows.of(panel, name), color=ink, marker=mark, linestyle=dashes, label=name)
        axes.set_title(title)
        axes.set_xscale("log", base=2)
        axes.set_xlabel(label)
        axes.set_ylabel("accepted drafts of a call")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        marks.labelled(axes, 0.05)


SHAPES = Figure(
    name="all.shapes",
    title="Depth and siblings: what a tree, eight drafts of one call, and a draft that stops early accept",
    source="beyond the papers",
    study=_study,
    sizes={
        "quick": {"contexts": 3, "fitted": 2, "depths": (1, 2), "sibling_counts": (_SPENT,)},
        "deep": {"contexts": 300, "fitted": 60},
    },
    compact=_compact,
    draw=_draw,
    data="150 contexts of the bank wiki at temperature 1; upper left, trees of at most eight children a node, drawn without "
    "replacement, fitted on tuning contexts, in calls that stay in one context; then eight drafts as siblings of a level, the "
    "first of which has those of the next, in calls that stay in one context and in calls whose levels have contexts of their "
    "own; lower right, chains of up to eight drafts over the tokens drafted, each level in a context of its own",
    intervals="95 % each: bootstrap over documents",
    claims=("tree.sequoia-dp", "tree.traversal-over-rrs", "stop.never-more"),
    shape=(2, 2),
    size=(10.5, 7.6),
)
