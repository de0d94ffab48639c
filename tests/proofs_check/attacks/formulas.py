"""Attacks on algebra, names and sums: each goes one step further than is true."""

from __future__ import annotations

import sympy as sp

from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import V, eq, ge, gt, index, le, total, x, y
from tests.proofs_check.attacks.attack import Attack, against_steps

__all__ = ["FORMULAS"]

FORMULAS: list[Attack] = []
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


# --- substitution and algebra ---


@against_steps(ALGEBRA, FORMULAS)
def power_of_nothing(d: Derivation) -> None:
    """0ⁿ = 0 for every n, and so 1 = 0⁰ = 0."""
    nothing = d.define("nothing", c, sp.Integer(0))
    every = d.derive("wrong for n = 0", eq(c**n, 0), nothing)
    d.derive("so", eq(1, 0), d.instantiate("n is 0", every, {n: 0}))


@against_steps(ALGEBRA, FORMULAS)
def root_of_a_square(d: Derivation) -> None:
    """√(v² + 2v + 1) = v + 1, wrong below −1."""
    d.derive("wrong", eq(sp.sqrt(v**2 + 2 * v + 1), v + 1))


@against_steps(ALGEBRA, FORMULAS)
def root_of_a_fourth_power(d: Derivation) -> None:
    """(v⁴)^(1/4) = v, wrong below 0."""
    d.derive("wrong", eq((v**4) ** sp.Rational(1, 4), v))


@against_steps(ALGEBRA, FORMULAS)
def logarithm_of_a_product(d: Derivation) -> None:
    """log(vw) = log v + log w where only vw > 0 is known: both may be negative."""
    both = d.domain("of one sign", gt(v * w, 0))
    d.derive("wrong", eq(sp.log(v * w), sp.log(v) + sp.log(w)), both)


@against_steps(ALGEBRA, FORMULAS)
def logarithm_of_a_square(d: Derivation) -> None:
    """log v² = 2 log v for v ≠ 0."""
    some = d.domain("not nothing", gt(v**2, 0))
    d.derive("wrong", eq(sp.log(v**2), 2 * sp.log(v)), some)


@against_steps(ALGEBRA, FORMULAS)
def quotient_of_infinities(d: Derivation) -> None:
    """1/(1 + 1/c) = 0 for c = 0, as SymPy has it."""
    nothing = d.define("nothing", c, sp.Integer(0))
    d.derive("wrong", eq(1 / (1 + 1 / c), 0), nothing)


@against_steps(ALGEBRA, FORMULAS)
def cancelled_before(d: Derivation) -> None:
    """From v·w = v the factor goes, and with it that v may be 0."""
    same = d.domain("a product", eq(v * w, v))
    d.derive("wrong for v = 0", eq(w, 1), same)


@against_steps(ALGEBRA, FORMULAS)
def squares_alike(d: Derivation) -> None:
    """From v² = w² to v = w."""
    d.derive("wrong", eq(v, w), d.domain("squares", eq(v**2, w**2)))


@against_steps(ALGEBRA, FORMULAS)
def multiplied_inequality(d: Derivation) -> None:
    """v ≥ w times c, of any sign."""
    d.derive("wrong", ge(c * v, c * w), d.domain("order", ge(v, w)))


@against_steps(ALGEBRA, FORMULAS)
def function_of_equals_at_a_pole(d: Derivation) -> None:
    """1/(v − w) put for v = w by an instance of a true statement."""
    fact = d.derive("of numbers apart", eq((v - w) * (1 / (v - w)), 1), d.domain("apart", gt(v - w, 0)))
    d.instantiate("wrong", fact, {v: w})


# --- definitions and names ---


@against_steps(NAMES, FORMULAS)
def scalar_and_array(d: Derivation) -> None:
    """One label for a number that is 0 and for an array that is 1."""
    d.define("a number", sp.Symbol("a", real=True), sp.Integer(0))
    d.define("an array", a[x], sp.Integer(1))


@against_steps(NAMES, FORMULAS)
def defined_after_it_was_given(d: Derivation) -> None:
    """c ≥ 1 is given, and then c := 0."""
    d.domain("c is large", ge(c, 1))
    d.define("c is nothing", c, sp.Integer(0))


@against_steps(NAMES, FORMULAS)
def two_sequences_in_a_circle(d: Derivation) -> None:
    """W[n + 1] = U[n + 1] + 1 and U[n + 1] = W[n + 1]."""
    W, U = sp.IndexedBase("W", real=True), sp.IndexedBase("U", real=True)
    d.recursion("one", eq(W[0], 0), eq(W[n + 1], U[n + 1] + 1))
    d.recursion("other", eq(U[0], 0), eq(U[n + 1], W[n + 1]))


@against_steps(NAMES, FORMULAS)
def recursion_from_itself(d: Derivation) -> None:
    """W[n + 1] = W[n + 1] + 1."""
    W = sp.IndexedBase("W", real=True)
    d.recursion("wrong", eq(W[0], 0), eq(W[n + 1], W[n + 1] + 1))


@against_steps(NAMES, FORMULAS)
def recursion_at_another_place(d: Derivation) -> None:
    """W[n + 1, x] = W[n, y]: the meaning depends on a token that is no argument."""
    W = sp.IndexedBase("W", real=True)
    d.recursion("wrong", eq(W[0, x], x), eq(W[n + 1, x], W[n, y]))


@against_steps(NAMES, FORMULAS)
def token_without_argument(d: Derivation) -> None:
    """c := a[x] and so a[x] = a[y]."""
    d.define("wrong", c, a[x])


@against_steps(NAMES, FORMULAS)
def signed_by_definition(d: Derivation) -> None:
    """A non-negative name for any number."""
    d.define("wrong", sp.Symbol("r", nonnegative=True), v)


@against_steps(NAMES, FORMULAS)
def whole_by_definition(d: Derivation) -> None:
    """A whole name for any number, which then counts terms."""
    d.define("wrong", whole, v)


@against_steps(NAMES, FORMULAS)
def whole_as_a_sum(d: Derivation) -> None:
    """A whole name for a sum of numbers that are not whole."""
    d.define("wrong", whole, total(a[x], x))


@against_steps(NAMES, FORMULAS)
def whole_as_half_a_sum(d: Derivation) -> None:
    """A whole name for half a sum of whole numbers."""
    d.define("wrong", whole, total(sp.IndexedBase("u", integer=True)[x], x) / 2)


@against_steps(NAMES, FORMULAS)
def whole_as_an_average(d: Derivation) -> None:
    """A whole name for a sum of whole numbers over how many they are."""
    d.define("wrong", whole, total(sp.IndexedBase("u", integer=True)[x], x) / V)


@against_steps(NAMES, FORMULAS)
def whole_steps_from_half(d: Derivation) -> None:
    """A sequence of whole numbers that begins at ½."""
    W = sp.IndexedBase("W", integer=True)
    d.recursion("wrong", eq(W[0], sp.S.Half), eq(W[n + 1], W[n] + 1))


@against_steps(NAMES, FORMULAS)
def whole_sequence_by_halves(d: Derivation) -> None:
    """A sequence of whole numbers, each half of the one before."""
    W = sp.IndexedBase("W", integer=True)
    d.recursion("wrong", eq(W[0], 1), eq(W[n + 1], W[n] / 2))


@against_steps(NAMES, FORMULAS)
def natural_sequence_that_falls(d: Derivation) -> None:
    """A sequence of whole numbers, none negative by declaration, that falls by one for ever."""
    W = sp.IndexedBase("W", integer=True, nonnegative=True)
    d.recursion("wrong", eq(W[0], 0), eq(W[n + 1], W[n] - 1))


@against_steps(NAMES, FORMULAS)
def natural_sequence_from_below(d: Derivation) -> None:
    """A sequence that is not negative by declaration, and begins at −1."""
    W = sp.IndexedBase("W", nonnegative=True)
    d.recursion("wrong", eq(W[0], -1), eq(W[n + 1], W[n] + 1))


@against_steps(NAMES, FORMULAS)
def natural_sequence_of_any_number(d: Derivation) -> None:
    """A sequence that is not negative by declaration, to which any number is added."""
    W = sp.IndexedBase("W", nonnegative=True)
    d.recursion("wrong", eq(W[0, x], 1), eq(W[n + 1, x], W[n, x] + a[x]))


@against_steps(NAMES, FORMULAS)
def positive_sequence_from_nothing(d: Derivation) -> None:
    """A sequence that is positive by declaration, and begins at 0: 1 over it has a value."""
    W = sp.IndexedBase("W", positive=True)
    d.recursion("wrong", eq(W[0], 0), eq(W[n + 1], W[n] + 1))


@against_steps(NAMES, FORMULAS)
def positive_sequence_to_nothing(d: Derivation) -> None:
    """A sequence that is positive by declaration, each the one before times a number that may be 0."""
    W = sp.IndexedBase("W", positive=True)
    d.recursion("wrong", eq(W[0], 1), eq(W[n + 1], n * W[n]))


@against_steps(NAMES, FORMULAS)
def extremum_of_other_tokens(d: Derivation) -> None:
    """The largest a[x] − a[y] over x is one number for every y."""
    d.extremum("wrong", "top", a[x] - a[y], x)


@against_steps(NAMES, FORMULAS)
def attained_everywhere(d: Derivation) -> None:
    """Where the largest is attained is a particular token: no sum may be taken over it."""
    _, _, attained = d.extremum("largest", "top", a[x], x)
    d.sum("wrong", attained, sp.Symbol("top_at", integer=True))


@against_steps(NAMES, FORMULAS)
def attained_elsewhere(d: Derivation) -> None:
    """The token where the largest is attained becomes another one."""
    _, _, attained = d.extremum("largest", "top", a[x], x)
    d.instantiate("wrong", attained, {sp.Symbol("top_at", integer=True): x})


@against_steps(NAMES, FORMULAS)
def captured_token(d: Derivation) -> None:
    """a[x] put under a sum over x: Σ a² = (Σ a)²/… by capture."""
    fact = d.derive("constants come out", eq(total(v * a[x], x), v * total(a[x], x)))
    fact = d.instantiate("one member", fact, {v: a[x]})
    d.derive("wrong", eq(total(a[x] ** 2, x), a[x] * total(a[y], y)), fact, by="algebra")


@against_steps(NAMES, FORMULAS)
def dummy_of_the_same_name(d: Derivation) -> None:
    """Another symbol that prints as c."""
    d.domain("c is large", ge(c, 1))
    d.domain("c is small", le(sp.Dummy("c", real=True), 0))


# --- sums ---


@against_steps(SUMS, FORMULAS)
def fewer_than_no_terms(d: Derivation) -> None:
    """Σ from 1 to any whole number, none below 0: a sum of squares that SymPy counts backwards."""
    d.derive("wrong", ge(total(a[k] ** 2, k, upto=whole), 0))


@against_steps(SUMS, FORMULAS)
def product_of_fewer_than_none(d: Derivation) -> None:
    """Π from 1 to any whole number, whose convention below 0 is 1 here and a quotient there."""
    d.define("wrong", c, sp.Product(2, (sp.Symbol("i1", integer=True, positive=True), 1, whole)))


@against_steps(SUMS, FORMULAS)
def as_many_as_a_real_number(d: Derivation) -> None:
    """A sum up to a number that is not whole."""
    d.sum("wrong", d.derive("squares", ge(a[k] ** 2, 0)), k, upto=sp.Symbol("r", nonnegative=True))


@against_steps(SUMS, FORMULAS)
def strict_sum_of_nothing(d: Derivation) -> None:
    """0 > 0 from a strict statement summed over no term."""
    d.sum("wrong", d.derive("positive", gt(a[k] ** 2 + 1, 0)), k, upto=n)


@against_steps(SUMS, FORMULAS)
def sum_over_what_is_absent(d: Derivation) -> None:
    """A sum over a token that a statement does not have."""
    d.sum("wrong", d.derive("squares", ge(v**2, 0)), x)


@against_steps(SUMS, FORMULAS)
def term_that_is_no_token(d: Derivation) -> None:
    """One term of a sum over the vocabulary, at an index of another set."""
    d.term("wrong", d.derive("squares", ge(a[k] ** 2, 0)), k)


@against_steps(SUMS, FORMULAS)
def one_term_of_a_signed_sum(d: Derivation) -> None:
    """A sum is at least one of its terms, of any sign."""
    d.term("wrong", d.domain("numbers", le(a[x], 1)), x)


@against_steps(SUMS, FORMULAS)
def products_of_sums_mixed(d: Derivation) -> None:
    """Σ a b = Σ a Σ b."""
    d.derive("wrong", eq(total(a[x] * b[x], x), total(a[x], x) * total(b[x], x)))


@against_steps(SUMS, FORMULAS)
def vocabulary_is_one(d: Derivation) -> None:
    """Σ 1 over the vocabulary is 1."""
    d.derive("wrong", eq(total(sp.Integer(1), x), 1))


@against_steps(SUMS, FORMULAS)
def maximum_of_a_sum(d: Derivation) -> None:
    """max(Σ a, 0) = Σ max(a, 0)."""
    d.derive("wrong", eq(sp.Max(total(a[x], x), 0), total(sp.Max(a[x], 0), x)))
