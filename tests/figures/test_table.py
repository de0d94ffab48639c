"""Points of figures: written, read, asked for panels and curves; what is no such file is named."""

from __future__ import annotations

import math

import pytest

from simspec.figures.table import Point, Points, load, save

ROWS = Points([Point("a", "SD", 0, 0.5, 0.25, 0.75), Point("a", "RDK", 1, 1.0), Point("b", "SD", 2, 3.0, label="two")])


def test_rows_come_back_as_they_were_written(tmp_path) -> None:
    save(tmp_path / "data" / "x.parquet", ROWS, {"seed": 3, "figure": "β"})
    rows, manifest = load(tmp_path / "data" / "x.parquet")
    assert manifest == {"seed": 3, "figure": "β"}
    assert rows[0][:6] == ROWS[0][:6] and rows[2].label == "two"
    assert math.isnan(rows[1].low) and math.isnan(rows[1].z)


def test_the_same_rows_make_the_same_bytes(tmp_path) -> None:
    for name in "xy":
        save(tmp_path / name, ROWS, {"seed": 3})
    assert (tmp_path / "x").read_bytes() == (tmp_path / "y").read_bytes()


def test_panels_and_curves() -> None:
    assert ROWS.panels() == ["a", "b"] and ROWS.series() == ["SD", "RDK"]
    assert [p.y for p in ROWS.of("a", "SD")] == [0.5]
    assert ROWS.of("c") == ()


@pytest.mark.parametrize("content", [b"", b"PAR1", b"nothing of the kind"])
def test_what_is_no_such_file_is_named(tmp_path, content) -> None:
    (tmp_path / "x.parquet").write_bytes(content)
    with pytest.raises(ValueError, match=r"x\.parquet: not the rows of a figure"):
        load(tmp_path / "x.parquet")
