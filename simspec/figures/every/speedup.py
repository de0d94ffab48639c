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
from simspec.studies.sd.measured_runs import along, measured_runs
from simspec.studies.sd.rounds import rounds_against_formula

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SPEEDUP"]

_COSTS = (0.02, 0.1, 0.3)
_GAMMAS = tuple(range(1, 17))
_RUN = tuple(range(1, 13))
"""Drafts of a block along SmolLM2's answers: a run of the bank has 12 positions."""
_DRAWN = (1, 2, 4, 8, 16)
_SHARES = (1.0, 0.25, 0.05, 0.01, 0.0025)
_ANSWERS = ("chat", "code", "arithmetic")
_NONE = Interval(1.0, 1.0, 1.0, 0.95)
"""Speed-up without any draft."""
_ALPHAS = np.linspace(0, 1, 41)


def _study(contexts: int = 300, rows: int = 2048, *, shares: tuple[float, ...] = _SHARES) -> Study:
    """Return one study of measured acceptance on both banks and of simulated rounds beside the formula."""
    places = measured_rates(open_bank("wiki"), shares, contexts)
    answers = measured_runs(open_bank("smollm2"), _ANSWERS, contexts)
    drawn_study = rounds_against_formula(("sd",), _DRAWN, (0,), rows)

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        # only cells of simulated rounds have γ, only those of SmolLM2 a draft
        study = drawn_study if "gamma" in cell else answers if "draft" in cell else places
        return study.simulate(cell, rows, device)

    return replace(
        drawn_study,
        name="speedup",
        question="Is speculative decoding as fast as the formula for independent steps says?",
        grid=(*places.grid, *answers.grid, *({**cell, "rows": rows} for cell in drawn_study.grid)),
        simulate=simulate,
        summary="acceptance of real contexts; tokens of rounds with coins, beside exact means and the formula",
        rows=max(rows, contexts),
        measures={},
        control={},
        stop=None,
        devices=("cpu",),
    )


class _Rates:
    """Rates of single contexts, or of runs of them, and the tokens and the speed-up of each way in which steps follow."""

    def __init__(self, result: Result) -> None:
        document = result.values["document"]
        alpha = result.values["alpha"].reshape(len(document), -1)
        self.has_runs = alpha.shape[1] > 1
        self.gammas = _RUN if self.has_runs else _GAMMAS
        self.alpha = documents(alpha.mean(axis=1), document)
        alike = lengths(alpha.ravel(), self.gammas).reshape(*alpha.shape, -1).mean(axis=1)
        self.tokens = {"all steps alike": each(alike, document)}
        if self.has_runs:
            self.tokens["along the answers"] = each(along(alpha, self.gammas), document)

    def ways(self) -> tuple[str, ...]:
        """Names of the ways in which the steps of a block follow one another."""
        return (*self.tokens, "independent steps")

    def speed(self, way: str, gamma: int, cost: float) -> Interval:
        if way == "independent steps":
            return _through(lambda alpha: speedup(min(alpha, 1.0), gamma, cost), self.alpha)
        return _through(lambda tokens: speedup_of_accepted(tokens - 1, gamma, cost), self.tokens[way][gamma - 1])


def _through(rises: Callable[[float], float], interval: Interval) -> Interval:
    """The interval of a function that rises: quantiles of resampled values go with it."""
    low, estimate, high = (float(rises(x)) for x in (interval.low, interval.estimate, interval.high))
    return Interval(estimate, low, high, interval.level)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Points of the figure: lengths on real models, speed-up by cost, and the best number of drafts."""
    pruned = [_Rates(result) for result in results if "kept" in result.cell]
    runs = {result.cell["draft"]: _Rates(result) for result in results if "draft" in result.cell}
    rates_by_panel = dict(zip(_SHOWN, (pruned[0], *runs.values()), strict=True))
    for panel, rates in rates_by_panel.items():
        for way in rates.ways():
            yield from (point(f"tokens, {panel}", way, gamma, rates.speed(way, gamma, 0.0)) for gamma in rates.gammas)
    yield from _drawn([r for r in results if "gamma" in r.cell])
    for panel, rates in rates_by_panel.items():
        solid = rates.ways()[-2]
        for cost in _COSTS:
            for way in (solid, "independent steps"):
                speeds = (
                    point(f"speed, {panel}", f"{way}, {cost:g}", g, rates.speed(way, g, cost)) for g in rates.gammas
                )
                yield from speeds
    for cost in _COSTS:
        fastest = [max(float(speedup(a, g, cost)) for g in (0, *_GAMMAS)) for a in _ALPHAS]
        yield from (Point("best", f"formula, {cost:g}", float(a), y) for a, y in zip(_ALPHAS, fastest, strict=True))
        for rates in (*pruned, *runs.values()):
            way = rates.ways()[-2]
            estimates = (_NONE, *(rates.speed(way, gamma, cost) for gamma in rates.gammas))
            best = max(estimates, key=lambda estimate: estimate.estimate)
            yield point("best", f"{way}, {cost:g}", rates.alpha.estimate, best)


def _drawn(results: Sequence[Result]) -> Iterator[Point]:
    names = {"one": "one pair of laws", "stretches": "easy and hard stretches"}
    for result in results:
        series = names[result.cell["laws"]]
        gamma = result.cell["gamma"]
        yield point("drawn", f"{series}, coins", gamma, student(result.values["length"], 0.95, 1, gamma + 1))
        yield Point("drawn", f"{series}, formula", gamma, float(result.values["formula"][0]))


_SHOWN = ("wiki", "SmolLM2, 3-bit draft", "SmolLM2, 4-bit draft")
_INKS = {"0.02": "#0072B2", "0.1": "#D55E00", "0.3": "#009E73"}
_LOOKS = {
    "all steps alike": {"color": "#777777", "linestyle": "-", "marker": ""},
    "along the answers": {"color": "#000000", "linestyle": "-", "marker": "o"},
    "independent steps": {"color": "#000000", "linestyle": "--", "marker": ""},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw tokens of a call above, speed-up below: a column for each pair of models, then synthetic texts and acceptance."""
    for axes, panel in zip(ax[:3], _SHOWN, strict=True):
        for name in rows.of(f"tokens, {panel}").series():
            marks.curve(axes, rows.of(f"tokens, {panel}", name), **_LOOKS[name])
        axes.set_title(f"{panel}: tokens of a target call")
    _coins(ax[3], rows.of("drawn"))
    for axes, panel in zip(ax[4:7], _SHOWN, strict=True):
        _costs(axes, rows.of(f"speed, {panel}"))
        solid = "all steps alike" if panel == "wiki" else "along the answers"
        axes.set_title(f"{panel}: speed-up\n({solid}; dashed: independent steps)")
    _best(ax[7], rows.of("best"))
    for axes in ax[:7]:
        axes.set_xlabel("drafts of a call, γ")
        axes.set_xticks([1, 2, 4, 8, 12, 16] if max(axes.dataLim.intervalx) > 12 else [1, 2, 4, 6, 8, 10, 12])
    for axes in ax:
        marks.labelled(axes, 0.06)


def _coins(axes: Axes, rows: Points) -> None:
    inks = {"one pair of laws": "#777777", "easy and hard stretches": "#000000"}
    for name, ink in inks.items():
        marks.curve(axes, rows.of(series=f"{name}, formula"), color=ink, linestyle="--", marker="", label=f"_{name}")
        marks.curve(axes, rows.of(series=f"{name}, coins"), color=ink, linestyle="-", marker="o", label=name)
    axes.set_title("synthetic texts, drawn with coins\n(dashed: formula)")


def _costs(axes: Axes, rows: Points) -> None:
    for name in rows.series():
        way, cost = name.rsplit(", ", 1)
        is_formula = way == "independent steps"
        look = {"linestyle": "--" if is_formula else "-", "marker": "" if is_formula else "o"}
        label = f"_{name}" if is_formula else f"draft costs {cost}"
        marks.curve(axes, rows.of(series=name), color=_INKS[cost], label=label, markersize=3, **look)
    marks.guide(axes, [1, max(rows.column("x"))], [1, 1])


def _best(axes: Axes, rows: Points) -> None:
    """Draw the largest speed-up by acceptance rate: the formula as lines, measured rates as dots."""
    for name in rows.series():
        kind, cost = name.rsplit(", ", 1)
        if kind == "formula":
            line = marks.curve(axes, rows.of(series=name), color=_INKS[cost], marker="", linestyle="--")
            line.set_label(f"costs {cost}")
        else:
            mark = "s" if kind == "along the answers" else "o"
            marks.dots(axes, rows.of(series=name), color=_INKS[cost], marker=mark, label=f"_{name}")
    marks.guide(axes, [0, 1], [1, 1])
    axes.set_yscale("log")
    axes.set_yticks([1, 2, 4, 8], ["1", "2", "4", "8"])
    axes.minorticks_off()
    axes.set_xlabel("acceptance rate α")
    axes.set_title(
        "speed-up at the best γ (dashed: formula)\nsquares: SmolLM2's answers; circles: wiki, all steps alike"
    )


SPEEDUP = Figure(
    name="all.speedup",
    title="Blocks are longer than the formula for independent steps says where neighbours are alike: hardly along SmolLM2's "
    "answers",
    source="beyond the papers",
    study=_study,
    sizes={"quick": {"contexts": 20, "rows": 4, "shares": _SHARES[:1]}, "deep": {"rows": 16_384}},
    compact=_compact,
    draw=_draw,
    data="acceptance in 300 contexts of the bank wiki, which are single places of texts: between independent steps and a "
    "block that stays in one context lies every text whose neighbours are not less alike than strangers, for blocks that "
    "begin anywhere; of the bank smollm2 84 runs of 12 consecutive positions of the model's own answers to chat, code and "
    "arithmetic prompts, with the acceptance of the whole laws that the bank stores, so that blocks along the text stand "
    "between both ends; costs of a draft are assumed, not those of a rounded copy; synthetic rounds of 32 tokens with coins; "
    "at the lower right TLI with 100, 25, 5, 1 and 0.25 % of the tokens kept by frequency on wiki, and both drafts of "
    "SmolLM2, the best number of drafts up to 16 (12 along a run)",
    intervals="95 % each: bootstrap over documents, Student-t over paths",
    claims=("sd.block-length", "sd.speedup", "sd.speedup-monotone"),
    shape=(2, 4),
    size=(17.5, 7.4),
)
