"""Sums over a vocabulary of unspecified size: their normal form agrees with their value for every size."""

from __future__ import annotations

import ast
from fractions import Fraction as F
from pathlib import Path

import numpy as np
import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.coq.statements import names  # noqa: E402
from proofs_check.coq.terms import Printer  # noqa: E402
from proofs_check.rules.terms import V, eq, i, index, is_index, is_token, j, spread, total, x, y  # noqa: E402
from proofs_check.rules.values import evaluate  # noqa: E402

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


def test_floats_are_refused() -> None:
    for make in (lambda: eq(p[x], 0.5), lambda: eq(p[x], n).replace({n: 1.5})):
        with pytest.raises(ValueError, match="exact numbers"):
            make()


def test_tokens_and_indices() -> None:
    s = index("s")
    assert is_index(s) and not is_token(s) and is_token(x) and not is_index(x) and not is_index(V) and not is_index(n)


def test_sympy_evaluates_no_sum() -> None:
    """Of a sum of numbers it knows what its terms are: no value, no digits, no closed form, no sign by digits."""
    thirds = total(sp.Rational(1, 3), k := index("k"), upto=n)
    numbers = total(1 / (1 + (k - 500) ** 2), k, upto=1000)
    assert thirds == n / 3  # the sum of a constant is its multiple
    assert numbers.doit() is numbers.simplify() is sp.simplify(numbers) is numbers.evalf() is numbers
    assert not numbers.is_number and (numbers - 3).is_positive is (numbers - 3).is_negative is None
    assert sp.Max(numbers, 3).has(sp.Max) and type(eq(sp.Sum(k**2, (k, 1, 2)), 5).lhs) is type(numbers)


@pytest.mark.parametrize(
    ("e", "expected"),
    [
        (sp.Sum(n * p[x], (x, 1, V)), {n, V}),
        (sp.Product(x + n, (x, 1, M[i, j])), {n}),
        (sp.Sum(x * y, (x, 1, n)), {y, n}),
        (sp.Sum(y * x, (x, 1, y)), {y}),
        (p[x + 1] + q[n] * i, {i}),
    ],
)
def test_numbers_are_what_is_free_beside_indices(e: sp.Expr, expected: set[sp.Symbol]) -> None:
    assert eq(e, 0).numbers == expected


def test_no_text_is_run_for_an_expression() -> None:
    """SymPy runs a text that it is asked to read; every place that asks it refuses texts."""
    printer = Printer({}, {})
    for read in (printer.whole, printer.real, names):
        with pytest.raises(ValueError, match="expected a number or an expression, got str"):
            read("1 + 1")  # type: ignore[operator]
    for path in (Path(__file__).resolve().parents[3] / "proofs_check").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).rpartition(".")[2] == "sympify":
                assert "strict=True" in ast.unparse(node), f"{path.name}:{node.lineno}"
