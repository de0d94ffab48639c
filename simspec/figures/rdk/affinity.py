"""RDK, Figure 11: the affinity matrix as a map, and how many of its rows are sharp, uniform or neither.

The picture: three affinity matrices as maps, how far each of their rows spreads, and how sparse they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Cell, Result, Rows, Study, Values, select
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.rdk.affinity import KINDS, TEMPERATURES
from simspec.studies.rdk.affinity_map import affinity_map

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["AFFINITY"]

_FLOOR = -4.0
"""Least logarithm of an entry that is told from 0."""
_SPARSE = 0.9
_SHOWN = TEMPERATURES[1:4]


_BANKS = {"wiki": "wiki", "smollm2": "SmolLM2", "stories": "stories"}


def _study(points: int = 48, rows: int = 400, *, banks: tuple[str, ...] = tuple(_BANKS)) -> Study:
    studies = {name: affinity_map(open_bank(name), points, rows=rows) for name in banks}

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return studies[cell["bank"]].simulate(cell, rows, device)

    first = studies[banks[0]]
    count = max(study.rows for study in studies.values())
    return replace(
        first, grid=tuple(cell for study in studies.values() for cell in study.grid), simulate=simulate, rows=count
    )


def _title(result: Result) -> str:
    return f"{_BANKS[result.cell['bank']]}, {result.cell['kind']}"


def _maps(result: Result) -> Iterator[Point]:
    """Logarithm of each entry over the uniform one, token of rank y to token of rank x."""
    ranks = result.values["rank"]
    for rank, row in zip(ranks, result.values["map"], strict=True):
        log_ratios = np.log10(np.maximum(row * result.cell["vocab"], 10.0**_FLOOR)).round(3)
        for to, value in zip(ranks, log_ratios, strict=True):
            yield Point(f"{_title(result)}: map", "M", float(to), float(rank), z=float(value))


def _spread(result: Result) -> Iterator[Point]:
    for share in _SHOWN:
        for rank, count in zip(result.values["rank"], result.values[f"effective {share:g}"], strict=True):
            yield Point(f"{_title(result)}: rows", f"τ = {share:g}", float(rank), float(count))


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for map_result in select(results, part="map"):
        yield from _maps(map_result)
        yield from _spread(map_result)
    for share_kind in ("entries near zero", "sparse rows"):
        for rows_result in select(results, part="rows"):
            panel = f"{_BANKS[rows_result.cell['bank']]}: {share_kind}"
            for share in TEMPERATURES:
                near = rows_result.values[f"{share:g}"]
                values = near if share_kind == "entries near zero" else (near > _SPARSE).astype(float)
                yield point(panel, rows_result.cell["kind"], share, student(values, 0.95, 0, 1))


RANKS = (1, 10, 100, 1000, 10000)


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw two rows of panels for each bank: maps above rows, and on the right what share of entries and of rows is near zero."""
    for place, bank in enumerate(_BANKS.values()):
        _draw_bank(ax[8 * place : 8 * place + 8], rows, bank)
    ax[4].legend(loc="center right")
    ax[3].legend(loc="center right", bbox_to_anchor=(1, 0.68))


def _draw_bank(ax: Sequence[Axes], rows: Points, bank: str) -> None:
    """Draw a bank in two rows of four panels: maps, tokens that rows spread over, and shares of entries and rows near zero."""
    for place, kind in enumerate(KINDS):
        shown = _draw_map(ax[place], rows.of(f"{bank}, {kind}: map"))
        ax[place].set_title(f"{bank}: M, covariance of {kind}")
        _draw_spread(ax[4 + place], rows.of(f"{bank}, {kind}: rows"))
    bar = ax[2].figure.colorbar(shown, ax=ax[2], pad=0.02, ticks=[-2, -1, 0, 1, 2])
    bar.ax.set_yticklabels(["≤ 0.01", "0.1", "uniform", "10", "≥ 100"])
    bar.ax.set_title("entry × V", fontsize=8, loc="left", pad=9)
    ax[0].set_ylabel("from token of rank")
    ax[4].set_ylabel("tokens that a row spreads over")
    titles = {
        "entries near zero": "entries below 1/(10 V)",
        "sparse rows": "rows with 90 % such entries",
    }
    for axes, (share_kind, title) in zip((ax[3], ax[7]), titles.items(), strict=True):
        marks.curves(axes, rows.of(f"{bank}: {share_kind}"))
        axes.set_xscale("log")
        axes.invert_xaxis()
        axes.set_ylim(-0.03, 1.03)
        axes.set_title(f"{bank}: {title}")
        axes.set_xlabel("τ, share of the largest entry")
        axes.set_ylabel("share")
    marks.guide(ax[3], [1, 1e-5], [0.9, 0.9])


def _draw_map(axes: Axes, own: Points) -> Any:
    """Draw a map from the most frequent token, at the top left, to the rarest."""
    shown = marks.spread(axes, own, cmap="cividis", vmin=-2, vmax=2, rasterized=True)
    logs = np.log10(sorted(set(own.column("x"))))
    ranks = [rank for rank in RANKS if np.log10(rank) <= logs[-1]]
    ticks = [float(np.interp(np.log10(rank), logs, np.arange(len(logs)))) for rank in ranks]
    axes.set_xticks(ticks, [f"{rank:,}" for rank in ranks])
    axes.set_yticks(ticks, [f"{rank:,}" for rank in ranks])
    axes.invert_yaxis()
    axes.grid(False)
    axes.set_xlabel("to token of rank")
    return shown


def _draw_spread(axes: Axes, own: Points) -> None:
    """Draw over how many tokens the rows spread, darker where the temperature is lower."""
    inks = {"o": "0.72", "s": "0.45", "D": "0.0"}
    for (mark, ink), name in zip(inks.items(), own.series(), strict=True):
        marks.curve(axes, own.of(series=name), color=ink, marker=mark, markersize=3, linestyle="")
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlabel("rank of the token")


AFFINITY = Figure(
    name="rdk.affinity",
    title="The affinity matrix: of probabilities and tokens some rows are sharp, others uniform at one τ; sparsity is its choice",
    source="RDK, Figure 11",
    study=_study,
    sizes={"quick": {"points": 8, "rows": 12, "banks": ("wiki",)}, "deep": {"points": 64, "rows": 4_000}},
    compact=_compact,
    draw=_draw,
    data="banks wiki (V = 16,384), smollm2 (SmolLM2-135M-Instruct, V = 49,152, on wiki's texts) and stories (V = 2,048), M of "
    "Eq. 2 on the covariance of probabilities, of logits and of one-hot tokens; τ as a share of its largest entry, 0.01 in the "
    "maps; near zero is below 1/(10 V), a sparse row has more than 90 % such entries",
    intervals="Student-t over rows drawn at random, 95 % each; maps and rows of chosen tokens are exact",
    claims=("rdk.affinity-sparsity", "rdk.affinity-rows"),
    shape=(6, 4),
    size=(13.6, 18.3),
    missing="the paper's model and the 200 tokens of its map are not at hand; the tokens shown run from the most "
    "frequent to the rarest in equal ratios of rank",
)
