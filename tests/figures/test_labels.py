"""Marks and labels: parts that stack, whiskers, names of curves that coincide, names moved apart."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from simspec.figures.marks import curves, dots, guide, labelled, stacks
from simspec.figures.table import Point, Points
from tests.figures.drawn import missing, numbers


def _axes() -> Any:
    return Figure().subplots()


def _texts(axes: Any) -> list[str]:
    return [text.get_text() for text in axes.texts]


def test_parts_stand_on_each_other_and_keep_their_heights() -> None:
    axes = _axes()
    rows = Points(
        [Point("", "a", 0, 0.25, label="x"), Point("", "b", 0, 0.5, label="x"), Point("", "b", 1, 0.125, label="y")]
    )
    stacks(axes, rows, ["black", "grey"])
    assert [(bar.get_y(), bar.get_height()) for bar in axes.patches] == [(0, 0.25), (0.25, 0.5), (0, 0.125)]
    assert [name.get_text() for name in axes.get_xticklabels()] == ["x", "y"]
    assert missing([0.25, 0.5, 0.125], numbers(axes.figure)) == []


def test_whiskers_end_at_the_intervals() -> None:
    axes = _axes()
    dots(axes, Points([Point("", "SD", 1, 0.5, 0.25, 0.75), Point("", "SD", 2, 0.125)]))
    assert numbers(axes.figure) == pytest.approx([0.125, 0.25, 0.5, 0.75])


def test_curves_that_coincide_share_a_name_and_guides_have_none() -> None:
    axes = _axes()
    ends = {"TLI": 0.0, "RDK": 1.0, "uniform": 1.0}
    curves(axes, Points(Point("", name, x, x * end) for name, end in ends.items() for x in (0.0, 1.0)))
    guide(axes, [0, 1], [0, 0.5])
    labelled(axes)
    assert _texts(axes) == ["TLI", "uniform = RDK"]


def test_names_are_at_the_right_of_a_reversed_axis_and_apart() -> None:
    axes = _axes()
    axes.set_xscale("log")
    axes.invert_xaxis()
    curves(axes, Points([*(Point("", "a", x, y) for x, y in ((1.0, 0.5), (100.0, 1.0))), Point("", "b", 1, 0.51)]))
    labelled(axes, 0.1)
    low, high = (text.xy for text in axes.texts)
    assert _texts(axes) == ["a", "b"]
    assert (low[0], high[1] - low[1]) == (1.01, pytest.approx(0.1))
    assert np.mean([low[1], high[1]]) < 0.5
