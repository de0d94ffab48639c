"""Counterexamples in Coq: each is one, a changed one is refused, and the statements say what the package's claims say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.algorithm.compiled import assumptions, compiled, joined, refusals, sources, theorems  # noqa: E402
from proofs_check.coq.check import ALLOWED  # noqa: E402
from proofs_check.coq.instances.library import (  # noqa: E402
    FOLDER,
    LEFT,
    applied,
    counterexamples,
    library,
    name_of,
    refuted,
    statements,
    term,
    written,
)
from simspec.claims import registry  # noqa: E402
from simspec.claims.claim import Instance  # noqa: E402
from simspec.claims.deciding.shrink import violated  # noqa: E402
from simspec.claims.draw import ExactDraw  # noqa: E402

TEXTS = sources(FOLDER)
STATED = statements(TEXTS)
FEWER = {"pad.better-classifier", "rdk.gaussian-advantage", "rdk.gaussian-advantage.vanilla"}
"""Claims of which Coq states a part: utility without rates; that what is likely holds somewhere."""
MADE = {"rdk.any-drafter"}
"""Claims whose statement is about a matrix that instances do not hold: it is made of them."""
EACH = 6
"""Instances of a claim at which it is compared."""
LONGEST = 700
"""Letters of an instance that is handed to Coq."""


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    """Where the vocabulary and the statements are compiled."""
    return compiled_once("instances", lambda place: compiled(joined(TEXTS), place, "instances"))


def test_each_is_a_counterexample(folder) -> None:
    made = library()
    compiled(written(made), folder, "all_of_them")
    assert len(made) == len(refuted()) - len(LEFT)


def test_every_statement_is_of_a_refuted_claim() -> None:
    """What bears the beginning of an id is a statement of a claim, or what it assumes."""
    drawers = {claim.split(".")[0] for claim in refuted()}
    names = {name_of(claim) for claim in refuted()}
    of_claims = {s.removesuffix("_assumes") for s in STATED if s.split("_")[0] in drawers}
    assert of_claims == {name_of(claim) for claim in library()} <= names


def unaccounted(stated: set[str], left: dict[str, str]) -> set[str]:
    """Refuted claims that are neither stated nor left for a reason, or both, and reasons that are none."""
    empty = {claim for claim, reason in left.items() if not reason.strip() or "\n" in reason}
    return ({*refuted()} ^ (stated | {*left})) | (stated & {*left}) | empty


def test_every_refuted_claim_is_stated_or_left_for_a_reason() -> None:
    stated = {*library()}
    assert unaccounted(stated, LEFT) == set()
    assert unaccounted(stated - {"rdk.never-worse"}, LEFT) == {"rdk.never-worse"}
    assert unaccounted(stated, {**LEFT, "rdk.never-worse": "a reason"}) == {"rdk.never-worse"}
    assert unaccounted(stated - {"rdk.never-worse"}, {**LEFT, "rdk.never-worse": ""}) == {"rdk.never-worse"}


def test_what_is_no_counterexample_is_refused(folder) -> None:
    """With q = p nothing is moved away from the target, and nothing is lost; what has no mass breaks an assumption."""
    right = counterexamples()["rdk.never-worse"]
    wrong = {"changed": {**right, "M": [["1", "0"], ["0", "1"]]}, "outside": {**right, "M": [["0", "0"], ["0", "0"]]}}
    files = {name: written(library(instances={"rdk.never-worse": instance})) for name, instance in wrong.items()}
    assert all('has type "true = true"' in said for said in refusals(files, folder, "instances").values())


def drawn() -> Iterator[tuple[str, Instance]]:
    """A few exact instances of each claim that is stated, inside its assumptions, of those that are small enough."""
    rng = np.random.default_rng(3)
    for claim in sorted({*library()} - MADE):
        found, taken = registry()[claim], 0
        for _ in range(20 * EACH if found.instances else 0):
            instance: Any = found.draw(ExactDraw(rng=rng))
            if len(str(instance)) < LONGEST and not found.broken_assumptions(instance):
                yield claim, instance
                taken += 1
            if taken == EACH:
                break


def differ(claim: str, assumed: str, stated: str, truth: str) -> bool:
    """Whether Coq's answers are not the package's; where it states a part, whether it refutes what is true."""
    if claim in FEWER:
        return assumed == "true" and stated == "false" and truth == "true"
    return (assumed, stated) != ("true", truth)


def test_statements_say_what_the_package_says(folder) -> None:
    """Two transcriptions of one statement have one truth value, and one view of what is assumed."""
    instances = list(drawn())
    goals = []
    for claim, instance in instances:
        name = name_of(claim)
        assumed = STATED.get(f"{name}_assumes")
        goals.append(f"({applied(assumed, instance) if assumed else 'true'}, {applied(STATED[name], instance)})")
    text = written({}) + "".join(f"Eval vm_compute in {goal}.\n" for goal in goals)
    answers = re.findall(r"= \((true|false), (true|false)\)", compiled(text, folder, "compared"))
    truth = ["false" if violated(registry()[claim].slack(instance)) else "true" for claim, instance in instances]
    rows = [(claim, *answer, each) for (claim, _), answer, each in zip(instances, answers, truth, strict=True)]
    assert [row for row in rows if differ(*row)] == []
    assert len({claim for claim, _ in instances}) >= 90 and {*truth} == {"true", "false"}


def test_a_statement_that_says_something_else_differs() -> None:
    assert differ("rdk.never-worse", "true", "true", "false") and differ("rdk.never-worse", "false", "true", "true")
    assert differ("pad.better-classifier", "true", "false", "true")
    assert not differ("pad.better-classifier", "true", "true", "false")


def test_enclosures_and_consequences_are_proved(folder) -> None:
    """What fractions decide about logarithms, and what joins a claim to the part of it that is stated, rest on the reals alone.

    Those are Coq's real numbers and its classical logic.
    """
    named = {file: theorems(TEXTS[file]) for file in ("enclosed", "consequences")}
    assert {"above", "unequal"} <= {*named["enclosed"]} and "moved" in named["consequences"]
    asked = [f"{file}.{name}" for file, names in named.items() for name in names]
    assert assumptions(asked, folder, "instances") <= ALLOWED


def test_enclosures_hold_at_numbers_known_by_hand(folder) -> None:
    """e lies between 2.718281 and 2.718282, ln 2 between 0.693147 and 0.693148; of what has no logarithm nothing is known."""
    asked = {
        "negb (may_be_at_most (Exp 1) (Num (2718281 # 1000000)))": "true",
        "negb (may_be_at_most (Num (2718282 # 1000000)) (Exp 1))": "true",
        "negb (may_be_at_most (Ln 2) (Num (693147 # 1000000)))": "true",
        "negb (may_be_at_most (Num (693148 # 1000000)) (Ln 2))": "true",
        "may_be_equal (Plus (Ln 2) (Ln 3)) (Ln 6)": "true",
        "may_be_equal (Times (Exp 1) (Exp (-1 # 1))) (Num 1)": "true",
        "may_be_equal (Minus (Ln 3) (Ln 2)) (Ln 2)": "false",
        "may_be_at_most (Ln 0) (Num (-5 # 1))": "true",
    }
    text = written({}) + "Import logarithms.\n" + "".join(f"Eval vm_compute in {goal}.\n" for goal in asked)
    found = re.findall(r"= (true|false)", compiled(text, folder, "known"))
    assert found == [*asked.values()]


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="expected Q"):
        term("1", "R")
