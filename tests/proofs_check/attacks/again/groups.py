"""Attacks on sums in groups, on numbers that are made of digits, and on what sums, averages and extremes are taken to be."""

from __future__ import annotations

import sympy as sp

from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import V, eq, ge, gt, index, le, total, x, y
from tests.proofs_check.attacks.attack import Attack, steps_with_twin

__all__ = ["GROUPS"]

GROUPS: list[Attack] = []
IN_GROUPS, WHOLES = "numbers made of digits, and sums in groups", "sums and what they are made of"
n = sp.Symbol("n", integer=True, nonnegative=True)
many = sp.Symbol("many", integer=True, nonnegative=True)
v = sp.Symbol("v", real=True)
a, b = sp.IndexedBase("a", real=True), sp.IndexedBase("b", real=True)
k, h = index("k"), index("h")


def _digits(d: Derivation) -> tuple[tuple[object, ...], list[Fact]]:
    return d.digits("numbers of two digits", k, "first", "rest", "joined")


def _so_many(d: Derivation, per: sp.Expr = V) -> Fact:
    return d.domain("so many numbers", eq(many, per * n))


@steps_with_twin(IN_GROUPS, GROUPS)
def groups_of_another_size(d: Derivation, wrong: bool) -> None:
    """Σ over 2n numbers as n groups of V: they are n groups of two."""
    (_, _, joined), _ = _digits(d)
    d.grouped("in groups", a[k], k, joined, _so_many(d, sp.Integer(2) if wrong else V))


@steps_with_twin(IN_GROUPS, GROUPS)
def no_number_of_groups(d: Derivation, wrong: bool) -> None:
    """As many groups as a real number says."""
    (_, _, joined), _ = _digits(d)
    size = d.domain("so many", eq(V * v, V * v)) if wrong else _so_many(d)
    d.grouped("in groups", a[k], k, joined, size)


@steps_with_twin(IN_GROUPS, GROUPS)
def at_most_so_many(d: Derivation, wrong: bool) -> None:
    """Σ over N numbers is that over n groups, where N ≤ V n is all that is known."""
    (_, _, joined), _ = _digits(d)
    size = d.domain("at most so many", le(many, V * n)) if wrong else _so_many(d)
    d.grouped("in groups", a[k], k, joined, size)


@steps_with_twin(IN_GROUPS, GROUPS)
def a_digit_taken_for_another(d: Derivation, wrong: bool) -> None:
    """A token of the summand, which the last digit captures: Σ a[k] b[x] would be Σ a[k] b[last digit]."""
    (_, _, joined), _ = _digits(d)
    d.grouped("in groups", a[k] * b[x if wrong else y], k, joined, _so_many(d))


@steps_with_twin(IN_GROUPS, GROUPS)
def a_map_that_joins_nothing(d: Derivation, wrong: bool) -> None:
    """Any map of an index and a token, taken for the one that makes numbers of them."""
    (_, _, joined), _ = _digits(d)
    d.grouped("in groups", a[k], k, d.map("other") if wrong else joined, _so_many(d))


@steps_with_twin(IN_GROUPS, GROUPS)
def groups_of_what_has_no_value(d: Derivation, wrong: bool) -> None:
    """Σ of 1/a in groups, where a may be 0."""
    (_, _, joined), _ = _digits(d)
    known = [] if wrong else [d.domain("not nothing", gt(a[k], 0))]
    size = _so_many(d)
    d.grouped("in groups", 1 / a[k] if wrong else a[k], k, joined, size, *known)


@steps_with_twin(IN_GROUPS, GROUPS)
def a_size_that_depends_on_its_member(d: Derivation, wrong: bool) -> None:
    """Up to V b[k] for the number k that is summed over."""
    (_, _, joined), _ = _digits(d)
    c = sp.IndexedBase("c", integer=True, nonnegative=True)
    at = k if wrong else h
    d.grouped("in groups", a[k], k, joined, d.domain("so many", eq(V * c[at], V * c[at])))


@steps_with_twin(IN_GROUPS, GROUPS)
def a_digit_beyond_the_vocabulary(d: Derivation, wrong: bool) -> None:
    """The last digit of V (k − 1) + h is h, for an h above V too."""
    _, (head, _) = _digits(d)
    d.instantiate("this digit", head, {x: h if wrong else y})


@steps_with_twin(IN_GROUPS, GROUPS)
def digits_of_nothing(d: Derivation, wrong: bool) -> None:
    """The digits of a counter that may be 0."""
    d.digits("digits", n if wrong else k, "first", "rest", "joined")


@steps_with_twin(IN_GROUPS, GROUPS)
def digits_of_a_token(d: Derivation, wrong: bool) -> None:
    """The digits of a token, which is one digit: its rest would be a token for every V."""
    d.digits("digits", x if wrong else k, "first", "rest", "joined")


@steps_with_twin(IN_GROUPS, GROUPS)
def digits_under_a_name_that_is_given(d: Derivation, wrong: bool) -> None:
    """first[k] = 1 for every number is given, and then first is to be its last digit."""
    first = d.map("first" if wrong else "start")
    d.domain("all begin so", eq(first[k], 1))
    _digits(d)


@steps_with_twin(IN_GROUPS, GROUPS)
def a_map_defined_again(d: Derivation, wrong: bool) -> None:
    """The digits by two rules under the same names, of numbers of two kinds."""
    _digits(d)
    d.digits("digits again", h, *(("first", "rest", "joined") if wrong else ("head", "tail", "made")))


@steps_with_twin(WHOLES, GROUPS)
def the_smaller_of_two_sums(d: Derivation, wrong: bool) -> None:
    """Σ min(a, b) is the smaller of Σ a and Σ b."""
    low = [d.derive("of two", le(sp.Min(a[x], b[x]), e)) for e in (a[x], b[x])]
    low = [d.sum("over the vocabulary", fact, x) for fact in low]
    least = sp.Min(total(a[x], x), total(b[x], x))
    mine = total(sp.Min(a[x], b[x]), x)
    d.smt("so", eq(mine, least) if wrong else le(mine, least), *low)


@steps_with_twin(WHOLES, GROUPS)
def every_number_is_the_average(d: Derivation, wrong: bool) -> None:
    """From Σ a = V v each a is v."""
    mean = d.domain("an average", eq(total(a[x], x), V * v))
    d.derive("each of them", eq(a[y], v) if wrong else eq(total(a[x] - v, x), 0), mean)


@steps_with_twin(WHOLES, GROUPS)
def squares_of_a_sum(d: Derivation, wrong: bool) -> None:
    """(Σ a)² = Σ a²."""
    square = total(a[x] ** 2, x) if wrong else total(a[x] * a[y], x, y)
    d.derive("squared", eq(total(a[x], x) ** 2, square))


@steps_with_twin(WHOLES, GROUPS)
def the_largest_of_a_sum(d: Derivation, wrong: bool) -> None:
    """The largest a + b is the largest a and the largest b: they may be of two tokens."""
    top, above, _ = d.extremum("the largest a", "top_a", a[x], x)
    other, beyond, _ = d.extremum("the largest b", "top_b", b[x], x)
    both, _, attained = d.extremum("the largest of both", "top_ab", a[x] + b[x], x)
    at = sp.Symbol("top_ab_at", integer=True)
    known = [d.instantiate("there", fact, {x: at}) for fact in (above, beyond)]
    d.smt("so", eq(both, top + other) if wrong else le(both, top + other), attained, *known)


@steps_with_twin(WHOLES, GROUPS)
def a_power_of_a_power(d: Derivation, wrong: bool) -> None:
    """V to the n times V to the m is V to the product."""
    d.derive("together", eq(V**n * V**many, V ** (n * many if wrong else n + many)))


@steps_with_twin(WHOLES, GROUPS)
def a_sum_without_its_last(d: Derivation, wrong: bool) -> None:
    """Of Σ up to n that is 0 for every n, what is said of real numbers: each term is 0 by the sum without it; wrong of one n."""
    none = d.domain("nothing in all", eq(total(a[k], k, upto=many), 0))
    d.derive("each", eq(a[h], 0) if wrong else eq(2 * total(a[k], k, upto=many), 0), none)


@steps_with_twin(WHOLES, GROUPS)
def two_laws_that_touch(d: Derivation, wrong: bool) -> None:
    """Two laws of which one is nowhere above the other are equal, from what is known of one token alone."""
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    under = d.domain("nowhere above", ge(q[x], p[x]))
    if wrong:
        d.smt("equal", eq(p[y], q[y]), d.instantiate("there", under, {x: y}))
    else:
        part = d.term("one term", under, x, y)
        d.smt("equal", eq(p[y], q[y]), part, d.instantiate("there", under, {x: y}), mass, mass_q)
