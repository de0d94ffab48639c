"""How long Coq takes is recorded of a whole run with the answers on record, and of nothing else."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import coq
from simspec.claims.deciding.in_coq import coq_record
from simspec.files import fill

ROOT = Path(__file__).parents[2]
SAID = (
    "sd.speedup: accepted\n"
    "567 derivations, 521 that Coq accepts whole; 20503 steps written out, 28 of them axioms in the Coq scripts\n"
    "0 difference(s) from the record\n"
)


@pytest.fixture
def page(monkeypatch, tmp_path) -> Path:
    monkeypatch.chdir(tmp_path)
    coq.PAGE.parent.mkdir(parents=True)
    coq.PAGE.write_text("a\n<!-- coq:begin -->\nstale\n<!-- coq:end -->\nb\n", encoding="utf-8")
    return coq.PAGE


def saying(monkeypatch, said: str) -> list[list[str]]:
    asked: list[list[str]] = []

    def run(command, **_):
        asked.append(command)
        return SimpleNamespace(stdout=said)

    monkeypatch.setattr(subprocess, "run", run)
    return asked


def test_a_whole_run_is_recorded(page, monkeypatch, capsys) -> None:
    asked = saying(monkeypatch, SAID)
    assert coq.main([]) == 0
    assert asked[0][1:] == ["-m", "proofs_check", "--coq", "--dry"]
    said = f"567 derivations of 20,503 steps were written out and read by Coq {coq_record()['coq']} in 0.0 minutes, with the"
    assert said in page.read_text(encoding="utf-8") and said in capsys.readouterr().out
    assert json.loads(coq.RECORD.read_text(encoding="utf-8"))["whole"] == 521


def test_some_claims_are_timed_and_not_recorded(page, monkeypatch) -> None:
    asked = saying(monkeypatch, SAID)
    assert coq.main(["sd"]) == 0
    assert asked[0][-1] == "sd" and not coq.RECORD.exists() and "stale" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("said", ["", SAID.replace("0 diff", "1 diff"), SAID.splitlines()[-1]])
def test_another_answer_is_no_measurement(page, said, monkeypatch, capsys) -> None:
    saying(monkeypatch, said)
    assert coq.main([]) == 2
    assert not coq.RECORD.exists() and "stale" in page.read_text(encoding="utf-8")
    assert "expected 0 differences" in capsys.readouterr().err


def test_an_option_is_told_what_is_expected(page, capsys) -> None:
    assert coq.main(["--help"]) == 2
    assert "usage: python -m benchmarks.coq" in capsys.readouterr().err


def test_the_page_that_ships_is_current() -> None:
    page = (ROOT / coq.PAGE).read_text(encoding="utf-8")
    record = ROOT / coq.RECORD
    document = json.loads(record.read_text(encoding="utf-8")) if record.is_file() else {}
    assert fill(page, coq.PART, coq.sentence(document)) == page
