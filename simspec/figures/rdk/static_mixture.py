"""Beyond RDK's figures: the best fixed masses on pruned tokens against every scheme, on real logits.

The picture: gain in acceptance over TLI against the share of tokens kept, a panel for each bank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.rdk.static_gain import static_gain

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["STATIC_MIXTURE"]

_SERIES = {
    "uniform": "uniform",
    "unigram": "unigram",
    "linear": "RDK, linear time",
    "exact": "RDK",
    "mixture": "TLI with unigram",
    "static other": "static mixture",
    "static known": "static mixture, hindsight",
}
_BANKS = ("wiki", "stories")


def _study(*, shares: tuple[float, ...] = (0.25, 0.05, 0.01, 0.0025), banks: tuple[str, ...] = _BANKS) -> Study:
    studies = {name: static_gain(open_bank(name), name, shares, ("frequency",)) for name in banks}
    return replace(
        studies[banks[0]],
        grid=tuple(cell for study in studies.values() for cell in study.grid),
        simulate=lambda cell, rows, device: studies[cell["data"]].simulate(cell, rows, device),
    )


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        values = result.values
        panel = f"{result.cell['data']}, V = {result.cell['vocab']:,}"
        for name, series in _SERIES.items():
            gain = documents(values[name] - values["tli"], values["document"])
            yield point(panel, series, 100 * result.cell["kept"] / result.cell["vocab"], gain)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw every scheme's gain with its interval; nothing is gained on the line at zero."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        own = rows.of(panel)
        for name in own.series():
            marks.curve(axes, own.of(series=name))
        axes.set_xscale("log")
        axes.invert_xaxis()
        marks.guide(axes, [max(own.column("x")), min(own.column("x"))], [0, 0])
        axes.annotate(
            "TLI", (max(own.column("x")), 0), xytext=(24, -10), textcoords="offset points", fontsize=8, color="0.35"
        )
        axes.set_xticks([25, 5, 1, 0.25], ["25", "5", "1", "0.25"])
        axes.minorticks_off()
        axes.set_xlabel("tokens kept, %")
        axes.set_title(panel)
        marks.labelled(axes, 0.06)
    ax[0].set_ylabel("acceptance rate less TLI's")


STATIC_MIXTURE = Figure(
    name="rdk.static-mixture",
    title="What is gained over TLI on real logits: fixed masses on pruned tokens beside RDK",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"shares": (0.01,), "banks": _BANKS[1:]}},
    compact=_compact,
    draw=_draw,
    data="300 contexts of each of the banks wiki and stories; tokens kept by their frequency in other documents; parameters "
    "tuned on other documents; fixed masses of the other half of the documents, and as their ceiling those that are best for "
    "the very contexts",
    intervals="95 % each, of the paired difference: bootstrap over documents",
    claims=("rdk.static-mixture", "rdk.real-pruning", "rdk.real-controls"),
    shape=(1, 2),
    size=(10.5, 4.4),
)
