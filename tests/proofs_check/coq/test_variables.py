"""Ranges of free variables: they say what kind of variable a name is, and nothing where more is said of it."""

from __future__ import annotations

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.coq.variables import free_ranges  # noqa: E402
from proofs_check.rules.terms import eq, ge, gt, index, le, total, x  # noqa: E402

PROBABILITY = "r is a probability"


def names(d: Traced) -> set[str]:
    return {premise.name for premise in free_ranges(d)}


def chance(more: str = "") -> Traced:
    """A chance for each token; and perhaps more that is given of it, or of what comes after it."""
    d = Traced("chance")
    p, _ = d.law("p")
    r, s = (sp.IndexedBase(name, real=True) for name in "rs")
    d.domain(PROBABILITY, ge(r[x], 0), le(r[x], 1))
    if more == "an equation":
        d.domain("r keeps", eq(r[x] * p[x], p[x] ** 2))
    if more == "of another":
        d.domain("s is what r keeps", eq(s[x], r[x] * p[x]))
    if more == "a bound by a name":
        d.domain("r is below", le(r[x], p[x]))
    return d


@pytest.mark.parametrize(
    ("more", "is_free"), [("", True), ("of another", True), ("an equation", False), ("a bound by a name", False)]
)
def test_a_range_is_one_where_nothing_else_is_said_of_the_name(more, is_free) -> None:
    assert (PROBABILITY in names(chance(more))) is is_free


def test_a_law_after_a_state_is_a_variable_and_a_member_of_one_is_none() -> None:
    """Of all states, not of the root alone; and no range where the derivation says itself what the name is."""
    d = Traced("law")
    onward, at = (sp.IndexedBase(name, nonnegative=True) for name in ("onward", "at"))
    child = d.map("child")
    state = index("s")
    d.domain("a law after each state", eq(total(onward[index("t"), x], x), 1))
    d.domain("all of it is at the root", gt(at[index("root")], 0))
    d.domain("each child has less", le(2 * at[child[state]], at[state]))
    total_name = d.number("mass")
    d.domain("its mass", gt(total_name, 0))
    assert names(d) == {"a law after each state", "its mass"}
    defined = Traced("defined")
    p, _ = defined.law("p")
    half = sp.IndexedBase("half", real=True)
    defined.define("half of p", half[x], p[x] / 2)
    defined.domain("half is below one", le(half[x], 1))
    assert "half is below one" not in names(defined)
