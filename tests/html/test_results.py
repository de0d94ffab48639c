"""Rows of results as CSV and as a table of pandas."""

from __future__ import annotations

import io

import pytest

from simspec.html.results import Tabular, csv_text

ROWS = [{"name": "a,b", "x": 0.1, "n": 3}, {"name": 'c "d"', "x": float("nan"), "y": None, "ok": False}]


class Made(Tabular):
    def records(self):
        return ROWS


def test_csv_has_every_column_and_leaves_out_what_is_missing() -> None:
    assert csv_text(ROWS) == 'name,x,n,y,ok\n"a,b",0.1,3,,\n"c ""d""",,,,False\n'
    assert csv_text([{"x": float("inf")}]) == "x\ninf\n"


def test_the_frame_reads_the_same_from_its_csv(tmp_path) -> None:
    pd = pytest.importorskip("pandas")
    assert Made().to_csv(tmp_path / "a" / "made.csv") is None
    text = (tmp_path / "a" / "made.csv").read_text()
    assert text == Made().to_csv()
    back = pd.read_csv(io.StringIO(text))
    assert list(back.columns) == list(Made().frame().columns)
    assert back["name"].tolist() == ["a,b", 'c "d"'] and back["x"].isna().tolist() == [False, True]


def test_a_result_without_records_says_so() -> None:
    with pytest.raises(NotImplementedError):
        Tabular().to_csv()
