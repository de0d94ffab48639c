"""What a stopped run had decided counts for the same run only, and never for a crashed check or a claim from outside."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simspec.claims.chosen import choose
from simspec.claims.deciding import unfinished
from simspec.claims.deciding.unfinished import NAME, keep, kept, run_key

RECORDS = [
    {"id": "sd.speedup", "verdict": "holds"},
    {"id": "sd.acceptance", "verdict": "proved"},
    {"id": "sd.lossless", "verdict": "error"},
    {"id": "own.true", "verdict": "holds", "place": "mine.py:TRUE"},
]


def test_records_of_the_same_run_are_found_again(tmp_path: Path) -> None:
    assert keep(tmp_path, "a", RECORDS) == 2
    assert set(kept(tmp_path, "a", choose(["sd"]))) == {"sd.speedup", "sd.acceptance"}
    assert set(kept(tmp_path, "a", choose(["sd.acceptance"]))) == {"sd.acceptance"}
    assert kept(tmp_path, "b", choose(["sd"])) == {}


def test_nothing_worth_keeping_writes_nothing(tmp_path: Path) -> None:
    assert keep(tmp_path / "report", "a", RECORDS[2:]) == 0
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{}", "[1]", '{"run": "a", "claims": []}'])
def test_a_file_that_is_not_ours_counts_for_nothing(tmp_path: Path, text: str) -> None:
    (tmp_path / NAME).write_text(text)
    assert kept(tmp_path, "a", choose(["sd"])) == {}


def test_an_altered_file_counts_for_nothing(tmp_path: Path) -> None:
    keep(tmp_path, "a", RECORDS)
    path = tmp_path / NAME
    path.write_text(path.read_text().replace("holds", "proved"))
    assert json.loads(path.read_text()) and kept(tmp_path, "a", choose(["sd"])) == {}


def test_runs_differ_by_arguments_bank_and_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    bank = tmp_path / "bank"
    bank.write_text("one")
    keys = [
        run_key(None, "quick", 0),
        run_key(None, "default", 0),
        run_key(None, "quick", 1),
        run_key(str(bank), "quick", 0),
    ]
    bank.write_text("another")
    keys.append(run_key(str(bank), "quick", 0))
    monkeypatch.setattr(unfinished, "_PACKAGE", tmp_path / "simspec")
    (tmp_path / "simspec").mkdir()
    for text in ("x = 1\n", "x = 2\n"):
        (tmp_path / "simspec" / "a.py").write_text(text)
        keys.append(run_key(None, "quick", 0))
    assert len(set(keys)) == len(keys)
