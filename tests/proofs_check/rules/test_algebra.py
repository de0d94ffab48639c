"""What SymPy's expansion shows, and what it must not."""

from __future__ import annotations

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.rules import smt  # noqa: E402
from proofs_check.rules.algebra import by_algebra, sign  # noqa: E402
from proofs_check.rules.terms import V, eq, ge, gt, total, x  # noqa: E402

a, b = sp.symbols("a b", real=True)


def test_a_square_by_hand() -> None:
    """a² + b² − 2ab = (a − b)²."""
    assert by_algebra(eq(a**2 + b**2 - 2 * a * b, (a - b) ** 2), (), False) == "expands to zero"
    assert by_algebra(ge(a**2 + b**2, 2 * a * b), (), False) == "a sum of non-negative terms"
    assert by_algebra(gt(a**2 + b**2, 2 * a * b), (), False) is None  # a = b
    assert by_algebra(eq(a**2, 0), (), False) is None


def test_equations_replace_their_left_side() -> None:
    assert by_algebra(eq(a**3, a * b), (eq(a**2, b),), False) is None  # a³ holds no a² of its own
    assert by_algebra(eq(a * b, 2 * b), (eq(a, 2),), False) == "expands to zero"


def test_patterns_of_min_max_and_absolute_values() -> None:
    both = eq(sp.Min(a, b) + sp.Max(a, b), a + b)
    assert by_algebra(both, (), True) == "in each of 2 cases expands to zero"
    assert by_algebra(ge(sp.Max(a, b) - sp.Min(a, b), 0), (), True) == "in each of 2 cases a sum of non-negative terms"
    assert by_algebra(ge(sp.Max(a, b), 0), (), True) is None
    assert by_algebra(both, (ge(a, b),), True) is None  # inequalities are for the solver


def test_signs() -> None:
    s, t = sp.symbols("s t", nonnegative=True)
    assert sign(s * t + t / (1 + s)) and sign((s - t) ** 2) and sign(1 + s, strict=True)
    assert not sign(s - t) and not sign(s, strict=True) and not sign(s / (1 - t))


def test_nothing_is_simplified(monkeypatch: pytest.MonkeyPatch) -> None:
    """Expansion, one fraction, logarithms of factors: what these do not show is not shown, and SymPy is not asked."""
    p, q = (sp.IndexedBase(name, positive=True) for name in "pq")
    r, s = sp.symbols("r s", positive=True)
    monkeypatch.setattr(sp, "simplify", lambda e: pytest.fail(f"{e} was simplified"))
    shown = [
        eq(sp.exp(sp.log(b**2 + 1)), b**2 + 1),
        eq(1 / (1 + a**2) + a**2 / (1 + a**2), 1),
        eq(sp.log(r * s / (r + s)), sp.log(r) + sp.log(s) - sp.log(r + s)),
    ]
    shares = eq(total(p[x] / (p[x] + q[x]), x) + total(q[x] / (p[x] + q[x]), x), V)  # to be summed from each token
    other = [shares, eq(sp.Min(a, b) + total(p[x], x), a), eq(a / b, b / a), eq(sp.log(a * b), sp.log(a) + sp.log(b))]
    assert [by_algebra(r, (), False) for r in shown] == ["expands to zero"] * 3
    assert [by_algebra(r, (), False) for r in other] == [None] * 4


def test_what_is_remembered_is_of_the_same_question_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A name declared non-negative is not the real one, and what a solver left open is asked again."""
    r, s = sp.Symbol("r", nonnegative=True), sp.Symbol("r", real=True)
    assert by_algebra(ge(r, 0), (), False) and by_algebra(ge(s, 0), (), False) is None
    goal = ge(a**2 + b**2 + 1, a * b)
    with monkeypatch.context() as patch:
        patch.setattr(smt, "_ask", lambda text: ["unknown"])
        with pytest.raises(smt.Unproved, match="unknown"):
            smt.certificate(goal, [])
    first, second = (smt.certificate(goal, [], title) for title in ("one", "two"))
    assert first.replace("; one", "; two") == second
