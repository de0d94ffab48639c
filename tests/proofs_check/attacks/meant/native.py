"""Theorems by hand that a person has read in one way, and Coq reads in another: nonsense, read and listed, that Coq accepts.

Each file is accepted by Coq, which `tests/proofs_check/coq/test_meant.py` asks; what is listed as read is false, or of another
number.  Each twin is the file without the trick, whose theorem is as it was read.
"""

from __future__ import annotations

from typing import Any, NamedTuple
from unittest.mock import patch

from proofs_check.coq.algorithm.compiled import Refused
from proofs_check.coq.algorithm.record import whole
from simspec.claims.deciding import statements
from tests.proofs_check.attacks.attack import Attack, NotProved

__all__ = ["FILES", "NATIVE"]

FAMILY = "theorems by hand that Coq reads otherwise"
HEAD = "Require Import Reals Lra.\nOpen Scope R_scope.\n"
SAID = "(** All of it. *)\n"
FALSE = f"{SAID}Theorem sd_lossless x : x <= 0.\n"
TRUE = f"{SAID}Theorem sd_lossless : True.\nProof. easy. Qed.\n"
BOUND = f"{SAID}Theorem sd_lossless x : x <= bound x.\nProof. unfold bound. lra. Qed.\n"
ANY = "forall x, x <= 0"
COMMAND = "is none of the commands"
NOT_READ = "is not the statement that was read"


class Trick(NamedTuple):
    """What a file does, its text, the text that was read in its place, and a part of the message that refuses it."""

    says: str
    text: str
    read: str = f"{FALSE}Proof. lra. Qed.\n"
    by: str = COMMAND


TRICKS = {
    "nested_comment": Trick(
        "the statement that was read stands in a comment inside of which another comment ends",
        f"(* (* *) {FALSE} *)\n{TRUE}",
        by=NOT_READ,
    ),
    "text_that_opens_a_comment": Trick(
        "what a section supposes stands between two texts that look like the ends of a comment",
        f'Section S.\nLtac a := idtac "(*".\nHypothesis wrong : {ANY}.\nLtac b := idtac "*)".\n'
        f"{FALSE}Proof. apply wrong. Qed.\nEnd S.\n",
        by=NOT_READ,
    ),
    "abandoned": Trick(
        "the statement that was read is abandoned, and its name given to True", f"{FALSE}Proof. Abort.\n{TRUE}"
    ),
    "inner_module": Trick(
        "the statement that was read is abandoned inside of a module",
        f"Module Inner.\n{FALSE}Proof. Abort.\nEnd Inner.\n{TRUE}",
    ),
    "theorem_in_a_module": Trick(
        "the statement that was read has a proof inside of a module, from what is wrong there",
        f"Module Type Wrong.\nAxiom wrong : {ANY}.\nEnd Wrong.\nModule Inner (W : Wrong).\n{FALSE}Proof. apply W.wrong. Qed.\n"
        f"End Inner.\n{TRUE}",
    ),
    "infix": Trick(
        "at most means always: the sign has another meaning, the letters are the same",
        'Definition always (a b : R) := True.\nInfix "<=" := always (at level 70).\n' + f"{FALSE}Proof. easy. Qed.\n",
    ),
    "notation_of_a_number": Trick(
        "less means more: the sign of a difference is that of a sum",
        'Notation "a - b" := (Rplus a b) (at level 50, left associativity) : R_scope.\n'
        f"{SAID}Theorem sd_lossless x : 0 <= x -> x <= x - 1.\nProof. lra. Qed.\n",
        f"{SAID}Theorem sd_lossless x : 0 <= x -> x <= x - 1.\nProof. lra. Qed.\n",
    ),
    "supposed_with_a_clock": Trick(
        "what a section supposes comes after a word that asks for the time",
        f"Section S.\nTime Hypothesis wrong : {ANY}.\n{FALSE}Proof. apply wrong. Qed.\nEnd S.\n",
    ),
    "supposed_with_a_limit": Trick(
        "what a section supposes comes after a limit of seconds",
        f"Section S.\nTimeout 5 Hypothesis wrong : {ANY}.\n{FALSE}Proof. apply wrong. Qed.\nEnd S.\n",
    ),
    "supposed_in_a_proof": Trick(
        "what a section supposes is supposed in the middle of a proof",
        f"Section S.\nLemma before : True.\nProof. Hypothesis wrong : {ANY}. easy. Qed.\n"
        f"{FALSE}Proof. apply wrong. Qed.\nEnd S.\n",
    ),
    "coercion": Trick(
        "a whole number counts as a real one, which is 0",
        "Definition nothing (x : nat) : R := 0.\nCoercion nothing : nat >-> R.\n"
        f"{SAID}Theorem sd_lossless (x : nat) : x <= 0.\nProof. unfold nothing. lra. Qed.\n",
        f"Coercion INR : nat >-> R.\n{SAID}Theorem sd_lossless (x : nat) : x <= 0.\nProof. lra. Qed.\n",
    ),
    "coercion_of_a_field": Trick(
        "a field of a record is a coercion: of two fields the other one was read",
        "Record pair := Pair { nothing :> R; something : R }.\n"
        f"{SAID}Theorem sd_lossless (x : pair) : nothing x = 0 -> x <= 0.\nProof. lra. Qed.\n",
        "Record pair := Pair { nothing : R; something :> R }.\n"
        f"{SAID}Theorem sd_lossless (x : pair) : nothing x = 0 -> x <= 0.\nProof. lra. Qed.\n",
    ),
    "kind_of_a_name": Trick(
        "a name is that of a whole number wherever no kind is written",
        f"Implicit Types x : nat.\n{SAID}Theorem sd_lossless x : (INR x >= 0)%R.\nProof. apply Rle_ge, pos_INR. Qed.\n",
        f"Implicit Types x : R.\n{SAID}Theorem sd_lossless x : (INR x >= 0)%R.\nProof. lra. Qed.\n",
    ),
    "definition_by_a_proof": Trick(
        "a definition whose meaning is what tactics make",
        f"Definition bound : R -> R.\nProof. exact (fun x => x). Defined.\n{BOUND}",
        f"Definition bound : R -> R.\nProof. exact (fun x => x - 1). Defined.\n{BOUND}",
    ),
    "definition_by_a_tactic": Trick(
        "a definition whose meaning is a tactic, which is changed",
        f"Ltac made := exact (fun x : R => x).\nDefinition bound : R -> R := ltac:(made).\n{BOUND}",
        f"Ltac made := exact (fun x : R => x - 1).\nDefinition bound : R -> R := ltac:(made).\n{BOUND}",
    ),
    "statement_by_a_tactic": Trick(
        "a statement that a tactic makes",
        f"Ltac made := exact True.\n{SAID}Theorem sd_lossless : ltac:(made).\nProof. exact I. Qed.\n",
        f"Ltac made := exact False.\n{SAID}Theorem sd_lossless : ltac:(made).\nProof. exact I. Qed.\n",
    ),
    "definition_with_a_clock": Trick(
        "a definition after a word that asks for the time",
        f"Time Definition bound (x : R) := x.\n{BOUND}",
        f"Time Definition bound (x : R) := x - 1.\n{BOUND}",
    ),
    "definition_with_attributes": Trick(
        "a definition with two attributes",
        f"#[local, program] Definition bound (x : R) := x.\n{BOUND}",
        f"#[local, program] Definition bound (x : R) := x - 1.\n{BOUND}",
    ),
    "definition_by_another_word": Trick(
        "a definition that is called an example",
        f"Example bound (x : R) : R := x.\n{BOUND}",
        f"Example bound (x : R) : R := x - 1.\n{BOUND}",
    ),
    "lemma_that_defines": Trick(
        "a lemma that is a number, and is seen through",
        f"Lemma bound (x : R) : R.\nProof. exact x. Defined.\n{BOUND}",
        f"Lemma bound (x : R) : R.\nProof. exact (x - 1). Defined.\n{BOUND}",
    ),
    "second_of_two": Trick(
        "the second of two functions that are defined at once",
        "Fixpoint other (n : nat) : R := match n with O => 0 | S m => bound m end\n"
        "with bound (n : nat) : R := match n with O => 1 | S m => other m end.\n"
        f"{SAID}Theorem sd_lossless : bound 0 = 1.\nProof. reflexivity. Qed.\n",
        "Fixpoint other (n : nat) : R := match n with O => 0 | S m => bound m end\n"
        "with bound (n : nat) : R := match n with O => 2 | S m => other m end.\n"
        f"{SAID}Theorem sd_lossless : bound 0 = 1.\nProof. reflexivity. Qed.\n",
    ),
    "module_of_another_name": Trick(
        "a number of a module that is another name for one of two",
        "Module A.\nDefinition bound (x : R) := x.\nEnd A.\nModule B.\nDefinition bound (x : R) := x - 1.\nEnd B.\n"
        f"Module M := A.\n{BOUND.replace('bound', 'M.bound')}",
        "Module A.\nDefinition bound (x : R) := x.\nEnd A.\nModule B.\nDefinition bound (x : R) := x - 1.\nEnd B.\n"
        f"Module M := B.\n{BOUND.replace('bound', 'M.bound')}",
    ),
    "constructor": Trick(
        "a statement names a constructor of a type, and not the type",
        f"Inductive kind := Only.\n{SAID}Theorem sd_lossless k : k = Only.\nProof. now destruct k. Qed.\n",
        f"Inductive kind := Only | Other.\n{SAID}Theorem sd_lossless k : k = Only.\nProof. now destruct k. Qed.\n",
        NOT_READ,
    ),
    "another_scope": Trick(
        "numbers are whole, for the file opens the scope of whole numbers last",
        f"Open Scope nat_scope.\n{SAID}Theorem sd_lossless x : 0 <= x.\nProof. apply Nat.le_0_l. Qed.\n",
        f"{SAID}Theorem sd_lossless x : 0 <= x.\nProof. lra. Qed.\n",
    ),
    "scope_of_a_sign": Trick(
        "numbers are whole, for the scope of real numbers is closed",
        f"Close Scope R_scope.\n{SAID}Theorem sd_lossless x : 0 <= x.\nProof. apply Nat.le_0_l. Qed.\n",
        f"{SAID}Theorem sd_lossless x : 0 <= x.\nProof. lra. Qed.\n",
    ),
    "file_that_is_loaded": Trick(
        "at most gets another meaning in a file that is loaded from anywhere",
        f'Load "{{anywhere}}/elsewhere".\n{FALSE}Proof. easy. Qed.\n',
    ),
    "guard_that_is_off": Trick(
        "a recursion that does not end, where nobody asks whether it does",
        f"#[bypass_check(guard)] Fixpoint wrong (n : nat) : {ANY} := wrong n.\n{FALSE}Proof. apply (wrong O). Qed.\n",
    ),
    "guard_that_is_unset": Trick(
        "the same by an option",
        f"Unset Guard Checking.\nFixpoint wrong (n : nat) : {ANY} := wrong n.\n{FALSE}Proof. apply (wrong O). Qed.\n",
    ),
    "universes": Trick(
        "a hierarchy of types that is one, from which a proof of everything is made",
        f"Unset Universe Checking.\n{FALSE}Proof. Admitted.\n",
    ),
    "admitted_in_a_section": Trick(
        "a lemma that is admitted, with the name of an axiom of Coq's real numbers",
        f"Module ClassicalDedekindReals.\nAxiom sig_not_dec : {ANY}.\nEnd ClassicalDedekindReals.\n"
        f"{FALSE}Proof. exact ClassicalDedekindReals.sig_not_dec. Qed.\n",
    ),
}
NOT_BY_COQ = {"file_that_is_loaded", "guard_that_is_off", "guard_that_is_unset", "universes", "admitted_in_a_section"}
"""Those that Coq refuses or reports when it is asked what the theorem rests on, or that need a file beside."""


def _whole(file: str, read: str) -> Any:
    """The theorems that are recorded of a file, where another text is on record as what was read."""
    as_read = {"sd_lossless": statements.says("sd_lossless", "mine", {"mine": HEAD + read})}
    with patch.object(statements, "_read", lambda: as_read):
        try:
            theorems = whole({"mine": HEAD + file})
        except Refused as error:
            raise NotProved(str(error)) from None
    if not theorems:
        raise NotProved("no theorem is listed")
    return theorems


PLAIN = f"{SAID}Theorem sd_lossless x : x <= x.\nProof. lra. Qed.\n"
HONEST = f"Definition bound (x : R) := x.\n{BOUND}"


def _attack(name: str, trick: Trick) -> Attack:
    honest = HONEST if "bound" in trick.text else PLAIN
    return Attack(
        f"native_{name}",
        FAMILY,
        trick.says,
        lambda: _whole(trick.text, trick.read),
        twin=lambda: _whole(honest, honest),
        by=trick.by,
    )


NATIVE = [_attack(name, trick) for name, trick in TRICKS.items()]
FILES = {name: HEAD + trick.text for name, trick in TRICKS.items() if name not in NOT_BY_COQ}
"""The files that Coq accepts, and whose theorems it says rest on nothing but its real numbers."""
