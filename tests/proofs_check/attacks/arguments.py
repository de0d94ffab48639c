"""Attacks on induction, cases, slopes, solvers and symbols: each goes one step further than is true."""

from __future__ import annotations

import sympy as sp

from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import eq, ge, gt, index, le, lt, x, y
from tests.proofs_check.attacks.attack import Attack, against_steps

__all__ = ["ARGUMENTS"]

ARGUMENTS: list[Attack] = []
v, w, c, e = sp.symbols("v w c e", real=True)
n, m = sp.symbols("n m", integer=True, nonnegative=True)
one = sp.Symbol("one", integer=True, positive=True)
whole = sp.Symbol("whole", integer=True)
a, b = sp.IndexedBase("a", real=True), sp.IndexedBase("b", real=True)
k, j = index("k"), index("h")
ALGEBRA, NAMES, SUMS = "substitution and algebra", "definitions and names", "sums"
INDUCTION, CASES, SLOPES, SOLVERS = (
    "induction",
    "cases and suppositions",
    "derivatives and integrals",
    "solvers and balls",
)
KINDS = "assumptions on symbols"


# --- induction ---


@against_steps(INDUCTION, ARGUMENTS)
def counter_that_is_never_nothing(d: Derivation) -> None:
    """n ≤ 0 for every positive n: true at 0, and no positive n is in the way; found by this campaign."""
    statement = le(one, 0)
    base = d.derive("at 0", statement.replace({one: 0}))
    step = d.derive("then", statement.replace({one: one + 1}), d.suppose("H", statement))
    d.qed(d.derive("wrong", eq(1, 0), d.induction("every", statement, one, base, step)))


@against_steps(INDUCTION, ARGUMENTS)
def sequence_that_starts_at_one(d: Derivation) -> None:
    """The same by `inductive`."""
    d.inductive("wrong", le(one, 0), one, [], [])


@against_steps(INDUCTION, ARGUMENTS)
def supposition_moved_on(d: Derivation) -> None:
    """P(n + 1) as an instance of the supposition P(n)."""
    supposed = d.suppose("H", eq(a[n], 0))
    step = d.instantiate("wrong", supposed, {n: n + 1})
    nothing = d.domain("the first", eq(a[0], 0))
    d.qed(d.induction("every", eq(a[n], 0), n, nothing, step))


@against_steps(INDUCTION, ARGUMENTS)
def supposition_of_another_counter(d: Derivation) -> None:
    """A supposition P(m) is left where P(n) is discharged."""
    step = d.derive("then", eq(a[n + 1] - a[n + 1], 0))
    H = d.suppose("H", eq(a[m], 0))
    base = d.derive("at first", eq(0, 0), H)
    d.qed(d.induction("wrong", eq(0, 0), n, base, step), H)


@against_steps(INDUCTION, ARGUMENTS)
def stronger_supposition(d: Derivation) -> None:
    """P(n) supposed, and more under the same name."""
    strong = d.suppose("H", eq(a[n], 0), eq(a[n + 1], 0))
    base = d.domain("the first", eq(a[0], 0))
    d.qed(d.induction("wrong", eq(a[n], 0), n, base, strong[1]))


@against_steps(INDUCTION, ARGUMENTS)
def step_for_one_token(d: Derivation) -> None:
    """A step under a case about the token of the statement."""
    W = sp.IndexedBase("W", real=True)
    first, more = d.recursion("W", eq(W[0, x], 0), eq(W[n + 1, x], W[n, x] + sp.Abs(b[x]) - b[x]))
    up = d.case("up", ge(b[x], 0))
    step = d.derive("then", eq(W[n + 1, x], 0), more, d.suppose("H", eq(W[n, x], 0)), up)
    d.induction("wrong", eq(W[n, x], 0), n, d.derive("first", eq(W[0, x], 0), first), step)


@against_steps(INDUCTION, ARGUMENTS)
def counter_given_by_number(d: Derivation) -> None:
    """A given about the number n is no given about n + 1."""
    small = d.domain("n is small", le(n, 3))
    base = d.derive("first", le(sp.Integer(0), 3))
    d.qed(d.induction("wrong", le(n, 3), n, base, d.derive("then", le(n + 1, 4), small)))


# --- cases and suppositions ---


@against_steps(CASES, ARGUMENTS)
def cases_that_leave_a_gap(d: Derivation) -> None:
    """v > 0 and v < 0 are not all."""
    up, down = (d.derive("not nothing", gt(v**2, 0), d.case(str(r), r)) for r in (gt(v, 0), lt(v, 0)))
    d.cases("wrong", up, down)


@against_steps(CASES, ARGUMENTS)
def cases_of_two_tokens(d: Derivation) -> None:
    """a[x] ≥ 0 and a[y] ≤ 0 are not all."""
    up, down = d.case("up", ge(a[x], 0)), d.case("down", le(a[y], 0))
    d.cases("wrong", d.derive("so", ge(a[x] - a[y], -1), up, down), d.derive("so", ge(a[x] - a[y], -1), up, down))


@against_steps(CASES, ARGUMENTS)
def open_case(d: Derivation) -> None:
    """A proof that ends inside a case."""
    d.qed(d.derive("wrong", ge(v, 0), d.case("up", ge(v, 0))))


@against_steps(CASES, ARGUMENTS)
def case_under_the_name_of_a_given(d: Derivation) -> None:
    """What is supposed, under the name of what is given."""
    d.domain("G", ge(v**2, 0))
    d.qed(d.derive("wrong", ge(v, 0), d.case("G", ge(v, 0))))


@against_steps(CASES, ARGUMENTS)
def given_under_the_name_of_a_case(d: Derivation) -> None:
    """What is given, under the name of a case, which no instance evaluates."""
    up, down = d.case("up", ge(v, 0)), d.case("down", le(v, 0))
    wrong = d.domain("up", eq(1, 0))
    facts = [d.derive("anything", eq(1, 0), f, wrong, by="smt") for f in (up, down)]
    d.qed(d.cases("either way", *facts))


@against_steps(CASES, ARGUMENTS)
def case_of_another_token(d: Derivation) -> None:
    """What follows for the token of a case, at another one."""
    up = d.derive("so", ge(a[x] + 1, 1), d.case("up", ge(a[x], 0)))
    d.instantiate("wrong", up, {x: y})


@against_steps(CASES, ARGUMENTS)
def defined_inside_a_case(d: Derivation) -> None:
    """A name that exists in one case only."""
    d.define("wrong", c, 1 / v, d.case("up", gt(v, 0)))


@against_steps(CASES, ARGUMENTS)
def summed_inside_a_case(d: Derivation) -> None:
    """A case about one token summed over all."""
    d.sum("wrong", d.derive("so", ge(a[x], 0), d.case("up", ge(a[x], 0))), x)


# --- derivatives and integrals ---


@against_steps(SLOPES, ARGUMENTS)
def slope_of_whole_numbers(d: Derivation) -> None:
    """A derivative in a variable that is whole."""
    d.increasing("wrong", n**2 - n, n, 0, d.derive("slope", ge(2 * n, 0)), d.derive("on", ge(n, 0)))


@against_steps(SLOPES, ARGUMENTS)
def slope_given_at_the_end(d: Derivation) -> None:
    """A slope that is known from v² ≥ 1 on does not reach from 0."""
    far = d.domain("far", ge(v**2, 1))
    on = d.domain("on", ge(v, 0))
    d.increasing("wrong", v**3 - 3 * v, v, 0, d.derive("slope", ge(3 * v**2 - 3, 0), far), on)


@against_steps(SLOPES, ARGUMENTS)
def slope_of_a_name(d: Derivation) -> None:
    """e := −2v, so that v + e seems to rise in v."""
    meaning = d.define("a name", e, -2 * v)
    on = d.domain("on", ge(v, 0))
    slope = d.derive("slope", ge(sp.Integer(1), 0), meaning)
    d.increasing("wrong", v + e, v, 0, slope, on)


@against_steps(SLOPES, ARGUMENTS)
def slope_over_a_pole(d: Derivation) -> None:
    """−1/v rises wherever it has a value, but not over 0."""
    on = d.domain("on", ge(v, -1))
    slope = d.domain("slope", ge(v ** (-2), 0))
    d.increasing("wrong", -1 / v, v, -1, slope, on)


@against_steps(SLOPES, ARGUMENTS)
def slope_of_the_whole_part(d: Derivation) -> None:
    """v − 2⌊v⌋ has slope 1 almost everywhere."""
    on = d.domain("on", ge(v, 0))
    d.increasing("wrong", v - 2 * sp.floor(v), v, 0, d.derive("slope", ge(sp.Integer(1), 0)), on)


# --- solvers and balls ---


@against_steps(SOLVERS, ARGUMENTS)
def text_in_a_name(d: Derivation) -> None:
    """A name that ends a comment and asserts what is false."""
    odd = sp.Symbol("c\n(assert false)", real=True)
    d.derive("wrong", ge(odd, 1), by="smt")


@against_steps(SOLVERS, ARGUMENTS)
def answer_in_a_name(d: Derivation) -> None:
    """A name with a query in it."""
    odd = sp.Symbol("c (check-sat)", real=True)
    d.derive("wrong", ge(odd, 1), by="smt")


@against_steps(SOLVERS, ARGUMENTS)
def names_alike(d: Derivation) -> None:
    """a[1] and the number a_1 share no constant."""
    first = d.domain("the member", ge(a[1], 1))
    d.derive("wrong", ge(sp.Symbol("a_1", real=True), 1), first, by="smt")


@against_steps(SOLVERS, ARGUMENTS)
def terms_alike(d: Derivation) -> None:
    """exp v and exp w are one number to nobody."""
    d.derive("wrong", eq(sp.exp(v), sp.exp(w)), by="smt")


@against_steps(SOLVERS, ARGUMENTS)
def nearly_equal(d: Derivation) -> None:
    """e is its first sixty digits."""
    d.numeric("wrong", eq(sp.E, sp.Rational(str(sp.N(sp.E, 60)))))


@against_steps(SOLVERS, ARGUMENTS)
def ball_around_zero(d: Derivation) -> None:
    """log 6 − log 2 − log 3 > 0."""
    d.numeric("wrong", gt(sp.log(6) - sp.log(2) - sp.log(3), 0))


@against_steps(SOLVERS, ARGUMENTS)
def number_with_a_name(d: Derivation) -> None:
    """Ball arithmetic on a name."""
    d.numeric("wrong", ge(v, 0))


@against_steps(SOLVERS, ARGUMENTS)
def fact_of_another_proof(d: Derivation) -> None:
    """A fact of a derivation in which it was given."""
    d.derive("wrong", eq(1, 0), Derivation("another").domain("given", eq(1, 0)))


@against_steps(SOLVERS, ARGUMENTS)
def fact_made_again(d: Derivation) -> None:
    """A fact with fewer givens than it rests on."""
    known = d.domain("given", ge(v, 1))
    d.qed(known._replace(givens=frozenset()))


# --- assumptions on symbols ---


@against_steps(KINDS, ARGUMENTS)
def composite_number(d: Derivation) -> None:
    """A number that is composite, and so above 3."""
    d.derive("wrong", gt(sp.Symbol("r", composite=True), 0))


@against_steps(KINDS, ARGUMENTS)
def number_that_is_zero(d: Derivation) -> None:
    """A number that is 0 by declaration."""
    d.derive("wrong", ge(sp.Symbol("r", zero=True) + v - v, 0))


@against_steps(KINDS, ARGUMENTS)
def irrational_number(d: Derivation) -> None:
    """A number that is not 0, for it is irrational."""
    r = sp.Symbol("r", irrational=True)
    d.derive("wrong", eq(r / r * v / v, 1), d.derive("not nothing", gt(r**2, 0)))


@against_steps(KINDS, ARGUMENTS)
def class_of_ones_own(d: Derivation) -> None:
    """A class of symbols that says of itself what it likes."""

    class Sure(sp.Symbol):
        is_nonnegative = True

    d.derive("wrong", ge(Sure("r", real=True), 0))


@against_steps(KINDS, ARGUMENTS)
def function_of_ones_own(d: Derivation) -> None:
    """A class of functions, below one of the language."""

    class Sure(sp.exp):
        def _eval_is_nonnegative(self) -> bool:
            return True

        def _eval_is_real(self) -> bool:
            return True

    d.derive("wrong", ge(Sure(v, evaluate=False) - 2 + sp.Rational(1, 2), -1))


@against_steps(KINDS, ARGUMENTS)
def array_of_positive_whole_numbers(d: Derivation) -> None:
    """An array that is even by declaration."""
    d.derive("wrong", ge(sp.IndexedBase("r", even=True)[x] ** 2, 0))


@against_steps(KINDS, ARGUMENTS)
def token_as_a_number(d: Derivation) -> None:
    """Tokens are numbers from 1, which no given says."""
    d.derive("wrong", ge(x, 1))


@against_steps(KINDS, ARGUMENTS)
def counter_at_half(d: Derivation) -> None:
    """A whole counter at ½."""
    d.instantiate("wrong", d.derive("of whole numbers", ge((n + 1) ** 2, 0)), {n: sp.S.Half})


@against_steps(KINDS, ARGUMENTS)
def counter_below_zero(d: Derivation) -> None:
    """A counter at −1."""
    d.instantiate("wrong", d.derive("not negative", ge(n, 0)), {n: -1})
