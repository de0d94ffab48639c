"""SMT certificates: sign patterns cover all reals, the text means what it should, two solvers agree, models are exact."""

from __future__ import annotations

from fractions import Fraction as F
from itertools import product

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.checking.opinion import opinions  # noqa: E402
from proofs_check.rules.smt import Unproved, _quotient, branches, certificate, model, polynomial, script  # noqa: E402
from proofs_check.rules.terms import Relation, eq, ge, gt, index, le, total, x  # noqa: E402

a, b, c = sp.symbols("a b c", real=True)


def test_the_overlap_of_two_numbers_by_hand() -> None:
    text = certificate(eq(sp.Min(a, b), (a + b - sp.Abs(a - b)) / 2), [])
    assert text.count("(check-sat)") == 2  # a ≥ b and a ≤ b, the same for Min and |·|


@pytest.mark.parametrize(
    "e",
    [
        sp.Min(a, b) + sp.Max(a, c),
        sp.Abs(sp.Min(a, b) - c),
        sp.Min(a, b, c) * sp.Abs(b),
        sp.Max(a, sp.Min(b, c), 0) - sp.Abs(a - b),
    ],
)
def test_patterns_cover_every_point_and_agree_there(e: sp.Expr) -> None:
    found = list(branches([e]))
    for at in product((-2, -1, 0, 1), repeat=3):
        values = dict(zip((a, b, c), at, strict=True))
        inside = [parts[0].subs(values) for parts, where in found if all(w.subs(values) >= 0 for w in where)]
        assert inside and set(inside) == {e.subs(values)}


def test_patterns_stop_at_sums() -> None:
    p = sp.IndexedBase("p", real=True)
    e = total(sp.Abs(p[x]), x)
    assert list(branches([e])) == [([e], [])]
    assert script(ge(e, 0), []).count("declare-const") == 1


def test_false_and_open_statements_give_no_certificate() -> None:
    with pytest.raises(Unproved, match="sat"):
        certificate(ge(a * a, a), [])
    with pytest.raises(Unproved, match="denominator"):
        certificate(ge(1 / a, 0), [])
    certificate(ge(1 / a, 0), [gt(a, 0)])


def test_contradictory_assumptions_prove_anything_and_can_be_seen() -> None:
    certificate(eq(a, 7), [gt(a, 1), le(a, 0)])
    with pytest.raises(Unproved):
        model([gt(a, 1), le(a, 0)])


def test_models_are_rational_and_satisfy_what_was_asked() -> None:
    found = model([gt(sp.Abs(a - b), 1), eq(a + b, 1), ge(b, 0)])
    assert abs(found["a"] - found["b"]) > 1 and found["a"] + found["b"] == F(1) and found["b"] >= 0
    with pytest.raises(Unproved):
        model([eq(a * a, 2)])  # √2 is no counterexample on fractions


def test_a_second_solver_agrees() -> None:
    text = certificate(ge(a**2 + b**2, 2 * sp.Abs(a * b)), [])
    assert set(opinions([text])) == {"unsat"}
    assert "sat" in opinions([script(ge(a, b), [])])
    assert opinions([text], seconds=0.01) == ["unknown"] * text.count("(check-sat)")


P, M = sp.IndexedBase("p", real=True), sp.IndexedBase("M", real=True)
n, big = index("n"), sp.Symbol("N", integer=True, positive=True)


@pytest.mark.parametrize(
    ("e", "whole"),
    [
        (a / 2 + b / 3 - 1, True),
        (2 * a * b / 3 + sp.Rational(4, 3) * a * c, True),
        (sp.Min(a, b / c) + sp.Rational(1, 6), False),
        (P[n + 1] * M[n, x] / 4 - total(M[n, x] * P[x], x) / 6, True),
        (P[a * n + n] / 2 + total(P[x], x, upto=big**2 + big), True),
        (total(P[x] / a, x) + a, False),
        (a / (1 + b) - c / 2, False),
        (a**big + b / 2, False),
        (sp.exp(a) / 2 + b / 3, False),
        (sp.Rational(-3, 4), True),
    ],
    ids=str,
)
def test_a_polynomial_is_multiplied_through_as_sympy_does(e: sp.Expr, whole: bool) -> None:
    """What is written without `together` is what that gives."""
    assert polynomial(e) is whole
    r = ge(e, 0)
    top, below = sp.fraction(sp.together(r.difference))
    assert _quotient(r) == (sp.expand(top), below)
    assert _quotient(Relation(r.lhs, r.op, sp.Integer(1))) != _quotient(r)
