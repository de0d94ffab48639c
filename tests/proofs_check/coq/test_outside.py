"""Coq reads the derivations of a user's own file, and reads them again before its answer counts."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.requirements import require

require("proofs")
require("coq")

from proofs_check.__main__ import main  # noqa: E402
from proofs_check.checking import unchanged  # noqa: E402
from proofs_check.coq import check, outside  # noqa: E402
from proofs_check.coq.check import ADMITTED, Answer, prepared, version  # noqa: E402
from proofs_check.coq.terms import NotExported  # noqa: E402
from simspec import guarding, verify  # noqa: E402
from simspec.claims.deciding import outside as deciding  # noqa: E402
from simspec.claims.deciding.in_coq import sentence  # noqa: E402
from simspec.files import digested  # noqa: E402
from tests.claims.outside_cases import folder  # noqa: E402
from tests.proofs_check.checking.test_outside import CLAIMS, GOOD, PROOF  # noqa: E402

RECORD = "mine_proof.checked.json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, compiled_once) -> Path:
    """A folder with a claim and its proof; the libraries of scripts are compiled once for all tests.

    What the check holds while the file's code runs is little here: the tests are of Coq's answers, and others of the guard.
    """
    for module in (guarding, unchanged):
        monkeypatch.setattr(module, "CHECKING", frozenset())
    made = folder(tmp_path, monkeypatch)
    with (made / "mine.py").open("a", encoding="utf-8") as file:
        file.write(CLAIMS)
    (made / "mine_proof.py").write_text(PROOF + GOOD, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "mine", raising=False)
    libraries = compiled_once("prelude", prepared)  # now: a test may put another answer in Coq's place
    monkeypatch.setattr(outside, "prepared", lambda _: libraries)
    return made


def answers(monkeypatch: pytest.MonkeyPatch, *admitted: str) -> list[str]:
    """Coq's answer, in its place; the files that it was asked about."""
    files: list[str] = []

    def answer(folder: Path, file: str, text: str | None = None) -> Answer:
        files.append(file)
        return Answer(admitted, frozenset({ADMITTED}) if admitted else frozenset(), "")

    monkeypatch.setattr(check, "ask", answer)
    return files


def decided() -> dict[str, Any]:
    """The record of own.true in a new process, which remembers no earlier check."""
    deciding._checked_again.cache_clear()
    deciding._asked_again.cache_clear()
    return verify("mine.py:TRUE", effort="quick")["claims"][0]


def test_coq_reads_a_proof_of_a_users_and_reads_it_again_to_decide(here, capsys) -> None:
    assert main(["mine_proof.py", "--coq"]) == 0
    assert f"own.true: Coq {version()} accepts the whole derivation: 3 lemmas" in capsys.readouterr().out
    (entry,) = json.loads((here / RECORD).read_text())["proofs"]["own.true"]
    assert entry["coq"].items() >= {"coq": version(), "steps": 3, "admitted": [], "whole": True}.items()
    assert len(entry["coq"]["text"]) == len(entry["coq"]["prelude"]) == 24
    record = decided()
    assert record["verdict"] == "proved" and record["proof"][0]["coq"]["asked_now"] is True


def test_without_coq_its_answer_is_one_of_record(here, monkeypatch, capsys) -> None:
    with monkeypatch.context() as patch:
        answers(patch)
        assert main(["mine_proof.py", "--coq"]) == 0
    capsys.readouterr()
    before = (here / RECORD).read_text()
    monkeypatch.setattr(shutil, "which", lambda name: None)
    record = decided()
    assert record["verdict"] == "derived"
    assert record["message"] == "Coq accepted the derivation when it was recorded; it was not asked again here"
    assert sentence(record["proof"][0]).startswith(
        f"simspec's own rules alone show it here; on record, and not asked again: Coq {version_of(before)} "
        "accepts the whole derivation: 3 lemmas"
    )
    assert main(["mine_proof.py", "--coq"]) == 2  # as of a claim that ships
    said = capsys.readouterr()
    assert "coqc: not found; on Debian and Ubuntu" in said.err and not said.out
    assert (here / RECORD).read_text() == before


def version_of(record: str) -> str:
    return str(json.loads(record)["proofs"]["own.true"][0]["coq"]["coq"])


def test_an_answer_that_is_written_by_hand_is_asked_again(here, monkeypatch) -> None:
    """The record says that Coq accepts all; of what Coq leaves open now, the word is derived."""
    assert main(["mine_proof.py"]) == 0
    record = json.loads((here / RECORD).read_text())
    entry = record["proofs"]["own.true"][0]
    entry["coq"] = {"coq": "8.16.1", "text": "5e1" * 8, "steps": 3, "admitted": [], "whole": True}
    (here / RECORD).write_text(json.dumps(digested({k: v for k, v in record.items() if k != "digest"})))
    files = answers(monkeypatch, "derive_0")
    asked = decided()
    assert files and asked["verdict"] == "derived"
    assert asked["proof"][0]["coq"]["admitted"] == ["derive_0"]


@pytest.mark.parametrize("change", [{"steps": 0}, {"whole": "true"}, {"coq": 8}, {"further": "derive_0"}])
def test_an_answer_that_does_not_add_up_is_none(here, monkeypatch, change) -> None:
    with monkeypatch.context() as patch:
        answers(patch)
        assert main(["mine_proof.py", "--coq"]) == 0
    record = json.loads((here / RECORD).read_text())
    record["proofs"]["own.true"][0]["coq"] |= change
    (here / RECORD).write_text(json.dumps(digested({k: v for k, v in record.items() if k != "digest"})))
    files = answers(monkeypatch)
    asked = decided()
    assert not files and asked["verdict"] == "derived" and asked["proof"][0]["coq"] is None


def test_steps_that_coq_leaves_open_are_named_and_not_asked_again(here, monkeypatch, capsys) -> None:
    files = answers(monkeypatch, "derive_0", "sum_1")
    assert main(["mine_proof.py", "--coq"]) == 0
    assert "1 of 3 steps are lemmas" in (out := capsys.readouterr().out) and "derive_0, sum_1, axioms" in out
    files.clear()
    asked = decided()
    assert asked["verdict"] == "derived" and not files
    assert "not asked again: 1 of 3 steps" in sentence(asked["proof"][0])


def test_what_is_not_written_out_is_said_with_its_reason(here, monkeypatch, capsys) -> None:
    def refused(*_: object) -> None:
        raise NotExported("an enumeration of cases")

    monkeypatch.setattr(outside, "traced", refused)
    assert main(["mine_proof.py", "--coq"]) == 0
    assert "Coq was given nothing (an enumeration of cases)" in capsys.readouterr().out
    assert decided()["verdict"] == "derived"


def test_the_derivation_that_coq_reads_is_the_one_that_was_checked(here, monkeypatch, capsys) -> None:
    """A file is loaded once more to be written out: what it holds then is compared with its claim, and with the record."""
    assert main(["mine_proof.py"]) == 0
    proofs = outside.proofs_of("mine_proof.py")
    part = (replace(proofs[0], whole=False),)
    files = answers(monkeypatch)
    for other, reason in ((part, "another than the one that was checked: whole"), (_of_less(proofs), "own.true: ")):
        monkeypatch.setattr(outside, "proofs_of", lambda _, other=other: other)
        capsys.readouterr()
        assert main(["mine_proof.py", "--coq"]) == 1
        assert reason in capsys.readouterr().err and not files


def _of_less(proofs: tuple[Any, ...]) -> tuple[Any, ...]:
    """A proof that concludes what nobody claims: it is true, and Coq would accept it."""
    (proof,) = proofs
    return (replace(proof, prove=lambda d, **changes: proof.prove(d, **{"most": 2, **changes})),)


def test_a_record_that_changes_is_read_again_in_the_same_process(here, monkeypatch) -> None:
    answers(monkeypatch)
    assert main(["mine_proof.py"]) == 0
    assert decided()["verdict"] == "derived"
    assert main(["mine_proof.py", "--coq"]) == 0
    assert verify("mine.py:TRUE", effort="quick")["claims"][0]["verdict"] == "proved"


def test_an_interrupted_run_keeps_the_record(here, monkeypatch, capsys) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(outside, "traced", stopped)
    assert main(["mine_proof.py", "--coq"]) == 130
    assert "interrupted; the record is unchanged" in capsys.readouterr().err and not (here / RECORD).exists()


def test_its_answers_cannot_be_carried(here, capsys) -> None:
    assert main(["mine_proof.py", "--coq", "--carry"]) == 2
    assert "--carry: beside a file; expected ids of claims that ship" in capsys.readouterr().err
