"""Accepted drafts over drafted tokens: chains, several drafts of one step and trees, on a real pair at two temperatures.

The picture: accepted drafts of a call over drafted tokens, rule by rule.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.data import SMOLLM2, bank_of, words
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.joint.budgets import drafted_on_bank
from simspec.studies.joint.budgets_halves import drafted_halves

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


_PAIRS = ("wiki", *SMOLLM2)


def _study(
    contexts: int = 150,
    fitted: int = 40,
    *,
    temperatures: tuple[float, ...] = (1.0, 0.5),
    pairs: tuple[str, ...] = _PAIRS,
) -> Study:
    """Return one study of the wiki bank at each temperature and of SmolLM2 at temperature 1, which has no tuning contexts."""
    wiki = drafted_on_bank(open_bank("wiki"), temperatures, contexts, fitted)
    halves = {name: drafted_halves(bank_of(cell), (1.0,), contexts, tuple(_SHOWN)) for name, cell in SMOLLM2.items()}
    grid: list[Cell] = [{**cell, "pair": name} for name in _PAIRS[1:] if name in pairs for cell in halves[name].grid]

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        if "pair" not in cell:
            return wiki.simulate(cell, rows, device)
        return halves[cell["pair"]].simulate(cell, rows, device)

    return replace(wiki, grid=(*wiki.grid, *grid), simulate=simulate)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        cell = result.cell
        pair = words(SMOLLM2[cell["pair"]]) if "pair" in cell else f"wiki, temperature {cell['temperature']:g}"
        panel = f"{pair}, {cell['contexts'].replace('one', 'one context')}"
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
    by_way = sorted(rows.panels(), key=lambda panel: panel.endswith("one context a level"))
    for axes, panel in zip(ax, by_way, strict=False):
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
    sizes={
        "quick": {"contexts": 3, "fitted": 2, "temperatures": (1.0,), "pairs": _PAIRS[:1]},
        "deep": {"contexts": 300, "fitted": 60},
    },
    compact=_compact,
    draw=_draw,
    data="150 contexts of the bank wiki at temperatures 1 and 0.5, and 39 whole rows of answers of the bank smollm2 "
    "(SmolLM2-135M-Instruct with itself as the draft, its weights rounded) at temperature 1, as calls that stay in one context "
    "and as calls whose levels have contexts of their own; trees of at most four children a node, fitted on tuning contexts of "
    "wiki, and on the other half of the documents of smollm2; blocks along 32 drawn paths a context, traversal on 8 drawn trees "
    "without replacement",
    intervals="95 % each: bootstrap over documents",
    claims=("block.never-worse", "tree.over-chain", "multi.subset"),
    shape=(2, 4),
    size=(20.0, 7.6),
)
