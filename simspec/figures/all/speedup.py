"""Speed-up over acceptance, drafts per call and cost: correlated acceptance, measured, beside the i.i.d. formula.

The picture: tokens of a call and speed-up: what measured acceptance makes possible beside the formula for independent steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.estimates.intervals import Interval, documents, each, student
from simspec.engine.study import Cell, Result, Rows, Study, Values
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.logits.bank import open_bank
from simspec.methods.block import speedup, speedup_of_accepted
from simspec.studies.sd.measured_lengths import lengths, measured_rates
from simspec.studies.sd.rounds import rounds_against_formula

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SPEEDUP"]

_COSTS = (0.02, 0.1, 0.3)
_GAMMAS = tuple(range(1, 17))
_DRAWN = (1, 2, 4, 8, 16)
_SHARES = (1.0, 0.25, 0.05, 0.01, 0.0025)
_NONE = Interval(1.0, 1.0, 1.0, 0.95)
"""Speed-up without any draft."""
_ALPHAS = np.linspace(0, 1, 41)


def _study(contexts: int = 300, rows: int = 2048, *, shares: tuple[float, ...] = _SHARES) -> Study:
    """Return one study of measured acceptance on the wiki bank and of simulated rounds beside the formula."""
    real = measured_rates(open_bank("wiki"), shares, contexts)
    drawn_study = rounds_against_formula(("sd",), _DRAWN, (0,), rows)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        # only cells of simulated rounds have γ
        return (drawn_study if "gamma" in cell else real).simulate(cell, rows, device)

    return replace(
        drawn_study,
        name="speedup",
        question="Is speculative decoding as fast as the formula for independent steps says?",
        grid=(*real.grid, *({**cell, "rows": rows} for cell in drawn_study.grid)),
        simulate=simulate,
        summary="acceptance of real contexts; tokens of rounds with coins, beside exact means and the formula",
        rows=max(rows, contexts),
        measures={},
        stop=None,
        devices=("cpu",),
    )


class _Rates:
    """Rates of some contexts, and the speed-up at a number of drafts and a cost under the two ends."""

    def __init__(self, result: Result) -> None:
        self.alpha = documents(result.values["alpha"], result.values["document"])
        self.tokens = each(lengths(result.values["alpha"], _GAMMAS), result.values["document"])

    def correlated(self, gamma: int, cost: float) -> Interval:
        return _through(lambda tokens: speedup_of_accepted(tokens - 1, gamma, cost), self.tokens[gamma - 1])

    def independent(self, gamma: int, cost: float) -> Interval:
        return _through(lambda alpha: speedup(min(alpha, 1.0), gamma, cost), self.alpha)


def _through(rises: Callable[[float], float], interval: Interval) -> Interval:
    """The interval of a function that rises: quantiles of resampled values go with it."""
    low, estimate, high = (float(rises(x)) for x in (interval.low, interval.estimate, interval.high))
    return Interval(estimate, low, high, interval.level)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Points of the figure: lengths of real models, speed-up by cost, and the best number of drafts."""
    real = [_Rates(r) for r in results if "kept" in r.cell]
    ends = {"all steps alike": real[0].correlated, "independent steps": real[0].independent}
    for name, end in ends.items():
        yield from (point("real", name, gamma, end(gamma, 0.0)) for gamma in _GAMMAS)
    yield from _drawn([r for r in results if "gamma" in r.cell])
    for cost in _COSTS:
        for name, end in ends.items():
            yield from (point("cost", f"{name}, {cost:g}", gamma, end(gamma, cost)) for gamma in _GAMMAS)
    for cost in _COSTS:
        fastest = [max(float(speedup(a, g, cost)) for g in (0, *_GAMMAS)) for a in _ALPHAS]
        yield from (Point("best", f"formula, {cost:g}", float(a), y) for a, y in zip(_ALPHAS, fastest, strict=True))
        for rates in real:
            estimates = (_NONE, *(rates.correlated(gamma, cost) for gamma in _GAMMAS))
            best = max(estimates, key=lambda estimate: estimate.estimate)
            yield point("best", f"all steps alike, {cost:g}", rates.alpha.estimate, best)


def _drawn(results: Sequence[Result]) -> Iterator[Point]:
    names = {"one": "one pair of laws", "stretches": "easy and hard stretches"}
    for result in results:
        series = names[result.cell["laws"]]
        gamma = result.cell["gamma"]
        yield point("drawn", f"{series}, coins", gamma, student(result.values["length"], 0.95, 1, gamma + 1))
        yield Point("drawn", f"{series}, formula", gamma, float(result.values["formula"][0]))


_INKS = {"0.02": "#0072B2", "0.1": "#D55E00", "0.3": "#009E73"}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw tokens of a call on real and synthetic laws, then speed-up over the drafts of a call and over acceptance."""
    for name, look in {"all steps alike": "-", "independent steps": "--"}.items():
        marks.curve(ax[0], rows.of("real", name), color="black", linestyle=look, marker="o" if look == "-" else "")
    ax[0].set_title("real contexts (wiki)")
    _coins(ax[1], rows.of("drawn"))
    for axes in ax[:2]:
        axes.set_ylabel("tokens of a target call")
    _costs(ax[2], rows.of("cost"))
    _best(ax[3], rows.of("best"))
    for axes in ax[:3]:
        axes.set_xlabel("drafts of a call, γ")
        axes.set_xticks([1, 2, 4, 8, 12, 16])
    for axes in ax:
        marks.labelled(axes, 0.06)


def _coins(axes: Axes, rows: Points) -> None:
    inks = {"one pair of laws": "#777777", "easy and hard stretches": "#000000"}
    for name, ink in inks.items():
        marks.curve(axes, rows.of(series=f"{name}, formula"), color=ink, linestyle="--", marker="", label=f"_{name}")
        marks.curve(axes, rows.of(series=f"{name}, coins"), color=ink, linestyle="-", marker="o", label=name)
    axes.set_title("synthetic texts, drawn with coins (dashed: formula)")


def _costs(axes: Axes, rows: Points) -> None:
    for name in rows.series():
        kind, cost = name.rsplit(", ", 1)
        alike = kind == "all steps alike"
        look = {"linestyle": "-" if alike else "--", "marker": "o" if alike else ""}
        label = f"draft costs {cost}" if alike else f"_{name}"
        marks.curve(axes, rows.of(series=name), color=_INKS[cost], label=label, markersize=3, **look)
    marks.guide(axes, [1, 16], [1, 1])
    axes.set_ylabel("speed-up")
    axes.set_title("real contexts: all steps alike, dashed: independent")


def _best(axes: Axes, rows: Points) -> None:
    for name in rows.series():
        kind, cost = name.rsplit(", ", 1)
        if kind == "formula":
            line = marks.curve(axes, rows.of(series=name), color=_INKS[cost], marker="", linestyle="--")
            line.set_label(f"costs {cost}")
        else:
            marks.dots(axes, rows.of(series=name), color=_INKS[cost], marker="o", label=f"_{name}")
    marks.guide(axes, [0, 1], [1, 1])
    axes.set_yscale("log")
    axes.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axes.minorticks_off()
    axes.set_xlabel("acceptance rate α")
    axes.set_ylabel("speed-up at the best γ")
    axes.set_title("dashed: formula; marks: real contexts, all steps alike")


SPEEDUP = Figure(
    name="all.speedup",
    title="Blocks are longer than the formula for independent steps says, where neighbours are alike",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"contexts": 20, "rows": 4, "shares": _SHARES[:1]}, "deep": {"rows": 16_384}},
    compact=_compact,
    draw=_draw,
    data="acceptance in 300 contexts of the bank wiki, which are single places of texts: between independent steps and a "
    "block that stays in one context lies every text whose neighbours are not less alike than strangers, for blocks that "
    "begin anywhere; synthetic rounds of 32 tokens with coins; at the lower right TLI with 100, 25, 5, 1 and 0.25 % of the "
    "tokens kept by frequency, the best number of drafts up to 16",
    intervals="95 % each: bootstrap over documents, Student-t over paths",
    claims=("sd.block-length", "sd.speedup", "sd.speedup-monotone"),
    shape=(2, 2),
    size=(10.5, 7.4),
)
