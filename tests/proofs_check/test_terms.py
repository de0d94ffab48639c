"""Sums over a vocabulary of unspecified size: their normal form agrees with their value for every size."""

from __future__ import annotations

from fractions import Fraction as F

import numpy as np
import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.terms import V, eq, evaluate, i, index, is_index, is_token, j, spread, total, x, y  # noqa: E402

p, q, M = (sp.IndexedBase(name, real=True) for name in "pqM")
n = sp.Symbol("n", integer=True, nonnegative=True)


def values(size: int, seed: int = 0) -> dict[str, object]:
    rng = np.random.default_rng(seed)

    def fractions(*shape: int) -> list[object]:
        return (rng.integers(-4, 5, shape) * F(1, 3)).tolist()

    return {"V": size, "p": fractions(size), "q": fractions(size), "M": fractions(size, size), "x": 1, "i": 1, "j": 1}


def test_a_matrix_product_by_hand() -> None:
    """Σ_j Σ_i q_i M_ij = Σ_i q_i Σ_j M_ij."""
    assert total(total(q[i] * M[i, j], i), j) == total(q[i] * total(M[i, j], j), i)


@pytest.mark.parametrize(
    "e",
    [
        sp.Sum(2 * p[x] + q[x] * 3 - 1, (x, 1, V)),
        sp.Sum(p[x], (x, 1, V)) * sp.Sum(q[x], (x, 1, V)),
        sp.Sum(p[x], (x, 1, V)) ** 2,
        sp.Sum(p[x] * sp.Sum(q[y] * M[x, y], (y, 1, V)), (x, 1, V)),
        sp.Sum(sp.Abs(sp.Sum(M[x, y] * p[x], (x, 1, V))), (y, 1, V)),
        sp.Sum(p[x] * q[y] * M[i, x], (x, 1, V), (y, 1, V)),
        sp.Sum(sp.Min(p[x], p[i]), (x, 1, V)) - p[x],
        sp.Sum(sp.Sum(p[x], (x, 1, V)), (y, 1, V)),
    ],
)
def test_normal_forms_keep_the_value(e: sp.Expr) -> None:
    for size in (1, 2, 3):
        for seed in range(3):
            at = values(size, seed)
            assert evaluate(spread(e), at) == evaluate(e, at)


def test_equal_sums_are_equal_expressions_and_others_are_not() -> None:
    assert total(p[x] * M[x, y], x) == total(p[i] * M[i, y], i)
    assert total(p[x] * M[x, y], x) != total(p[x] * M[y, x], x)
    assert total(p[x] * q[y] * M[x, y], x, y) == total(p[y] * q[x] * M[y, x], y, x)


def test_a_free_token_is_never_the_bound_one() -> None:
    found = total(sp.Abs(p[y] - p[x]), y)
    assert evaluate(found, {"p": [F(0), F(1)], "V": 2, "x": 2}) == 1
    assert found.subs(x, y) != total(sp.Abs(p[y] - p[y]), y)


def test_statements_with_other_names() -> None:
    r = eq(total(p[x] * M[x, i], x), q[i]).replace({i: x})
    assert r.lhs == total(p[y] * M[y, x], y) and r.rhs == q[x]


def test_a_declared_sign_is_checked() -> None:
    a, b = sp.IndexedBase("a", nonnegative=True), sp.Symbol("b", positive=True)
    assert evaluate(total(a[x], x) * b, {"a": [F(0), F(1)], "V": 2, "b": F(2)}) == 2
    for e, at in ((total(a[x], x), {"a": [F(-1)], "V": 1}), (b, {"b": F(0)})):
        with pytest.raises(ValueError, match="declared"):
            evaluate(e, at)


def test_floats_are_refused() -> None:
    for make in (lambda: eq(p[x], 0.5), lambda: eq(p[x], n).replace({n: 1.5})):
        with pytest.raises(ValueError, match="exact numbers"):
            make()


def test_values_are_exact_or_certified() -> None:
    assert evaluate(sp.Rational(1, 3) + sp.Max(V, 2), {"V": 1}) == F(7, 3)
    third = evaluate(sp.exp(p[1]) / 3, {"p": [F(0)]})
    assert type(third).__name__ == "arb" and abs(third * 3 - 1) < 1e-30
    with pytest.raises(ZeroDivisionError):
        evaluate(1 / p[1], {"p": [F(0)]})
    with pytest.raises(ValueError, match="no value"):
        evaluate(sp.gamma(n), {"n": 1})


def test_tokens_and_indices() -> None:
    s = index("s")
    assert is_index(s) and not is_token(s) and is_token(x) and not is_index(x) and not is_index(V) and not is_index(n)
