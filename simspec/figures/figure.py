"""What a figure is: a study, how its results become points, how these are drawn, and whose claim it illustrates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from simspec.engine.estimates.intervals import Interval
from simspec.engine.study import Result, Study
from simspec.figures.table import Point, Points

__all__ = ["EFFORTS", "Figure", "point"]

EFFORTS = ("quick", "default", "deep")


@dataclass(frozen=True)
class Figure:
    """A figure of the gallery, written in ``simspec/figures/<paper>/<name>.py``: what is simulated, and how it is drawn.

    Attributes
    ----------
    name : str
        paper and file, as in ``rdk.pruning``.
    title : str
    source : str
        the paper's figure or table ("RDK, Figure 7"), or "beyond the papers".
    study : function -> Study
        what is simulated.  Its positional parameters are the study's own, which `--set` changes; what only the efforts
        change, because the picture relies on it, is keyword-only.
    sizes : effort -> values
        what the efforts ``quick`` and ``deep`` change of the defaults of `study`, which are the effort ``default``.
    compact : results -> points
        a pure function of the study's results: all that is computed from them is computed here.
    draw : (axes, points) -> None
        puts the points on axes; simulates and computes nothing.
    data : str
        what it is measured on, in words, for the caption.
    intervals : str
        kind and level of what `low` and `high` hold, or "" where the points are exact.
    claims : tuple of ids
        the claims whose verdict says whether the picture agrees with the paper's.
    shape : (rows, columns) of panels; `draw` gets a list of axes where there is more than one.
    size : (width, height) in inches
    missing : str
        why the paper's own figure cannot be made here and what is shown in its place; "" where it can.
    """

    name: str
    title: str
    source: str
    study: Callable[..., Study]
    compact: Callable[[Sequence[Result]], Iterable[Point]]
    draw: Callable[[Any, Points], None]
    data: str
    sizes: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    intervals: str = ""
    claims: tuple[str, ...] = ()
    shape: tuple[int, int] = (1, 1)
    size: tuple[float, float] = (6.4, 4.0)
    missing: str = ""

    @property
    def file(self) -> str:
        """Where its picture stands in the folder ``figures``, without an ending: ``rdk/pruning``."""
        return self.name.replace(".", "/").replace("-", "_")


def point(panel: str, series: str, x: float, interval: Interval, label: str = "") -> Point:
    """The point of an estimate with its interval.

    >>> point("", "SD", 1, Interval(0.5, 0.4, 0.6, 0.95)).low
    0.4
    """
    return Point(panel, series, float(x), interval.estimate, interval.low, interval.high, label=label)
