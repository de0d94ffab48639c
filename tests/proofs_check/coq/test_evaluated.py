"""Conclusions computed in Coq: both sides are Python's numbers, whatever is planted is seen, and the record is of what ships."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.checking.listed import chosen  # noqa: E402
from proofs_check.coq.check import ask  # noqa: E402
from proofs_check.coq.evaluated import record  # noqa: E402
from proofs_check.coq.evaluated.conclusions import At, conclusions_at  # noqa: E402
from proofs_check.coq.evaluated.readings import Readings, agree, compiled_readings  # noqa: E402
from proofs_check.coq.export import exported  # noqa: E402
from proofs_check.coq.terms import NotExported, Printer  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, le, total, x  # noqa: E402
from proofs_check.rules.values import evaluate  # noqa: E402
from tests.proofs_check.coq.test_export import derivation  # noqa: E402

p, q = (sp.IndexedBase(name, nonnegative=True) for name in "pq")
a = sp.IndexedBase("a", positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
half = Fraction(1, 2)
INSTANCE: dict[str, Any] = {"p": [half, Fraction(1, 3), Fraction(1, 6)], "q": lambda k: Fraction(k, 6), "V": 3, "n": 2}
INSTANCE |= {"a": INSTANCE["p"], "g": lambda u, v: u * v}


@pytest.fixture(scope="module")
def readings(compiled_once) -> Iterator[Readings]:
    with Readings(compiled_once("readings", lambda place: compiled_readings(place, is_proved=False))) as both:
        yield both


@pytest.fixture(scope="module")
def proved(compiled_once) -> Iterator[Readings]:
    with Readings(compiled_once("proved_readings", compiled_readings)) as both:
        yield both


def computed_at(*relations: Relation) -> list[At]:
    """Conclusions at the instance; the claim's sides are the proof's."""
    d: Any = SimpleNamespace(conclusions=relations)
    claimed = [(evaluate(r.lhs, INSTANCE), evaluate(r.rhs, INSTANCE)) for r in relations]
    return list(conclusions_at(d, Printer([], {}), INSTANCE, {"n": [2]}, claimed))


def fractions() -> list[At]:
    """The kept mass in two ways, and a bound with a power, a negative number and a rounded one."""
    kept = total(sp.Min(p[x], q[x]), x)
    return computed_at(
        eq(kept, 1 - total(sp.Max(0, p[x] - q[x]), x)), le(-(kept**n) / 2, sp.Abs(p[1] - q[3]) - sp.floor(7 * q[2]))
    )


def others() -> list[At]:
    """An entropy against a logarithm; a root, an exponential and a power."""
    entropy = -total(a[x] * sp.log(a[x]), x)
    return computed_at(le(entropy, sp.log(3)), ge(sp.sqrt(p[1]) + sp.exp(-q[2]) ** 2, a[2] ** sp.Rational(1, 3)))


def test_coq_computes_both_sides(readings) -> None:
    at = fractions()
    assert [tuple(side.low for side in sides) for sides in readings.computed(at)] == [one.values for one in at]
    assert at[0].values == (Fraction(2, 3), Fraction(2, 3))
    assert at[1].values == (Fraction(-2, 9), Fraction(-2))


def test_a_function_of_numbers_is_what_the_instance_says(readings) -> None:
    g = sp.Function("g", real=True)
    (at,) = computed_at(le(total(g(p[x], q[x]), x), g(1, 0)))
    assert at.values == (Fraction(1, 12) + Fraction(1, 9) + Fraction(1, 12), 0)
    assert agree(readings.computed([at])[0], at)
    wrong = at._replace(definitions=at.definitions.replace("(1)%Z # 12", "(1)%Z # 13"))
    assert wrong != at and not agree(readings.computed([wrong])[0], wrong)


def test_coq_encloses_what_is_no_fraction(readings) -> None:
    at = others()
    for sides, one in zip(readings.computed(at), at, strict=True):
        assert agree(sides, one) and all(0 < side.high - side.low < Fraction(1, 10**6) for side in sides)


def test_what_is_computed_is_of_the_real_numbers(proved, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the names stand for; from the axioms of the reals alone."""
    for at in (fractions(), others()):
        assert proved.transferred([*at, *at]) == len(at)
        printed: list[str] = []
        monkeypatch.setattr(
            proved, "_printed", lambda library, head, text, seconds, printed=printed: printed.append(f"{head}\n{text}")
        )
        proved.transferred(at)
        monkeypatch.undo()
        text = f"{printed[0]}\nPrint Assumptions At0.transferred.\nPrint Assumptions At1.transferred.\n"
        answer = ask(proved.folder, "asked.v", text)
        assert answer.whole and not answer.admitted


@pytest.mark.parametrize(("old", "new"), [("Rmin", "Rmax"), ("- ", "+ "), ("ln", "exp"), ("sqrt", "exp")])
def test_another_twin_is_not_the_scripts(proved, monkeypatch: pytest.MonkeyPatch, old: str, new: str) -> None:
    """Of a text that has been changed in the twin alone, nothing is proved."""
    at = next(one for one in (*fractions(), *others()) if old in "".join(one.sides))
    said = proved._printed

    def planted(library: str, head: str, text: str, seconds: float) -> str:
        twin, rest = text.split("End Twin.")
        assert old in twin
        return said(library, head, f"{twin.replace(old, new)}End Twin.{rest}", seconds)

    monkeypatch.setattr(proved, "_printed", planted)
    with pytest.raises(NotExported):
        proved.transferred([at])


@pytest.mark.parametrize("planted", ["another entry", "another text", "another number in the proof", "in the claim"])
def test_a_planted_mismatch_is_seen(readings, planted: str) -> None:
    for (first, _), (old, new), (text, other) in (
        (fractions(), ("(1)%Z # 3", "(1)%Z # 4"), ("Rmin", "Rmax")),
        (others(), ("(1)%Z # 3", "(3334)%Z # 10000"), ("ln", "exp")),
    ):
        assert agree(readings.computed([first])[0], first)
        slightly = (first.values[0] + Fraction(1, 5000) if first.is_rational else first.values[0] * 2, first.values[1])
        wrong = {
            "another entry": first._replace(definitions=first.definitions.replace(old, new, 1)),
            "another text": first._replace(sides=(first.sides[0].replace(text, other), first.sides[1])),
            "another number in the proof": first._replace(values=slightly),
            "in the claim": first._replace(claimed=slightly),
        }[planted]
        assert wrong != first and not agree(readings.computed([wrong])[0], wrong)
        assert "differ" in record.answer([wrong], readings)


def test_what_coq_does_not_know_is_no_answer(readings) -> None:
    (first, _) = others()
    for text, why in (("(ln 0)", "no enclosure"), ("(nowhere 1)", "nowhere"), ("(/ (2 - 2))", "no enclosure")):
        with pytest.raises(NotExported, match=why):
            readings.computed([first._replace(sides=(text, "0"))])
    with pytest.raises(NotExported, match="no answer in 1 s"):
        readings.computed([first._replace(sides=("(pw 2 (10 ^ 9)%Z)", "0"))], 1)
    assert agree(readings.computed([first])[0], first)  # Coq has been started anew


def test_the_text_is_the_scripts() -> None:
    (_, _, proof), *_ = chosen(["sd.acceptance"])
    at = record.asked(proof)[0]
    script, _ = exported(derivation("sd.acceptance"))
    assert f"{at.sides[0]} = {at.sides[1]}" in script
