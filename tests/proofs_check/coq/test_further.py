"""Scripts for steps that the plain ones leave open: Coq accepts them as they are, and what is false has none."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq import check  # noqa: E402
from proofs_check.coq.check import Answer, ask, checked, digest, prepared  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from proofs_check.coq.harder import Closing, closed, parts_of  # noqa: E402
from proofs_check.coq.terms import Printer  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, gt, le  # noqa: E402
from tests.proofs_check.coq.test_export import derivation  # noqa: E402

HEAD = "From Simspec Require Import further.\n"
NAME = "sd.acceptance"
a, b, c, r, s, t = sp.symbols("a b c r s t", real=True)

STEPS: list[tuple[Relation, list[Relation]]] = [
    (eq(abs(a / c), abs(a) / c), [gt(c, 0)]),  # a quotient in an absolute value
    (eq(a * b + sp.Max(0, a - b) * r, a * r), [eq(b * r, a * b), ge(a, b), ge(a, 0)]),
    (le(2 * r * s, a + b), [eq(r**2, a * c), eq(s**2, b / c), gt(c, 0), ge(a, 0), ge(b, 0), ge(r, 0), ge(s, 0)]),
    (ge(a * (b - 1) ** 2, 0), [ge(a, 0)]),  # a square times a fact
    (le(t * abs(a), b * t**2 / 12 + c), [ge(b, 0), ge(c, 0), ge(b * c, 3 * a**2)]),  # a discriminant
    (eq(1 / (a + b), 1 / (a + t)), [eq(b, t), gt(a + b, 0)]),  # two names of one denominator
]
WIDER: list[tuple[Relation, list[Relation]]] = [
    (ge(sp.Max(0, a - b) * c, 0), [ge(a * c, 0), ge(a, 0), ge(b, 0)]),  # a is zero, or c is not negative
    (ge(a * t, b * r * (1 - c * r)), [ge(a, 1 - c * r), eq(t, b * r), ge(b, 0), gt(r, 0)]),
    (
        le(r * (s**2 - 1), t * (s - 1) ** 2),
        [le(a * r * (s**2 - 1), (a * s**2 * b - c) * (c - a * b)), eq(t, b * c), gt(a, 0)],
    ),
]
FALSE: list[tuple[Relation, list[Relation]]] = [
    (eq(abs(a / c), abs(a) / c), []),
    (le(2 * r * s, a + b), [eq(r**2, a * c), gt(c, 0), ge(a, 0), ge(b, 0)]),
    (ge(a * (b - 1) ** 2, 0), [ge(b, 0)]),
    (ge(sp.Max(0, a - b) * c, 0), [ge(a * c, 0), ge(a, 0)]),
]


def script(goal: Relation, facts: list[Relation], wide: int) -> Closing | None:
    return closed(Printer((), {}), [goal, *facts], {}, parts_of([goal, *facts], lambda e: 0), lambda e: e, wide)


def lemma(k: int, goal: Relation, facts: list[Relation], closing: Closing) -> str:
    printer = Printer((), {})
    names = sorted({v for e in (goal, *facts) for v in e.lhs.free_symbols | e.rhs.free_symbols}, key=str)
    given = "".join(f"({printer.relation(f)}) -> " for f in facts)
    over = " ".join(printer.name(v) for v in names)
    intros = " ".join([over, *(f"U_{n}" for n in range(len(facts)))])
    parts = sorted(closing.names, key=lambda item: -len(item[0]))
    proof = "; ".join([*closing.before, *(f"abstracted ({text}) {name}" for text, name in parts), closing.script])
    return (
        f"Lemma step_{k} : forall {over} : R, {given}{printer.relation(goal)}.\nProof. intros {intros}; {proof}. Qed.\n"
    )


@pytest.fixture(scope="module")
def folder(compiled_once: Any) -> Path:
    return Path(compiled_once("prelude", prepared))


def test_scripts_are_accepted_and_say_nothing_more(folder: Path) -> None:
    lemmas = [HEAD]
    for k, (goal, facts) in enumerate([*STEPS, *WIDER]):
        closing = script(goal, facts, 1 if k < len(STEPS) else 2)
        assert closing is not None, goal
        lemmas.append(lemma(k, goal, facts, closing))
    assert ask(folder, "steps.v", "".join(lemmas)).error == ""
    goal, facts = STEPS[3]
    closing = script(goal, facts, 1)
    assert closing is not None
    assert ask(folder, "false.v", HEAD + lemma(0, ge(goal.lhs, 1), facts, closing)).error  # it proves its own goal only


def test_what_is_false_has_no_script() -> None:
    assert [script(goal, facts, wide) for goal, facts in FALSE for wide in (1, 2)] == [None] * (2 * len(FALSE))


INSTANCES = {
    "forall x, (forall y, 0 < y -> ln y <= y - 1) -> 0 < x -> ln x - x + 1 <= 0": "intros x H R; pose proof (H x R) as G",
    "forall x, (forall y, y * ln 1 + ln (1 / 2) + y <= 0) -> x - ln 2 <= 0": "intros x H; pose proof (H x) as G",
    "forall a b, (forall d, exp (d + a) >= exp a) -> 0 < b -> a = ln b -> exp (- 1 * a + ln b) >= 1": (
        "intros a b H P E; pose proof (H (- 1 * a)) as G; rewrite E in *; clear a E"
    ),
    "forall (f : Z -> R) n, (forall m, f (m + 1)%Z <= IZR (m + 1)) -> f (n + 1 + 1)%Z <= IZR n + 2": (
        "intros f n H; pose proof (H (n + 1)%Z) as G"
    ),
    "forall n : Z, IZR n >= 1 -> (forall m, (0 <= m)%Z -> 0 <= IZR m) -> 0 <= IZR (n - 1)": (
        "intros n R H; pose proof (H (n - 1)%Z ltac:(further_side)) as G"
    ),
}
"""Statements, and what is put in for their names."""


def test_an_instance_is_said_in_other_words(folder: Path) -> None:
    lemmas = [
        f"Lemma instance_{k} : {statement}.\nProof. {posed}; further_becomes G. Qed.\n"
        for k, (statement, posed) in enumerate(INSTANCES.items())
    ]
    assert ask(folder, "instances.v", HEAD + "".join(lemmas)).error == ""
    wrong = lemmas[0].replace("- x + 1 <= 0", "- x + 2 <= 0")
    assert wrong != lemmas[0] and ask(folder, "wrong.v", HEAD + wrong).error


def test_steps_that_are_left_open_are_asked_about_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """The record names them, and then the same text is written at once; where nothing is gained the plain text stays."""
    texts: list[str] = []
    stays_open = False

    def answer(folder: Path, file: str, text: str | None = None) -> Answer:
        if text is not None:
            texts.append(text)
        is_open = text is not None and ("Import further" not in text or stays_open)
        return Answer(("derive_0",) if is_open else (), frozenset({check.ADMITTED} if is_open else ()), "")

    monkeypatch.setattr(check, "ask", answer)
    (entry,) = checked([NAME], 1)
    assert entry["whole"] and entry["further"] == ["derive_0"] and len(texts) == 2
    assert entry["text"] == digest(exported(derivation(NAME), ["derive_0"])[0]) == digest(texts[1])
    (again,) = checked([NAME], 1, known=[entry])
    assert again == entry and texts[2:] == [texts[1]]
    stays_open = True
    (plain,) = checked([NAME], 1)
    assert not plain["whole"] and "further" not in plain and plain["text"] == digest(texts[0])


def test_only_what_requires_further_tactics_depends_on_them(monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(HEAD), digest("")
    library = check._library
    monkeypatch.setattr(
        check, "_library", lambda name: f"{library(name)}\n" if name == check.FURTHER else library(name)
    )
    assert digest(HEAD) != before[0] and digest("") == before[1]
