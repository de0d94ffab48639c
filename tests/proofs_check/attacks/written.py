"""A referee's attacks on what a statement is written in: classes, names, bound names, arrays, functions and numbers.

Each is told whether to do the one wrong thing, or what is right in its place: that must be accepted.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import sympy as sp
from sympy.core.function import AppliedUndef, UndefinedFunction

from proofs_check.rules.derivation import Derivation, Fact, Unproved
from proofs_check.rules.terms import Relation, V, eq, ge, gt, index, le, total, x, y
from tests.proofs_check.attacks.attack import Attack, steps_with_twin

__all__ = ["WRITTEN"]

WRITTEN: list[Attack] = []
CLASSES, BOUND, VALUES = "classes and names", "bound names", "places, ends and numbers"
v, w, c, e = sp.symbols("v w c e", real=True)
t = sp.Symbol("t", real=True)
n, m, r = sp.symbols("n m r", integer=True, nonnegative=True)
nought, again = sp.symbols("nought again", integer=True)
a = sp.IndexedBase("a", real=True)
k = index("k")


# --- classes and names ---


@steps_with_twin(CLASSES, WRITTEN)
def array_with_signs_of_its_own(d: Derivation, wrong: bool) -> None:
    """An array that is positive while its label is any real number."""
    array = sp.IndexedBase(sp.Symbol("b", real=True) if wrong else sp.Symbol("b", positive=True), positive=True)
    d.derive("positive", gt(array[x], 0))


@steps_with_twin(CLASSES, WRITTEN)
def array_that_is_never_nothing(d: Derivation, wrong: bool) -> None:
    """An array of whole numbers that are not 0 by declaration, which no instance is asked for."""
    array = sp.IndexedBase("b", integer=True, **({"nonzero": True} if wrong else {"positive": True}))
    d.derive("its quotient", eq((1 + array[x]) / array[x], 1 + 1 / array[x]))


@steps_with_twin(CLASSES, WRITTEN)
def function_of_imaginary_values(d: Derivation, wrong: bool) -> None:
    """A function declared imaginary: its squares are below 0 for SymPy, and above 0 for the solver."""
    f = sp.Function("f", **({"imaginary": True} if wrong else {"real": True}))
    square = d.derive("a square", ge(f(v) ** 2, 0), by="smt")
    d.derive("and its negative", *((gt(-(f(v) ** 2), 0),) if wrong else (le(-(f(v) ** 2), 0), square)))


@steps_with_twin(CLASSES, WRITTEN)
def function_with_methods(d: Derivation, wrong: bool) -> None:
    """A function without a meaning, but with a method that says that it is not negative."""
    more = {"_eval_is_nonnegative": lambda self: True, "_eval_is_real": lambda self: True}
    f = UndefinedFunction("f", (AppliedUndef,), more) if wrong else sp.Function("f", real=True)
    d.derive("not negative", ge(f(v) if wrong else f(v) ** 2, 0))


@steps_with_twin(CLASSES, WRITTEN)
def class_with_a_borrowed_module(d: Derivation, wrong: bool) -> None:
    """A class of symbols that says of itself what it likes, and that it is SymPy's own."""

    class Sure(sp.Symbol):
        is_nonnegative = True
        __module__ = "sympy.core.symbol"

    d.derive("not negative", ge(Sure("s", real=True) if wrong else sp.Symbol("s", nonnegative=True), 0))


@steps_with_twin(CLASSES, WRITTEN)
def class_that_is_equal_to_a_name(d: Derivation, wrong: bool) -> None:
    """A symbol that equals v and has its hash, so that what was checked for v passes for it."""

    class Sure(sp.Symbol):
        is_nonnegative = True
        __module__ = "sympy.core.symbol"

        def __eq__(self, other: object) -> bool:
            return str(other) == "v"

        def __hash__(self) -> int:
            return hash(v)

    d.derive("of v", ge(v**2, 0))
    d.derive("not negative", ge(Sure("v", real=True) if wrong else sp.Abs(v), 0))


@steps_with_twin(CLASSES, WRITTEN)
def number_named_like_a_token(d: Derivation, wrong: bool) -> None:
    """A real number whose name ends as those of tokens do, put where a number of a sign stood."""
    fact = d.derive("of its sign", ge(sp.Symbol("s_at", nonnegative=True), 0))
    value = sp.Symbol("u_at", **({"real": True} if wrong else {"nonnegative": True}))
    d.instantiate("at another", fact, {sp.Symbol("s_at", nonnegative=True): value})


@steps_with_twin(CLASSES, WRITTEN)
def statement_of_another_class(d: Derivation, wrong: bool) -> None:
    """A statement that turns into 1 = 0 where it is taken at a value."""

    class Sly(Relation):
        def replace(self, names: Any) -> Relation:
            return eq(1, 0)

    kind = Sly if wrong else Relation
    d.instantiate("at one", d.derive("a square", kind(v**2, ">=", sp.S.Zero)), {v: 1})


@steps_with_twin(CLASSES, WRITTEN)
def operator_that_is_all_of_them(d: Derivation, wrong: bool) -> None:
    """An operator that equals each, so that 1 and 0 are in relation."""

    class Every(str):
        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return hash(">=")

    d.derive("related", Relation(sp.S.One, Every("=") if wrong else ">=", sp.S.Zero))


@steps_with_twin(CLASSES, WRITTEN)
def name_without_a_hash(d: Derivation, wrong: bool) -> None:
    """A supposition under a name that no set finds again: open at the end, and not seen to be."""

    class Lost(str):
        asked = 0

        def __hash__(self) -> int:
            Lost.asked += 1
            return Lost.asked

    d.qed(d.suppose(Lost("H"), eq(1, 0)) if wrong else d.domain("H", eq(1, 0)))


@steps_with_twin(CLASSES, WRITTEN)
def two_signs_of_one_label(d: Derivation, wrong: bool) -> None:
    """An array and a number of one name and different signs."""
    d.derive("of the array", ge(a[x] ** 2, 0))
    d.derive("of the number", ge(sp.Symbol("a" if wrong else "b", nonnegative=True), 0))


@steps_with_twin(CLASSES, WRITTEN)
def pattern_as_a_name(d: Derivation, wrong: bool) -> None:
    """A pattern, which SymPy matches with anything."""
    d.derive("a square", ge((sp.Wild("p", real=True) if wrong else sp.Symbol("p", real=True)) ** 2, 0))


# --- bound names ---


def _at_most(d: Derivation, raw: bool = False) -> Fact:
    """Σ min(c, a) ≤ V c, for every c."""
    each = d.summed("each", le(sp.Min(c, a[y]), c), over=y)
    sides = sp.Sum(sp.Min(c, a[x]), (x, 1, V)), V * c
    return d.derive("at most V times", Relation(sides[0], "<=", sides[1]) if raw else le(*sides), each)


@steps_with_twin(BOUND, WRITTEN)
def bound_name_taken_from_a_sum(d: Derivation, wrong: bool) -> None:
    """The bound name of one sum, free in a value that is put under it: Σ a ≤ V a[x]."""
    loose = total(a[x], x).limits[0][0]
    d.instantiate("at a member", _at_most(d), {c: a[loose if wrong else y]})


@steps_with_twin(BOUND, WRITTEN)
def sum_written_without_normal_form(d: Derivation, wrong: bool) -> None:
    """The same by a sum over the token itself, in a statement made by hand."""
    d.instantiate("at a member", _at_most(d, raw=wrong), {c: a[x]})


@steps_with_twin(BOUND, WRITTEN)
def sum_up_to_a_summed_name(d: Derivation, wrong: bool) -> None:
    """Σ over m ≤ n and k ≤ m of 1, whose normal form would be m n with m left over."""
    limits = (k, 1, m), (m if wrong else r, 1, n)
    made = Relation(sp.Sum(1, *limits), "=", m * n) if wrong else eq(sp.Sum(1, *limits), m * n)
    d.instantiate("at five", d.derive("counted", made), {m: 5})


@steps_with_twin(BOUND, WRITTEN)
def product_that_captures(d: Derivation, wrong: bool) -> None:
    """Π over m of c at c = m: products are of the language no more, sums of it are."""
    over = (sp.Product if wrong else sp.Sum)(sp.Min(c, m), (m, 1, n))
    d.instantiate("at m", d.derive("itself", eq(over + c, c + over)), {c: m})


# --- places, ends and numbers ---


def _nothings(d: Derivation) -> tuple[Fact, Fact]:
    """nought := 0 and again := nought."""
    return d.define("nothing", nought, sp.Integer(0)), d.define("again", again, nought)


@steps_with_twin(VALUES, WRITTEN)
def quotient_as_a_place(d: Derivation, wrong: bool) -> None:
    """The place 0/0 of an array: 1 by one substitution and 0 by another."""
    zero, same = _nothings(d)
    place = again / nought if wrong else again * nought
    d.derive("at a place", eq(a[1 if wrong else 0], a[place]), same, *(() if wrong else (zero,)))


@steps_with_twin(VALUES, WRITTEN)
def real_place(d: Derivation, wrong: bool) -> None:
    """A place between two tokens."""
    d.derive("itself", eq(a[v if wrong else m] + 1, 1 + a[v if wrong else m]))


@steps_with_twin(VALUES, WRITTEN)
def quotient_as_the_end_of_a_sum(d: Derivation, wrong: bool) -> None:
    """Σ up to |⌊0/0⌋|, which is a whole number and not negative for all that SymPy asks."""
    zero, same = _nothings(d)
    up = [total(a[k], k, upto=sp.Abs(sp.floor(s))) for s in ((1, again / nought) if wrong else (0, again * nought))]
    d.derive("at an end", eq(*up), same, *(() if wrong else (zero,)))


@steps_with_twin(VALUES, WRITTEN)
def delta_within_a_range(d: Derivation, wrong: bool) -> None:
    """A Kronecker delta with a range: 1 at n = m and then 5, 0 at 5 and then m."""
    D = sp.IndexedBase("D", real=True)
    named = d.define("a delta", D[n, m], sp.KroneckerDelta(n, m, *([(1, 3)] if wrong else [])))
    one = d.instantiate("so at five", d.instantiate("alike", named, {n: m}), {m: 5})
    other = d.instantiate("so at five", d.instantiate("n is five", named, {n: 5}), {m: 5})
    d.derive("together", eq(one.relation.rhs, other.relation.rhs), one, other, by="smt")


@steps_with_twin(VALUES, WRITTEN)
def sequence_of_products(d: Derivation, wrong: bool) -> None:
    """W[n + 1, m r] = m: what W is at 6 depends on how 6 is written."""
    W = sp.IndexedBase("W", real=True)
    _, more = d.recursion("W", eq(W[0, m], 0), eq(W[n + 1, m * r if wrong else m], m))
    d.instantiate("at two", more, {n: 0, m: 2})


@steps_with_twin(VALUES, WRITTEN)
def sequence_with_a_fixed_place(d: Derivation, wrong: bool) -> None:
    """W[n + 1, 7] = m."""
    W = sp.IndexedBase("W", real=True)
    d.recursion("W", eq(W[0, m], 0), eq(W[n + 1, 7 if wrong else m], m))


class Turning:
    """A number that is one thing when it is looked at, and another when it is used."""

    def __init__(self, looks: int, first: int, then: int) -> None:
        self.left, self.first, self.then = looks, first, then

    def _sympy_(self) -> sp.Integer:
        self.left -= 1
        return sp.Integer(self.first if self.left >= 0 else self.then)


def _least(d: Derivation, way: Any, first: int, then: int) -> sp.Expr:
    """The least right side of what follows from a number that turns at its first look, its second, and so on."""
    found = []
    for looks in range(9):
        with suppress(Unproved):
            found.append(way(Turning(looks, first, then)).relation.rhs)
    return min(found)


@steps_with_twin(VALUES, WRITTEN)
def value_that_changes(d: Derivation, wrong: bool) -> None:
    """The value 1 while it is checked, −1 where it is put in: s + 1 > 0 becomes 0 > 0."""
    s = sp.Symbol("s", nonnegative=True)
    fact = d.derive("of its sign", ge(s + 1, s))
    least = _least(d, lambda value: d.instantiate("at it", fact, {s: value}), 1, -1 if wrong else 1)
    d.derive("so", eq(least, -1 if wrong else 1))


@steps_with_twin(VALUES, WRITTEN)
def values_that_change(d: Derivation, wrong: bool) -> None:
    """The same by a mapping whose items change."""
    s = sp.Symbol("s", nonnegative=True)

    class Sly(dict[Any, Any]):
        asked = 0

        def items(self) -> Any:
            self.asked += 1
            return {s: sp.Integer(1 if self.asked < 3 else -1)}.items()

    found = d.instantiate("at a number", d.derive("of its sign", ge(s, 0)), Sly() if wrong else {s: 1})
    d.derive("wrong", eq(1, 0 if wrong else 1), found, by="smt")


@steps_with_twin(VALUES, WRITTEN)
def end_that_changes(d: Derivation, wrong: bool) -> None:
    """Up to 3 while it is checked, to −3 where the sum is made: Σ a = −3."""
    ones = d.domain("one each", eq(a[k], 1))
    least = _least(d, lambda end: d.sum("counted", ones, k, upto=end), 3, -3 if wrong else 3)
    d.derive("so", eq(least, -3 if wrong else 3))
