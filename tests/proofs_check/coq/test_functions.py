"""Scripts that take functions apart: Coq accepts them, what is false stays open, and only steps that need them require them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq import check  # noqa: E402
from proofs_check.coq.check import ask, digest, prepared  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import Relation, V, eq, ge, j, le, total  # noqa: E402

HEAD = "From Simspec Require Import functions.\n"
TRUE = {
    "forall a b c : R, c > 0 -> Rabs (a + b * / c) <= 1 -> Rabs (c * a + b) * / c <= 1": (
        "intros a b c P H; replace (c * a + b) with (c * (a + b * / c)) by (field; lra); absolute_factors; "
        "replace (c * Rabs (a + b * / c) * / c) with (Rabs (a + b * / c)) by (field; lra); exact H"
    ),
    "forall a c : R, c > 0 -> / c * Rabs a <= 1 -> Rabs (/ c * a) <= 1": "intros a c P G; functions_becomes G",
    "forall o t : R, 0 < o -> (o * exp t * / (o * exp t + 1)) ^ 2 <= 1 -> "
    "o ^ 2 * exp (2 * t) * / ((o * exp t + 1) ^ 2) <= 1": "intros o t P G; functions_becomes G",
    "forall t : R, exp (-1 * 3 * t) * exp t ^ 3 = 1": "intro t; multiples; by_field",
    "1 / 3 * sqrt 3 * (1 / 2 + -1 * (1 / 6) * sqrt 3) * (1 / 6 * sqrt 3 + 1 / 2) = 1 / 18 * sqrt 3": "functions_roots",
    "forall e : R, (e + sqrt 5) * (e + -1 * sqrt 5) * e = e ^ 3 + -5 * e": "intro e; functions_roots",
    "forall f : Z -> R, Sum 1 3 (fun k => exp (f k + 2)) = Sum 1 3 (fun k => exp (f k) * exp 2)": (
        "intro f; apply Sum_ext; intros k R_k; functions_expansion"
    ),
    "forall x y : R, x + 1 / 2 = y + 5 / 2 -> IZR (Int_part x) = 2 + IZR (Int_part y)": (
        "intros x y E; replace x with (y + 2) by lra; functions_floor"
    ),
}
FALSE = {
    "forall a c : R, / c * Rabs a <= 1 -> Rabs (/ c * a) <= 1": "intros a c G; functions_becomes G",  # c may be negative
    "1 / 3 * sqrt 3 = 1 / 2": "functions_roots",
    "forall x : R, IZR (Int_part (x + 1 / 2)) = 1 + IZR (Int_part x)": "intro x; functions_floor",
    "forall t : R, exp (3 * t) = exp t ^ 2": "intro t; multiples; by_field",
}


@pytest.fixture(scope="module")
def folder(compiled_once: Any) -> Path:
    return Path(compiled_once("prelude", prepared))


def test_tactics_prove_what_holds_and_nothing_else(folder: Path) -> None:
    lemmas = [f"Goal {goal}.\nProof. {tactic}. Qed.\n" for goal, tactic in TRUE.items()]
    assert ask(folder, "holds.v", HEAD + "".join(lemmas)).error == ""
    wrong = [f"Goal {goal}.\nProof. Fail solve [timeout 20 ({tactic})]. Abort.\n" for goal, tactic in FALSE.items()]
    assert ask(folder, "fails.v", HEAD + "".join(wrong)).error == ""


def _weighted(relation: Relation) -> tuple[Traced, str]:
    """exp(b_j + 2) as a product, summed over j, whose result is said to be `relation`; the name of the sum's step."""
    d = Traced("weighted")
    b = sp.IndexedBase("b", real=True)
    term = d.derive("a square", ge(sp.exp(b[j] + 2) * b[j] ** 2, 0))
    summed = d.sum("over the vocabulary", term, j)
    final = d._fact(relation, summed.givens)
    d._note("derive", "in full", [final], [summed], how="SMT, 1 sign pattern(s)")
    d.qed(final)
    return d, exported(d)[1][1]


def test_a_sum_of_exponentials_has_the_script_that_takes_them_apart(folder: Path) -> None:
    b = sp.IndexedBase("b", real=True)
    d, step = _weighted(ge(total(sp.exp(b[j]) * b[j] ** 2, j), 0))
    assert step == "sum_1"
    plain, _ = exported(d, [step])
    deep, _ = exported(d, [step], [step])
    assert "Import further." in plain and "Import functions." in deep and "functions_expansion" in deep
    assert step not in ask(folder, "weighted.v", deep).admitted


def test_roots_of_numbers_have_a_script_where_there_are_any(folder: Path) -> None:
    k = sp.Symbol("k", real=True)
    d = Traced("roots")
    meaning = d.define("k", k, sp.sqrt(3) / 9)
    square = d.derive("its square", eq(27 * k**2, 1), meaning)
    d.qed(square)
    (step,) = [s for s in exported(d)[1] if s.startswith("derive")]
    text, _ = exported(d, [step], [step])
    assert "Import functions." in text and step not in ask(folder, "roots.v", text).admitted
    other = Traced("none")
    law, _ = other.law("p")
    other.qed(other.derive("a square", le(-(law[j] ** 2) * V, 0)))
    (step,) = [s for s in exported(other)[1] if s.startswith("derive")]
    assert "functions_" not in exported(other, [step], [step])[0]


@pytest.mark.parametrize("more", [0, 1])
def test_whole_parts_of_what_is_equal_are_equal(folder: Path, more: int) -> None:
    u, v = sp.symbols("u v", real=True)
    d = Traced("floors")
    meaning = d.define("u", u, 2 - v**2)
    whole = d._fact(eq(sp.floor(u), sp.floor(2 - v**2) + more), ())
    d._note("derive", "their whole parts", [whole], [meaning], how="algebra")
    d.qed(whole)
    text, steps = exported(d)
    answer = ask(folder, "floors.v", text)
    assert "Int_part" in text and answer.whole == (more == 0) and answer.admitted == steps[len(steps) - more :]


def test_a_bound_is_another_once_exponentials_of_opposites_are_reciprocals(folder: Path) -> None:
    d = Traced("opposites")
    m = d.number("m", positive=True)
    t, u = sp.symbols("t u", real=True)
    given = d.assume("a bound", ge(u, 1 / (m * sp.exp(t) + 1)))
    bound = d._fact(ge(u, sp.exp(-t) / (m + sp.exp(-t))), given.givens)
    d._note("derive", "in other words", [bound], [given], how="algebra")
    d.qed(bound)
    (step,) = [s for s in exported(d)[1] if s.startswith("derive")]
    text, _ = exported(d, [step], [step])
    assert "functions_becomes U_0" in text and step not in ask(folder, "opposites.v", text).admitted


@pytest.mark.parametrize(("least", "holds"), [(sp.Rational(1, 8), True), (sp.Rational(1, 9), False)])
def test_a_polynomial_of_a_number_between_0_and_1(folder: Path, least: sp.Expr, holds: bool) -> None:
    f = sp.Symbol("f", real=True)
    d = Traced("between")
    bounds = d.assume("a share", ge(f, 0), ge(1 - f, 0))
    inside = f * (1 - f)
    bound = d._fact(ge(inside - 6 * inside**2 + least, 0), bounds[0].givens)
    d._note("derive", "at one half it is 0", [bound], bounds, how="SMT, 1 sign pattern(s)")
    d.qed(bound)
    (step,) = [s for s in exported(d)[1] if s.startswith("derive")]
    text, _ = exported(d, [step], [step])
    assert "functions_between" in text and (step not in ask(folder, "between.v", text).admitted) == holds


def test_only_what_requires_the_library_depends_on_it(monkeypatch: pytest.MonkeyPatch) -> None:
    heads = (HEAD, HEAD.replace("functions", "deeper"), HEAD.replace("functions", "further"), "")
    before = [digest(head) for head in heads]
    library = check._library
    monkeypatch.setattr(
        check, "_library", lambda name: f"{library(name)}\n" if name == check.FUNCTIONS else library(name)
    )
    assert [digest(head) == old for head, old in zip(heads, before, strict=True)] == [False, True, True, True]
