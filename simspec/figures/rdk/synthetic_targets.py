"""RDK, Figure 5: the synthetic target laws, sorted, beside the quantiles of their family and beside real laws.

The picture: probability over rank, both on logarithmic axes, a panel for each law of the logits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.rdk.synthetic_laws import ranks, synthetic_laws

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SYNTHETIC_TARGETS"]

_LOGITS = ((30, 0.5), (30, 2), (5, 2))


def _study(vocab: int = 200_000, rows: int = 100) -> Study:
    return synthetic_laws(vocab, _LOGITS, {"wiki": open_bank("wiki")}, rows)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    synthetic = [r for r in results if "df" in r.cell]
    real = [r for r in results if "df" not in r.cell]
    for result in synthetic:
        cell = result.cell
        panel = f"df {cell['df']:g}, scale {cell['scale']:g}"
        for name, source_result in [("real laws", real[0]), ("drawn", result)]:
            quantiles = np.quantile(source_result.values["sorted"], [0.5, 0.05, 0.95], axis=0)
            for rank, (y, low, high) in zip(ranks(source_result.cell["vocab"]), quantiles.T, strict=True):
                yield Point(panel, name, float(rank), float(y), float(low), float(high))
        for rank, y in zip(ranks(cell["vocab"]), result.values["family"][0], strict=True):
            yield Point(panel, "family", float(rank), float(y))


_LOOKS = {
    "real laws": {"color": "#7F4F24", "linestyle": "-.", "marker": ""},
    "drawn": {"color": "#000000", "linestyle": "-", "marker": ""},
    "family": {"color": "#E69F00", "linestyle": ":", "marker": ""},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the median of the laws with the range of most of them, and the family's quantiles."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            marks.curve(axes, own.of(series=name), **_LOOKS[name])
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(1e-12, 2)
        vocab = max(own.of(series="family").column("x"))
        marks.guide(axes, [1, vocab], [1 / vocab, 1 / vocab])
        axes.set_title(f"Student-t logits, {panel}")
        axes.set_xlabel("rank of the token")
        marks.labelled(axes, 0.07)
    ax[0].annotate("uniform", (1.3, 1 / vocab), xytext=(0, -10), textcoords="offset points", color="0.35", fontsize=8)
    ax[0].set_ylabel("probability")


SYNTHETIC_TARGETS = Figure(
    name="rdk.synthetic-targets",
    title="Synthetic target laws: one family from nearly uniform to nearly one-hot",
    source="RDK, Figure 5",
    study=_study,
    sizes={"quick": {"vocab": 2_000, "rows": 4}, "deep": {"rows": 400}},
    compact=_compact,
    draw=_draw,
    data="softmax of 200,000 independent Student-t logits, sorted; the family's own quantiles; the 300 contexts of the bank "
    "wiki (V = 16,384)",
    intervals="not of an estimate: the range of 90 % of the laws, around their median",
    shape=(1, 3),
    size=(11, 3.7),
)
