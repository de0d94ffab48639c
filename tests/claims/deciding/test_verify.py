"""The run behind `simspec verify`: records, plain data, crashes, recorded verdicts, files."""

import json
from dataclasses import replace
from fractions import Fraction as F
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from simspec.claims import registry
from simspec.claims.claim import Claim, Evidence, Finding
from simspec.claims.deciding import verify as verify_module
from simspec.claims.deciding.data import Data
from simspec.claims.deciding.verify import changed, verify, verify_claim
from simspec.logits import bank as bank_module

KEYS = {
    *("id", "kind", "source", "verdict", "checks", "tightness", "counterexample", "corrected_by", "proof", "evidence"),
    *("seconds", "reproduce"),
}


def test_record_of_a_refuted_claim() -> None:
    record = verify("sd.inverse-proportional", effort="quick")["claims"][0]
    assert record["verdict"] == "refuted"
    assert set(record) >= KEYS
    assert set(record["counterexample"]) == {"p", "q", "p2", "q2"}
    assert all(isinstance(F(m), F) for m in record["counterexample"]["p"])
    assert record["corrected_by"] == ["sd.inverse-proportional-corrected"]
    assert record["checks"]["exact"]["violations"] > 0
    json.dumps(record, allow_nan=False)


def test_reproduce_names_the_run() -> None:
    record = verify("sd.acceptance", effort="quick", seed=5)["claims"][0]
    assert record["reproduce"] == "simspec verify sd.acceptance --effort quick --seed 5"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"effort": "huge"}, "effort: 'huge'; expected one of quick"),
        ({"seed": -1}, "seed: -1; expected an integer"),
        ({"seed": 1.5}, "seed: 1.5; expected an integer"),
    ],
)
def test_bad_arguments(arguments, message) -> None:
    with pytest.raises(ValueError, match=message):
        verify("sd.acceptance", **arguments)


def test_unknown_id_names_the_nearest() -> None:
    with pytest.raises(ValueError, match="'sd.lossles' is not a claim; nearest: sd.lossless"):
        verify("sd.lossles")


def test_a_crashed_check_is_an_error_with_its_place() -> None:
    crashing = replace(registry()["sd.acceptance"], lhs=lambda p: 1 / 0)
    record = verify_claim(crashing, Data(effort="quick"))
    assert record["verdict"] == "error"
    assert record["message"].startswith("ZeroDivisionError: division by zero (test_verify.py:")


def test_empirical_record() -> None:
    from simspec.engine.study import Study

    study = Study("t", "?", ({"x": 1},), lambda cell, rows, device: {"v": np.ones(len(rows.numbers))})
    rows = [Evidence("synthetic", None, 4, 0.5, (0.4, 0.6), 0.95, {"uniform": 0.1})]
    claim = Claim(
        "t", "empirical", "", "", finding=Finding(lambda d: study, lambda r: rows, lambda e: "supported", "c")
    )
    record = verify_claim(claim, Data(effort="quick"))
    assert record["verdict"] == "supported", record["message"]
    assert record["evidence"][0]["interval"] == [0.4, 0.6]
    assert record["evidence"][0]["control"] == {"uniform": 0.1}


def test_a_bank_of_one_document_is_refused(monkeypatch) -> None:
    from tests.engine.fakes import FakeBank

    bank = FakeBank(contexts=2)
    monkeypatch.setattr(bank, "file", SimpleNamespace(verify=lambda: None), raising=False)
    monkeypatch.setattr(Data, "main", property(lambda self: bank))
    with pytest.raises(ValueError, match="bank: 'fake' has 2 contexts of 1 documents; expected at least two"):
        verify("sd.acceptance", bank="one.safetensors", effort="quick")


def test_what_a_bank_does_not_hold_is_inconclusive_and_says_why() -> None:
    data = Data(path=str(Path(bank_module.__file__).parents[1] / "data" / "gpt2.safetensors"), effort="quick")
    record = verify_claim(registry()["rdk.long-tail"], data)
    assert record["verdict"] == "inconclusive"
    assert record["message"].startswith("bank: 'gpt2' has no statistics")
    exact_only = verify_claim(registry()["rdk.tli-vs-none"], data)
    assert exact_only["verdict"] == "proved" and exact_only["checks"]["real"] is None


def test_a_bank_that_a_sentence_cannot_be_about_is_inconclusive_and_says_why() -> None:
    data = Data(path=str(Path(bank_module.__file__).parents[1] / "data" / "stories.safetensors"), effort="quick")
    record = verify_claim(registry()["rdk.long-tail"], data)
    assert record["verdict"] == "inconclusive" and record["evidence"]
    assert record["message"] == (
        "not comparable: V = 2,048, and the 95 % of the paper are 16,100 tokens, so that there is no tail"
    )


@pytest.fixture
def record(monkeypatch):
    kept = {"seed": 0, "effort": "default", "python": "3.11", "verdicts": {"a": "holds", "b": "supported"}}
    monkeypatch.setattr(verify_module, "expected", lambda: kept)


def run_of(effort="default", seed=0, bank="shipped", python="3.11.7", data="a bank", **verdicts):
    kinds = {"a": "bound", "b": "empirical"}
    claims = [{"id": i, "kind": kinds[i], "verdict": v, "evidence": [{"data": data}]} for i, v in verdicts.items()]
    return {"environment": {"bank": bank, "python": python}, "seed": seed, "effort": effort, "claims": claims}


def test_changed_verdicts(record) -> None:
    assert changed(run_of(a="holds", b="supported")) == []
    assert changed(run_of(a="refuted", b="supported")) == ["a: refuted, recorded holds"]
    assert changed(run_of(a="holds", b="unsupported")) == ["b: unsupported, recorded supported"]


@pytest.mark.parametrize("other", [{"seed": 1}, {"effort": "quick"}, {"bank": "mine.safetensors"}])
def test_empirical_verdicts_of_another_run_are_results(record, other) -> None:
    assert changed(run_of(a="holds", b="unsupported", **other)) == []
    assert changed(run_of(a="refuted", b="unsupported", **other)) == ["a: refuted, recorded holds"]


def test_verdicts_on_another_pythons_sources_are_results(record) -> None:
    text = "standard library of Python 3.13: tagging"
    assert changed(run_of(b="unsupported", python="3.13.1", data=text)) == []
    assert changed(run_of(b="unsupported", python="3.13.1")) == ["b: unsupported, recorded supported"]
    assert changed(run_of(b="unsupported", data=text)) == ["b: unsupported, recorded supported"]
    assert changed(run_of(a="refuted", python="3.13.1", data=text)) == ["a: refuted, recorded holds"]
