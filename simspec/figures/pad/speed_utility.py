"""Utility gained on speculative decoding, in points, over speed: PAD's thresholds as a line, other rules as marks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from simspec.engine.estimates.intervals import student
from simspec.engine.study import Result
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.pad.pipeline import DATA, KINDS, SIZES, kind, study
from simspec.figures.table import Point, Points
from simspec.laws import Array
from simspec.studies.pad.pipeline import SIGMAS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["SPEED"]

_RULES = {
    "sd": "SD",
    "random": "random flags",
    "ears": "EARS",
    "definition": "exact pivots, as printed",
    "replacement": "exact pivots, corrected",
    "strict": "strict rule",
}


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """Utility gained on speculative decoding, paired by problem, at the mean speed of each rule."""
    for result in results:
        if (result.cell["ceiling"], result.cell["noise"]) not in KINDS:
            continue
        v = result.values
        panel = kind(result)
        for place, sigma in enumerate(SIGMAS):
            yield _mark(panel, "PAD", v["speed"][:, place], v["utility"][:, place] - v["sd utility"], f"σ = {sigma:g}")
        for rule, name in _RULES.items():
            yield _mark(panel, name, v[f"{rule} speed"], v[f"{rule} utility"] - v["sd utility"], "")


def _mark(panel: str, series: str, speed: Array, gain: Array, label: str) -> Point:
    found = student(100 * gain, 0.95, -100, 100)
    return Point(panel, series, float(speed.mean()), found.estimate, found.low, found.high, label=label)


STYLE: dict[str, dict[str, Any]] = {  # hollow and of several sizes, so that rules beside one another are all seen
    "SD": {"marker": "*", "color": "#000000", "markersize": 9},
    "random flags": {"marker": "X", "color": "#777777", "markersize": 6},
    "EARS": {"marker": "o", "color": "#0072B2", "markersize": 10, "markerfacecolor": "none"},
    "exact pivots, as printed": {"marker": "v", "color": "#D55E00", "markersize": 10, "markerfacecolor": "none"},
    "exact pivots, corrected": {"marker": "^", "color": "#009E73", "markersize": 6},
    "strict rule": {"marker": "D", "color": "#5E3C99", "markersize": 6},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw a panel for each difficulty; above the line is better than speculative decoding, right is faster."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for name in rows.of(panel).series():
            own = rows.of(panel, name)
            if name == "PAD":
                marks.curve(axes, own, label="PAD, by its threshold σ")
                for p in (own[3], own[5], own[-1]):
                    axes.annotate(p.label, (p.x, p.y), fontsize=7.5, xytext=(4, 4), textcoords="offset points")
            else:
                line = marks.curve(axes, own, linestyle="", **STYLE[name])
                ends = [[own[0].y - own[0].low], [own[0].high - own[0].y]]
                axes.errorbar([own[0].x], [own[0].y], ends, fmt="none", ecolor=line.get_color(), elinewidth=0.9)
        marks.guide(axes, axes.get_xlim(), (0, 0))
        axes.set_title(f"target {panel}")
        axes.set_xlabel("speed against the target alone")
    ax[0].set_ylabel("utility less speculative decoding's, points")
    marks.legend(ax[1], loc="upper right")
    ax[0].text(0.97, 0.97, "σ: what the classifier's score must pass\nfor a token to be called a pivot",
               transform=ax[0].transAxes, fontsize=8, color="0.35", ha="right", va="top")  # fmt: skip


SPEED = Figure(
    name="pad.speed-utility",
    title="Speed and utility as PAD's classifier grows lenient",
    source="PAD, Figure 2 and Table 1",
    study=study,
    sizes=SIZES,
    compact=_compact,
    draw=_draw,
    data=f"{DATA}; speed of whole blocks, γ = 10, draft 3.94 times as fast as the target",
    intervals="Student-t over problems, 95 % each, of the utility less that of speculative decoding on the same problem",
    claims=("pad.tradeoff", "pad.tradeoff-controls"),
    shape=(1, 2),
    size=(9.6, 4.0),
    missing="Table 1 rests on Qwen3 models and an LLM judge; families of decision processes stand in their place",
)
