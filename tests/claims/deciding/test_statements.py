"""What a theorem says is its statement, what its sections suppose, and all that these mention."""

from __future__ import annotations

import pytest

from simspec.claims.deciding.statements import is_as_read, says, sources

TEXT = """(** Two numbers. *)
Definition two := 2.
Definition four := two + two.
Section A.
Variable n : nat.
Hypothesis n_positive : 0 < n.
Section B.
Variable m : nat.
End B.
(** It is so. Really. *)
Theorem it_is : four + n = n + 4.
Proof. unfold four. lia. Qed.
End A.
Theorem other : 1.5 <> four.
"""


def test_a_statement_with_what_its_sections_suppose() -> None:
    """Sections that have ended suppose nothing; a comment says nothing."""
    said = says("it_is", "f", {"f": TEXT})
    assert said["states"] == "Variable n : nat. Hypothesis n_positive : 0 < n. Theorem it_is : four + n = n + 4."
    assert says("other", "f", {"f": TEXT})["states"] == "Theorem other : 1.5 <> four."


@pytest.mark.parametrize(
    ("before", "after", "is_another"),
    [
        ("two := 2", "two := 3", True),  # through another definition
        ("(** Two numbers. *)", "", False),
        ("lia", "auto", False),
        ("0 < n", "n < n", True),
        ("four + n = n + 4", "True", True),
    ],
)
def test_what_changes_its_meaning(before, after, is_another) -> None:
    first = says("it_is", "f", {"f": TEXT})
    second = says("it_is", "f", {"f": TEXT.replace(before, after)})
    assert (first != second) == is_another


def test_a_definition_of_another_file() -> None:
    """One of its own file comes before one of another."""
    texts = {"f": "Require Import g.\nTheorem t : four = 4.\n", "g": "Definition four := 4.\n"}
    changed = {**texts, "g": "Definition four := 5.\n"}
    assert says("t", "f", texts) != says("t", "f", changed)
    own = "Require Import g.\nDefinition four := 4.\nTheorem t : four = 4.\n"
    assert says("t", "f", {**texts, "f": own}) == says("t", "f", {**changed, "f": own})
    after = texts["f"] + "Definition four := 6.\n"
    assert says("t", "f", {**texts, "f": after}) != says("t", "f", {**changed, "f": after})


@pytest.mark.parametrize(
    ("text", "changed", "is_another"),
    [
        ("Require Import g h.\n", "Require Import h g.\n", True),  # the last one counts
        ("Require Import h.\nRequire Import g.\n", "Require Import g.\n", False),
        ("Require Import e.\n", "Require Import h.\n", False),  # which exports it
        ("Require Import g.\nRequire e.\n", "Require Import g.\n", False),
    ],
)
def test_what_is_imported_last_counts(text, changed, is_another) -> None:
    texts = {"g": "Definition four := 4.\n", "h": "Definition four := 5.\n", "e": "Require Export h.\n"}
    theorem = "Theorem t : four = 4.\n"
    first, second = (says("t", "f", {**texts, "f": required + theorem}) for required in (text, changed))
    assert (first != second) == is_another


def test_what_a_section_names_is_of_its_definitions() -> None:
    text = "Section S.\nVariables a b : nat.\nDefinition less := a < b.\nEnd S.\nTheorem t : less 1 2.\n"
    assert says("t", "f", {"f": text}) != says("t", "f", {"f": text.replace("a b :", "b a :")})
    assert says("t", "f", {"f": text})["states"] == "Theorem t : less 1 2."


def test_no_such_theorem() -> None:
    with pytest.raises(ValueError, match=r"f\.v: no theorem t"):
        says("t", "f", {"f": TEXT})
    assert not is_as_read("t", "f", {"f": TEXT})


def test_all_that_ship_are_as_they_were_read() -> None:
    assert is_as_read("sd_lossless", "lossless") and is_as_read("block_lossless", "block")
    texts = sources()
    texts["laws"] = texts["laws"].replace("Definition tv ", "Definition tv_of_others ")
    assert not is_as_read("sqs_lattice", "lattice", texts)
