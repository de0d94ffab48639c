"""A light installation: without what measures, and without the banks, everything else works and the rest says what to do."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator

import pytest

import simspec
from simspec import cli
from simspec.checks import install_command
from simspec.claims import registry
from simspec.logits import bank


@pytest.fixture
def without_scipy(monkeypatch) -> None:
    for name in [n for n in sys.modules if n.partition(".")[0] == "scipy"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "scipy", None)


def forget() -> None:
    """What this process has measured already: claims on one study keep its results."""
    for claim in registry().values():
        if claim.finding is not None and hasattr(claim.finding.study, "cache_clear"):
            claim.finding.study.cache_clear()


@pytest.fixture
def without_banks(monkeypatch, tmp_path) -> Iterator[None]:
    monkeypatch.setattr(bank, "_DATA", tmp_path / "none")
    forget()
    yield
    forget()


def run(capsys, *words: str) -> tuple[int, str]:
    status = cli.main(list(words))
    return status, capsys.readouterr().err


def test_exact_claims_are_decided_without_what_measures(without_scipy, tmp_path, capsys) -> None:
    words = ["sd.acceptance", "rdk.two-events", "sqs.bits", "--effort", "quick", "--out", str(tmp_path)]
    assert run(capsys, "verify", *words)[0] < 2  # 1 where a proof is not on record yet


@pytest.mark.parametrize(
    ("words", "said", "extra"),
    [
        (
            ["verify", "sd.acceptance", "rdk.real-pruning"],
            "simspec verify: measuring needs scipy",
            "verify",
        ),
        (["rates", "wiki"], "simspec rates needs scipy", "measure"),
        (["advise", "--bank", "wiki"], "simspec advise needs scipy", "measure"),
        (["audit", "mine.py:sampler"], "simspec audit needs scipy", "measure"),
        (["study", "run", "acceptance"], "simspec study run needs scipy", "studies"),
    ],
)
def test_what_measures_names_what_brings_it_at_once(
    without_scipy, words, said, extra, monkeypatch, tmp_path, capsys
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(capsys, *words) == (2, f"simspec: error: {said}: {install_command(extra)}\n")
    assert not list(tmp_path.iterdir())


def test_texts_without_a_tokenizer_need_only_what_measures(without_scipy, tmp_path, capsys) -> None:
    (tmp_path / "a.jsonl").write_text('{"input": "a b", "output": "b a"}\n' * 9)
    assert "simspec texts needs scipy: " in run(capsys, "texts", str(tmp_path / "a.jsonl"))[1]


def test_an_import_that_fails_later_is_one_line_too(monkeypatch, capsys) -> None:
    def fails(name: str):
        def command(args) -> int:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

        return command

    monkeypatch.setattr("simspec.cli.claims.run", fails("tokenizers.models"))
    status, said = run(capsys, "claims")
    assert (status, said.count("\n")) == (2, 1)
    assert said.startswith("simspec: error: simspec claims needs tokenizers.models: ")
    assert said.endswith(f": {install_command('texts')}\n")
    monkeypatch.setattr("simspec.cli.claims.run", fails("nothing.at.all"))
    with pytest.raises(ModuleNotFoundError):
        cli.main(["claims"])


def test_a_claim_that_cannot_be_measured_says_why() -> None:
    """In a process of its own: texts that were read before are kept."""
    code = """
import json, sys
sys.modules["tokenizers"] = None
import simspec
(found,) = simspec.verify("tasc.entropy-rises", effort="quick")["claims"]
print(json.dumps([found["verdict"], found["message"]]))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    verdict, message = json.loads(done.stdout.splitlines()[-1])
    assert verdict == "error"
    assert message == f"a tokenizer of one's own needs tokenizers: {install_command('texts')}"


def test_without_banks_exact_verdicts_stand_and_nothing_is_tried_on_real_laws(without_banks, tmp_path, capsys) -> None:
    words = ["sd.inverse-proportional", "rdk.seventy-five", "--effort", "quick", "--out", str(tmp_path)]
    status, said = run(capsys, "verify", *words)
    assert status < 2 and said.count("bank: 'wiki' is not installed") == 2  # at the start, and of the claim
    verdicts = simspec.verify("sd.inverse-proportional", "sd.acceptance", "rdk.seventy-five", effort="quick")
    assert verdicts["environment"]["bank"] == "not installed"
    found = {claim["id"]: claim for claim in verdicts["claims"]}
    assert found["sd.inverse-proportional"]["verdict"] == "refuted" and found["sd.acceptance"]["verdict"] in (
        "proved",
        "derived",
        "holds",
    )
    assert found["rdk.seventy-five"]["verdict"] == "inconclusive"
    assert all(claim["checks"]["real"] is None for claim in verdicts["claims"])
    assert "install ./simspec/logits/data" in found["rdk.seventy-five"]["message"]


def test_with_banks_real_laws_are_tried() -> None:
    found = simspec.verify("sd.acceptance", effort="quick")
    assert found["claims"][0]["checks"]["real"]["instances"] > 0 and found["environment"]["bank"] == "shipped"


@pytest.mark.parametrize("name", bank.SHIPPED)
def test_a_bank_that_is_not_installed_is_a_missing_part(without_banks, name) -> None:
    with pytest.raises(bank.MissingPart, match=rf"^bank: '{name}' is not installed, .* install \./simspec/logits/data"):
        simspec.open_bank(name)
