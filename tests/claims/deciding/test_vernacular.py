"""A file of theorems has commands of a short list, each by its plain name; comments and texts end where Coq ends them."""

from __future__ import annotations

import pytest

from simspec.claims.deciding.statements import sources, why_unread
from simspec.claims.deciding.vernacular import sentences, unreadable

HEAD = "Require Import Reals. Open Scope R_scope. "
THEOREM = "Theorem a x : x <= x. Proof. lra. Qed."


def test_all_that_ship_can_be_read() -> None:
    assert why_unread(sources()) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a (* b. *) c.", ["a c."]),
        ('a (* " *) " *) c.', ["a c."]),
        ('a "(*". b "*)".', ['a "(*".', 'b "*)".']),
        ('a ". b".', ['a ". b".']),
        ("x.y z. (* (* w. *) v. *) u.", ["x.y z.", "u."]),
        ("a. b", ["a.", "b"]),
    ],
)
def test_sentences(text, expected) -> None:
    assert list(sentences(text)) == expected


@pytest.mark.parametrize(
    "text",
    [
        THEOREM,
        f"Section A. Variable n : nat. Hypothesis H : n = n. Let m := n. {THEOREM} End A.",
        "Lemma b : True. Proof. { split. } - easy. 1, 2: lia. Qed.",
        'Notation "x <- d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).',
        "Fixpoint f n := match n with O => 0 | S m => f m end. Notation g := (f 2).",
    ],
)
def test_what_may_be_there(text) -> None:
    assert unreadable(HEAD + text) is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Variable n : nat.", "Variable n : nat."),
        ("Axiom wrong : False.", "Axiom wrong : False."),
        ("Section A. End B.", "End B."),
        ("Section A.", "A has no end"),
        ("Theorem b : True.", "a statement without a proof"),
        ("Theorem b : True. Proof.", "a statement without a proof"),
        ("Theorem b : True. exact I. Qed.", "exact I."),
        ("Theorem b : True. Proof. Admitted.", "Admitted."),
        (f"{THEOREM} Open Scope nat_scope.", "Open Scope nat_scope."),
        (f"{THEOREM} Open Scope R_scope.", "Open Scope R_scope."),
        ("Definition b : nat. Proof. exact 0. Defined.", "Definition b : nat."),
        ("Inductive b := B with c := C.", "Inductive b := B with c := C."),
        ("Record b := B { c :> nat }.", "Record b := B { c :> nat }."),
        ("Definition b := ltac:(exact 0).", "Definition b := ltac:(exact 0)."),
    ],
)
def test_what_may_not(text, sentence) -> None:
    assert unreadable(HEAD + text) == sentence


def test_what_is_required_is_listed() -> None:
    assert unreadable("Require Import laws.") == "Require Import laws."
    assert unreadable("Require Import laws.", frozenset({"laws"})) is None
