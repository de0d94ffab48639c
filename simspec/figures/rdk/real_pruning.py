"""RDK, Appendix C.4: acceptance of pruned drafters on real logits, scheme by scheme, with plain controls beside.

The picture: a panel for each bank and order of pruning, three levels of pruning for each scheme.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from simspec.engine.estimates.intervals import documents
from simspec.engine.study import Cell, Result, Study, Values
from simspec.engine.study import Rows as Replications
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.studies.rdk.pruning_halves import pruning_halves
from simspec.studies.rdk.real_pruning import real_pruning

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ORDERS", "REAL_PRUNING", "SCHEMES", "study"]

SCHEMES = {
    "none": "no transfer",
    "tli": "TLI",
    "exact": "RDK",
    "linear": "RDK, linear time",
    "learnt": "RDK, learnt affinity",
    "uniform": "uniform",
    "unigram": "unigram",
    "mixture": "TLI with unigram",
    "static": "static mixture",
    "static hindsight": "static mixture, hindsight",
}
"""Measures and their names: those of the paper, plain controls, the best fixed masses."""
SMOLLM2 = "SmolLM2, 4-bit draft"
_BANKS = (SMOLLM2, "wiki", "stories")
_APART = 0.22
"""Distance of two levels of one scheme."""


def study(
    *,
    shares: tuple[float, ...] = (0.05, 0.01, 0.0025),
    banks: tuple[str, ...] = _BANKS,
    orders: tuple[str, ...] = ("frequency", "random", "worst"),
) -> Study:
    """Acceptance of pruned drafters, scheme by scheme, on each bank at each share of the tokens kept and order of pruning."""
    studies = {name: _of_bank(name, shares) for name in banks}

    def simulate(cell: Cell, rows: Replications, device: str) -> Values:
        return studies[cell["data"]].simulate(cell, rows, device)

    grid = tuple(cell for study in studies.values() for cell in study.grid if cell["order"] in orders)
    largest = max(study.rows for study in studies.values())
    return replace(studies[banks[-1]], grid=grid, simulate=simulate, rows=largest)


def _of_bank(name: str, shares: tuple[float, ...]) -> Study:
    """The study of a bank.

    SmolLM2's is on its own answers; the bank has no tuning contexts, so that every parameter is fitted on the other half.
    """
    if name == SMOLLM2:
        answers = open_bank("smollm2").of_kind("answers").with_draft("quantised:4")
        return pruning_halves(answers, name, shares, fixed=True)
    return real_pruning(open_bank(name), name, shares, beyond=None, fixed=True)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Points of the figure: for each bank and order the unpruned drafter, and every scheme at each level of pruning."""
    panels: dict[str, list[Result]] = {}
    for result in results:
        panels.setdefault(f"{result.cell['data']}: {result.cell['order']}", []).append(result)
    for panel, levels in panels.items():
        document = levels[0].values["document"]
        unpruned = documents(levels[0].values["unpruned"], document)
        for x in (-0.5, len(SCHEMES) - 0.5):
            yield point(panel, "unpruned", x, unpruned)
        for place, (measure, series) in enumerate(SCHEMES.items()):
            if measure not in levels[0].values:  # SmolLM2's statistics are of the target alone: no affinity is learnt
                continue
            for at, result in enumerate(levels):
                kept_label = f"{100 * result.cell['kept'] / result.cell['vocab']:.2g} %"
                x = place + (at - (len(levels) - 1) / 2) * _APART
                yield point(panel, series, x, documents(result.values[measure], document), kept_label)


ORDERS = {
    "frequency": "most frequent tokens kept",
    "random": "random tokens kept",
    "worst": "least frequent tokens kept",
}
EDGES = {"TLI and RDK": -0.5, "controls": 4.5, "fixed laws": 7.5}
"""Where each kind of scheme begins."""


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw every scheme as three marks, the most pruned at the right, below the acceptance of the unpruned drafter."""
    panels = [f"{bank}: {order}" for bank in _BANKS for order in ORDERS]
    for axes, panel in zip(ax, panels, strict=True):
        own = rows.of(panel)
        axes.set_visible(bool(own))
        if own:
            _panel(axes, own)
            bank, order = panel.split(": ")
            axes.set_title(f"{bank}: {ORDERS[order]}")
    for axes in ax[:6]:
        axes.tick_params(axis="x", labelbottom=False)
    for axes in ax[::3]:
        axes.set_ylabel("acceptance rate")
    levels = ", ".join(p.label for p in rows.of(panels[0], "TLI"))
    note = f"left to right: {levels} kept"
    ax[1].text(0.5, 0.6, note, transform=ax[1].transAxes, fontsize=8, color="0.3", ha="center")


def _panel(axes: Axes, own: Points) -> None:
    """Draw one panel: the schemes as dots beside the level of the unpruned draft."""
    schemes = list(SCHEMES.values())
    marks.curve(axes, own.of(series="unpruned"), linewidth=1)
    for place, name in enumerate(schemes):
        if own.of(series=name):
            marks.dots(axes, own.of(series=name), place=place, linestyle="-", linewidth=0.8)
    top = 1.16 * max(own.column("high"))
    axes.set_ylim(0, top)
    axes.set_xlim(-0.5, len(schemes) - 0.5)
    axes.set_xticks(range(len(schemes)), schemes, rotation=40, ha="right", rotation_mode="anchor")
    for word, edge in EDGES.items():
        if edge > 0:
            marks.guide(axes, [edge, edge], [0, top], linestyle="-", color="0.8")
        axes.annotate(word, (edge + 0.08, 0.985 * top), fontsize=7.5, color="0.35", va="top")
    level = own.of(series="unpruned")[0]
    axes.annotate("unpruned draft", (4.55, level.high), xytext=(0, 2), textcoords="offset points", fontsize=8)
    axes.grid(axis="x", visible=False)


REAL_PRUNING = Figure(
    name="rdk.real-pruning",
    title="Pruned drafters on real logits: small models' exact RDK beats TLI and seldom a fixed law; SmolLM2's hardly TLI",
    source="RDK, Appendix C.4",
    study=study,
    sizes={"quick": {"shares": (0.01,), "banks": ("stories",), "orders": ("frequency",)}},
    compact=_compact,
    draw=_draw,
    data="banks smollm2 (SmolLM2-135M-Instruct with itself as the draft, its weights rounded to 4 bits; 39 whole rows of its own "
    "answers, V = 49,152), wiki (V = 16,384) and stories (V = 2,048), drafters cut to a share of the vocabulary; every parameter "
    "tuned on other documents, for SmolLM2 on the other half of them; exact RDK's temperatures are from a grid that holds TLI, "
    "the identity; hindsight is the best any fixed masses can do on these contexts",
    intervals="documents resampled, 95 % each; one random set of tokens a level",
    claims=("rdk.real-pruning", "rdk.real-controls", "rdk.static-mixture"),
    shape=(3, 3),
    size=(12.0, 9.8),
    missing="the paper's model is not at hand; its schemes are shown on the pairs that ship",
)
