"""Beyond RDK's figures: where linear-time RDK beats TLI, over pruning, tails, scale and draft quality.

The picture: maps of acceptance differences: scale of the logits over the share of tokens kept, a column for each tail.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result, Study, select
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.studies.rdk.pruning import KEPT, ORDERS, synthetic_pruning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PHASE"]

_TAILS = (5, 10, 30)
_SCALES = (0.25, 0.5, 1, 1.5, 2, 3)
_QUALITY = (1, 0.7)


def _study(vocab: int = 32_000, temperature: float = 1, rows: int = 24, tuning: int = 6) -> Study:
    logits = tuple((df, scale) for df in _TAILS for scale in _SCALES)
    return synthetic_pruning(vocab, logits, tilt=(1,), rho=_QUALITY, rows=rows, tuning=tuning, temperature=temperature)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for rho in _QUALITY:
        drafter = "the pruned target drafts" if rho == 1 else f"draft of correlation {rho:g}"
        yield from _maps(select(results, rho=rho), f"RDK − TLI, {drafter}", "tli")
    yield from _maps(select(results, rho=_QUALITY[-1]), "RDK − its control", "control")


def _maps(results: Sequence[Result], row: str, against: str) -> Iterator[Point]:
    order = ORDERS.index("frequency")
    for result in results:
        values = result.values
        plain = max((values["uniform"], values["unigram"]), key=lambda v: float(v.mean()))
        baseline = values["tli"][:, order] if against == "tli" else np.repeat(plain[:, None], len(KEPT), axis=1)
        for i, share in enumerate(KEPT):
            gap = student(values["rdk prior"][:, order, i] - baseline[:, i], 0.95)
            doubt = "open" if gap.low <= 0 <= gap.high else ""
            panel = f"{row}, df {result.cell['df']:g}"
            yield Point(panel, row, 100 * share, result.cell["scale"], z=gap.estimate, label=doubt)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw every map on one scale of colours, with its numbers; heavy pruning to the right."""
    panels = sorted(rows.panels(), key=lambda panel: rows.series().index(rows.of(panel)[0].series))
    for at, (axes, panel) in enumerate(zip(ax, panels, strict=True)):
        own = rows.of(panel)
        shown = marks.spread(axes, own, cmap="RdBu_r", vmin=-1, vmax=1)
        axes.invert_xaxis()
        _numbers(axes, own)
        row, tail = panel.rsplit(", ", 1)
        axes.set_title(f"{row}, {tail}" if at % 3 == 0 else tail)
        axes.grid(visible=False)
        if at % 3 == 0:
            axes.set_ylabel("scale of the logits")
        if at >= len(ax) - 3:
            axes.set_xlabel("tokens kept, %")
    ax[0].figure.colorbar(shown, ax=ax, shrink=0.5, label="difference of acceptance rates")


def _numbers(axes: Axes, rows: Points) -> None:
    x, y = (sorted(set(rows.column(name))) for name in "xy")
    for p in rows:
        number = "0" if abs(p.z) < 0.005 else f"{p.z:+.2f}".replace("0.", ".").replace("-", "−")
        text = "○" if p.label else number
        ink = "white" if abs(p.z) > 0.6 else "black"
        axes.text(x.index(p.x), y.index(p.y), text, ha="center", va="center", fontsize=6, color=ink)


PHASE = Figure(
    name="rdk.phase",
    title="Where linear-time RDK beats TLI (red): a law fixed beforehand does as well",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"vocab": 500, "rows": 2, "tuning": 2}, "deep": {"vocab": 128_000, "rows": 60, "tuning": 12}},
    compact=_compact,
    draw=_draw,
    data="synthetic Student-t logits with Zipf means, V = 32,000; tokens kept by frequency; mean differences of acceptance; an "
    "open circle marks a difference whose 95 % interval (Student-t, each alone) holds 0; the control is the better of the "
    "uniform and the unigram drafter",
    claims=("rdk.any-drafter", "rdk.plateau-wins", "rdk.linear-is-mixture"),
    shape=(3, 3),
    size=(10.5, 8.4),
)
