"""HTML for notebooks: what is drawn is what was given, all text is escaped, and numbers are written for reading."""

from __future__ import annotations

import math
from fractions import Fraction
from xml.etree import ElementTree as ET

import pytest

from simspec.html import WIDTH, Html, Shown, bars, columns, entry, interval, number, table, tag, text_bar

BAD = "<script>alert('a') & \"b\"</script>"


def test_numbers_by_hand() -> None:
    assert [number(x) for x in (0, 1e6, 0.5, 2 / 3, 1234.5678, -0.25)] == [
        "0",
        "1,000,000",
        "0.5",
        "0.6667",
        "1,235",
        "−0.25",
    ]
    assert [number(x) for x in (1e-7, 123456789012.5, math.nan, None)] == ["1 × 10⁻⁷", "1.235 × 10¹¹", "–", "–"]


def test_entries_by_hand() -> None:
    assert [entry(x) for x in (Fraction(1, 3), 3, 0.5, 1e-12)] == ["1/3", "3", "0.5", "1 × 10⁻¹²"]


def test_text_and_attributes_are_escaped_and_html_is_not() -> None:
    element = ET.fromstring(tag("td", BAD, tag("b", "x"), title=BAD))
    assert element.text == BAD
    assert element.get("title") == BAD
    assert element[0].tag == "b"
    assert isinstance(tag("b"), Html)


def test_a_table_holds_what_it_was_given_and_escapes_it() -> None:
    made = ET.fromstring(table(["a", BAD], [[BAD, "1/4"], ["c", Html("<i>d</i>")]]))
    rows = [["".join(cell.itertext()) for cell in row] for row in made.iter("tr")]
    assert rows == [["a", BAD], [BAD, "1/4"], ["c", "d"]]
    assert made.find(".//i") is not None


def test_bars_lie_end_to_end_and_are_as_long_as_their_masses() -> None:
    made = ET.fromstring(bars([[(Fraction(1, 4), "red"), (0.5, "blue")], [(1, "red")]], full_scale=2, mark=1))
    drawn = [tuple(float(r.get(k)) for k in ("x", "width")) for r in made.iter("rect")]
    assert drawn == [(0, WIDTH / 8), (WIDTH / 8, WIDTH / 4), (0, WIDTH / 2)]
    assert float(made.find("line").get("x1")) == WIDTH / 2
    assert [float(r.get("y")) for r in made.iter("rect")][1] < [float(r.get("y")) for r in made.iter("rect")][2]


def test_bars_of_nothing_have_no_length() -> None:
    assert float(ET.fromstring(bars([[(0, "red")]], full_scale=0)).find("rect").get("width")) == 0


def test_an_interval_is_where_its_numbers_are() -> None:
    made = ET.fromstring(interval(0.5, 0, 1, (0, 1), mark=0.25))
    dot, (line, mark) = made.find("circle"), made.findall("line")
    ends = float(line.get("x1")), float(line.get("x2"))
    assert float(dot.get("cx")) == sum(ends) / 2
    assert float(mark.get("x1")) == pytest.approx(ends[0] + (ends[1] - ends[0]) / 4)


def test_an_interval_beyond_its_span_ends_at_the_edge() -> None:
    made = ET.fromstring(interval(0.5, -math.inf, math.inf, (0, 1)))
    assert 0 <= float(made.find("line").get("x1")) < float(made.find("line").get("x2")) <= WIDTH


def test_text_columns_and_bars() -> None:
    assert columns(["a", "bb"], [["ccc", "d"]]) == "a    bb\nccc   d"
    assert [text_bar(x, 1, 2) for x in (0, 0.0625, 0.5, 1)] == ["  ", "▏ ", "█ ", "██"]


def test_what_is_shown_has_both_forms() -> None:
    shown = Shown("text", "<b>html</b>")
    assert (repr(shown), shown._repr_html_()) == ("text", "<b>html</b>")
