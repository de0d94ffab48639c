"""The benchmark of many workers: run as typed on two, its arithmetic by hand, and wrong results told."""

from __future__ import annotations

import json

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import workers
from benchmarks.workers import Asked, Asleep, Spent
from simspec.engine.study import Rows
from tests.requirements import require

FOUND = {
    "start": 5.0,
    "start_driver": 1.0,
    "start_workers": 4.0,
    "idle": Spent(2.0, 0.02, 0.04, 0, 3),
    "runs": [Spent(20.0, 0.5, 1.6, 100, 700, 352.0), Spent(12.5, 0.4, 1.6, 100, 700)],
    "right": True,
}


def test_two_workers_have_the_bits_of_one_process(tmp_path, capsys) -> None:
    require("dask")
    path = tmp_path / "workers.json"
    assert benchmarks.main(["workers", "--quick", "--repeats", "1", "--seconds", "0.2", "--json", str(path)]) == 0
    assert "those of one process, to the last bit" in capsys.readouterr().out
    (case,) = json.loads(path.read_text())["cases"]
    (run,) = case["runs"]
    assert case["right"] and case["blocks"] == 16 and case["asked"] == {"workers": 2, "sleep": 0.02, "seconds": 0.2}
    assert 0 < case["with_start"] < case["efficiency"][0] <= 1 and case["answer_bytes"] > 10
    assert 1 <= run["bundles"] <= 16 and run["driver"] > 0 and run["messages"] >= 2 * run["bundles"]
    assert 16 * 0.02 <= run["inside"] <= 2 * run["seconds"]


def test_efficiency_is_arithmetic(monkeypatch, capsys) -> None:
    """320 blocks of 0.1 s on 3.2 workers ... ten seconds of work each: half of twenty, four fifths of 12.5."""
    monkeypatch.setattr(workers, "measure", lambda asked, repeats, tick: FOUND)
    asked = Asked(32, 0.1, 10.0)
    assert asked.blocks * workers.CELLS == 3200 and asked.work == pytest.approx(10)
    done = workers._case(asked, 2)
    assert done.about["efficiency"] == pytest.approx([0.5, 0.8]) and done.about["with_start"] == pytest.approx(0.4)
    assert "65.0 % (median)" in done.notes and "start: 40.0 %" in done.notes and "125 ms each" in done.notes
    assert "1.0 % of a core for the driver, 2.0 % for all workers" in done.notes
    assert "on bundles 55.0 % of the time, whose blocks last 0.110 s: what is beyond 0.1 s" in done.notes
    assert "5 bundles and 35 messages a second" in done.notes and "busy 2.5 %" in done.notes


def test_wrong_results_end_with_1(monkeypatch, capsys) -> None:
    monkeypatch.setattr(workers, "measure", lambda asked, repeats, tick: FOUND | {"right": False})
    assert benchmarks.main(["workers", "--quick"]) == 1
    assert "NOT those of one process" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("option", "value"), [("--workers", "1"), ("--workers", "100000"), ("--sleep", "0"), ("--seconds", "inf")]
)
def test_nonsense_is_refused_before_anything_starts(option, value, capsys) -> None:
    assert benchmarks.main(["workers", option, value]) == 2
    assert f"{option} {value}" in capsys.readouterr().err


def test_every_row_has_a_number_of_its_own() -> None:
    values = Asleep(0.0)({}, Rows(12345, range(50)), "cpu")["u"]
    assert len({*values}) == 50 and values.min() >= 0 and values.max() < 1
