"""Names that are defined: what Coq proves of them is no given, and what it does not prove stays one."""

from __future__ import annotations

from pathlib import Path

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.bridge import library, proved_givens, settled  # noqa: E402
from proofs_check.coq.defined import definitions  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import eq, ge, gt, index, le, total, x, y  # noqa: E402

RULE = "the residual, as a law"
MARK = "z is 1 where p is 0, else 0"


@pytest.fixture(scope="module")
def folder(compiled_once) -> Path:
    return compiled_once("defined", library)


def residual(turned: bool = False, low: bool = False) -> Traced:
    """Two laws, and r Σ (p - q)₊ = (p - q)₊, or another right side; or more than that is said of r."""
    d = Traced("residual")
    p, _ = d.law("p")
    q, _ = d.law("q")
    r, _ = d.law("r")
    excess = sp.Max(0, p[x] - q[x])
    d.domain(RULE, eq(r[x] * total(excess, x), sp.Max(0, q[x] - p[x]) if turned else excess))
    if low:
        d.domain("no token has more than half", le(r[x], sp.Rational(1, 2)))
    return d


def marked(strict: bool = True) -> Traced:
    """The mark of tokens without mass; or one that may be 1 at others."""
    d = Traced("mark")
    p, _ = d.law("p")
    z = d.weights("z")
    d.domain(MARK, eq(p[x] * z[x], 0), eq(z[x] * (1 - z[x]), 0), (gt if strict else ge)(p[x] + z[x], 0))
    return d


def test_a_residual_is_a_definition(folder: Path) -> None:
    bridge, lemmas = settled(residual(), folder, "residual")
    assert [str(c.symbol) for c in bridge.definitions] == ["r[x]"]
    assert proved_givens(bridge, lemmas) == ["r is nowhere negative", "r sums to one", RULE]


@pytest.mark.parametrize("wrong", [{"turned": True}, {"low": True}])
def test_what_does_not_follow_stays_given(folder: Path, wrong) -> None:
    """Another right side, which is not 0 where the left one is; and a bound that no definition has: r is then free again."""
    d = residual(**wrong)
    assert [str(c.symbol) for c in definitions(d)] == ["r[x]"]
    bridge, lemmas = settled(d, folder, "wrong")
    assert bridge.definitions == [] and proved_givens(bridge, lemmas) == []


def test_a_mark_is_a_definition_where_it_is_told_everywhere(folder: Path) -> None:
    bridge, lemmas = settled(marked(), folder, "mark")
    assert MARK in proved_givens(bridge, lemmas)
    assert [c.form for c in definitions(marked(strict=False))] != ["is_zero"]


def test_what_is_said_of_one_member_defines_no_array(folder: Path) -> None:
    """The root has one: that says nothing of the other nodes."""
    d = Traced("root")
    r = sp.IndexedBase("r", nonnegative=True)
    child = d.map("child")
    d.domain("the root has one", eq(r[index("root")], 1))
    d.domain("a child has half", eq(2 * r[child[index("c")]], r[index("c")]))
    bridge, lemmas = settled(d, folder, "root")
    assert bridge.definitions == [] and lemmas == []


@pytest.mark.parametrize(
    ("op", "form"), [("thresholds", "not_below"), ("largest", "at_largest"), ("root", "sqrt"), ("sum", "is")]
)
def test_forms(folder: Path, op: str, form: str) -> None:
    d = Traced(op)
    p, _ = d.law("p")
    b = d.number("b", positive=True)
    z = d.weights("z")
    flag = eq(z[x] * (1 - z[x]), 0)
    statements = {
        "thresholds": [flag, ge(z[x] * (p[x] - b), 0), gt((1 - z[x]) * (b - p[x]) + z[x], 0)],
        "largest": [flag, eq(total(z[x], x), 1), ge((p[x] - p[y]) * z[x], 0)],
        "root": [eq(z[x] ** 2, p[x])],
        "sum": [eq(z[x], p[x] + b)],
    }
    d.domain("what it is", *statements[op])
    bridge, lemmas = settled(d, folder, op)
    assert [c.form for c in bridge.definitions] == [form]
    assert "what it is" in proved_givens(bridge, lemmas)
