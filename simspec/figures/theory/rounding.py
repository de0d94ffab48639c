"""Rounding on a real model: how far two computations' laws are apart, beside the bound tanh(ε/2).

The picture: total variation over the difference of the logits, a mark for each position; a panel for each number format.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simspec.engine.study import Result, Study
from simspec.figures import marks
from simspec.figures.figure import Figure
from simspec.figures.table import Point, Points
from simspec.numerics import tv_bound
from simspec.studies.numerics.computations import computations
from simspec.studies.numerics.measurement import FORMATS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["ROUNDING"]

_KINDS = {
    "prefill and decode": "prefill and decode",
    "alone and in a batch": "alone and in a batch",
    "float32 and": "prefill in float32 and in this format",
}
_SMALLEST = 1e-7
"""Differences below it are not drawn: float32's own spacing."""


def _study() -> Study:
    return computations()


def _compact(results: Sequence[Result]) -> Iterator[Point]:
    """A point for each position at which two computations differ."""
    for result in results:
        pair = str(result.cell.get("pair", ""))
        names = [name for name in FORMATS if pair.startswith(name) or pair.endswith(f"and {name}")]
        kinds = [words for part, words in _KINDS.items() if part in pair]
        if not names or not kinds:
            continue
        v = result.values
        for epsilon, distance in zip(v["epsilon"], v["tv"], strict=True):
            if min(epsilon, distance) > _SMALLEST:
                yield Point(names[0], kinds[0], float(epsilon), float(distance))


def _draw(ax: Sequence[Axes], rows: Points) -> None:
    """Draw the positions on logarithmic axes, and the bound above them."""
    for axes, panel in zip(ax, rows.panels(), strict=False):
        for place, name in enumerate(rows.of(panel).series()):
            marks.dots(axes, rows.of(panel, name), place=place, markersize=2.5, alpha=0.5)
        epsilon = np.geomspace(min(rows.of(panel).column("x")), max(rows.of(panel).column("x")), 50)
        marks.guide(axes, epsilon.tolist(), tv_bound(epsilon).tolist(), "tanh(ε/2)")
        axes.set_xscale("log")
        axes.set_yscale("log")
        ticks = [digit * 10.0**power for power in range(-7, 1) for digit in (1, 2, 5)]
        axes.set_xticks([tick for tick in ticks if epsilon[0] <= tick <= epsilon[-1]])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.minorticks_off()
        axes.set_ylim(bottom=0.05 * min(rows.of(panel).column("y")))  # room for the legend below the marks
        axes.set_title(panel)
        axes.set_xlabel("difference of logits ε")
        marks.legend(axes, loc="lower right", fontsize=7)
    ax[0].set_ylabel("total variation at temperature 1")


ROUNDING = Figure(
    name="theory.rounding",
    title="Two computations of one model: rounding moves the law less than its bound allows",
    source="beyond the papers",
    study=_study,
    compact=_compact,
    draw=_draw,
    data="SmolLM2-135M-Instruct (4-bit weights, read as floats) on a processor: every position of the texts that it wrote "
    "greedily in float32",
    claims=("numerics.tv", "numerics.bf16"),
    shape=(1, 3),
    size=(12.0, 4.0),
)
