"""Ways through the place where an extremum is attained, its name, and texts that would be run as expressions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import Relation, V, eq, ge, index, le, total, x, y
from tests.proofs_check.attacks.attack import Attack

__all__ = ["PLACES"]

PLACES: list[Attack] = []
AT, TEXTS = "the place where an extremum is attained", "texts in place of expressions"
v, w = sp.symbols("v w", real=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
a, b = sp.IndexedBase("a", real=True), sp.IndexedBase("b", real=True)
there = sp.Symbol("top_at", integer=True)
token_there = sp.Symbol("top_at", integer=True, positive=True)
Way = Callable[[Derivation], Any]


def _false(by: str, family: str = AT) -> Callable[[Way], Way]:
    """Put a way to a false statement into the list; its docstring says what it tries."""

    def put(way: Way) -> Way:
        says = " ".join((way.__doc__ or "").split()).removesuffix(".")
        PLACES.append(Attack(f"place_{way.__name__}", family, says, lambda: way(Derivation("own.claim")), by=by))
        return way

    return put


@_false("is a particular one")
def every_token_attains_it(d: Derivation) -> Any:
    """Every token attains the largest, by an instance of the place."""
    _, _, attained = d.extremum("the largest", "top", a[x], x)
    return d.instantiate("of every token", attained, {there: y})


@_false("the solver answers sat")
def every_token_attains_it_by_a_token(d: Derivation) -> Any:
    """The same, where the place is taken for a token of that name."""
    _, _, attained = d.extremum("the largest", "top", a[x], x)
    return d.instantiate("of every token", attained, {token_there: y})


@_false("does not range over the vocabulary")
def sum_over_the_place(d: Derivation) -> Any:
    """The sum of all numbers is V times the largest, by a sum over the place."""
    _, _, attained = d.extremum("the largest", "top", a[x], x)
    return d.sum("over all", attained, there)


@_false("is not free in")
def sum_over_a_token_of_that_name(d: Derivation) -> Any:
    """The same sum over a token of that name."""
    _, _, attained = d.extremum("the largest", "top", a[x], x)
    return d.sum("over all", attained, token_there)


@_false("has a meaning already")
def place_given_before(d: Derivation) -> Any:
    """What is given of every token of that name, and then of the place: a is nothing everywhere."""
    given = d.domain("nothing there", eq(a[token_there], 0))
    _, bound, attained = d.extremum("the largest", "top", a[x], x)
    return d.derive("so", le(a[x], 0), bound, attained, given)


@_false("was declared in two ways")
def place_given_afterwards(d: Derivation) -> Any:
    """What is given of a token of that name after the place was named."""
    _, bound, attained = d.extremum("the largest", "top", a[x], x)
    given = d.domain("nothing there", eq(a[token_there], 0))
    return d.derive("so", le(a[x], 0), bound, attained, given, by="smt")


@_false("has a meaning already")
def two_places_of_one_name(d: Derivation) -> Any:
    """The largest a and the largest b, both at one place."""
    d.extremum("the largest", "top", a[x], x)
    return d.extremum("the largest", "top", b[x], x)


@_false("has a meaning already")
def largest_named_as_a_place(d: Derivation) -> Any:
    """A largest number whose name is that of the place of another."""
    d.extremum("the largest", "top", a[x], x)
    return d.extremum("the largest", "top_at", b[x], x)


@_false("has a meaning already")
def place_of_a_defined_name(d: Derivation) -> Any:
    """A number is defined under the name of the place, before."""
    d.define("so", sp.Symbol("top_at", real=True), v + 1)
    return d.extremum("the largest", "top", a[x], x)


@_false("was declared in two ways")
def largest_of_what_the_place_is_in(d: Derivation) -> Any:
    """The largest difference from the number at its own place."""
    return d.extremum("the largest", "top", a[x] - a[token_there], x)


@_false("is defined in terms of n")
def largest_of_a_counter(d: Derivation) -> Any:
    """The largest of numbers that hang on a counter, one for all."""
    _, bound, attained = d.extremum("the largest", "top", a[x] * n, x)
    first = d.instantiate("at nothing", attained, {n: 0})
    second = d.instantiate("at one", bound, {n: 1})
    return d.derive("so", le(a[x], 0), first, second, by="smt")


@_false("depends on other tokens")
def largest_of_an_index(d: Derivation) -> Any:
    """The largest of numbers that hang on an index, one for all."""
    return d.extremum("the largest", "top", a[x] * b[index("k")], x)


@_false("is not declared as a non-negative integer")
def induction_on_the_place(d: Derivation) -> Any:
    """Induction on the place."""
    d.extremum("the largest", "top", a[x], x)
    return d.inductive("every", ge(there, 0), there, [], [])


@_false("is a particular one")
def place_is_the_first(d: Derivation) -> Any:
    """The place is the first token, by an instance of what holds at it."""
    _, _, attained = d.extremum("the largest", "top", a[x], x)
    return d.instantiate("at the first", attained, {there: 1})


@_false("is no token of")
def largest_of_no_numbers(d: Derivation) -> Any:
    """The largest of numbers that hang on no token."""
    return d.extremum("the largest", "top", v, x)


@_false("the solver answers sat")
def least_below_a_number(d: Derivation) -> Any:
    """What holds at the place of the least is taken to hold of all."""
    least, _, attained = d.extremum("the least", "top", a[x], x, is_minimum=True)
    low = d.domain("the least is below 1", le(least, 1))
    return d.derive("so", le(a[x], 1), attained, low, by="smt")


# --- texts ---


@_false("expected an expression, got str", TEXTS)
def text_as_a_side(d: Derivation) -> Any:
    """A statement whose side is a text, made without the words of the language."""
    return d.derive("so", Relation("v", "=", v))  # type: ignore[arg-type]


@_false("expected a number or an expression, got str", TEXTS)
def text_as_a_definition(d: Derivation) -> Any:
    """A name that is defined by a text."""
    return d.define("so", v, "w + 1")


@_false("expected a number or an expression, got str", TEXTS)
def text_as_an_extremum(d: Derivation) -> Any:
    """The largest of what a text says."""
    return d.extremum("the largest", "top", "x", x)


@_false("expected a number or an expression, got str", TEXTS)
def text_in_place_of_a_name(d: Derivation) -> Any:
    """An instance whose value is a text."""
    return d.instantiate("so", d.derive("a square", ge(v**2, 0)), {v: "w - w"})


@_false("expected a number or an expression, got str", TEXTS)
def text_as_the_end_of_a_sum(d: Derivation) -> Any:
    """A sum up to what a text says."""
    return d.sum("so", d.derive("a square", ge(a[index("k")] ** 2, 0)), index("k"), upto="V - 1")


@_false("expected a number or an expression, got str", TEXTS)
def text_as_the_end_of_a_range(d: Derivation) -> Any:
    """A number whose range ends with a text."""
    return d.number("t", 0, "1")


@_false("expected an expression, got Turning", TEXTS)
def object_that_sympy_asks(d: Derivation) -> Any:
    """An object that tells SymPy which expression it is, another one each time."""

    class Turning:
        times = 0

        def _sympy_(self) -> Any:
            self.times += 1
            return sp.Integer(self.times)

    turning = Turning()
    return d.derive("so", Relation(turning, "=", sp.Integer(2)))  # type: ignore[arg-type]


@_false("a float is rounded", TEXTS)
def number_with_a_fraction_of_digits(d: Derivation) -> Any:
    """A floating-point number on one side: 0.1 + 0.2 is 0.3."""
    return d.derive("so", eq(0.1 + 0.2, sp.Rational(3, 10)))  # type: ignore[arg-type]


@_false("expected a number or an expression, got str", TEXTS)
def sum_of_a_text(d: Derivation) -> Any:
    """The sum over the vocabulary of what a text says."""
    return d.derive("so", eq(total("1", x), V))  # type: ignore[arg-type]
