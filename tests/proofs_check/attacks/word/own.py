"""False statements of one's own, each by one rule and public names alone; `by` is a part of the message that refuses it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import V, eq, ge, gt, index, le, lt, total, x, y
from tests.proofs_check.attacks.attack import Attack

__all__ = ["OWN"]

OWN: list[Attack] = []
BY_RULE = "false statements of one's own, rule by rule"
DIGITS = "digits that SymPy takes"
v, w, u = sp.symbols("v w u", real=True)
r, s = sp.symbols("r s", positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
many = sp.Symbol("many", integer=True, nonnegative=True)
a, b = sp.IndexedBase("a", real=True), sp.IndexedBase("b", real=True)
k, h = index("k"), index("h")
Way = Callable[[Derivation], Any]


def _false(by: str, family: str = BY_RULE, beyond: str = "") -> Callable[[Way], Way]:
    """Put a way to a false statement into the list; its docstring says what it tries."""

    def put(way: Way) -> Way:
        says = " ".join((way.__doc__ or "").split()).removesuffix(".")
        OWN.append(Attack(f"own_{way.__name__}", family, says, lambda: way(Derivation("own.claim")), beyond, by=by))
        return way

    return put


# --- derive ---


@_false("the solver answers sat")
def one_is_nothing(d: Derivation) -> None:
    """derive: 1 = 0, from two laws."""
    _, mass = d.law("p")
    _, other = d.law("q")
    d.derive("so", eq(1, 0), mass, other)


@_false("the solver answers sat")
def wrong_sign(d: Derivation) -> None:
    """derive: two laws overlap by more than one, the bound the other way round."""
    p, mass = d.law("p")
    q, _ = d.law("q")
    below = d.summed("the smaller", le(sp.Min(p[x], q[x]), p[x]))
    d.derive("so", gt(total(sp.Min(p[x], q[x]), x), 1), below, mass, by="smt")


@_false("the solver answers sat")
def wrong_constant(d: Derivation) -> None:
    """derive: the overlap is one minus the whole ℓ1 distance, which is twice too much."""
    p, mass = d.law("p")
    q, other = d.law("q")
    each = d.summed("one token", eq(sp.Min(p[x], q[x]), (p[x] + q[x] - sp.Abs(p[x] - q[x])) / 2))
    d.derive("so", eq(total(sp.Min(p[x], q[x]), x), 1 - total(sp.Abs(p[x] - q[x]), x)), each, mass, other)


@_false("the solver answers sat")
def true_of_one_token(d: Derivation) -> None:
    """derive: every token has mass one, true for V = 1 only."""
    p, mass = d.law("p")
    term = d.term("one term", d.derive("not negative", ge(p[x], 0)), x, y)
    d.derive("so", ge(p[y], 1), mass, term, by="smt")


@_false("the solver answers sat")
def false_at_ties(d: Derivation) -> None:
    """derive: the larger of two masses is above the smaller, false at ties."""
    p, _ = d.law("p")
    q, _ = d.law("q")
    d.derive("so", gt(sp.Max(p[x], q[x]), sp.Min(p[x], q[x])))


@_false("is not known to have a value")
def quotient_at_zeros(d: Derivation) -> None:
    """derive: p times 1/p is one, false where p is 0: SymPy may not cancel it under a maximum."""
    p, _ = d.law("p")
    d.derive("so", eq(sp.Max(p[x], 0) ** 2 * sp.Max(1 / (p[x] + p[x] ** 2), 0), p[x] / (1 + p[x])))


# --- sum ---


@_false("the solver answers sat")
def sum_without_the_last(d: Derivation) -> None:
    """sum: over V − 1 numbers and then taken for the sum over V."""
    _, mass = d.law("p")
    first = d.sum("all but one", d.derive("not negative", ge(a[k] ** 2, 0)), k, upto=V - 1)
    d.derive("so", eq(total(a[k] ** 2, k, upto=V - 1), total(a[x] ** 2, x)), first, mass)


@_false("does not range over the vocabulary")
def sum_of_tokens_to_another_end(d: Derivation) -> None:
    """sum: a statement about tokens, summed up to 2V."""
    p, _ = d.law("p")
    d.sum("too far", d.derive("not negative", ge(p[x], 0)), x, upto=2 * V)


@_false("is not seen to be a number of terms")
def sum_to_a_difference(d: Derivation) -> None:
    """sum: up to n − V, which may be below nothing."""
    d.sum("so many", d.derive("a square", ge(a[k] ** 2, 0)), k, upto=n - V)


@_false("the solver answers sat")
def sum_of_squares_by_sums(d: Derivation) -> None:
    """sum: from Σ a ≤ Σ b to Σ a² ≤ Σ b²."""
    less = d.summed("summed", le(a[x], b[x]), d.domain("less", le(a[x], b[x])))
    d.derive("so", le(total(a[x] ** 2, x), total(b[x] ** 2, x)), less)


# --- term ---


@_false("the solver answers sat")
def the_same_term_twice(d: Derivation) -> None:
    """term: a sum is at least two of its terms, which may be one."""
    p, _ = d.law("p")
    fact = d.derive("not negative", ge(p[x], 0))
    terms = d.term("one", fact, x, x), d.term("another", fact, x, y)
    d.derive("so", ge(total(p[x], x), p[x] + p[y]), *terms, by="smt")


@_false("does not say that every term is not negative")
def term_of_an_equation(d: Derivation) -> None:
    """term: of an equation, whose terms are of any sign."""
    d.term("so", d.derive("alike", eq(a[x] - b[x], -(b[x] - a[x]))), x, y)


# --- instantiate ---


@_false("the solver answers sat")
def positive_at_nothing(d: Derivation) -> None:
    """instantiate: what holds of every positive number, at 0."""
    d.instantiate("at nothing", d.derive("positive", gt(r, 0)), {r: 0})


@_false("is a particular one")
def vocabulary_of_two(d: Derivation) -> None:
    """instantiate: Σ 1 = V, at V = 2."""
    d.instantiate("two tokens", d.derive("counted", eq(total(1, x), V)), {V: 2})


@_false("the solver answers sat")
def numbers_exchanged(d: Derivation) -> None:
    """instantiate: v ≤ w, given of two numbers, with the two exchanged."""
    d.instantiate("exchanged", d.domain("in order", le(v, w)), {v: w, w: v})


@_false("does not range over what k ranges over")
def the_index_before_the_first(d: Derivation) -> None:
    """instantiate: what holds of every index, at the one before the first."""
    d.instantiate("before", d.domain("from the first on", ge(a[k], 0)), {k: k - 1})


@_false("does not range over what x ranges over")
def the_token_after_the_last(d: Derivation) -> None:
    """instantiate: what holds of every token, at V + 1."""
    d.instantiate("after", d.domain("of every token", ge(a[x], 0)), {x: V + 1})


# --- induction ---


@_false("the solver answers sat")
def true_at_first(d: Derivation) -> None:
    """induction: 2ⁿ ≤ n + 1, true at 0 and at 1."""
    d.inductive("every", le(2**n, n + 1), n, [], [])


@_false("is about n")
def two_suppositions(d: Derivation) -> None:
    """induction: a[n + 1] from P(n) and from another supposition, P(n + 1)."""
    statement = eq(a[n], 0)
    first = d.domain("the first", eq(a[0], 0))
    step = d.derive("then", eq(a[n + 1], 0), d.suppose("H", statement), d.suppose("H again", eq(a[n + 1], 0)))
    d.qed(d.induction("every", statement, n, first, step))


@_false("is not declared as a non-negative integer, which may be 0")
def induction_on_the_vocabulary(d: Derivation) -> None:
    """induction: V ≤ 0 for every V."""
    d.inductive("every", le(V, 0), V, [], [])


# --- cases ---


@_false("do not cover all cases")
def cases_of_two_statements(d: Derivation) -> None:
    """cases: v ≥ 0 in one case and v ≤ 0 in the other."""
    up, down = d.case("up", ge(v, 0)), d.case("down", le(v, 0))
    d.cases("so", d.derive("one", ge(v, 0), up), d.derive("other", le(v, 0), down))


@_false("is not known to have a value")
def case_without_a_value(d: Derivation) -> None:
    """cases: 1/v ≥ 0 or 1/v ≤ 0, where v may be 0."""
    d.case("up", ge(1 / v, 0))


@_false("do not cover all cases")
def one_case_twice(d: Derivation) -> None:
    """cases: the same case on both sides."""
    fact = d.derive("so", ge(v, 0), d.case("up", ge(v, 0)))
    d.cases("either way", fact, fact)


# --- define ---


@_false("has a meaning already")
def defined_by_itself(d: Derivation) -> None:
    """define: v is to be v + 1."""
    d.define("itself", v, v + 1)


@_false("it cannot be defined")
def vocabulary_defined(d: Derivation) -> None:
    """define: V is to be 1."""
    d.define("one token", V, 1)


@_false("its meaning depends on")
def array_of_another_token(d: Derivation) -> None:
    """define: a[x] is to be b[y], so that all b are equal."""
    d.define("another", a[x], b[y])


# --- extremum, sign ---


@_false("the solver answers sat")
def least_for_largest(d: Derivation) -> None:
    """extremum: no number exceeds the least of them."""
    least, bound, attained = d.extremum("the least", "low", a[x], x, is_minimum=True)
    d.derive("so", le(a[x], least), bound, attained, by="smt")


@_false("is not known to have a value")
def largest_of_quotients(d: Derivation) -> None:
    """extremum: the largest 1/a, where a may be 0."""
    d.extremum("the largest", "top", 1 / a[x], x)


@_false("the solver answers sat")
def sign_is_one_or_the_other(d: Derivation) -> None:
    """sign: its square is one, false at 0."""
    base, *facts = d.sign("the sign", "side", a[x], x)
    d.derive("so", eq(base[x] ** 2, 1), *facts, by="smt")


# --- recursion, digits, grouped ---


@_false("is not known to have a value")
def recursion_through_zero(d: Derivation) -> None:
    """recursion: each member is one over the one before, from 0 on."""
    W = sp.IndexedBase("W", real=True)
    d.recursion("W", eq(W[0], 0), eq(W[n + 1], 1 / W[n]))


@_false("the solver answers sat")
def numbers_with_one_last_digit(d: Derivation) -> None:
    """digits: two numbers have one last digit."""
    (first, _, _), facts = d.digits("digits", k, "first", "rest", "joined")
    d.derive("so", eq(first[k], first[h]), *facts, by="smt")


@_false("is not seen to be a number of groups")
def groups_that_are_turned_round(d: Derivation) -> None:
    """grouped: V n = many, turned round, as many/V groups."""
    (_, _, joined), _ = d.digits("digits", k, "first", "rest", "joined")
    d.grouped("in groups", a[k], k, joined, d.domain("so many", eq(V * n, many)))


# --- increasing, numeric, exhaust ---


@_false("does not say that")
def slope_of_the_opposite(d: Derivation) -> None:
    """increasing: −v² rises, by the slope of v²."""
    on = d.domain("from zero", ge(v, 0))
    d.increasing("so", -(v**2), v, 0, d.derive("the slope", ge(2 * v, 0), on), on)


@_false("is not v >= 0")
def slope_on_the_wrong_side(d: Derivation) -> None:
    """increasing: v³ is at least 0 below 0."""
    on = d.domain("up to zero", le(v, 0))
    d.increasing("so", v**3, v, 0, d.derive("the slope", ge(3 * v**2, 0)), on)


@_false("is not certain")
def three_and_a_seventh(d: Derivation) -> None:
    """numeric: π is 22/7."""
    d.numeric("so", eq(sp.pi, sp.Rational(22, 7)))


@_false("expected True or False")
def verdict_that_is_no_truth_value(d: Derivation) -> None:
    """exhaust: a case whose verdict is a number that counts as true."""
    d.exhaust("so", lambda case: 2, [1])  # type: ignore[arg-type, return-value]


@_false("was cited in these words already")
def cited_again_in_the_same_words(d: Derivation) -> None:
    """cite: v ≥ 0 and v ≤ −1, in the same words of one book."""
    d.cite("as is known", ge(v, 0), "a book")
    d.cite("as is known", le(v, -1), "a book")


# --- digits that SymPy takes ---

TINY = sp.Rational(1, 10**200)
"""Less than the digits that SymPy looks at."""
SOME = 1 + sp.log(r * s) - sp.log(r) - sp.log(s)
"""1, whatever r and s are."""


@_false("the solver answers sat", DIGITS)
def sign_of_a_nothing_under_erf(d: Derivation) -> None:
    """1 = 0 from nothing: erf(log 6 − log 2 − log 3) is 0 by its logarithms, and below 0 by the digits of what is inside."""
    nothing = d.derive("nothing", eq(sp.erf(sp.log(r * s) - sp.log(r) - sp.log(s)), 0))
    here = d.instantiate("at two and three", nothing, {r: 2, s: 3})
    below = d.derive("by digits", lt(sp.erf(sp.log(6) - sp.log(2) - sp.log(3)), 0))
    d.derive("so", eq(1, 0), here, below, by="smt")


@_false("the solver answers sat", DIGITS)
def whole_part_of_nearly_one(d: Derivation) -> None:
    """1 = 0 from nothing: ⌊1 + log 6 − log 2 − log 3 − 10⁻²⁰⁰⌋ is 1 by its digits, and at most what is inside, below 1."""
    nothing = d.derive("nothing", eq(sp.log(r * s) - sp.log(r) - sp.log(s), 0))
    here = d.instantiate("at two and three", nothing, {r: 2, s: 3})
    name = d.define("nearly one", w, 1 + sp.log(6) - sp.log(2) - sp.log(3) - TINY)
    whole = d.derive("by digits", eq(sp.floor(w), 1), name)
    above = d.instantiate("its whole part", d.derive("the larger", ge(sp.Max(u, w), u)), {u: sp.floor(w)})
    d.derive("so", eq(1, 0), here, whole, above, name, by="smt")


@_false("the solver answers sat", DIGITS)
def cube_of_a_nothing(d: Derivation) -> None:
    """The same of a cube: SymPy says of (log 6 − log 2 − log 3)³ no sign."""
    d.derive("so", gt((sp.log(6) - sp.log(2) - sp.log(3)) ** 3, 0))


@_false("the solver answers sat", DIGITS)
def larger_of_nothing_and_little(d: Derivation) -> None:
    """1 = 0 from nothing: of erf(log 6 − log 2 − log 3 + 10⁻²⁰⁰) and 0 the larger is 0 by digits."""
    alike = d.derive("alike", eq(sp.erf(SOME - 1 + TINY), sp.erf(TINY)))
    here = d.instantiate("at two and three", alike, {r: 2, s: 3})
    little = here.relation.lhs
    above = d.instantiate("the larger", d.derive("of any number", ge(sp.Max(u, 0), u)), {u: little})
    by_digits = d.derive("by digits", le(sp.Max(little, 0), 0))
    d.derive("so", eq(1, 0), here, by_digits, above, d.derive("above", gt(sp.erf(TINY), 0)), by="smt")


@_false("the solver answers sat", DIGITS)
def logarithm_of_nearly_one(d: Derivation) -> None:
    """1 = 0 from nothing, without erf: log(1 + log 6 − log 2 − log 3 − 10⁻²⁰⁰) is not negative by digits."""
    nearly = SOME.subs({r: 2, s: 3}) - TINY
    below = d.derive("a little less than one", lt(SOME - TINY, 1))
    here = d.instantiate("at two and three", below, {r: 2, s: 3})
    above = d.instantiate("the larger", d.derive("of any number", ge(sp.Max(u, 0), 0)), {u: sp.log(nearly)})
    by_digits = d.derive("by digits", ge(sp.log(nearly), 0), above, by="smt")
    t = d.number("t", 0)
    on = d.derive("from zero on", ge(t, 0))
    rises = d.increasing("it rises", sp.exp(t), t, 0, d.derive("its slope", ge(sp.exp(t), 0)), on)
    slope = d.derive("the slope", ge(sp.exp(t) - 1, 0), rises)
    tangent = d.increasing("above its tangent", sp.exp(t) - t, t, 0, slope, on)
    there = d.instantiate("there", tangent, {t: sp.log(nearly)}, by_digits)
    d.derive("so", eq(1, 0), there, by_digits, here, by="smt")
