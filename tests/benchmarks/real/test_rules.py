"""All rules of one token are measured together, those that a bank cannot have are named, and a wrong one fails the run."""

import json
from types import SimpleNamespace

import pytest

from benchmarks import __main__ as benchmarks
from benchmarks.real import rules
from simspec.logits import bank as banks
from simspec.methods.known import Known
from simspec.methods.registry import kinds

RUN = ["real", "--quick", "--repeats", "1", "--case", "rules"]


def test_every_rule_of_one_token_is_named_or_without_facts():
    names, without_facts = rules.names_of(Known())
    assert len(names) + len(without_facts) == len(kinds("token")) > 40
    assert {kind.name for kind in kinds("token") if kind.needs} == set(without_facts)
    assert not set(without_facts) & {name.partition(":")[0] for name in names}


def test_quick_run(tmp_path, capsys):
    path = tmp_path / "real.json"
    assert benchmarks.main([*RUN, "--json", str(path)]) == 0
    (case,) = json.loads(path.read_text())["cases"]
    assert [result["status"] for result in case["results"]] == ["ok", "ok"]
    assert {"sd", "greedy", "tli"} <= set(case["rules"]) and "rdk" in case["left out"]
    assert case["memory"]["simspec"] > 0 and "left out" in capsys.readouterr().out


def test_a_wrong_acceptance_fails_the_run(monkeypatch, capsys):
    from simspec.tools import rates

    def wrong(source, names):
        value = SimpleNamespace(estimate=0.5)
        return [SimpleNamespace(rule=name, values={"acceptance": value}) for name in names]

    monkeypatch.setattr(rates, "rates", wrong)
    assert benchmarks.main(RUN) == 1
    assert "wrong by" in capsys.readouterr().out


def test_without_the_bank_it_is_skipped_with_a_sentence(monkeypatch, tmp_path):
    monkeypatch.setattr(banks, "_DATA", tmp_path)
    done = rules.measure(False, 0, 1)
    assert done.right and done.about["results"][0]["seconds"] == []
    assert done.about["results"][0]["status"].startswith("skipped: bank: 'smollm2' is not installed")


@pytest.mark.parametrize("words", [["--case", "nothing"], ["--case"]])
def test_a_case_that_is_none_is_refused(words):
    with pytest.raises(SystemExit):
        benchmarks.main(["real", *words])
