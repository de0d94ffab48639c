"""Bias accumulated over a text: the distance of the law of T tokens from the target's, with its exact bounds.

The picture: total variation of whole texts over their length, on a logarithmic scale: by rule, and one rule with its bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from simspec.engine.estimates.intervals import Interval, student
from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure, point
from simspec.figures.table import Point, Points
from simspec.studies.ears.relaxed import LENGTHS, sequence_bias

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["TEXT_BIAS"]

_RULES = {
    ("SD", 0.0): "SD",
    ("ears", 0.05): "EARS, β = 0.05",
    ("ears", 0.1): "EARS, β = 0.1",
    ("ears", 0.2): "EARS, β = 0.2",
    ("lenience", 0.8): "lenience, 0.8",
}
_BOUNDED = ("ears", 0.1)
_BOUNDS = {"summed bias": "sum of the tokens' biases", "root low": "lower bound", "root high": "upper bound"}


def _study(rows: int = 20_000) -> Study:
    full_study = sequence_bias()
    grid = tuple(
        c for c in full_study.grid if (c["rule"], c["strength"]) in _RULES and c["model"] == 0 and c["rho"] == 0.9
    )
    return replace(full_study, grid=grid, rows=rows)


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    for result in results:
        rule = result.cell["rule"], result.cell["strength"]
        for i, length in enumerate(LENGTHS):
            estimate = student(result.values["tv"][:, i], 0.95, 0, 1)
            yield point("rules", _RULES[rule], length, estimate)
    for result in results:
        if (result.cell["rule"], result.cell["strength"]) == _BOUNDED:
            for i, length in enumerate(LENGTHS):
                estimate = student(result.values["tv"][:, i], 0.95, 0, 1)
                yield point("bounds", _RULES[_BOUNDED], length, estimate)
            for bound, name in _BOUNDS.items():
                for i, length in enumerate(LENGTHS):
                    exact = float(result.values[bound][0, i])
                    yield point("bounds", name, length, Interval(exact, exact, exact, 1.0))


TITLES = {"rules": "by rule", "bounds": "EARS at β = 0.1 and what bounds it"}
STYLE: dict[str, dict[str, Any]] = {  # EARS in blues, darker where more is forgiven
    "EARS, β = 0.05": {"color": "#56B4E9", "marker": "o"},
    "EARS, β = 0.1": {"color": "#0072B2", "marker": "o"},
    "EARS, β = 0.2": {"color": "#003F63", "marker": "o"},
    "lenience, 0.8": {"color": "#E69F00", "marker": "s"},
    "sum of the tokens' biases": {"color": "#777777", "marker": "", "linestyle": "-."},
    "lower bound": {"color": "#000000", "marker": "", "linestyle": ":"},
    "upper bound": {"color": "#000000", "marker": "", "linestyle": "--"},
}


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the distance of the text laws over the number of tokens."""
    for axes, panel in zip(ax, rows.panels(), strict=True):
        for name in rows.of(panel).series():
            marks.curve(axes, rows.of(panel, name), **STYLE.get(name, {}))
        axes.set_xscale("log", base=2)
        axes.set_xticks(sorted(set(rows.column("x"))), [f"{x:g}" for x in sorted(set(rows.column("x")))])
        axes.set_title(TITLES[panel])
        axes.set_xlabel("tokens of the text")
        axes.set_ylim(-0.02, 1.02)
        marks.labelled(axes)
    ax[0].set_ylabel("total variation of the text laws")


TEXT_BIAS = Figure(
    name="ears.text-bias",
    title="The bias of a relaxed rule grows with the length of the text",
    source="EARS, open question 2",
    study=_study,
    sizes={"quick": {"rows": 64}, "deep": {"rows": 100_000}},
    compact=_compact,
    draw=_draw,
    data="Markov chains over 64 tokens with Gaussian logits of scale 2, draft of correlation 0.9; total variation of the "
    "laws of whole texts, estimated along texts of the target; right: EARS at β = 0.1 with exact bounds",
    intervals="Student-t, 95 % each",
    claims=("ears.sequence-bias",),
    shape=(1, 2),
    size=(9.6, 3.8),
)
