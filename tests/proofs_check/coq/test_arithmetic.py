"""Tactics for arithmetic: multiples of equations, by hand."""

from __future__ import annotations

import sympy as sp

from tests.requirements import require

require("proofs")
from proofs_check.coq.arithmetic import _multiples  # noqa: E402
from proofs_check.rules.terms import eq  # noqa: E402


class Names:
    """A printer that prints as SymPy does."""

    class printer:
        real = staticmethod(str)


def test_a_goal_that_is_twice_an_equation() -> None:
    a, b = sp.symbols("a b", real=True)
    assert list(_multiples(Names, eq(2 * a, 2 * b), [eq(a, b)])) == ["pose proof (times 2 U_0)"]


def test_an_equation_of_equal_polynomials_is_left_out() -> None:
    """(a + b)² = a² + 2ab + b² says nothing: dividing by it would be dividing by zero."""
    a, b = sp.symbols("a b", real=True)
    trivial = eq((a + b) ** 2, a**2 + 2 * a * b + b**2)
    assert list(_multiples(Names, eq(2 * a, 2 * b), [trivial, eq(a, b)])) == ["pose proof (times 2 U_1)"]
    assert list(_multiples(Names, eq(a, b), [trivial])) == []
