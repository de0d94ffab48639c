"""The first so many of a set, signs through definitions, and denominators: what Coq proves by the wider tactics, and what not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import sympy as sp

from tests.requirements import require

require("proofs")
require("coq")
from proofs_check.coq.bridge import HEAD, library, proved_givens, settled  # noqa: E402
from proofs_check.coq.computed import value  # noqa: E402
from proofs_check.coq.defined import definitions  # noqa: E402
from proofs_check.coq.session import Session  # noqa: E402
from proofs_check.coq.statements import Definition  # noqa: E402
from proofs_check.coq.trace import Traced  # noqa: E402
from proofs_check.rules.terms import eq, ge, gt, le, total, x, y  # noqa: E402

FIRST = "the smallest gain one"
MASS = "the kept tokens have mass"
PAIR = "b and r are two tokens, or none"


@pytest.fixture(scope="module")
def coq(compiled_once) -> Iterator[Session]:
    with Session(compiled_once("defined", library), HEAD) as session:
        yield session


def shown(d: Traced, coq: Session, is_computed: bool = True, **how) -> tuple[dict[str, str], list[str]]:
    """Which names are defined, by which form, and which givens are proved of them."""
    bridge, lemmas = settled(d, coq, lambda definition: is_computed, **how)
    return {str(c.symbol): c.form for c in bridge.definitions}, proved_givens(bridge, lemmas)


def first_of_a_set(is_bounded: bool = True, is_swapped: bool = False) -> Traced:
    """Marks of the N tokens of a set where f is least; their number without a bound, or f largest for those that are left."""
    d = Traced("first")
    f = sp.IndexedBase("f", real=True)
    u = sp.IndexedBase("u", nonnegative=True)
    raised = sp.IndexedBase("raised", integer=True, nonnegative=True)
    N = d.number("N")
    d.domain("what is compared", ge(f[x], 0), ge(N, -1))
    d.domain("kept or not", eq(u[x] ** 2, u[x]))
    number = sp.Max(0, N)
    order = f[x] - f[y] if is_swapped else f[y] - f[x]
    d.domain(
        FIRST,
        eq(raised[x] ** 2, raised[x]),
        le(raised[x], u[x]),
        eq(total(raised[x], x), sp.Min(number, total(u[x], x)) if is_bounded else number),
        ge((u[y] - raised[y]) * order * raised[x], 0),
    )
    return d


def test_the_first_of_a_set_are_a_definition(coq: Session) -> None:
    forms, givens = shown(first_of_a_set(), coq, numbers={"N"})
    assert forms["raised[x]"] == "ranked" and FIRST in givens
    (least,) = (c for c in definitions(first_of_a_set(is_swapped=True)) if c.form == "ranked")
    assert least.of[0] == sp.IndexedBase("f", real=True)[x]


def test_more_than_a_set_has_are_none_of_it(coq: Session) -> None:
    """Without a bound their number is no longer that of tokens of the set; and a number that is not whole is none of tokens."""
    _, givens = shown(first_of_a_set(is_bounded=False), coq, numbers={"N"})
    assert FIRST not in givens
    _, givens = shown(first_of_a_set(), coq)
    assert FIRST not in givens


def test_the_first_of_a_set_by_hand() -> None:
    """Of tokens 1, 2 and 4 with 3, 5 and 5 the first two are 2 and 4, the first one is 2; token 3 is not in the set."""
    e, u, z = (sp.IndexedBase(name, real=True) for name in "euz")
    numbers = {"e": lambda k: (3, 5, 9, 5)[k - 1], "u": lambda k: int(k != 3), "V": 4}
    for number, expected in ((0, []), (1, [2]), (2, [2, 4]), (7, [1, 2, 4])):
        c = Definition(z[x], "ranked", (e[x], u[x], sp.Integer(number)))
        assert [k for k in range(1, 5) if value(c, {**numbers, "x": k})] == expected


@pytest.mark.parametrize("least", [1, 2])
def test_a_sum_of_marks_is_0_or_1_and_more(coq: Session, least) -> None:
    """Where no token reaches a threshold the mark is 1; with one alone it is 0, and both together are not 2."""
    d = Traced("empty")
    q, _ = d.law("q")
    b = d.number("b", positive=True)
    keep = d.weights("keep")
    empty = d.number("empty", 0)
    d.domain(
        "reaches",
        eq(keep[x] * (1 - keep[x]), 0),
        ge(keep[x] * (q[x] - b), 0),
        gt((1 - keep[x]) * (b - q[x]) + keep[x], 0),
    )
    nothing = "nothing reaches it"
    d.domain(
        nothing, eq(empty * (1 - empty), 0), eq(empty * total(keep[x], x), 0), ge(empty + total(keep[x], x), least)
    )
    _, givens = shown(d, coq)
    assert (nothing in givens) is (least == 1)


@pytest.mark.parametrize("factor", [1, -1])
def test_a_root_and_a_quotient_that_may_be_0(coq: Session, factor) -> None:
    """2δp(1 - p) is not negative, whatever is multiplied out; less of it has no root."""
    d = Traced("root")
    p, _ = d.law("p")
    delta = d.number("delta", 0)
    s = sp.IndexedBase("s", nonnegative=True)
    root = "s is the root"
    d.domain(root, eq(s[x] ** 2, factor * 2 * delta * p[x] * (1 - p[x])))
    _, givens = shown(d, coq)
    assert (root in givens) is (factor == 1)


@pytest.mark.parametrize("top", [1, 2])
def test_a_survivor_is_kept(coq: Session, top) -> None:
    """a q s = min(S p, q s), where q or s is 0 too; that it is no less than 2 stays given."""
    d = Traced("survivor")
    p, _ = d.law("p")
    q, _ = d.law("q")
    s = d.weights("s")
    a = d.weights("a")
    kept = "a survivor is kept"
    d.domain(kept, eq(a[x] * q[x] * s[x], sp.Min(total(q[x] * s[x], x) * p[x], q[x] * s[x])))
    if top == 2:
        d.domain("more than one", ge(a[x], 2))
    _, givens = shown(d, coq)
    assert kept in givens and "more than one" not in givens


def kept(more: bool = False) -> Traced:
    """c is one over what is kept; and more is said of it, or not."""
    d = Traced("kept")
    q, _ = d.law("q")
    u = d.weights("u")
    c = d.number("c", positive=True)
    d.domain(MASS, eq(c * total(q[x] * u[x], x), 1))
    if more:
        d.domain("c is no more than one", le(c, 1))
    return d


def test_that_a_denominator_is_not_0(coq: Session) -> None:
    """Nothing more is said by the equation of a quotient; a bound of it is more, and stays given."""
    bridge, lemmas = settled(kept(), coq, lambda definition: True)
    assert [lemma.name for lemma in bridge.quotients()] and MASS not in proved_givens(bridge, lemmas)
    assert all("<> 0 ->" in lemma.text for lemma in bridge.quotients())
    bridge, lemmas = settled(kept(more=True), coq, lambda definition: True)
    assert [lemma.statement.given_name for lemma in bridge.quotients()] == [MASS]
    assert "c is no more than one" not in proved_givens(bridge, lemmas)


def test_a_quotient_of_names_says_more_than_that(coq: Session) -> None:
    """Where p is 0 it says that q is: that is no denominator alone."""
    d = Traced("quotient")
    p, q, z = (d.weights(name) for name in "pqz")
    d.domain("the quotient", eq(z[x] * p[x], q[x]))
    bridge, _ = settled(d, coq, lambda definition: True)
    assert bridge.unproved_names and bridge.may_be_quotients() == []


def token(is_free: bool = True) -> Traced:
    """A token with its masses of two laws; or with more mass than any has."""
    d = Traced("token")
    p, _ = d.law("p")
    q, _ = d.law("q")
    b = d.weights("b")
    A = d.number("A", 0)
    B = d.number("B", 0)
    mass = p[x] if is_free else p[x] + 2
    d.domain(
        "one token",
        eq(b[x] * (1 - b[x]), 0),
        eq(total(b[x], x), 1),
        eq(b[x] * mass, A * b[x]),
        eq(b[x] * q[x], B * b[x]),
    )
    if not is_free:
        d.domain("of mass 1", le(A, 1))
    return d


def test_a_token_is_chosen_freely(coq: Session) -> None:
    forms, givens = shown(token(), coq, tokens_first=True)
    assert forms == {"b[x]": "token", "A": "at", "B": "at"} and "one token" in givens
    _, givens = shown(token(is_free=False), coq, tokens_first=True)
    assert "of mass 1" not in givens


def two_tokens(is_apart: bool = True, is_likelier: bool = True) -> Traced:
    """Two tokens or none, with their masses, b the likelier; or marks that may have a token in common, or b less likely by 2."""
    d = Traced("two tokens")
    p, _ = d.law("p")
    b = d.weights("b")
    r = d.weights("r")
    of_b = d.number("p_b", 0)
    of_r = d.number("p_r", 0)
    flags = [eq(z[x] * (1 - z[x]), 0) for z in (b, r)]
    apart = [eq(b[x] * r[x], 0)] if is_apart else []
    d.domain(
        PAIR,
        *flags,
        *apart,
        eq(total(r[x], x), total(b[x], x)),
        eq(b[x] * p[x], of_b * b[x]),
        eq(r[x] * p[x], of_r * r[x]),
    )
    d.domain("b is the likelier", le(of_r, of_b) if is_likelier else le(of_b + 2, of_r))
    return d


def test_two_tokens_or_none(coq: Session) -> None:
    """That one is the likelier stays given: it says which tokens are meant."""
    bridge, lemmas = settled(two_tokens(), coq, lambda c: True)
    assert {str(c.symbol): c.form for c in bridge.definitions} == {
        "b[x]": "pair",
        "r[x]": "pair",
        "p_b": "at",
        "p_r": "at",
    }
    givens = proved_givens(bridge, lemmas)
    assert PAIR in givens and "b is the likelier" not in givens
    assert shown(two_tokens(), coq, is_computed=False) == ({}, [])


@pytest.mark.parametrize("wrong", [{"is_apart": False}, {"is_likelier": False}])
def test_marks_that_are_none_of_two_tokens(coq: Session, wrong) -> None:
    d = two_tokens(**wrong)
    forms, givens = shown(d, coq)
    assert "b is the likelier" not in givens
    assert ("pair" in forms.values()) is wrong.get("is_apart", True)
