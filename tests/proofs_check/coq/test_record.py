"""The record of what Coq accepted: kept by what an answer depends on, and about this prelude."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq import check  # noqa: E402
from proofs_check.coq.check import Answer, checked, digest, number, traced  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from simspec.report.twice import twice  # noqa: E402
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
    assert files == [check.PRELUDE]  # compiled first; the derivation itself is not asked about again
    (stale,) = checked([NAME], 1, [{**known, "text": digest(text + " ")}])
    assert not stale["whole"] and stale["admitted"] == ["derive_0"] and len(files) == 3


def test_another_prelude_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest("")
    prelude = check._prelude()
    monkeypatch.setattr(check, "_prelude", lambda: prelude + "\n")
    assert digest("") != before


def test_the_record_is_about_this_prelude_and_what_is_written_now() -> None:
    record = twice()
    assert record["prelude"] == sha256(check._prelude().encode()).hexdigest()[:24], "make coq records it again"
    assert len(record["derivations"]) <= number()
    entries = [e for e in record["derivations"] if "text" in e and e["steps"] < 8][:3]
    assert entries, "nothing is recorded"
    for e in entries:
        proof = check.listed()[e["file"]][e["place"]]
        assert digest(exported(traced(proof))[0]) == e["text"], f"{e['claim']}: make coq records it again"
