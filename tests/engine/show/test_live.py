"""What a run shows of itself: the words, the table, plain lines, and the display of a notebook."""

from __future__ import annotations

import io
import sys
import types

import pytest
from rich.console import Console

from simspec.engine.estimates.estimators import Estimator
from simspec.engine.run import CellResult, Estimate, Snapshot
from simspec.engine.show.live import (
    FEW,
    LATEST,
    Live,
    digits,
    duration,
    estimator_notes,
    found_columns,
    labels,
    line,
    table,
    varying,
)
from simspec.studies import Share, Study, cross

STUDY = Study("s", "?", cross(a=(1, 2), b=("u", None), c=(0.5,)), lambda c, r, d: {}, measures={"m": Share()})


def result(number: int = 0, estimates: dict | None = None, **options) -> CellResult:
    known = {"m": Estimate(0.5, 0.4, 0.6)} if estimates is None else estimates
    values = {"rows": 1000, "blocks": 1, "decided": True, "totals": {}, "level": 0.95} | options
    return CellResult(STUDY.grid[number], f"{number:02x}", estimates=known, **values)


def printed(thing, width: int = 200) -> str:
    console = Console(file=io.StringIO(), width=width, highlight=False)
    console.print(thing)
    return console.file.getvalue()  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("estimate", "shown"),
    [
        (Estimate(0.123456, 0.12, 0.126), ("0.1235", "0.1200", "0.1260")),
        (Estimate(1234.4, 1000, 1500), ("1234", "1000", "1500")),
        (Estimate(1, 1, 1), ("1.000000", "1.000000", "1.000000")),
    ],
)
def test_as_many_digits_as_are_known(estimate, shown) -> None:
    assert digits(estimate) == shown


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.2, "0 s"), (59.7, "1 min 0 s"), (3599, "59 min 59 s"), (3600, "1 h 0 min"), (1e5, "1 d 3 h")],
)
def test_durations(seconds, text) -> None:
    assert duration(seconds) == text


def test_line_tells_of_failures_and_hides_what_is_unknown() -> None:
    text = line(Snapshot(1, 2, 4, 1000, 10.0, float("inf"), result()), 3)
    assert text == "1/4 cells decided, 2 failed, 1,000 rows, 10 rows/s, 3 s so far"


def test_table_shows_what_varies() -> None:
    assert varying(STUDY.grid) == ["a", "b"]
    text = printed(table(STUDY, [result(1, decided=False), result(2)], plain=True))
    head, first, second = (row.split() for row in text.splitlines())
    assert head == ["cell", "a", "b", "rows", "m", "interval", "95", "%", "valid", "estimator", "saves", "decided"]
    assert first == ["1", "1", "1,000", "0.50", "[0.40,", "0.60]", "no"]
    assert second == ["2", "2", "u", "1,000", "0.50", "[0.40,", "0.60]", "yes"]


def test_table_tells_promises_and_estimators_apart() -> None:
    limit = {"m": Estimator("levels", 312.6, "in the limit")}
    every = {"m": Estimator("conditional expectation", 2.04, "every law")}
    results = [result(0, estimators=limit), result(1, estimators=every)]
    first, second = printed(table(STUDY, results, plain=True)).splitlines()[1:]
    assert first.split()[-7:] == ["in", "the", "limit", "levels", "313", "times", "yes"]
    assert second.split()[-7:] == ["every", "law", "conditional", "expectation", "2.0", "times", "yes"]
    valid, saves = estimator_notes(results)
    assert "every law: at every stop, for every law" in valid and "in the limit: at every stop, in the limit" in valid
    assert saves.startswith("saves: ") and "one look" not in valid and estimator_notes([result(0)]) == []
    assert found_columns(table(STUDY, results)) == ["m", "interval 95 %", "valid", "decided"]


def test_every_saving_has_a_word_and_each_word_a_meaning() -> None:
    kinds = {
        "313 times": Estimator("levels", 312.6, "in the limit"),
        "more than 5.4 times": Estimator("levels", None, "in the limit", 5.38),
        "nothing": Estimator("rows", None, "every law", is_plain=True),
        "not measured": Estimator("levels", None, "in the limit"),
    }
    for text, estimator in kinds.items():
        (row,) = printed(table(STUDY, [result(0, estimators={"m": estimator})], plain=True)).splitlines()[1:]
        assert f" {text} " in row
    *_, note = estimator_notes([result(0, estimators={"m": estimator}) for estimator in kinds.values()])
    assert note.startswith("saves: rows of the plain estimator that one row is worth")
    assert all(f"; {word}: " in note for word in ("more than", "nothing", "not measured"))


def test_table_of_many_measures_and_of_a_failure() -> None:
    places = {f"k[{i}]": Estimate(0.5, 0.4, 0.6) for i in range(FEW + 1)}
    many = result(0, {**places, "m": Estimate(0.5, 0.4, 0.6)})
    assert labels([many]) == ["m"] and labels([many], "k[2]") == ["k[2]"] and len(labels([many], "k")) == FEW + 1
    assert labels([result(0, places)]) == list(places)[:FEW]
    text = printed(table(STUDY, [many, result(1, {}, error="no")], "k"))
    assert "k[12]" in text and "failed" in text and len(text.splitlines()) > FEW


def test_brackets_are_no_markup() -> None:
    values = ("wiki [dev]", "wiki [test]", "[/nope]", "[red]")
    study = Study("s", "?", cross(**{"corpus[0]": values}), lambda c, r, d: {}, measures={"m": Share()})
    known = {"m[1]": Estimate(0.5, 0.4, 0.6)}
    results = [CellResult(cell, f"{i:02x}", 1, 1, True, known, {}, 0.95) for i, cell in enumerate(study.grid)]
    text = printed(table(study, results, title="[bold]"))
    assert all(value in text for value in (*values, "corpus[0]", "m[1]", "[bold]", "[0.40, 0.60]"))


def test_plain_lines_without_control_codes() -> None:
    console = Console(file=io.StringIO(), width=40)
    with Live(STUDY, console=console, interval_seconds=0) as live:
        for number in range(4):
            live(Snapshot(0, 0, 4, 1000, 10.0, 9.0, result(number)))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert "\x1b" not in text and len(text.splitlines()) == 4
    assert text.splitlines()[2].endswith("; cell 2: m 0.50 [0.40, 0.60]")


def test_plain_lines_are_seldom() -> None:
    console = Console(file=io.StringIO())
    with Live(STUDY, console=console, interval_seconds=60) as live:
        live(Snapshot(0, 0, 4, 1000, 10.0, 9.0, result()))
    assert console.file.getvalue() == ""  # type: ignore[attr-defined]


def test_a_terminal_sees_the_latest_cells() -> None:
    console = Console(file=io.StringIO(), force_terminal=True, width=120, height=40)
    with Live(STUDY, console=console) as live:
        for number in (3, 0, 3):
            live(Snapshot(2, 0, 4, 1000, 10.0, 9.0, result(number)))
        text = printed(live._render())
    assert "2/4 cells decided" in text
    cells = [row.split()[0] for row in text.splitlines() if row.split() and row.split()[0].isdigit()]
    assert cells == ["0", "3"] and len(cells) <= LATEST
    assert "\x1b" in console.file.getvalue()  # type: ignore[attr-defined]


def test_the_cells_that_were_worked_on_last_stay() -> None:
    study = Study("s", "?", cross(a=tuple(range(20))), lambda c, r, d: {})
    with Live(study, console=Console(file=io.StringIO(), width=120, height=80)) as live:
        for number in (0, 1, *range(2, LATEST), 0, 15):
            cell = CellResult(study.grid[number], f"{number:02x}", 1, 1, True, {}, {}, 0.95)
            live(Snapshot(0, 0, 20, 1000, 10.0, 9.0, cell))
        text = printed(live._render())
    cells = [int(row.split()[0]) for row in text.splitlines() if row.split() and row.split()[0].isdigit()]
    assert cells == [0, *range(2, LATEST), 15]


def test_a_notebook_gets_one_display_that_is_updated(monkeypatch) -> None:
    shown, updated = [], []
    handle = types.SimpleNamespace(update=updated.append)

    def display(thing, display_id):
        shown.append(thing)
        return handle

    monkeypatch.setitem(sys.modules, "IPython", types.ModuleType("IPython"))
    fake = types.ModuleType("IPython.display")
    fake.display = display  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "IPython.display", fake)
    with Live(STUDY, console=Console(force_jupyter=True)) as live:
        live(Snapshot(1, 0, 4, 1000, 10.0, 9.0, result()))
    assert len(shown) == 1 and len(updated) == 1
    assert "1/4 cells decided" in updated[0]._repr_mimebundle_([], [])["text/plain"]
