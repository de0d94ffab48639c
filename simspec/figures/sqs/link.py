"""Latency and resampling on a thin wire: over temperature, over the parameter K or β, and with the threshold held."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Cell, Result, Rows, Study, Values, remembered
from simspec.figures import marks
from simspec.figures.data import SMOLLM2, bank_of, words
from simspec.figures.figure import point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.sqs.edge_cloud import edge_cloud
from simspec.studies.sqs.link_schemes import dense, threshold, top_k

__all__ = [
    "DATA",
    "FIRSTS",
    "INTERVALS",
    "KINDS",
    "LATENCY",
    "MISSING",
    "RESAMPLING",
    "SIZES",
    "STEP_SIZES",
    "TITLES",
    "TOKENS_KEPT",
    "draw_by_temperature",
    "over",
    "study",
]

TOKENS_KEPT = (2, 4, 8, 16, 32, 64, 128, 256)
FIRSTS = (0.1, 0.03, 0.01, 0.003, 0.001, 0.0003)
STEP_SIZES = (1e-4, 1e-3, 1e-2, 1e-1)
SCHEMES: Mapping[str, Cell] = {
    "dense": dense(),
    **{f"K = {k}": top_k(k) for k in TOKENS_KEPT},
    **{f"C-SQS from {first:g}": threshold(first) for first in FIRSTS},
    **{f"threshold {first:g}": threshold(first, step_size=0) for first in FIRSTS},
    **{f"step {step:g}": threshold(0.01, step_size=step) for step in STEP_SIZES},
}
LATENCY = "slow uplink latency"
RESAMPLING = "resampling"
KINDS = {
    "wiki": "wiki bank",
    **{name: words(cell) for name, cell in SMOLLM2.items()},
    "synthetic Student-t logits": "Student-t logits",
}
"""What each panel is about, by the name of the data in the cells."""
TITLES = {LATENCY: "latency", RESAMPLING: "resampling"}


@cache
def study(
    rows: int = 30,
    *,
    temperatures: tuple[float, ...] = (0.25, 0.5, 0.75, 1.0, 1.25, 1.5),
    laws: tuple[str, ...] = tuple(KINDS),
) -> Study:
    """All schemes on the same links, over temperature; the four figures share what it simulates."""
    links = partial(edge_cloud, schemes=SCHEMES, temperatures=temperatures, paired=True, longest=(64,))
    real = {name: links(bank_of(cell), name) for name, cell in SMOLLM2.items()}
    studies = {"wiki": links(open_bank("wiki")), **real, "synthetic Student-t logits": links()}

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        return studies[cell["data"]].simulate(cell, rows, device)

    grid = tuple(cell for name in laws for cell in studies[name].grid)
    return replace(studies["wiki"], grid=grid, simulate=remembered(simulate), rows=rows)


SIZES: Mapping[str, Mapping[str, Any]] = {"quick": {"rows": 3, "temperatures": (0.5, 1.0), "laws": tuple(KINDS)[-1:]}}
"""What the efforts change of the study."""


def draw_by_temperature(ax: Any, rows: Points, above: str, labels: Callable[[str], tuple[str, str]]) -> None:
    """Draw a curve for each temperature, cold to hot, in a panel for each kind of laws and each of two groups.

    Parameters
    ----------
    ax : axes of two rows of panels
    rows : what is drawn
    above : what the titles of the panels in the upper row begin with
    labels : title of a panel -> labels of its x axis and its y axis
    """
    order = sorted(rows.panels(), key=lambda panel: not panel.startswith(above))
    for axes, panel in zip(ax, order, strict=False):
        x_label, y_label = labels(panel)
        for name, ink in zip(rows.of(panel).series(), marks.WARMTH, strict=False):
            marks.curve(axes, rows.of(panel, name), color=ink, marker="o", linestyle="-")
        axes.set_xscale("log")
        marks.framed(axes, rows.of(panel), panel, x_label)
        axes.set_ylabel(y_label)
    marks.legend(ax[len(KINDS) - 1], loc="upper left", bbox_to_anchor=(1.01, 1), title="temperature")


def over(results: Sequence[Result], schemes: Mapping[str, str], quantity: str) -> Iterator[Point]:
    """A quantity over temperature: a panel for each kind of laws, a curve for each scheme."""
    for result in results:
        for scheme, series in schemes.items():
            found = student(result.values[f"{quantity}; {scheme}"], 0.95, 0)
            panel = f"{TITLES[quantity]}, {KINDS[result.cell['data']]}"
            yield point(panel, series, result.cell["temperature"], found)


DATA = (
    "the wiki bank (30 links of its documents), SmolLM2-135M-Instruct with itself as the draft, its weights rounded to 3 or 4 "
    "bits (30 links of the 39 whole rows of answers of the bank smollm2), and synthetic Student-t logits (V = 1,000, "
    "df 8, scale 2.5, correlation 0.9); 5,000 bits a batch, 100 kbit/s, a draft 0.01 s, a verification 0.05 s"
)
MISSING = "the printed latencies rest on GPT-Neo models and their hardware; here bits are counted on a stated link"
INTERVALS = "Student-t over links, 95 % each; schemes run on the same links with the same random numbers"
