"""What has to be trusted is said of each word apart, with the files and axioms that there are."""

from __future__ import annotations

import re

import pytest

from tests.requirements import require

require("proofs")
from proofs_check.coq.check import ALLOWED  # noqa: E402
from simspec.claims.deciding.in_coq import coq_record  # noqa: E402
from tests.proofs_check.attacks import trusted  # noqa: E402
from tests.proofs_check.attacks.page import PAGE, ROOT  # noqa: E402
from tests.proofs_check.attacks.trusted import enumerations, hundreds_of_lines, section  # noqa: E402


def test_each_word_has_a_table_and_the_page_has_both() -> None:
    parts = section()
    tables = [part for part in parts if part.startswith("| code |")]
    assert len(tables) == 2
    assert "proofs_check/coq/prelude.v" in tables[0] and "checking" not in tables[0]
    assert "proofs_check/rules](" in tables[1] and "prelude.v" not in tables[1]
    assert "\n\n".join(parts) in PAGE.read_text(encoding="utf-8")
    for place in re.findall(r"\]\(\.\./([^)]+)\)", "\n".join(parts)):
        assert (ROOT / place).exists(), place


def test_every_axiom_that_is_allowed_is_named() -> None:
    assert "Classical_Prop.classic" in ALLOWED
    assert all(f"`{axiom}`" in section()[1] for axiom in ALLOWED)


def test_every_enumeration_is_a_theorem_in_coq() -> None:
    theorems = {entry["claim"] for entry in coq_record()["theorems"]}
    names = re.findall(r"`([^`]+)`", enumerations())
    assert names and {*names} <= theorems
    assert f"{len(names)} of the {len(names)} are theorems" in enumerations() and "own rules" not in enumerations()


def test_an_enumeration_that_is_none_is_named(monkeypatch) -> None:
    record = coq_record()
    fewer = [entry for entry in record["theorems"] if entry["claim"] != "sqs.best-size"]
    monkeypatch.setattr(trusted, "coq_record", lambda: {**record, "theorems": fewer})
    by_hand, _, by_rules = enumerations().partition("); ")
    assert by_rules == "`sqs.best-size` stays with the package's own rules." and "sqs.best-size" not in by_hand


def test_of_a_file_for_coq_definitions_and_listed_theorems_are_read() -> None:
    listed = {"claimed"}
    sentences = (
        "Definition a := 1.",
        "Hypothesis h : a = 1.",
        "Lemma l : a = 1.",
        "Theorem claimed : a = 1.",
        "reflexivity.",
    )
    assert [trusted._is_read(s, listed) for s in sentences] == [True, True, False, True, False]
    assert not trusted._is_read("Theorem other : a = 1.", listed)


def test_a_row_without_files_is_an_error() -> None:
    with pytest.raises(ValueError, match="no file proofs_check/nowhere"):
        hundreds_of_lines("proofs_check/nowhere/*.py")
