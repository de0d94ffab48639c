"""Statements about minima and maxima of numbers that are zero or one: what is true is shown, and what is false is not."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.check import ask, prepared  # noqa: E402
from proofs_check.coq.choices import VALUES, by_values  # noqa: E402
from proofs_check.coq.terms import Printer  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, le  # noqa: E402

HEAD = f"From Simspec Require Import prelude.\n{VALUES}\n"
begins, busy, chosen, free, lead, size, window = sp.symbols("begins busy chosen free lead size window", real=True)
next_busy, next_free, next_lead = sp.symbols("next_busy next_free next_lead", real=True)
FACTS = [
    eq(next_busy, (size - 1) * begins + sp.Max(0, busy - 1)),
    eq(next_free, (size - 1) * chosen + sp.Max(0, free - 1)),
    eq(next_lead, lead + begins - chosen),
    eq((1 - begins) * begins, 0),
    eq(begins * busy, 0),
    le(window, begins + busy),
    eq((1 - chosen) * chosen, 0),
    le(chosen, window),
    eq(chosen * free, 0),
    ge((busy - 1) * busy, 0),
    le(busy, size - 1),
    ge(busy, 0),
    ge(free, 0),
    ge(size, 2),
    ge(sp.Min(lead, sp.Max(free - busy, lead - 1)), 0),
]
"""A pass from the left that takes what it can, beside another choice, one place further."""
GOAL = ge(sp.Min(next_lead, sp.Max(next_free - next_busy, next_lead - 1)), 0)


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    return compiled_once("prelude", prepared)


def lemma(goal: Relation, facts: list[Relation]) -> str:
    """A lemma for the statement, shown by the tactic."""
    printer = Printer((), {})
    symbols = sorted({s for r in (goal, *facts) for s in r.free_symbols}, key=str)
    tactic = by_values([goal, *facts], [], printer.name)
    assert tactic is not None
    premises = "".join(f"({printer.relation(r)}) -> " for r in facts)
    names = " ".join(map(printer.name, symbols))
    return f"Lemma step : forall {names} : R, {premises}{printer.relation(goal)}.\nProof. intros; {tactic}. Qed.\n"


def test_a_greedy_pass_stays_ahead_one_place_further(folder: Path) -> None:
    assert ask(folder, "ahead.v", HEAD + lemma(GOAL, FACTS)).error == ""


@pytest.mark.parametrize("left_out", [FACTS[5], FACTS[8], FACTS[-1]])
def test_without_one_of_the_facts_it_is_not_shown(folder: Path, left_out: Relation) -> None:
    assert ask(folder, "behind.v", HEAD + lemma(GOAL, [r for r in FACTS if r != left_out])).error


def test_it_is_for_minima_and_maxima_beside_products_that_are_zero() -> None:
    name = Printer((), {}).name
    assert by_values([GOAL, *FACTS], [], name) is not None
    assert by_values([ge(lead, 0), *FACTS], [], name) is None
    assert by_values([GOAL, ge(lead, 0)], [], name) is None
    assert by_values([eq(GOAL.lhs, 0), *FACTS], [], name) is None
