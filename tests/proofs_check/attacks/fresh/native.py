"""Theorems by hand of plain commands alone, whose meaning changes while what is on record as read stays what it was.

Each trick is a library of files that Coq accepts, which `tests/proofs_check/coq/test_fresh.py` asks, and the files that were
read in their place, where the theorem is false or about another number.  Each twin is as it was read.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple
from unittest.mock import patch

from proofs_check.coq.algorithm.compiled import Refused
from proofs_check.coq.algorithm.record import whole
from simspec.claims.deciding import statements
from tests.proofs_check.attacks.attack import Attack, NotProved

__all__ = ["LIBRARIES", "MEANING"]

FAMILY = "theorems by hand whose meaning changes after they were read"
HEAD = "Require Import Reals Lra.\nOpen Scope R_scope.\n"
COMMAND = "is none of the commands"
NOT_READ = "is not the statement that was read"


class Trick(NamedTuple):
    """What changes, the text of `mine` that Coq accepts, the one that was read, and the same of other files."""

    says: str
    text: str
    read: str
    by: str
    beside: Mapping[str, str] = {}
    beside_read: Mapping[str, str] = {}


def _theorem(statement: str, proof: str) -> str:
    return f"(** All of it. *)\nTheorem sd_lossless {statement}.\nProof. {proof} Qed.\n"


def _changed(says: str, template: str, true: str, false: str, by: str, head: str = HEAD) -> Trick:
    """A trick where one part of a file is another."""
    return Trick(says, head + template.replace("PART", true), head + template.replace("PART", false), by)


BOUND = _theorem("x : x <= bound x", "unfold bound. lra.")
SMALL = _theorem("x : x <= 0", "constructor.")
TRICKS = {
    "sign_of_a_type": Trick(
        "at most gets another meaning inside of a type",
        f'{HEAD}Inductive always : R -> R -> Prop := Any a b : always a b where "a <= b" := (always a b).\n{SMALL}',
        HEAD + SMALL,
        COMMAND,
    ),
    "sign_of_a_function": Trick(
        "at most gets another meaning inside of a function",
        f'{HEAD}Fixpoint always (n : nat) (a b : R) {{struct n}} : Prop := True where "a <= b" := (always O a b).\n{SMALL}',
        HEAD + SMALL,
        COMMAND,
    ),
    "name_in_greek_letters": _changed(
        "a definition whose name begins with a letter that is none of Coq's own library",
        "Definition βound (x : R) := PART.\n" + _theorem("x : x <= βound x", "unfold βound. lra."),
        "x",
        "x - 1",
        COMMAND,
    ),
    "function_of_a_section": _changed(
        "a function that is defined for a section alone",
        "Section S.\nLet Fixpoint bound (n : nat) : R := match n with O => PART | S m => bound m end.\n"
        + _theorem("n : bound n <= 0", "induction n; simpl; lra.")
        + "End S.\n",
        "0",
        "1",
        COMMAND,
    ),
    "order_of_variables": _changed(
        "the order in which a section names the numbers that a definition takes",
        "Section S.\nVariables PART : R.\nDefinition apart := a - b.\nEnd S.\n"
        + _theorem("x y : x <= y -> apart x y <= 0", "unfold apart. lra."),
        "a b",
        "b a",
        NOT_READ,
    ),
    "kind_of_a_variable": _changed(
        "the kind of the number that a section names, and a definition takes",
        "Section S.\nVariable n : PART.\nDefinition same := n = n.\nDefinition kind := forall m, m = n.\nEnd S.\n"
        + _theorem(": exists n, kind n", "exists tt. now intros []."),
        "unit",
        "bool",
        NOT_READ,
    ),
    "sections_exchanged": _changed(
        "two sections call a number by one name; the theorem is in the other",
        "Section S.\nLet bound := PART.\n" + _theorem(": 0 < bound", "unfold bound. lra.") + "End S.\n"
        "Section T.\nLet bound := TRAP.\nEnd T.\n",
        "1",
        "- 1",
        NOT_READ,
    ),
    "order_of_files": Trick(
        "two files have a definition of one name, and the other one is imported last",
        f"Require Import Reals Lra.\nRequire Import below same.\nOpen Scope R_scope.\n{BOUND}",
        f"Require Import Reals Lra.\nRequire Import same below.\nOpen Scope R_scope.\n{BOUND}",
        NOT_READ,
        beside={
            "same": f"{HEAD}Definition bound (x : R) := x.\n",
            "below": f"{HEAD}Definition bound (x : R) := x - 1.\n",
        },
    ),
    "definition_after_it": Trick(
        "a definition of another file, whose name the theorem's file defines again after it",
        f"Require Import Reals Lra.\nRequire Import same.\nOpen Scope R_scope.\n{BOUND}Definition bound (x : R) := x + 1.\n",
        f"Require Import Reals Lra.\nRequire Import same.\nOpen Scope R_scope.\n{BOUND}Definition bound (x : R) := x + 1.\n",
        NOT_READ,
        {"same": f"{HEAD}Definition bound (x : R) := x.\n"},
        {"same": f"{HEAD}Definition bound (x : R) := x - 1.\n"},
    ),
    "order_of_libraries": Trick(
        "two libraries of Coq's have a function of one name, and the other one is imported last",
        "Require Import String Bool.\nOpen Scope string_scope.\n"
        + _theorem("a b c : eqb a b = true \\/ eqb b c = true \\/ eqb a c = true", "destruct a, b, c; simpl; tauto."),
        "Require Import Bool String.\nOpen Scope string_scope.\n"
        + _theorem("a b c : eqb a b = true \\/ eqb b c = true \\/ eqb a c = true", "destruct a, b, c; simpl; tauto."),
        COMMAND,
    ),
    "eliminator": _changed(
        "a statement is by cases of a type, which it does not name",
        "Inductive kind := Up | Down (why : PART).\n"
        + _theorem("k : kind_rect (fun _ => R) 0 (fun _ => 1) k = 0", "destruct k as [| []]. reflexivity."),
        "False",
        "True",
        NOT_READ,
    ),
    "coercion_of_a_record": _changed(
        "a record that numbers are taken for, with a field that is a number of another",
        "Record > box := Box { base : R; inner : R := PART }.\n" + _theorem("x : inner (Box x) = x", "reflexivity."),
        "base",
        "base - 1",
        COMMAND,
    ),
    "theorem_with_a_stroke": Trick(
        "the statement that was read is that of a theorem whose name has a stroke more",
        f"{HEAD}(** All of it. *)\nTheorem sd_lossless' x : x <= x.\nProof. lra. Qed.\n"
        "Theorem sd_lossless : True.\nProof. easy. Qed.\n",
        HEAD + _theorem("' x : x <= x", "lra.").replace("lossless '", "lossless'"),
        "no theorem sd_lossless",
    ),
    "word_with_a_stroke": _changed(
        "the second of two functions that are defined at once, beside a name that looks like a match",
        "Fixpoint other (n : nat) {struct n} : R := let match' := 0 in match n with O => match' | S m => bound m end\n"
        "with bound (n : nat) {struct n} : R := match n with O => PART | S m => other m end.\n"
        + _theorem(": bound 0 = 1", "reflexivity."),
        "1",
        "2",
        COMMAND,
    ),
    "arrow_of_a_program": Trick(
        "a statement is about a program, whose steps are joined by a sign; the sign stands for another function",
        "Require Import Reals Lra.\nOpen Scope R_scope.\nDefinition bind (d : R) (f : R -> R) := f d.\n"
        'Notation "x <- d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).\n'
        + _theorem("a : (t <- a ;; t) = a", "reflexivity."),
        "Require Import Reals Lra.\nOpen Scope R_scope.\nDefinition bind (d : R) (f : R -> R) := f d + 1.\n"
        'Notation "x <- d ;; e" := (bind d (fun x => e)) (at level 61, d at next level, right associativity).\n'
        + _theorem("a : (t <- a ;; t) = a", "reflexivity."),
        NOT_READ,
    ),
}
TRICKS["sections_exchanged"] = TRICKS["sections_exchanged"]._replace(
    text=TRICKS["sections_exchanged"].text.replace("TRAP", "- 1"),
    read=TRICKS["sections_exchanged"].read.replace("TRAP", "1"),
)


def _whole(files: Mapping[str, str], read: Mapping[str, str]) -> Any:
    """The theorems that are recorded of some files, where others are on record as what was read."""
    if why := statements.why_unread(read):
        raise NotProved(why)
    try:
        as_read = {"sd_lossless": statements.says("sd_lossless", "mine", read)}
        with patch.object(statements, "_read", lambda: as_read):
            theorems = whole(files)
    except (Refused, ValueError) as error:
        raise NotProved(str(error)) from None
    if not theorems:
        raise NotProved("no theorem is listed")
    return theorems


def _files(trick: Trick) -> tuple[dict[str, str], dict[str, str]]:
    """The files of a trick, and those that were read."""
    return {**trick.beside, "mine": trick.text}, {**trick.beside, **trick.beside_read, "mine": trick.read}


PLAIN = HEAD + _theorem("x : x <= x", "lra.")


def _attack(name: str, trick: Trick) -> Attack:
    files, read = _files(trick)
    twin = partial(_whole, {"mine": PLAIN}, {"mine": PLAIN})
    return Attack(f"meaning_{name}", FAMILY, trick.says, partial(_whole, files, read), twin=twin, by=trick.by)


MEANING = [_attack(name, trick) for name, trick in TRICKS.items()]
LIBRARIES = {name: _files(trick)[0] for name, trick in TRICKS.items()}
"""The files of each trick, which Coq accepts."""
