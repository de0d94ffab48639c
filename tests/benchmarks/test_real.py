"""The benchmark of tools on real vocabularies checks them against NumPy, and fails on a wrong one; no time is asserted."""

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks import real
from benchmarks.real import Case
from simspec.tools import reading

SMALL = tuple(Case(tool, 8, 60) for tool in real.TOOLS)


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(real, "QUICK", SMALL)
    monkeypatch.setenv("COLUMNS", "140")


def test_cases_are_the_vocabularies_of_real_models():
    assert {case.vocab for case in real.CASES} == {49_152, 151_936} and {case.tool for case in real.CASES} == {
        *real.TOOLS
    }


def test_the_expectation_by_hand(tmp_path):
    with real.bank_file(3, 4, seed=1) as path:
        pairs = reading.load(path)
        assert real.expected(path, "rates") == pytest.approx(np.minimum(pairs.p, pairs.q).sum(axis=1).mean(), rel=1e-12)
        assert real.expected(path, "trees") == pytest.approx(pairs.p[np.arange(3), pairs.q.argmax(axis=1)].mean())
    assert not path.exists()


def test_quick_run_writes_every_candidate_and_its_memory(tmp_path, small, capsys):
    path = tmp_path / "real.json"
    usual = reading.LARGE
    assert benchmarks.main(["real", "--quick", "--repeats", "1", "--json", str(path)]) == 0
    cases = json.loads(path.read_text())["cases"]
    assert [case["tool"] for case in cases] == [*real.TOOLS]
    for case in cases:
        names = [peer.name for peer in real.candidates(case["tool"])]
        assert [r["name"] for r in case["results"]] == names == list(case["memory"])
        assert [r["status"] for r in case["results"]] == ["ok"] * 3
    assert usual == reading.LARGE
    assert "laws of 10,000 contexts at once" in " ".join(capsys.readouterr().out.split())


def test_a_wrong_tool_fails_the_run(small, monkeypatch, capsys):
    right = real._MEASURES["rates"]
    monkeypatch.setitem(real._MEASURES, "rates", lambda pairs: right(pairs) + 1e-3)
    assert benchmarks.main(["real", "--quick", "--repeats", "1"]) == 1
    assert "wrong by 1.0e-03" in capsys.readouterr().out
