"""Values at an instance: exact or certified, and refused where there is none."""

from __future__ import annotations

from fractions import Fraction as F

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
