"""Accepted drafts of a call over drafted tokens, rule by rule."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

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


def draw(ax: Any, rows: Rows) -> None:
    """Draw a panel for each temperature and each way in which contexts follow one another."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            ink, mark, dashes = _LOOKS[name]
            curve(axes, rows.of(panel, name), color=ink, marker=mark, linestyle=dashes)
        axes.set_title(panel)
        axes.set_xscale("log", base=2)
        axes.set_xticks([1, 2, 4, 8], ["1", "2", "4", "8"])
        axes.minorticks_off()
        axes.set_xlabel("drafted tokens of a call")
        axes.set_ylabel("accepted drafts of a call")
        labelled(axes, 0.05)
