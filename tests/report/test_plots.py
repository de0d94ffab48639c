"""Plots: numbers and ticks by hand, what is drawn is what was given, and bad series are refused."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simspec.report.plots import chart, describe_slacks, histogram, ticks


def plot(*series: dict[str, Any], x_log: bool = False) -> dict[str, Any]:
    return {"title": "T", "x_label": "x", "y_label": "y", "x_log": x_log, "series": list(series)}


def test_ticks_by_hand() -> None:
    assert ticks(0, 10) == [0, 2, 4, 6, 8, 10]
    assert ticks(-0.3, 0.1) == [-0.3, -0.2, -0.1, 0, 0.1]
    assert ticks(2, 30, log=True) == [2, 5, 10, 20]


@given(st.floats(-1e6, 1e6), st.floats(1e-3, 1e6))
def test_ticks_are_few_and_inside(low: float, width: float) -> None:
    found = ticks(low, low + width)
    assert 2 <= len(found) <= 8
    assert all(low - 1e-6 * width <= t <= low + width * (1 + 1e-6) for t in found)


def test_points_are_where_the_numbers_are() -> None:
    html = chart(
        plot({"name": "a<b", "x": [0, 1, 2], "y": [0.0, 1.0, 0.5], "low": [0, 0.5, 0.25], "high": [0, 1.5, 0.75]})
    )
    svg = ET.fromstring(html[html.index("<svg", html.index('class="scroll"')) : html.rindex("</div>")])
    dots = [(float(c.attrib["cx"]), float(c.attrib["cy"])) for c in svg.iter("circle")]
    assert dots[1][0] - dots[0][0] == pytest.approx(dots[2][0] - dots[1][0], abs=0.11)
    assert dots[1][1] < dots[2][1] < dots[0][1]
    assert dots[0][1] - dots[1][1] == pytest.approx(2 * (dots[0][1] - dots[2][1]), abs=0.21)
    assert [t.text for t in svg.iter("title")][1] == "a<b: 1 [0.5, 1.5]"
    assert html.count("whisker") == 3


def test_log_axis_words_and_missing_values() -> None:
    html = chart(plot({"name": "a", "x": [1, 10, 100], "y": [1, 2, 3]}, x_log=True))
    dots = re.findall(r'cx="([\d.]+)" cy="[\d.]+" r="3.2"><', html)
    assert float(dots[1]) - float(dots[0]) == pytest.approx(float(dots[2]) - float(dots[1]), abs=0.11)
    html = chart(plot({"name": "a", "x": ["p", "logits"], "y": [1, None]}))
    assert ">logits</text>" in html and html.count("<circle") == 2  # one dot and one in the legend
    assert "no data" in chart(plot())


@pytest.mark.parametrize(
    ("series", "log", "message"),
    [
        ({"name": "a", "x": [1, 2], "y": [1]}, False, "lengths"),
        ({"name": "a", "x": [0, 2], "y": [1, 2]}, True, "x > 0"),
    ],
)
def test_bad_series(series: dict[str, Any], log: bool, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        chart(plot(series, x_log=log))


def test_constant_series_have_an_axis() -> None:
    assert chart(plot({"name": "a", "x": [3], "y": [0]})).count("<text") > 3


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=200))
def test_histogram_counts_everything_and_never_mixes_signs(slacks: list[float]) -> None:
    html = histogram(slacks)
    assert html == histogram(slacks)
    counted = {"bar": 0, "bad": 0}
    for kind, n in re.findall(r'<rect class="(\w+)".*?: ([\d,]+) instances', html):
        counted[kind] += int(n.replace(",", ""))
    assert counted == {"bad": sum(s <= -1e-9 for s in slacks), "bar": sum(s > -1e-9 for s in slacks)}


def test_slacks_in_words() -> None:
    assert describe_slacks([0.5, 0.5]) == "All 2 recorded slacks are 0.5."
    assert (
        describe_slacks([0.0, -3e-16])
        == "All 2 recorded slacks are 0 within rounding; the largest deviation is −3 × 10⁻¹⁶."
    )
    assert describe_slacks([0.0, 0.5]) is None and describe_slacks([]) is None
