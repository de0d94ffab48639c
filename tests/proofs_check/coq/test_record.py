"""The record of what Coq accepted: kept by what an answer depends on, and about this prelude."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.__main__ import main  # noqa: E402
from proofs_check.coq import check  # noqa: E402
from proofs_check.coq.check import Answer, carried, checked, digest, merged, number, traced  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from simspec import checks  # noqa: E402
from simspec.claims import registry  # noqa: E402
from simspec.claims.deciding import in_coq  # noqa: E402
from simspec.claims.deciding.in_coq import coq_record, prelude_of  # noqa: E402
from simspec.claims.deciding.proved import fingerprint  # noqa: E402
from tests.proofs_check.coq.test_export import derivation  # noqa: E402

NAME = "sd.acceptance"


def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Answers that Coq would not give so fast; the names of the files that it was asked about."""
    files: list[str] = []

    def answer(folder: Path, file: str, text: str | None = None) -> Answer:
        files.append(file)
        return Answer(("derive_0",), frozenset({check.ADMITTED}), "")

    monkeypatch.setattr(check, "ask", answer)
    return files


def test_an_answer_is_kept_while_nothing_that_it_depends_on_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    text, steps = exported(derivation(NAME))
    known = {"text": digest(text), "admitted": [], "whole": True}
    files = asked(monkeypatch)
    (kept,) = checked([NAME], 1, [known])
    assert kept["whole"] and kept["steps"] == len(steps) and kept["claim"] == NAME
    libraries = list(check.LIBRARIES)
    assert files == libraries  # compiled first; the derivation itself is not asked about again
    (stale,) = checked([NAME], 1, [{**known, "text": digest(text + " ")}])
    assert not stale["whole"] and stale["admitted"] == ["derive_0"]
    assert files[4:8] == libraries and len(files) == 11  # its steps that are left open are asked about twice more


def without_coq(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object, **__: object) -> None:
        raise AssertionError("Coq is asked")

    monkeypatch.setattr(check, "version", refused)
    monkeypatch.setattr(check, "ask", refused)


def test_an_answer_is_about_the_text_that_coq_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    """A fingerprint that changed alone needs no Coq; another script does, and another prelude."""
    without_coq(monkeypatch)
    text, steps = exported(derivation(NAME))
    stamp = in_coq.library_hash(check.PRELUDE)
    old = {
        "claim": NAME,
        "file": "sd/acceptance.py",
        "place": 0,
        "proof": "stale",
        "prelude": stamp,
        "steps": len(steps),
    }
    old |= {"text": digest(text, "8.16.1"), "admitted": [], "whole": True}
    record = {"coq": "8.16.1", "derivations": [old]}
    ((name, entry),) = carried([NAME], record)
    assert name == NAME and entry == old | {"proof": fingerprint(registry()[NAME], "sd/acceptance.py")}
    whole = merged([entry], record, record["coq"])
    assert whole["coq"] == "8.16.1" and whole["derivations"] == [entry]
    for other in ({"coq": "8.20.0"}, {"derivations": [old | {"text": digest(f"{text} ", "8.16.1")}]}):
        assert list(carried([NAME], record | other)) == [(NAME, None)]
    library = check._library
    monkeypatch.setattr(check, "_library", lambda name: f"{library(name)}\n")
    assert list(carried([NAME], record)) == [(NAME, None)]


def test_carrying_names_what_coq_has_not_read(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    without_coq(monkeypatch)
    monkeypatch.setattr(check, "RECORD", tmp_path / "coq.json")
    assert main([NAME, "--coq", "--carry", "--workers", "1"]) == 0
    assert "1 answers of Coq" in capsys.readouterr().out and NAME in check.RECORD.read_text(encoding="utf-8")
    monkeypatch.setattr(check, "digest", lambda *_: "another")
    assert main([NAME, "--coq", "--carry", "--dry", "--workers", "1"]) == 1
    assert f"{NAME}: Coq has not read this script" in capsys.readouterr().err
    assert main([NAME, "--carry"]) == 2


def test_a_dry_run_names_what_differs_from_the_record(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (known,) = (e for e in coq_record()["derivations"] if e["claim"] == NAME)
    others = [dict(known), {**known, "steps": known["steps"] + 1}]
    for entry, status in zip(others, (0, 1), strict=True):
        monkeypatch.setattr(check, "checked", lambda *_, entry=entry: [entry])
        assert main([NAME, "--coq", "--dry"]) == status
        out = capsys.readouterr().out
        assert f"{status} difference(s) from the record" in out
        assert ("on record is another answer" in out) == bool(status)


def test_another_prelude_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest("")
    library = check._library
    monkeypatch.setattr(check, "_library", lambda name: f"{library(name)}\n")
    assert digest("") != before


def test_what_is_read_now_says_nothing_of_what_was_read_with_another_prelude(monkeypatch: pytest.MonkeyPatch) -> None:
    """A partial run after the prelude was edited: the claim that is read again counts, the others no longer do."""
    of_before = [e for e in coq_record()["derivations"] if e.get("whole")]
    other = next(e for e in of_before if e["claim"] == "folk.lean-residual-corrected")
    before = {"coq": "8.16.1", "prelude": in_coq.library_hash(check.PRELUDE), "derivations": of_before}
    texts = in_coq.texts_in("coq", ".v")
    edited = {**texts, "prelude": f"{texts['prelude']}\n"}
    monkeypatch.setattr(check, "_library", lambda name: edited[name.removesuffix(".v")])
    monkeypatch.setattr(in_coq, "texts_in", lambda folder, ending: edited)
    asked(monkeypatch)
    record = merged(list(checked([NAME], 1)), before)
    assert merged([], record) == record
    monkeypatch.setattr(in_coq, "_read", lambda: record)
    for cache in (in_coq._answers, in_coq.library_hash):
        cache.cache_clear()
    try:
        answers = in_coq._answers()
    finally:
        monkeypatch.undo()
        for cache in (in_coq._answers, in_coq.library_hash):
            cache.cache_clear()
    assert {claim for claim, *_ in answers} == {NAME}
    assert any(e["claim"] == other["claim"] for e in record["derivations"])  # kept, under the stamp of before
    assert other["claim"] in {claim for claim, *_ in in_coq._answers()}


def test_the_record_is_about_this_prelude_and_what_is_written_now() -> None:
    record = coq_record()
    of_another = [
        e["claim"] for e in record["derivations"] if prelude_of(e, record) != in_coq.library_hash(check.PRELUDE)
    ]
    assert not of_another, f"make coq records them again: {', '.join(of_another)}"
    assert len(record["derivations"]) <= number()
    entries = [e for e in record["derivations"] if "text" in e and e["steps"] < 8][:3]
    assert entries, "nothing is recorded"
    for e in entries:
        proof = check.listed()[e["file"]][e["place"]]
        assert digest(exported(traced(proof), e.get("further", ()), e.get("deeper", ()))[0]) == e["text"], (
            f"{e['claim']}: make coq records it again"
        )


def test_every_entry_is_about_a_proof_as_it_stands() -> None:
    """Else the report says "derived" of what Coq has accepted: an entry counts only for the proof that it was made of."""
    ids = registry()
    old = [e["claim"] for e in coq_record()["derivations"] if e["proof"] != fingerprint(ids[e["claim"]], e["file"])]
    assert not old, f"make coq records them again: {', '.join(old)}"


@pytest.mark.parametrize(
    ("options", "told"), [([], "what Coq has answered is kept"), (["--dry"], "the record is unchanged")]
)
def test_an_interrupted_run_says_what_is_kept(
    options: list[str], told: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(check, "checked", stopped)
    assert main([NAME, "--coq", *options]) == 130
    assert told in capsys.readouterr().err


def test_a_step_is_counted_whatever_was_printed_before_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = (
        "find_witness Control.Timeoutadmitted derive_11\nadmitted sum_12\nAxioms:\nadmitted : forall statement : Prop\n"
    )
    monkeypatch.setattr(subprocess, "run", lambda command, **_: subprocess.CompletedProcess(command, 0, said, ""))
    answer = check.ask(tmp_path, "steps.v")
    assert answer.admitted == ("derive_11", "sum_12") and answer.axioms == {check.ADMITTED} and not answer.whole


def test_what_is_missing_is_named_with_the_command_that_brings_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(checks, "pip_of", lambda: "pip")
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert main(["--coq", NAME]) == 2
    assert "coqc: not found; on Debian and Ubuntu: apt-get install" in capsys.readouterr().err
    monkeypatch.setitem(sys.modules, "scipy", None)
    assert main(["--coq", NAME]) == 2
    assert "checking with Coq needs scipy: pip install -e '.[proofs]'" in capsys.readouterr().err
