"""Histograms and marks with whiskers: what is drawn can be read back, and a guide cannot."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.figure import Figure

from simspec.figures.marks import colour, dots, guide, named, steps
from simspec.figures.table import Point, Points
from tests.figures.drawn import missing, numbers

ROWS = Points([Point("", "wiki", 0, 0.25, 0.125, 0.375), Point("", "wiki", 1, 0.75, 0.5, 0.875)])
WRITTEN = [0.125, 0.25, 0.375, 0.5, 0.75, 0.875]


def axes() -> tuple[Figure, object]:
    canvas = Figure()
    return canvas, canvas.subplots()


@pytest.mark.parametrize("mark", [steps, dots])
def test_numbers_and_intervals_are_drawn(mark) -> None:
    canvas, ax = axes()
    line = mark(ax, ROWS)
    shown = numbers(canvas)
    assert missing(WRITTEN, shown) == [] and missing(shown, np.array([0.0, *WRITTEN])) == []
    assert line.get_color() == colour("wiki")[0]


@pytest.mark.parametrize("mark", [steps, dots])
def test_without_intervals_only_the_numbers_are_drawn(mark) -> None:
    canvas, ax = axes()
    mark(ax, Points(p._replace(low=float("nan"), high=float("nan")) for p in ROWS))
    assert numbers(canvas).tolist() == [0.25, 0.75]


def test_a_histogram_runs_from_each_edge_to_the_next() -> None:
    _, ax = axes()
    assert steps(ax, ROWS).get_drawstyle() == "steps-post"
    (band,) = ax.collections[0].get_paths()
    assert band.contains_point((0.5, 0.3)) and not band.contains_point((0.5, 0.6))


def test_a_name_stands_above_the_highest_mark_or_the_one_that_is_asked_for() -> None:
    canvas, ax = axes()
    line = dots(ax, ROWS)
    named(ax, line)
    named(ax, line, "first", at=0)
    guide(ax, [0, 1], [0.3, 0.3])
    assert [(t.get_text(), t.xy) for t in ax.texts] == [("wiki", (1, 0.75)), ("first", (0, 0.25))]
    assert missing([0.3], numbers(canvas)) == [0.3]
