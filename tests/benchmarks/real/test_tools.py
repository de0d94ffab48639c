"""The benchmark of tools on real vocabularies checks them against NumPy, and fails on a wrong one; no time is asserted."""

import json

import numpy as np
import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.real import tools
from benchmarks.real.tools import Case
from simspec.tools import reading

SMALL = tuple(Case(tool, 8, 60) for tool in tools.TOOLS)
RUN = ["real", "--quick", "--repeats", "1", "--case", "tools"]


@pytest.fixture
def small(monkeypatch):
    monkeypatch.setattr(tools, "QUICK", SMALL)
    monkeypatch.setenv("COLUMNS", "140")


def test_cases_are_the_vocabularies_of_real_models():
    assert {case.vocab for case in tools.CASES} == {49_152, 151_936}
    assert {case.tool for case in tools.CASES} == {*tools.TOOLS}


def test_the_expectation_by_hand():
    with tools.bank_file(3, 4, seed=1) as path:
        pairs = reading.load(path)
        right = np.minimum(pairs.p, pairs.q).sum(axis=1).mean()
        assert tools.expected(path, "rates") == pytest.approx(right, rel=1e-12)
        likeliest = pairs.p[np.arange(3), pairs.q.argmax(axis=1)].mean()
        assert tools.expected(path, "trees") == pytest.approx(likeliest)
    assert not path.exists()


def test_quick_run_writes_every_candidate_and_its_memory(tmp_path, small, capsys):
    path = tmp_path / "real.json"
    usual = reading.LARGE
    assert benchmarks.main([*RUN, "--json", str(path)]) == 0
    cases = json.loads(path.read_text())["cases"]
    assert [case["tool"] for case in cases] == [*tools.TOOLS]
    for case in cases:
        names = [peer.name for peer in tools.candidates(case["tool"])]
        assert [r["name"] for r in case["results"]] == names == list(case["memory"])
        assert [r["status"] for r in case["results"]] == ["ok"] * 5
    assert usual == reading.LARGE
    assert "laws of 10,000 contexts at once" in " ".join(capsys.readouterr().out.split())


def test_a_tool_consists_of_its_laws_and_its_passes(small, monkeypatch):
    """One row makes each law once and measures nothing; the other reads nothing."""
    made = []
    (laws, passes) = (peer for peer in tools.candidates("rates") if peer.name in (tools.LAWS, tools.RULES))
    monkeypatch.setitem(tools._MEASURES, "rates", lambda pairs: made.append(type(pairs.p).__name__) or 0.5)
    with tools.bank_file(3, 4, seed=1) as path:
        laws.bind(path, 1)()
        assert made == []
        call = passes.bind(path, 1)
        path.unlink()
        assert call().tolist() == [0.5] and made == ["ndarray"]


def test_a_wrong_tool_fails_the_run(small, monkeypatch, capsys):
    right = tools._MEASURES["rates"]
    monkeypatch.setitem(tools._MEASURES, "rates", lambda pairs: right(pairs) + 1e-3)
    assert benchmarks.main(RUN) == 1
    assert "wrong by 1.0e-03" in capsys.readouterr().out
