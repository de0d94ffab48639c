"""Accepted drafts over nodes of a tree, over siblings of a level, and over the tokens that a chain drafts."""

from __future__ import annotations

from typing import Any

from simspec.figures.marks import curve, labelled
from simspec.figures.table import Rows

_TREES = {
    "best tree": ("#009E73", "^", "-"),
    "Sequoia": ("#E69F00", "s", "--"),
    "two children each": ("#0072B2", "o", "-."),
    "chain": ("#000000", "x", ":"),
}
_SIBLINGS = {
    "traversal-swor": ("#CC79A7", "D", "-"),
    "traversal": ("#CC79A7", "d", "--"),
    "rrsw": ("#009E73", "^", "-"),
    "rrs": ("#009E73", "v", "--"),
    "kseq": ("#0072B2", "s", "-"),
    "target-only": ("#000000", "x", ":"),
}
_STOPPING = {
    "sd": ("#000000", "o", "-"),
    "top-stop:0.3": ("#D55E00", "^", "-"),
    "entropy-stop:0.3": ("#E69F00", "s", "--"),
    "p-min-kept:0.3": ("#0072B2", "D", ":"),
}
_PANELS = (
    ("best tree", _TREES, "trees without replacement", "nodes of the tree"),
    ("one a call", _SIBLINGS, "eight drafts, one context a call", "siblings of a level"),
    ("one a level", _SIBLINGS, "eight drafts, a context a level", "siblings of a level"),
    ("stopping", _STOPPING, "chains that stop", "tokens drafted"),
)


def draw(ax: Any, rows: Rows) -> None:
    """Draw the best tree beside others, rules for siblings at eight drafts, and chains that stop."""
    for axes, (panel, looks, title, label) in zip(ax, _PANELS, strict=True):
        for name, (ink, mark, dashes) in looks.items():
            if len(rows.of(panel, name)):
                curve(axes, rows.of(panel, name), color=ink, marker=mark, linestyle=dashes, label=name)
        axes.set_title(title)
        axes.set_xscale("log", base=2)
        axes.set_xlabel(label)
        axes.set_ylabel("accepted drafts of a call")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        labelled(axes, 0.05)
