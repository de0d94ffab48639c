"""Tables of what was measured on tasks."""

from __future__ import annotations

from simspec.studies.tasc.task_record import read_tasks
from simspec.tools.texts.table import (
    bigram_table,
    drafting_table,
    entropy_table,
    origins,
    prediction_table,
    sampling_table,
    tables,
)


def _i(estimate, low, high):
    return {"estimate": estimate, "interval": [low, high], "level": 0.95}


ONE = {
    "pairs": 1200,
    "source": "one.tsv",
    "bigram statistics": None,
    "unit": "words",
    "held out": 5,
    "held out, learnt too": 0.4,
    "tokens per call": {"corpus": _i(2.5, 2.25, 2.75)},
    "added tokens": [{"added": 7, "train": 3.0, "held out": _i(2, 1.5, 2.5), "normalised entropy": {}}],
}


def test_by_hand() -> None:
    tasks = {"one": ONE}
    assert bigram_table(tasks).rows == [["one", "1,200", *["-"] * 8]]
    assert drafting_table(tasks).rows == [["one", "5", "40 %", "2.50 ±0.25", "-", "-"]]
    assert entropy_table(tasks).rows == [["one", "7", *["-"] * 4, "2.00 ±0.50", "3.00"]]
    assert [len(table.rows) for table in tables(tasks)] == [1, 1, 1]  # no model, no prediction
    assert list(origins(tasks)) == ["one: one.tsv; origin not recorded; licence: not recorded"]


def test_an_infinite_interval_is_left_out() -> None:
    tasks = {"one": {**ONE, "tokens per call": {"corpus": {"estimate": 2, "interval": [1, None]}}}}
    assert drafting_table(tasks).rows[0][3] == "2.00"


def test_units_are_told_apart() -> None:
    (note, _) = drafting_table({"one": ONE, "two": {**ONE, "unit": "letters"}}).notes
    assert note == "a token: words (one); letters (two)"


def test_the_record_that_ships_fills_every_table() -> None:
    tasks = read_tasks()
    shown = tables(tasks)
    assert len(shown) == 5
    for table in shown:
        assert table.title and table.notes and all(len(row) == len(table.columns) for row in table.rows)
        assert not any(cell in ("-", "nan") for row in table.rows for cell in row)
        named = {row[0] for row in table.rows} - {""}
        assert named == set(tasks)
    assert len(sampling_table(tasks).rows) == 2 * len(tasks) and len(prediction_table(tasks).rows) >= 3 * len(tasks)
    assert len(list(origins(tasks))) == 2 * len(tasks)
