"""Values at an instance: exact or certified, and refused where there is none."""

from __future__ import annotations

import random
from fractions import Fraction as F
from math import prod

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.rules.terms import V, total, x  # noqa: E402
from proofs_check.rules.values import evaluate  # noqa: E402
from simspec.claims.balls import is_ball  # noqa: E402

p = sp.IndexedBase("p", real=True)
n = sp.Symbol("n", integer=True, nonnegative=True)


def test_a_sum_by_hand() -> None:
    """½ + ⅓, of what does not exceed ½."""
    found = evaluate(total(sp.Min(p[x], sp.Rational(1, 2)), x), {"p": [F(2, 3), F(1, 3)], "V": 2})
    assert found == F(5, 6) and isinstance(found, F)


def test_values_are_exact_or_certified() -> None:
    assert evaluate(sp.Rational(1, 3) + sp.Max(V, 2), {"V": 1}) == F(7, 3)
    third = evaluate(sp.exp(p[1]) / 3, {"p": [F(0)]})
    assert is_ball(third) and abs(third * 3 - 1) < 1e-30
    with pytest.raises(ZeroDivisionError):
        evaluate(1 / p[1], {"p": [F(0)]})
    with pytest.raises(ValueError, match="no value"):
        evaluate(sp.gamma(n), {"n": 1})


def test_a_declared_sign_is_checked() -> None:
    a, b = sp.IndexedBase("a", nonnegative=True), sp.Symbol("b", positive=True)
    assert evaluate(total(a[x], x) * b, {"a": [F(0), F(1)], "V": 2, "b": F(2)}) == 2
    for e, at in ((total(a[x], x), {"a": [F(-1)], "V": 1}), (b, {"b": F(0)})):
        with pytest.raises(ValueError, match="declared"):
            evaluate(e, at)


def test_how_a_value_is_found_belongs_to_the_expression_that_was_asked_about() -> None:
    """Two of one name, of which one was declared positive; asked after its like, it is still refused."""
    free, positive = sp.Symbol("v", real=True), sp.Symbol("v", positive=True)
    assert evaluate(2 * free, {"v": F(-1)}) == -2
    with pytest.raises(ValueError, match="declared"):
        evaluate(2 * positive, {"v": F(-1)})
    assert [evaluate(free, {"v": F(k)}) for k in range(3)] == [0, 1, 2]


def test_sums_inside_of_sums_have_their_own_places() -> None:
    """Σ_{j ≤ 3} (Σ_{i ≤ j} i + Σ_{i ≤ 2} i j + x) with x free in the second place: by hand 10 + 18 + 3 x."""
    i, j, free = (sp.Symbol(name, integer=True) for name in "ijx")
    e = sp.Sum(sp.Sum(i, (i, 1, j)) + sp.Sum(i * j, (i, 1, 2)) + free, (j, 1, 3))
    assert evaluate(e, {"x": F(5)}) == 10 + 18 + 15
    assert evaluate(sp.Sum(i, (i, 1, j), (j, 1, 3)) + evaluate(sp.Sum(i, (i, 1, 0)), {}), {}) == 10
    assert evaluate(sp.Sum(sp.Sum(i, (i, 1, i)), (i, 1, 3)), {}) == 10  # the end is the outer i


def test_a_function_inside_of_a_sum_may_evaluate_sums_itself() -> None:
    i, f = sp.Symbol("i", integer=True), sp.IndexedBase("f", real=True)
    values = {"f": lambda k: evaluate(sp.Sum(i, (i, 1, k)), {})}
    assert evaluate(sp.Sum(f[i] * i, (i, 1, 3)), values) == 1 + 3 * 2 + 6 * 3


def test_sums_and_products_of_fractions_are_those_of_python() -> None:
    rng = random.Random(5)
    for _ in range(200):
        terms = [F(rng.randint(-9, 9), rng.randint(1, 9)) for _ in range(rng.randint(1, 6))]
        names = sp.symbols(f"t0:{len(terms)}", real=True)
        at = {s.name: t for s, t in zip(names, terms, strict=True)}
        assert evaluate(sp.Add(*names, evaluate=False), at) == sum(terms)
        assert evaluate(sp.Mul(*names, evaluate=False), at) == prod(terms)
