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
from proofs_check.coq.algorithm.compiled import Refused, compiled, sources  # noqa: E402
from proofs_check.coq.instances.library import (  # noqa: E402
    FOLDER,
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
FEWER = {"rdk.any-drafter", "pad.better-classifier"}
"""Claims of which Coq states a part: one covariance, and utility without rates."""
LONGEST = 700
"""Letters of an instance that is handed to Coq."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the vocabulary and the statements are compiled."""
    place = tmp_path_factory.mktemp("instances")
    compiled(TEXTS, place)
    return place


def test_each_is_a_counterexample(folder) -> None:
    made = library()
    compiled({"all_of_them": written(made, TEXTS)}, folder)
    assert len(made) >= 100


def test_every_statement_is_of_a_refuted_claim() -> None:
    """What bears the beginning of an id is a statement of a claim, or what it assumes."""
    drawers = {claim.split(".")[0] for claim in refuted()}
    names = {name_of(claim) for claim in refuted()}
    of_claims = {s.removesuffix("_assumes") for s in STATED if s.split("_")[0] in drawers}
    assert of_claims == {name_of(claim) for claim in library()} <= names


def test_a_changed_instance_is_refused(folder) -> None:
    """With q = p nothing is moved away from the target, and nothing is lost."""
    instance = {**counterexamples()["rdk.never-worse"], "M": [["1", "0"], ["0", "1"]]}
    with pytest.raises(Refused, match="unify"):
        compiled({"changed": written(library(instances={"rdk.never-worse": instance}), TEXTS)}, folder)


def test_what_breaks_an_assumption_is_refused(folder) -> None:
    instance = {**counterexamples()["rdk.never-worse"], "M": [["0", "0"], ["0", "0"]]}
    with pytest.raises(Refused, match="unify"):
        compiled({"outside": written(library(instances={"rdk.never-worse": instance}), TEXTS)}, folder)


def drawn() -> Iterator[tuple[str, Instance]]:
    """An exact instance of each claim that is stated, inside its assumptions, where one of a few is small enough."""
    rng = np.random.default_rng(3)
    for claim in library():
        found = registry()[claim]
        for _ in range(20 if found.instances and claim not in FEWER else 0):
            instance: Any = found.draw(ExactDraw(rng=rng))
            if len(str(instance)) < LONGEST and not found.broken(instance):
                yield claim, instance
                break


def test_statements_say_what_the_package_says(folder) -> None:
    """Two transcriptions of one statement have one truth value, and one view of what is assumed."""
    instances = list(drawn())
    goals = []
    for claim, instance in instances:
        name = name_of(claim)
        assumed = STATED.get(f"{name}_assumes")
        goals.append(f"({applied(assumed, instance) if assumed else 'true'}, {applied(STATED[name], instance)})")
    text = written({}, TEXTS) + "".join(f"Eval vm_compute in {goal}.\n" for goal in goals)
    answers = re.findall(r"= \((true|false), (true|false)\)", compiled({"compared": text}, folder)["compared"])
    truth = ["false" if violated(registry()[claim].slack(instance)) else "true" for claim, instance in instances]
    assert answers == [("true", each) for each in truth]
    assert len(instances) >= 90 and {*truth} == {"true", "false"}


def test_an_unknown_type_is_refused() -> None:
    with pytest.raises(ValueError, match="expected Q"):
        term("1", "R")
