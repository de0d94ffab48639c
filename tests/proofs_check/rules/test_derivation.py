"""The rules of a derivation: a hand-sized proof first, then everything that must not pass."""

from __future__ import annotations

import pytest

from tests.requirements import require

require("proofs")
import sympy as sp  # noqa: E402

from proofs_check.checking.agreement import meanings  # noqa: E402
from proofs_check.rules.algebra import by_algebra  # noqa: E402
from proofs_check.rules.derivation import Derivation, Unproved  # noqa: E402
from proofs_check.rules.terms import V, eq, ge, gt, i, index, le, lt, total, x, y  # noqa: E402

v, w = sp.symbols("v w", real=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
T = sp.Symbol("T", integer=True, nonnegative=True)
a = sp.IndexedBase("a", real=True)
c = sp.Symbol("c", real=True)
k = index("k")


@pytest.fixture
def d() -> Derivation:
    return Derivation("a test")


def test_markov_bound_by_hand(d: Derivation) -> None:
    """No token of a law is likelier than one: p[y] ≤ Σ p = 1."""
    p, mass = d.law("p")
    nonneg = d.derive("a law", ge(p[x], 0))
    d.qed(d.derive("together", le(p[y], 1), d.term("one term", nonneg, x, y), mass))
    assert d.used == {"p sums to one"}
    assert [s.how for s in d.steps][-2:] == ["one term of a sum of non-negative terms", "SMT, 1 sign pattern(s)"]


def test_a_dropped_given_is_gone() -> None:
    d = Derivation("a test", dropped="p sums to one")
    p, mass = d.law("p")
    term = d.term("one term", d.derive("a law", ge(p[x], 0)), x, y)
    with pytest.raises(Unproved, match="sat"):
        d.derive("together", le(p[y], 1), term, mass)


def test_what_is_false_does_not_follow(d: Derivation) -> None:
    for wrong in (ge(v, 0), eq(v * v, v), le(sp.Abs(v), v), gt(v * v, 0), le(sp.Min(v, w), v - 1), lt(sp.Max(v, w), v)):
        for by in ("auto", "algebra", "cases", "smt"):
            with pytest.raises(Unproved):
                d.derive("wrong", wrong, by=by)


def test_division_needs_a_positive_denominator(d: Derivation) -> None:
    with pytest.raises(Unproved, match="expected that w != 0"):
        d.derive("wrong", ge(v**2 / w, 0), by="smt")
    with pytest.raises(Unproved, match="expected that w != 0"):
        d.define("a ratio", sp.Symbol("c", real=True), v / w)
    positive = d.domain("w is positive", gt(w, 0))
    d.define("a ratio", sp.Symbol("c2", real=True), v / w, positive)


def test_a_bound_token_is_not_a_free_one(d: Derivation) -> None:
    """|Σ a| = Σ |a| is no consequence of the sign of one a[x]."""
    with pytest.raises(Unproved):
        d.derive("wrong", eq(sp.Abs(total(a[x], x)), total(sp.Abs(a[x]), x)))
    with pytest.raises(Unproved):
        d.derive("wrong", eq(total(a[x], x), V * a[x]))


def test_definitions_are_total_and_unambiguous(d: Derivation) -> None:
    c, s = sp.Symbol("c", real=True), sp.Symbol("s", positive=True)
    with pytest.raises(ValueError, match="depends on x"):
        d.define("loose token", c, a[x])
    with pytest.raises(Unproved, match="condition"):
        d.define("a sign that is not shown", s, sp.Integer(-1))
    d.define("fine", c, 2 * v)
    with pytest.raises(ValueError, match="has a meaning"):
        d.define("twice", c, 3 * v)


def test_what_a_name_depends_on_is_no_longer_free(d: Derivation) -> None:
    c = sp.Symbol("c", real=True)
    twice = d.define("c", c, 2 * v)
    with pytest.raises(Unproved, match="defined in terms of v"):
        d.instantiate("wrong", twice, {v: 3})
    with pytest.raises(Unproved, match="particular"):
        d.instantiate("wrong", twice, {c: 3})
    with pytest.raises(Unproved, match="defined in terms of v"):
        slope = d.derive("slope", ge(2 * v - c, 0), twice)
        d.increasing("wrong", v**2 - c * v, v, 0, slope, d.domain("beyond", ge(v, 0)))


def test_an_extremum_is_attained_at_one_token(d: Derivation) -> None:
    _m, bound, attained = d.extremum("the largest", "m", a[x], x)
    at = next(s for s in attained.relation.rhs.free_symbols if str(s) == "m_at")
    d.derive("no other exceeds it", ge(a[at], a[y]), attained, d.instantiate("at y", bound, {x: y}))
    with pytest.raises(Unproved, match="particular"):
        d.instantiate("wrong", attained, {at: y})
    with pytest.raises(Unproved, match="does not range"):
        d.sum("wrong", attained, at)
    with pytest.raises(ValueError, match="meaning"):
        d.extremum("again", "m", a[x] ** 2, x)
    with pytest.raises(Unproved, match="other tokens"):
        d.extremum("of a table", "k", a[x] + a[y], x)
    scaled, above, _ = d.extremum("the largest, scaled", "s", v * a[x], x)
    assert d.instantiate("at y", above, {x: y}).relation == le(v * a[y], scaled)
    with pytest.raises(Unproved, match="defined in terms of v"):
        d.instantiate("wrong", above, {v: 0})


def test_where_an_extremum_is_attained_has_a_name_of_its_own() -> None:
    """What was shown before of a token of that name was shown of every token."""
    at = sp.Symbol("m_at", integer=True)

    def in_a_fact(d: Derivation) -> None:
        d.derive("of every token", ge(a[at] ** 2, 0))

    def in_a_given(d: Derivation) -> None:
        d.assume("a bound", le(a[at], v))

    def as_a_place(d: Derivation) -> None:
        d.define("squares", sp.IndexedBase("r", real=True)[at], a[at] ** 2)

    def as_a_map(d: Derivation) -> None:
        d.map("m_at")

    for before in (in_a_fact, in_a_given, as_a_place, as_a_map):
        d = Derivation("a test")
        before(d)
        with pytest.raises(ValueError, match="m_at has a meaning already"):
            d.extremum("the largest", "m", a[x], x)
    with pytest.raises(ValueError, match="m_at has a meaning already"):
        Derivation("a test").extremum("the largest", "m", a[at], at)


def test_instances_must_meet_what_the_givens_ask(d: Derivation) -> None:
    u = d.number("u", 0, 1)
    fact = d.derive("below one", le(u * u, 1))
    d.instantiate("fine", fact, {u: sp.Rational(1, 2)})
    with pytest.raises(Unproved, match="condition"):
        d.instantiate("wrong", fact, {u: 3})
    with pytest.raises(Unproved, match="range"):
        d.instantiate("no token", d.derive("a token", eq(a[x], a[x])), {x: 7})
    both = d.suppose("H", ge(v, 0), ge(w, 1))
    with pytest.raises(Unproved, match="condition"):
        d.instantiate("half of a supposition", d.derive("w", ge(w, 1), *both), {v: 0})


def test_induction_needs_base_and_step(d: Derivation) -> None:
    S = sp.IndexedBase("S", real=True)
    none, more = d.recursion("odd numbers", eq(S[0], 0), eq(S[n + 1], S[n] + 2 * n + 1))
    squares = eq(S[n], n**2)
    base = d.derive("base", squares.replace({n: 0}), none)
    before = d.suppose("for n", squares)
    step = d.derive("step", squares.replace({n: n + 1}), more, before)
    with pytest.raises(Unproved, match="supposed, and not discharged"):
        d.qed(step)
    with pytest.raises(Unproved, match="the base shows"):
        d.induction("wrong base", squares, n, step, step)
    with pytest.raises(Unproved, match="the step shows"):
        d.induction("wrong step", squares, n, base, base)
    d.qed(d.instantiate("at T", d.induction("all n", squares, n, base, step), {n: T}))
    assert str(d.conclusions[0]) == "S[T] = T**2"
    token = eq(a[i], 0)
    with pytest.raises(Unproved, match="non-negative integer"):
        d.induction("over tokens", token, i, base, step)


def test_names_that_change_with_a_counter(d: Derivation) -> None:
    """a := n is no constant: neither a sum over n nor an induction on n may treat it as one."""
    c, N, k = sp.Symbol("c", real=True), sp.Symbol("N", integer=True, positive=True), index("k")
    same = d.define("c", c, n)
    with pytest.raises(Unproved, match="what is summed over"):
        d.sum("wrong", d.derive("same", eq(c - n, 0), same), n, upto=N)
    with pytest.raises(Unproved, match="other tokens"):
        d.extremum("of a table", "m", sp.IndexedBase("M", real=True)[k, x], x)
    wrong = le(c * n, 0)
    base = d.derive("base", wrong.replace({n: 0}))
    step = d.derive("step", wrong.replace({n: n + 1}), d.suppose("for n", wrong), same)
    with pytest.raises(Unproved, match="defined in terms of n"):
        d.induction("wrong", wrong, n, base, step)
    told = d.domain("v is n", eq(v, n))
    wrong = le(v * n, 0)
    base = d.derive("base", wrong.replace({n: 0}))
    step = d.derive("step", wrong.replace({n: n + 1}), d.suppose("again for n", wrong), told)
    with pytest.raises(Unproved, match="is about n"):
        d.induction("wrong", wrong, n, base, step)


def test_a_definition_rests_on_no_case(d: Derivation) -> None:
    big = d.case("big", ge(v, 1))
    with pytest.raises(Unproved, match="cannot rest on"):
        d.define("r", sp.Symbol("r", positive=True), v, big)


def test_a_token_put_in_later_is_not_captured(d: Derivation) -> None:
    M = sp.IndexedBase("M", real=True)
    rows = d.domain("row sums", ge(sp.Sum(M[x, y], (y, 1, V)), 0))
    assert d.instantiate("another row", rows, {x: y}).relation.lhs == total(M[y, x], x)


def test_an_instance_has_a_value(d: Derivation) -> None:
    quotient = eq((v**2 - w**2) / (v - w), v + w)
    with pytest.raises(Unproved, match="expected that v - w != 0"):
        d.derive("algebra", quotient, by="algebra")
    quotient = d.derive("algebra", quotient, d.domain("they differ", gt(v, w)), by="algebra")
    d.instantiate("fine", quotient, {v: 2, w: 1})
    with pytest.raises(Unproved, match="condition"):
        d.instantiate("wrong", quotient, {v: 1, w: 1})


def test_a_recursion_looks_back_one_step(d: Derivation) -> None:
    S, m = sp.IndexedBase("S", real=True), sp.Symbol("m", integer=True)
    for step in (eq(S[n + 1], S[n + 1] + 1), eq(S[n + 1], S[n + 2]), eq(S[m + 1], S[m])):
        with pytest.raises(ValueError, match="expected"):
            d.recursion("wrong", eq(S[0], 0), step)


def test_what_is_made_of_whole_numbers_is_whole(d: Derivation) -> None:
    u, a = sp.IndexedBase("u", integer=True), sp.IndexedBase("a", real=True)
    count, W = sp.Symbol("count", integer=True), sp.IndexedBase("W", integer=True)
    assert d.define("as many", count, 2 * total(u[x], x) + 1).relation.lhs == count
    with pytest.raises(ValueError, match="assumed and not shown"):
        d.define("not whole", sp.Symbol("r", integer=True), total(a[x], x))
    n = sp.Symbol("n", integer=True, nonnegative=True)
    _, step = d.recursion("sums of them", eq(W[0, x], count), eq(W[n + 1, x], W[n, x] + u[x]))
    assert step.relation.lhs.is_integer
    half = sp.IndexedBase("half", integer=True)
    for first, then in ((sp.S.Half, half[n]), (sp.S.One, half[n] / 2)):
        with pytest.raises(ValueError, match="assumed and not shown"):
            d.recursion("not whole", eq(half[0], first), eq(half[n + 1], then))


def test_cases_cover_all_and_stay_with_their_token(d: Derivation) -> None:
    up, down = d.case("up", ge(a[x], 0)), d.case("down", le(a[x], 0))
    square = ge(a[x] ** 2, 0)
    one, other = (d.derive("square", square, c) for c in (up, down))
    with pytest.raises(Unproved, match="one token only"):
        d.sum("wrong", one, x)
    with pytest.raises(Unproved, match="cover"):
        d.cases("wrong", one, one)
    d.qed(d.cases("square", one, other))
    assert d.used == set()


def test_sums_range_over_the_vocabulary(d: Derivation) -> None:
    u = d.number("u", 0, 1)
    with pytest.raises(Unproved, match="does not range"):
        d.sum("over a number", d.derive("u", le(u, 1)), u)
    with pytest.raises(Unproved, match="not free"):
        d.sum("over nothing", d.derive("u", le(u, 1)), x)
    with pytest.raises(Unproved, match="no term"):
        d.sum("perhaps none", d.derive("n", lt(n - n - 1, n)), n, upto=T)


def test_slopes_hold_on_the_whole_interval(d: Derivation) -> None:
    t = sp.Symbol("t", nonnegative=True)
    on = d.derive("t", ge(t, 0))
    one = d.increasing("e^t ≥ 1", sp.exp(t), t, 0, d.derive("e^t > 0", ge(sp.exp(t), 0)), on)
    slope = d.derive("e^t − 1 ≥ 0", ge(sp.exp(t) - 1, 0), one)
    d.increasing("e^t ≥ 1 + t", sp.exp(t) - t, t, 0, slope, on)
    with pytest.raises(Unproved, match="not linear"):  # what is cited is of the numbers at hand
        d.increasing("wrong", sp.exp(t) - t, t, 0, d.cite("exp", ge(sp.exp(t) - 1, 0), "for the test"), on)
    far = d.domain("far", ge(v, 5))
    late = d.derive("beyond five", ge(2 * v - 10, 0), far)
    with pytest.raises(Unproved):
        d.increasing("wrong from zero", v**2 - 10 * v, v, 0, late, d.derive("v", ge(v, 0), far))
    with pytest.raises(Unproved, match="does not say"):
        d.increasing("another function", v**3, v, 5, late, far)
    with pytest.raises(ValueError, match="no class of the language"):
        d.derive("an integral", eq(sp.Integral(v, (v, 0, 1)), sp.Rational(1, 2)))


def test_numbers_and_finite_families(d: Derivation) -> None:
    d.numeric("e", gt(sp.exp(1), sp.Rational(27, 10)))
    with pytest.raises(Unproved, match="not certain"):
        d.numeric("e", gt(sp.exp(1), sp.Rational(28, 10)))
    assert d.exhaust("squares", lambda k: k * k >= k, range(5)) == 5
    with pytest.raises(Unproved, match="fails for 3"):
        d.exhaust("wrong", lambda k: k < 3, range(5))
    with pytest.raises(Unproved, match="no case"):
        d.exhaust("empty", lambda k: False, ())


def test_what_has_a_value_stays_usable(d: Derivation) -> None:
    """Where a number is seen not to be zero, of either sign, or a fact says so already, it may divide."""
    below = d.domain("w is negative", lt(w, 0))
    ratio = d.derive("the ratio to itself, twice", eq((v * w + w) / w, v + 1), below)
    assert ratio.givens == {"w is negative"}
    half = d.domain("half of it", eq(v / w, 2))
    assert d.derive("the other way", eq(v / (2 * w), 1), half).givens == {"half of it"}
    u = d.number("u", 1, 2)
    assert d.derive("by its range", eq((u * v + u) / u, v + 1)).givens == {"u is in its range"}
    twice = eq(sp.sqrt(v) * (v + 1), v * sp.sqrt(v) + sp.sqrt(v))
    root = d.derive("a root", twice, d.domain("v is not negative", ge(v, 0)))
    assert root.givens == {"v is not negative"}
    every = d.domain("no a is nothing", gt(a[k], 0))
    terms = eq(total((1 + a[k]) / a[k], k, upto=n), n + total(1 / a[k], k, upto=n))
    assert d.derive("term by term", terms, every).givens == {"no a is nothing"}


def test_a_number_stands_for_nothing_else(d: Derivation) -> None:
    """2 = c puts no c for the 2 of an exponent or a factor; a solver may use it."""
    assert by_algebra(eq(2 * v, c * v), (eq(2, c),), False) is None
    assert by_algebra(eq(2 * v, c * v), (eq(c, 2),), False) == "expands to zero"
    d.derive("so", eq(2 * v, c * v), d.domain("c is two", eq(2, c)))


def test_a_sum_in_groups_by_hand(d: Derivation) -> None:
    """Numbers 1 … V n are V (c − 1) + x; with a[c] = p[last digit], Σ a = n Σ p."""
    (first, rest, joined), (head, tail) = d.digits("two digits", k, "first", "rest", "joined")
    size = d.domain("so many", eq(sp.Symbol("N", integer=True, nonnegative=True), V * n))
    p = sp.IndexedBase("p", real=True)
    groups = d.grouped("in groups", p[first[k]], k, joined, size)
    assert groups.relation == eq(
        total(p[first[k]], k, upto=size.relation.lhs), total(total(p[first[joined[k, x]]], x), k, upto=n)
    )
    last = d.summed("the last digit", eq(p[first[joined[k, x]]], p[x]), head, then="over the digits")
    all_ = d.derive("so", eq(groups.relation.lhs, n * total(p[x], x)), groups, d.sum("over the rest", last, k, upto=n))
    assert all_.givens == {"so many"} and tail.relation == eq(rest[joined[k, x]], k)
    meant = meanings(d, {"V": 3})
    assert [(meant["first"](c), meant["rest"](c)) for c in (1, 3, 4, 9)] == [(1, 1), (3, 1), (1, 2), (3, 3)]
    assert all(meant["joined"](meant["rest"](c), meant["first"](c)) == c for c in range(1, 20))


def test_lines_are_added_by_rules_only(d: Derivation) -> None:
    d.derive("so", ge(v * v, 0))
    assert len(d.steps) == 1 and not hasattr(d.steps, "append") and not hasattr(d.steps, "clear")
