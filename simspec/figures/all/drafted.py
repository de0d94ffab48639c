"""Accepted drafts over drafted tokens: chains, several drafts of one step and trees, on a real pair at two temperatures.

The picture: accepted drafts of a call over drafted tokens, rule by rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.joint.budgets import drafted_on_bank

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["DRAFTED"]

_SHOWN = {
    "block": "block",
    "token": "token by token",
    "tree, traversal without": "tree, traversal",
    "tree, rrsw": "tree, without replacement",
    "tree, top": "tree of likely tokens",
    "best, without": "one step, best rule",
    "rrsw": "one step, rejection",
    "match": "one step, match",
}


def _study(contexts: int = 150, fitted: int = 40, *, temperatures: tuple[float, ...] = (1.0, 0.5)) -> Study:
    return drafted_on_bank(open_bank("wiki"), temperatures, contexts, fitted)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        cell = result.cell
        panel = f"temperature {cell['temperature']:g}, {cell['contexts'].replace('one', 'one context')}"
        for name, series in _SHOWN.items():
            mean = documents(result.values[name], result.values["document"])
            yield point(panel, series, cell["budget"], mean)


_LOOKS = {
    "block": ("#D55E00", "o", "-"),
    "token by token": ("#000000", "o", "-"),
    "tree, traversal": ("#CC79A7", "D", "-"),
    "tree, without replacement": ("#009E73", "^", "-"),
    "tree of likely tokens": ("#009E73", "^", ":"),
    "one step, best rule": ("#0072B2", "s", "--"),
    "one step, rejection": ("#0072B2", "s", "-"),
    "one step, match": ("#777777", "x", ":"),
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a panel for each temperature and each way in which contexts follow one another."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            ink, mark, dashes = _LOOKS[name]
            marks.curve(axes, rows.of(panel, name), color=ink, marker=mark, linestyle=dashes)
        axes.set_title(panel)
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
        axes.minorticks_off()
        axes.set_xlabel("drafted tokens of a call")
        axes.set_ylabel("accepted drafts of a call")
        marks.labelled(axes, 0.05)


DRAFTED = Figure(
    name="all.drafted",
    title="Where drafted tokens are best spent: mostly on a tree or a block that is judged as a whole",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"contexts": 3, "fitted": 2, "temperatures": (1.0,)}, "deep": {"contexts": 300, "fitted": 60}},
    compact=_compact,
    draw=_draw,
    data="150 contexts of the bank wiki, as calls that stay in one context and as calls whose levels have contexts of their own; "
    "trees of at most four children a node, fitted on tuning contexts; blocks along 32 drawn paths a context, traversal "
    "on 8 drawn trees without replacement",
    intervals="95 % each: bootstrap over documents",
    claims=("block.never-worse", "tree.over-chain", "multi.subset"),
    shape=(2, 2),
    size=(10.5, 7.6),
)
