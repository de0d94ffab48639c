"""Theorems about the algorithms: Coq accepts them, they rest on nothing but the reals, and wrong ones are refused."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.algorithm.compiled import (  # noqa: E402
    FOLDER,
    REALS,
    Refused,
    assumptions,
    beside,
    compiled,
    joined,
    ordered,
    refusals,
    sources,
    theorems,
)
from proofs_check.coq.algorithm.figures import comparison, figures, values  # noqa: E402
from proofs_check.coq.algorithm.page import section, stated  # noqa: E402
from proofs_check.coq.instances.library import verdicts  # noqa: E402
from simspec.claims import registry  # noqa: E402
from simspec.claims.deciding.in_coq import theorem_name  # noqa: E402
from simspec.claims.pad.label_noise import ends  # noqa: E402

TEXTS = sources(FOLDER)
WRONG = {
    "advantage": ("/ 2 <= d b * M b b", "/ 3 <= d b * M b b"),
    "approached": ("- t / 24) * (t * t)", "- t / 240) * (t * t)"),
    "arities": ("narrow K K s -> accepted s <= A / (1 - A).", "narrow K K s -> accepted s <= A."),
    "bandwidth": ("(m * (V - m) <= L * (V - K))%nat", "(m * (V - m) <= S L * (V - K))%nat"),
    "batches": ("(1 - alpha ^ (gamma + 1)) / (1 - alpha)", "(1 - alpha ^ gamma) / (1 - alpha)"),
    "best": ("tv V p (rounded V L p) <= tv V q", "tv V p (rounded V L p) < tv V q"),
    "block": ("(mass r text + 1 - r)", "(mass r text + 2 - r)"),
    "blocks": (
        "(text : list nat) : program (list nat) := xs <- drafts gamma",
        "(text : list nat) : program (list nat) := xs <- drafts (S gamma)",
    ),
    "branches": ("weighted (1 - delta) 1) / (INR m + 1)", "weighted (1 - delta) 1) / INR m"),
    "budget": ("alpha - (/ 2 - budget) / INR T", "alpha - (/ 3 - budget) / INR T"),
    "candidates": ("kept <- coin (m x / sum V m) ;;", "kept <- coin (m x) ;;"),
    "certain": ("if top x then p x else Rmin (p x)", "if top x then 0 else Rmin (p x)"),
    "certificates": ("c * sum V (fun x => if pooled b c x then 1", "2 * c * sum V (fun x => if pooled b c x then 1"),
    "chains": ("expect (block V target draft text xs) f.", "expect (block V draft target text xs) f."),
    "codes": ("C (l + K - 1) (K - 1) /\\", "C (l + K) K /\\"),
    "cost": ("((INR gamma + 1) / (INR gamma * cost + 1))", "(INR gamma / (INR gamma * cost + 1))"),
    "csqs": ("(1 + eta) / (eta * INR T)", "eta / (eta * INR T)"),
    "descent": ("Rmin start (Rmin 0 (/ INR V", "Rmin start (Rmin 1 (/ INR V"),
    "direction": ("(1 + eta) / (2 * eta * INR T)", "(1 + eta) / (3 * eta * INR T)"),
    "distortion": ("INR size / (4 * INR l)", "INR size / (5 * INR l)"),
    "dobrushin": ("(1 + dobrushin V N) * norm1", "dobrushin V N * norm1"),
    "dropped": ("survival * (1 - survival) /\\", "survival * (1 - survival) / 2 /\\"),
    "ears": ("overlap V p q + tv V (output", "overlap V p q + / 2 * tv V (output"),
    "examples": ("(token target draft) 2 == 10 # 9", "(token target draft) 2 == 11 # 9"),
    "frontier": ("(beta * (1 - largest V p) = 0 /\\ proportional)", "(beta = 0 /\\ proportional)"),
    "gain": ("d i * (1 - M i i) <= Rmax 0 (d i - p i)", "d i * (1 - M i i) <= 2 * Rmax 0 (d i - p i)"),
    "gaussian": ("0.9946 <= probability", "0.9947 <= probability"),
    "hubs": ("hub_second : R := Rmin (p a) rest_second", "hub_second : R := Rmin (p a) (rest_second / 2)"),
    "improvement": ("<= 1 - (1 - g) ^ h", "<= 1 - (1 - g)"),
    "jacobian": ("<= / 2 * norm1 V delta /\\", "<= / 3 * norm1 V delta /\\"),
    "kernel": ("mass_on shared q * acceptance V p d <= unredistributed", "acceptance V p d <= unredistributed"),
    "keys": ("agree = 1 - 2 * sum V", "agree = 1 - sum V"),
    "lattice": ("Nat.min l (K / 2)", "Nat.min l (K / 3)"),
    "levels": ("Rmax (a * p x) (Rmin (q x) (p x / l))", "Rmax (a * p x) (Rmin (q x) (p x))"),
    "likeliest": (
        "(only (nodes t) (nodes t') ++ only (nodes t') (nodes t)) <=",
        "(only (nodes t') (nodes t)) <=",
    ),
    "linear": ("<= 8 * V)%nat", "<= 7 * V)%nat"),
    "lists": ("(INR K - 1) * (p i / p j)) else 0 else 0", "INR K * (p i / p j)) else 0 else 0"),
    "longest": ("path_probability draft p text * r ->", "path_probability draft p text * (r + 1) ->"),
    "lossless": ("coin (Rmin 1 (target text x / draft text x))", "coin (Rmin 1 (draft text x / target text x))"),
    "margins": ("(p a - p b) / 2 <= tv V p q", "p a - p b <= tv V p q"),
    "masses": ("wants_more x (a x) <= lambda) ->", "wants_more x (a x) <= 2 * lambda) ->"),
    "matches": ("scaled (Rmin 1 (c + target text x) - Rmin 1 c)", "scaled (Rmin 1 (c + target text x))"),
    "mixtures": ("<= 1 / (number + 1)", "<= 1 / (number + 2)"),
    "moves": ("- 2 * tv V p g", "- tv V p g"),
    "noise": ("(0 < n < 1139)%nat ->", "(0 < n <= 1139)%nat ->"),
    "optimal": ("2 * delta + K / (2 * INR l)", "2 * delta + K / (3 * INR l)"),
    "overrides": ("epsilon * N + M <= INR n * epsilon + M", "epsilon * N + M <= INR n * epsilon"),
    "pad": ("worth n (next s x) < replacement_worth n s ->", "worth n (next s x) < worth (S n) s ->"),
    "pairs": (
        "reward (freq : pair -> nat) (g : pair) : nat := freq g",
        "reward (freq : pair -> nat) (g : pair) : nat := fst g * freq g",
    ),
    "pareto": ("Rmin (o x) (q x) - k x) + sum V", "Rmin (o x) (q x) - 2 * k x) + sum V"),
    "paths": ("- logarithm alpha - / alpha *", "- logarithm alpha + / alpha *"),
    "positive": ("(1 - 1 / INR K) / INR l < q x", "(1 - 2 / INR K) / INR l < q x"),
    "precision": ("mass q * tv V (cut q) (cut p)", "tv V (cut q) (cut p)"),
    "race": (
        "probability (fun w => X w = Y w) <= 1 - tv V p q /\\",
        "probability (fun w => X w = Y w) <= 1 - 2 * tv V p q /\\",
    ),
    "rates": ("<= C / root /\\", "<= C / (2 * root) /\\"),
    "rdk": ("<= sum V (fun i => Rabs (x i - y i))", "<= / 2 * sum V (fun i => Rabs (x i - y i))"),
    "recall": ("value n s ^ (2 ^ n)", "value n s ^ n"),
    "rejections": ("(target text) + (dropped text", "(target text) + / 2 * (dropped text"),
    "rejected": ("(T <= gamma)%nat ->", "(T <= S gamma)%nat ->"),
    "relaxed": ("1 - w * tv V p q", "1 - 2 * w * tv V p q"),
    "schedules": ("s - epsilon * misjudged predicted", "s - epsilon / 2 * misjudged predicted"),
    "seconds": ("<= 2 * (1 - second_acceptance N V a P q)) /\\", "<= (1 - second_acceptance N V a P q)) /\\"),
    "several": ("1 <= rho /\\ tests rho K <= rho", "1 <= rho /\\ tests rho K <= 2 * rho"),
    "shared": ("more else [next target text]", "more else [x]"),
    "sight": ("(offered x y - sum V", "(offered x y + sum V"),
    "singles": ("= 3 / 32", "= 3 / 16"),
    "softmax": ("norm1 V delta <= epsilon -> off <= epsilon / 2", "norm1 V delta <= epsilon -> off <= epsilon / 3"),
    "speed": (
        "(accepted + 1) * target_time / (gamma * draft_time",
        "(accepted + 2) * target_time / (gamma * draft_time",
    ),
    "sqs": ("(fun x => if kept x then 0 else q x)", "(fun x => if kept x then 0 else q x / 2)"),
    "stops": ("coin (Rmin 1 (target text x / kept_law", "coin (Rmin 1 (target text x / 2 / kept_law"),
    "subsets": ("(t * q x) then true else false", "(t * q x) then false else true"),
    "tables": ("25 * later < first_gain times_5", "40 * later < first_gain times_5"),
    "taylor": ("<= / 4 * sum V (fun i => q i * Rsqr", "<= / 11 * sum V (fun i => q i * Rsqr"),
    "thresholds": ("Rabs (update k q beta - beta) <= eta.", "Rabs (update k q beta - beta) <= eta / 2."),
    "traversal": ("(target (x :: text)) (Rmin 1 (a * m x / s x))", "(target (x :: text)) (Rmin 1 (m x / s x))"),
    "tree": ("coin (Rmin 1 (p x / sibling text before x))", "coin (Rmin 1 (sibling text before x / p x))"),
    "tradeoffs": ("<= Rmin 1 (overlap V p q + epsilon)", "<= Rmin 1 (overlap V p q + epsilon / 2)"),
    "typical": ("overlap V p q - outside <=", "overlap V p q - outside / 2 <="),
    "vocabularies": ("then m x / sum V m", "then m x / (2 * sum V m)"),
    "walks": ("value n s <= expect (strict one_draft", "value n s < expect (strict one_draft"),
}
"""One thing in a file that is changed, so that a theorem of it is false."""


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    """Where all files are compiled."""
    return compiled_once("algorithm", lambda place: compiled(joined(TEXTS), place, "algorithm"))


def test_they_rest_on_the_reals_alone(folder) -> None:
    names = [f"{file}.{name}" for file, text in TEXTS.items() for name in theorems(text)]
    assert assumptions(names, folder, "algorithm") <= REALS


def test_what_is_admitted_is_noticed(tmp_path) -> None:
    compiled(joined({"idle": "Theorem wrong : 0 = 1.\nAdmitted.\n"}), tmp_path, "library")
    assert assumptions(["idle.wrong"], tmp_path, "library") == {"idle.wrong"}


def test_wrong_theorems_are_refused(folder) -> None:
    """Each for what it says: all that it names is there."""
    assert all(right in TEXTS[file] for file, (right, _) in WRONG.items())
    changed = {f"wrong_{file}": TEXTS[file].replace(*change) for file, change in WRONG.items()}
    said = refusals(changed, folder, "algorithm")
    assert [file for file, why in said.items() if "not found" in why or "loadpath" in why] == []


def test_printed_figures_are_those_of_the_claims(folder) -> None:
    beside(comparison(figures(), values()), folder, "algorithm", "compared")


def test_boxes_of_utilities_are_those_of_the_claim(folder) -> None:
    """Where the certified numbers of `pad.label-noise-corrected` are taken, and one end that is another."""
    lowest, *later = ends()
    text = "Require Import boxes ZArith List.\nImport ListNotations.\nGoal {} = true. reflexivity. Qed.\n"
    same = "forallb (fun e => fst (fst e) * snd (snd e) =? fst (snd e) * snd (fst e))%Z (combine {} (first_end :: later_ends))"
    count = f"Nat.eqb (length later_ends) {len(later)}"

    def comparison_of(values: list[Fraction]) -> str:
        pairs = "; ".join(f"({value.numerator}, {value.denominator})" for value in values)
        return text.format(f"andb ({count}) ({same.format(f'[{pairs}]%Z')})")

    beside(comparison_of([lowest, *later]), folder, "algorithm", "same_boxes")
    other = comparison_of([lowest, *later[:-2], later[-2] + Fraction(1, 2**24), later[-1]])
    assert "unify" in refusals({"other_box": other}, folder, "algorithm", "other_boxes")["other_box"]


def test_wrong_cases_are_refused(folder) -> None:
    """Of cases that are enumerated one is altered: a lattice that is too coarse, one that is not the finest, another mean."""
    scheme = "Require Import best List Bool.\nImport ListNotations.\nGoal {} = true.\nvm_compute; reflexivity. Qed.\n"
    right = {"coarse": "is_worse 4 3 1 1", "finest": "scheme_passes 3 (table 3) 2 2"}
    beside("".join(scheme.format(case) for case in right.values()), folder, "algorithm", "right")
    wrong = {"coarse": "is_worse 4 3 2 1", "finest": "scheme_passes 3 (tl (table 3)) 2 2"}
    files = {case: scheme.format(text) for case, text in wrong.items()}
    change = ("(fun o => number (snd o)) == 12 # 9", "(fun o => number (snd o)) == 11 # 9")
    assert change[0] in TEXTS["examples"]
    files["mean"] = TEXTS["examples"].replace(*change)
    refused = refusals(files, folder, "algorithm", "wrong_cases")
    assert all("Unable to unify" in refusal for refusal in refused.values()), refused


def test_a_token_that_neither_law_has_is_refused(folder) -> None:
    """So does the program of `cascade.told-draft-corrected`; its theorem is about that rule, too."""
    only_first = np.array([Fraction(1), Fraction(0)])
    claim = registry()["cascade.told-draft-corrected"]
    assert claim.lhs is not None
    assert claim.lhs(p=only_first, m=only_first[::-1], q=only_first) == 0
    rule = "(fun x => if Rlt_dec 0 (p x) then 1 else 0)"
    output = f"output (singles.tested_by_reported V p q {rule} (step V m q))"
    text = (
        "Require Import Reals Lra laws lossless singles.\nOpen Scope R_scope.\n"
        f"Goal forall V p m q, law V p -> law V m -> law V q -> tv V ({output}) p <= tv V m q.\n"
        "intros. apply cascade_told_draft_corrected; try easy. intros. destruct (Rlt_dec 0 (p x)); lra. Qed.\n"
    )
    beside(text, folder, "algorithm", "refused_tokens")


def test_all_printed_figures_are_compared() -> None:
    _, data = TEXTS["figures"].split("(** * TASC *)")
    names = {*re.findall(r"^Definition (\w+)", data, re.MULTILINE)} - {"row"}
    assert names == {term.split()[0] for term in figures()}


def test_a_figure_that_differs_is_refused(folder) -> None:
    """One digit of a table, and the reading of one figure."""
    other_time = figures()["times_8"].replace("1130", "1131")
    files = {
        "digit": comparison({"times_8": other_time}, {}),
        "reading": comparison({}, {"33.53K": (Fraction(33531), Fraction(10))}),
    }
    refused = refusals(files, folder, "algorithm")
    assert all("Unable to unify" in refusal or "not convertible" in refusal for refusal in refused.values()), refused


def test_a_theorem_that_is_not_refused_is_noticed(tmp_path) -> None:
    compiled(joined({"one": "Definition number := 1."}), tmp_path, "library")
    files = {
        "wrong": "Require Import one.\nGoal number = 2.\nreflexivity. Qed.",
        "right": "Goal one.number = 1.\neasy. Qed.",
    }
    assert "unify" in refusals({"wrong": files["wrong"]}, tmp_path, "library")["wrong"]
    with pytest.raises(Refused, match=r"^right\.v, .*\n.*has not failed"):
        refusals(files, tmp_path, "library")


def test_of_joined_files_the_wrong_one_is_named(tmp_path) -> None:
    files = {
        "a": "Definition number := 1.",
        "b": "Require Import a.\nGoal number = 2.\nreflexivity.",
        "c": "Require Import b.",
    }
    with pytest.raises(Refused, match=r"^b\.v, line 3: "):
        compiled(joined(files), tmp_path, "library")


def test_each_file_with_theorems_has_a_wrong_one() -> None:
    assert {name for name, text in TEXTS.items() if theorems(text)} == {*WRONG}


def test_theorems_are_about_claims_that_stand_so() -> None:
    """What is proved is on record as proved, what is refuted as refuted; a step may be of a claim that is derived.

    Each theorem is told in words.
    """
    for each in stated():
        if each.name == theorem_name(each.claim):
            words = {"proved"}
        else:
            words = {"refuted"} if each.name.endswith("_refuted") else {"proved", "derived"}
        assert verdicts()[each.claim] in words, each
    assert [t.name for t in stated()] == [name for text in TEXTS.values() for name in theorems(text)]


def test_a_theorem_without_a_claim_is_an_error() -> None:
    with pytest.raises(ValueError, match="expected the id of a claim"):
        stated({"f": "(** It is so. *)\nTheorem sd_nothing : True."})


def test_the_page_counts_them() -> None:
    """A claim of which a step alone is shown is in the table, and is not counted as stated."""
    claims = {
        each.claim for each in stated() if each.name == theorem_name(each.claim) or each.name.endswith("_refuted")
    }
    assert section()[1].startswith(f"{len(claims)} claims")
    assert section()[2].count("\n") == len(stated()) + 1


def test_files_in_a_circle_have_no_order() -> None:
    with pytest.raises(ValueError, match="circle"):
        ordered({"a": "Require Import b.", "b": "Require Import a."})
