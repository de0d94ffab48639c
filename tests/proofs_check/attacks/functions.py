"""A referee's attacks on what functions, sums and rules mean: each is told whether to do the one wrong thing or what is right."""

from __future__ import annotations

import sympy as sp

from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import V, eq, ge, gt, index, le, total, x, y
from tests.proofs_check.attacks.attack import Attack, steps_with_twin

__all__ = ["FUNCTIONS"]

FUNCTIONS: list[Attack] = []
MEANING, RULES = "what functions mean", "rules taken too far"
v, w, c = sp.symbols("v w c", real=True)
t = sp.Symbol("t", real=True)
s = sp.Symbol("s", positive=True)
n, m = sp.symbols("n m", integer=True, nonnegative=True)
a, b = sp.IndexedBase("a", real=True), sp.IndexedBase("b", nonnegative=True)
k = index("k")


# --- what functions mean ---


@steps_with_twin(MEANING, FUNCTIONS)
def signs_alternate(d: Derivation, wrong: bool) -> None:
    """(−1)ⁿ = 1."""
    d.derive("one", eq((-1) ** (n if wrong else 2 * n), 1))


@steps_with_twin(MEANING, FUNCTIONS)
def odd_power_of_any_number(d: Derivation, wrong: bool) -> None:
    """v to the power 2n + 1 is not negative."""
    d.derive("not negative", ge(v ** (2 * n + 1 if wrong else 2 * n), 0))


@steps_with_twin(MEANING, FUNCTIONS)
def power_of_a_size(d: Derivation, wrong: bool) -> None:
    """|v|ⁿ = vⁿ."""
    d.derive("alike", eq(sp.Abs(v) ** (n if wrong else 2 * n), v ** (n if wrong else 2 * n)))


@steps_with_twin(MEANING, FUNCTIONS)
def root_of_a_cube(d: Derivation, wrong: bool) -> None:
    """v² to the power 3/2 is v³."""
    d.derive("a cube", eq((v**2) ** sp.Rational(3, 2), v**3 if wrong else sp.Abs(v) ** 3))


@steps_with_twin(MEANING, FUNCTIONS)
def half_of_a_power(d: Derivation, wrong: bool) -> None:
    """From v²ⁿ = c² to vⁿ = |c|."""
    square = d.domain("a square", eq(v ** (2 * n), c**2))
    d.derive("its root", eq(*((v**n, sp.Abs(c)) if wrong else (v ** (2 * n) + 1, c**2 + 1))), square)


@steps_with_twin(MEANING, FUNCTIONS)
def root_of_a_product(d: Derivation, wrong: bool) -> None:
    """√(vw) = √v √w where vw ≥ 0 is all that is known."""
    known = (
        [d.domain("of one sign", ge(v * w, 0))] if wrong else d.domain("not negative", ge(v, 0), ge(w, 0), ge(v * w, 0))
    )
    d.derive("apart", eq(sp.sqrt(v * w) - sp.sqrt(v) * sp.sqrt(w), sp.sqrt(v * w) - sp.sqrt(v) * sp.sqrt(w)), *known)


@steps_with_twin(MEANING, FUNCTIONS)
def whole_parts_added(d: Derivation, wrong: bool) -> None:
    """⌊v⌋ + ⌊w⌋ = ⌊v + w⌋."""
    other = w if wrong else n
    d.derive("together", eq(sp.floor(v) + sp.floor(other), sp.floor(v + other)))


@steps_with_twin(MEANING, FUNCTIONS)
def half_of_a_whole_number(d: Derivation, wrong: bool) -> None:
    """2 ⌊n/2⌋ = n."""
    d.derive("twice", eq(2 * sp.floor(n / 2 if wrong else n), n if wrong else 2 * n))


@steps_with_twin(MEANING, FUNCTIONS)
def next_whole_number(d: Derivation, wrong: bool) -> None:
    """⌈v⌉ = ⌊v⌋ + 1, wrong at whole numbers."""
    d.derive("the next", eq(sp.ceiling(v if wrong else n), sp.floor(v) + 1 if wrong else n))


@steps_with_twin(MEANING, FUNCTIONS)
def largest_of_no_number(d: Derivation, wrong: bool) -> None:
    """The largest of no number, −∞ for SymPy, is at most v."""
    d.derive("at most", ge(v, sp.Max() if wrong else sp.Max(v)))


@steps_with_twin(MEANING, FUNCTIONS)
def nothing_times_no_value(d: Derivation, wrong: bool) -> None:
    """0 · (1/0) = 0, kept from SymPy's own arithmetic."""
    quotient = sp.Pow(0 if wrong else 2, -1, evaluate=False)
    d.derive("nothing", eq(sp.Mul(0, quotient, evaluate=False), 0))


@steps_with_twin(MEANING, FUNCTIONS)
def logarithm_of_nothing(d: Derivation, wrong: bool) -> None:
    """log(1 − 1) ≤ 0, kept from SymPy's own arithmetic."""
    d.derive("at most", le(sp.log(sp.Add(1, -1 if wrong else 0, evaluate=False), evaluate=False), 0))


@steps_with_twin(MEANING, FUNCTIONS)
def other_functions_of_sympy(d: Derivation, wrong: bool) -> None:
    """v mod w is not negative for SymPy's assumptions of w."""
    d.derive("not negative", ge(sp.Mod(v, s) if wrong else sp.Abs(v), 0))


@steps_with_twin(MEANING, FUNCTIONS)
def sign_of_nothing(d: Derivation, wrong: bool) -> None:
    """sign(v)² = 1, wrong at 0."""
    d.derive("one", eq(sp.sign(v if wrong else s) ** 2, 1))


@steps_with_twin(MEANING, FUNCTIONS)
def sum_from_the_third(d: Derivation, wrong: bool) -> None:
    """Σ from 3 to V, which has fewer than no terms for V = 1."""
    d.derive("not negative", ge(sp.Sum(a[k] ** 2, (k, 3 if wrong else 1, V)), 0))


@steps_with_twin(MEANING, FUNCTIONS)
def sum_that_may_be_empty(d: Derivation, wrong: bool) -> None:
    """Σ of positive terms up to n is positive, and so 1 over it has a value."""
    d.derive("positive", gt(total(sp.exp(a[k]), k, upto=n if wrong else n + 1), 0))


@steps_with_twin(MEANING, FUNCTIONS)
def size_of_a_sum(d: Derivation, wrong: bool) -> None:
    """|Σ a| = Σ |a|."""
    of = a if wrong else b
    d.derive("alike", eq(sp.Abs(total(of[x], x)), total(sp.Abs(of[x]), x)))


@steps_with_twin(MEANING, FUNCTIONS)
def nearly_nothing(d: Derivation, wrong: bool) -> None:
    """e to the power of minus a million is 0."""
    small = sp.exp(-(sp.Integer(10) ** 6))
    d.numeric("nothing", eq(small, 0) if wrong else gt(small, 0))


@steps_with_twin(MEANING, FUNCTIONS)
def sixty_digits(d: Derivation, wrong: bool) -> None:
    """e is below its first sixty digits, by what the enclosure cannot tell."""
    digits = sp.Rational(str(sp.N(sp.E, 60)))
    d.numeric("below", le(sp.E, digits - sp.Rational(1, 10**58) if wrong else digits + sp.Rational(1, 10**30)))


# --- rules taken too far ---


@steps_with_twin(RULES, FUNCTIONS)
def a_term_below_its_sum(d: Derivation, wrong: bool) -> None:
    """A term is below the sum of positive terms, wrong where it is the only one."""
    term = d.term("one of them", d.domain("positive", gt(a[x], 0)), x, y)
    d.derive("below", (gt if wrong else ge)(total(a[x], x), a[y]), term, by="smt")


@steps_with_twin(RULES, FUNCTIONS)
def cited_of_one_number(d: Derivation, wrong: bool) -> None:
    """What is cited of the number at hand, put for all of them."""
    known = d.cite("at least one", ge(v, 1), "of this v") if wrong else d.derive("at least itself", ge(v, v))
    d.instantiate("at nothing", known, {v: 0})


@steps_with_twin(RULES, FUNCTIONS)
def cited_slope(d: Derivation, wrong: bool) -> None:
    """A slope that is cited at the number at hand, used all along the way to it."""
    on = d.domain("from zero", ge(v, 0))
    slope = d.cite("rising", ge(2 * v - 2, 0), "of this v") if wrong else d.derive("rising", ge(2 * v, 0), on)
    d.increasing("so", v**2 - 2 * v if wrong else v**2, v, 0, slope, on)


@steps_with_twin(RULES, FUNCTIONS)
def cited_twice(d: Derivation, wrong: bool) -> None:
    """Two statements cited in the same words, of which a reader sees one."""
    d.cite("as is known", ge(v, 0), "a book")
    d.cite("as is known" if wrong else "and again", ge(-v, 0), "a book")


@steps_with_twin(RULES, FUNCTIONS)
def induction_from_one(d: Derivation, wrong: bool) -> None:
    """P(1) as the base of an induction from 0."""
    statement = eq(a[n], 0)
    base, step = d.domain("one of them", eq(a[1 if wrong else 0], 0)), d.domain("and on", eq(a[n + 1], 2 * a[n]))
    after = d.derive("then", statement.replace({n: n + 1}), d.suppose("H", statement), step)
    d.induction("every", statement, n, base, after)


@steps_with_twin(RULES, FUNCTIONS)
def supposition_at_another_number(d: Derivation, wrong: bool) -> None:
    """The supposition P(n, m) used at m + 1."""
    A = sp.IndexedBase("A", real=True)
    statement = eq(A[n, m], 0)
    first, falls = d.domain("at first", eq(A[0, m], 0)), d.domain("on", eq(A[n + 1, m], A[n, m + 1 if wrong else m]))
    H = d.suppose("H", statement)
    step = d.derive(
        "then", statement.replace({n: n + 1}), falls, d.instantiate("at hand", H, {m: m + 1}) if wrong else H
    )
    d.induction("every", statement, n, first, step)


@steps_with_twin(RULES, FUNCTIONS)
def cases_of_two_numbers(d: Derivation, wrong: bool) -> None:
    """v ≥ 0 and v ≤ 1 are not the two cases of one comparison."""
    low = 1 if wrong else 0
    facts = [d.derive("so", ge(v**2 + 1, 0), d.case(str(r), r)) for r in (ge(v, 0), le(v, low))]
    d.cases("either way", *facts)


@steps_with_twin(RULES, FUNCTIONS)
def definition_by_what_was_given_of_it(d: Derivation, wrong: bool) -> None:
    """c is given first, and then it is to mean something else."""
    d.domain("given", ge(c if wrong else v, 1))
    d.define("meant", c, v - 1)


@steps_with_twin(RULES, FUNCTIONS)
def a_name_with_a_sign_it_has_not(d: Derivation, wrong: bool) -> None:
    """A positive name for what is not negative."""
    d.define("meant", sp.Symbol("p", **{"positive" if wrong else "nonnegative": True}), v**2)


@steps_with_twin(RULES, FUNCTIONS)
def sum_of_a_given_number(d: Derivation, wrong: bool) -> None:
    """What is given of the number n, summed over all n."""
    given = d.domain("of n", ge(n if wrong else a[n], 0))
    d.sum("of all", given, n, upto=3)


@steps_with_twin(RULES, FUNCTIONS)
def token_of_an_extremum(d: Derivation, wrong: bool) -> None:
    """Where a[x] is largest, another array is largest too."""
    _, bound, _ = d.extremum("largest", "top", a[x], x)
    top, at = sp.Symbol("top", real=True), sp.Symbol("top_at", integer=True)
    d.derive("so", ge(top if not wrong else b[at], a[y] if not wrong else b[y]), d.instantiate("at y", bound, {x: y}))
