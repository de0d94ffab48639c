"""The first attacks: what referees found, and what was found while their holes were closed."""

from __future__ import annotations

from collections.abc import Callable

import sympy as sp

from proofs_check.rules.derivation import Derivation, Fact
from proofs_check.rules.terms import Relation, V, eq, ge, gt, index, le, total, x, y, z

__all__ = ["WAYS"]

v, w, c, e = sp.symbols("v w c e", real=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
a = sp.IndexedBase("a", real=True)
k = index("k")


def circular(d: Derivation) -> None:
    d.define("c", c, e + 1)
    d.define("e", e, c)


def slack_name(d: Derivation) -> None:
    t0 = sp.Symbol("t_0", nonnegative=True)
    d.derive("a case's slack", eq(sp.Abs(v), t0))


def hypothesis_as_base(d: Derivation) -> None:
    H = d.suppose("H", eq(1, 0))
    d.qed(d.induction("wrong", eq(1, 0), n, H, H))


def value_of_each(d: Derivation) -> None:
    """From the supposition that v is a[x], a[x] = a[y]; then v is put to be a[x], which is another at each x."""
    known = d.suppose("v is one of them", eq(a[x], v))
    other = d.instantiate("at another", known, {x: y})
    d.instantiate("wrong", d.derive("so they are equal", eq(a[x], a[y]), known, other), {v: a[x]})


def value_of_each_in_a_sum(d: Derivation) -> None:
    """The same by the sum over all x, which is V times v."""
    known = d.suppose("v is one of them", eq(a[x], v))
    whole = d.sum("added up", known, x)
    d.instantiate("wrong", whole, {v: a[x]})


def bound_of_each(d: Derivation) -> None:
    """A bound of all a[x] that is put to be one of them, where the others were compared with it."""
    known = d.domain("v is above", le(a[x], v))
    other = d.instantiate("at another", known, {x: y})
    d.instantiate("wrong", other, {v: a[x]})


def value_of_one_by_two_names(d: Derivation) -> None:
    """As `value_of_each`, the token renamed at once."""
    known = d.suppose("v is one of them", eq(a[x], v))
    other = d.instantiate("at another", known, {x: y})
    d.instantiate("wrong", d.derive("so they are equal", eq(a[x], a[y]), known, other), {x: z, v: a[z]})


def value_of_a_case(d: Derivation) -> None:
    """As `value_of_each`, with w, which is a[x] in the case at hand."""
    known = d.suppose("v is one of them", eq(a[x], v))
    other = d.instantiate("at another", known, {x: y})
    case = d.case("w is a[x]", eq(a[x], w))
    d.instantiate("wrong", d.derive("so they are equal", eq(a[x], a[y]), known, other), {v: w}, case)


def defined_counter(d: Derivation) -> None:
    d.define("n is five", n, sp.Integer(5))
    base = d.derive("base", eq(n * (n - 6), 0).replace({n: 0}))
    d.induction("wrong", eq(n * (n - 6), 0), n, base, base)


def case_in_induction(d: Derivation) -> None:
    W = sp.IndexedBase("W", real=True)
    start, more = d.recursion("W", eq(W[0], 0), eq(W[n + 1], W[n] + sp.Abs(a[n]) - a[n]))
    up = d.case("up", ge(a[n], 0))
    before = d.suppose("H", eq(W[n], 0))
    step = d.derive("step", eq(W[n + 1], 0), more, before, up)
    d.induction("wrong", eq(W[n], 0), n, d.derive("base", eq(W[0], 0), start), step)


def vocabulary_of_one(d: Derivation) -> None:
    t = d.term("one term", d.derive("squares", ge(a[x] ** 2, 0)), x, y)
    d.instantiate("wrong", t, {V: 1})


def negative_symbol(d: Derivation) -> None:
    r = sp.Symbol("r", negative=True)
    d.derive("assumed sign", ge(-r, 0))


def jump(d: Derivation) -> None:
    f = sp.Piecewise((0, v < 1), (-1, True))
    d.increasing("wrong", f, v, 0, d.derive("flat", ge(sp.diff(f, v), 0)), d.domain("from zero", ge(v, 0)))


def label(d: Derivation) -> None:
    p, mass = d.law("p")
    d.instantiate("wrong", mass, {p.label: a.label})


def mapped(d: Derivation) -> None:
    f = d.map("f")
    d.define("twice", f[x], sp.Integer(0))


def half_of_a_given(d: Derivation) -> None:
    """Once u is 1, the fact still rests on w ≥ 1."""
    both = d.domain("both are large", ge(v, 1), ge(w, 1))
    one = d.instantiate("v is 1", d.derive("together", ge(v + w, 2), *both), {v: 1})
    d.instantiate("wrong", one, {w: 0})


def given_of_a_name(d: Derivation) -> None:
    """What is given of 2v cannot be said of 2 · 3."""
    two = d.define("twice", c, 2 * v)
    big = d.domain("it is large", ge(c, 10))
    d.instantiate("wrong", d.derive("so v is", ge(v, 5), big, two), {v: 3}, big)


def varied_member(d: Derivation) -> None:
    """a[y] does not vary alone: what is given of every a[x] is about it."""
    large = d.instantiate("at y", d.domain("a is large", ge(a[x], 1)), {x: y})
    slope = d.derive("slope", ge(2 * a[y] - 2, 0), large)
    d.increasing("wrong", a[y] ** 2 - 2 * a[y], a[y], 0, slope, d.derive("from zero", ge(a[y], 0), large))


def varied_constant(d: Derivation) -> None:
    two = d.define("two", c, sp.Integer(2))
    slope = d.derive("slope", ge(c - 2, 0), two)
    d.increasing("wrong", c**2 / 2 - 2 * c, c, 0, slope, d.derive("from zero", ge(c, 0), two))


def instance(value: sp.Expr, function: Callable[[sp.Symbol], sp.Expr]) -> Callable[[Derivation], object]:
    """Of what holds of every number, at what has no value."""
    return lambda d: d.instantiate("wrong", d.derive("of every number", gt(function(w), 0), by="smt"), {w: value})


def function_twice(d: Derivation) -> None:
    f = sp.Function("f")
    d.define("f", f(v), v)
    d.define("f again", f(w), w + 1)


def step_function(d: Derivation) -> None:
    f, t = sp.Function("f"), sp.Symbol("t", nonnegative=True)
    slope = d.cite("wherever it has one", ge(sp.diff(f(t), t), 0), "of a step downwards")
    d.increasing("wrong", f(t), t, 0, slope, d.derive("t", ge(t, 0)))


def equal_to_nothing(d: Derivation) -> list[Fact]:
    """c := 0 and e := c."""
    return [d.define("nothing", c, sp.Integer(0)), d.define("nothing again", e, c)]


def divided_by_nothing(d: Derivation) -> None:
    """1 = e/c for e = c, and e/c = 0 for e = 0: so 1 = 0."""
    zero, same = equal_to_nothing(d)
    none = d.derive("so e is nothing", eq(e, 0), same, zero)
    one = d.derive("equals in the ratio one", eq(1, e / c), same)
    d.qed(d.derive("wrong", eq(1, 0), one, d.derive("nothing in the ratio nothing", eq(e / c, 0), none)))


def cases_without_value(d: Derivation) -> None:
    """What is neither ≥ 0 nor < 0, for it is nothing."""
    zero, same = equal_to_nothing(d)
    none = d.derive("so e is nothing", eq(e, 0), same, zero)
    ratios = [d.derive("one", eq(1, e / c), same, d.case(str(r), r)) for r in (ge(e / c, 0), le(e / c, 0))]
    d.qed(d.derive("wrong", eq(1, 0), d.cases("either way", *ratios), d.derive("nothing", eq(e / c, 0), none)))


def theorem_without_value(d: Derivation) -> None:
    """Every theorem is about what has a value."""
    zero, same = equal_to_nothing(d)
    one = d.cite("a number over itself is one", eq(1, e / c), "arithmetic")
    none = d.derive("so e is nothing", eq(e, 0), same, zero)
    d.qed(d.derive("wrong", eq(1, 0), one, d.derive("nothing in the ratio nothing", eq(e / c, 0), none)))


def two_names_of_one_number(d: Derivation) -> None:
    """v² − w² over v − w is their sum, unless they are one number: so 1 + 1 = 0."""
    one, same = d.define("one", c, sp.Integer(1)), d.define("one again", e, c)
    ratio = d.derive("a quotient", eq(v + w, (v**2 - w**2) / (v - w)))
    ratio = d.instantiate("at one", ratio, {v: c, w: e})
    squares = d.derive("the squares are equal", eq(c**2, e**2), same)
    none = d.derive("nothing over a number", eq((c**2 - e**2) / (c - e), 0), squares)
    zero = d.derive("so is the sum", eq(c + e, 0), ratio, none)
    d.qed(d.derive("wrong", eq(2, 0), zero, one, same, by="smt"))


def quotient_in_a_sum(d: Derivation) -> None:
    """That a[x] is not zero says nothing of other members."""
    one = d.case("of one", gt(a[x], 0))
    d.derive("wrong", eq(total((1 + a[x]) / a[x], x), V + total(1 / a[x], x)), one)


def signed_function(d: Derivation) -> None:
    """A function is of no sign that nothing states."""
    f = sp.Function("f", nonnegative=True)
    d.derive("wrong", ge(f(v), 0), by="smt")


def one_name_of_two_signs(d: Derivation) -> None:
    """What is said of one c would be compared with what is said of another."""
    d.domain("c is anything", ge(c + 1, 0))
    d.derive("wrong", ge(sp.Symbol("c", nonnegative=True), 0))


def one_array_of_two_signs(d: Derivation) -> None:
    d.domain("a is anything", ge(a[x] + 1, 0))
    d.derive("wrong", ge(sp.IndexedBase("a", nonnegative=True)[x], 0))


def sum_from_zero(d: Derivation) -> None:
    """Bound names are positive; a term at zero would be taken for another."""
    m = sp.Symbol("m", integer=True)
    d.derive("wrong", eq(sp.Sum(sp.KroneckerDelta(m, 0), (m, 0, n)), 0))


SHORT: dict[str, Callable[[Derivation], object]] = {
    "operator": lambda d: d.derive("unknown", Relation(sp.S.Zero, "distinct", sp.S.Zero)),
    "injection": lambda d: d.derive('because\n(echo "unsat")\n(exit)', eq(1, 0)),
    "negative_range": lambda d: d.sum("wrong", d.derive("more", ge(a[k] + 1, a[k])), k, upto=-1),
    "imaginary": lambda d: d.instantiate("wrong", d.derive("squares", ge(v**2, 0)), {v: sp.I}),
    "infinite": lambda d: d.instantiate("wrong", d.derive("positive", gt(1 / (1 + v**2), 0)), {v: sp.oo}),
    "root": lambda d: d.define("a root of any number", c, sp.sqrt(v)),
    "hidden_denominator": lambda d: d.define("nothing at w", c, sp.Max(v / (v - w), 0)),
    "largest_number": lambda d: d.extremum("of all numbers", "m", v, v),
    "pole": lambda d: d.derive("wrong", eq(sp.Integral(1 / v**2, (v, -1, 1)), -2)),
    "token_defined": lambda d: d.define("a token", x, sp.Integer(1)),
    "foreign": lambda d: d.derive("wrong", eq(1, 0), Fact(eq(1, 0), frozenset())),
    "float_number": lambda d: d.derive("rounded", Relation(sp.Float(1) + sp.Float("1e-30"), "=", sp.S.One)),
    "generator": lambda d: d.exhaust("always true", lambda case: (case < 0 for _ in range(1)), range(3)),  # type: ignore[arg-type,return-value]
    # SymPy's rules for counts say nothing of other numbers.
    "binomial": lambda d: d.derive("wrong for v = −1", eq(sp.binomial(v, v), 1)),
    "instance_at_a_root": instance(sp.sqrt(v), lambda t: t**2 + sp.Rational(1, 2)),  # v + ½ > 0
    "instance_at_a_logarithm": instance(sp.log(v), sp.exp),  # v > 0
    "instance_at_a_quotient": instance(1 / v, lambda t: v**2 + (1 - t * v) ** 2),  # v² > 0
    "quotient_in_a_maximum": lambda d: d.derive("of any number", ge(sp.Max(1 / v, 0), 0), by="smt"),
    "logarithm_of_any_number": lambda d: d.derive("wrong for v = −1", eq(sp.log(v) - sp.log(v) / 2, sp.log(v) / 2)),
    "root_of_any_number": lambda d: d.derive("wrong for v = −1", ge(sp.sqrt(v) ** 4 + sp.sqrt(v), sp.sqrt(v))),
}
LONG = (
    *(value_of_each, value_of_each_in_a_sum, bound_of_each, value_of_one_by_two_names, value_of_a_case),
    *(circular, slack_name, hypothesis_as_base, defined_counter, case_in_induction, vocabulary_of_one, negative_symbol),
    *(jump, label, mapped, half_of_a_given, given_of_a_name, varied_member, varied_constant, function_twice),
    *(step_function, divided_by_nothing, cases_without_value, theorem_without_value, two_names_of_one_number),
    *(signed_function, one_name_of_two_signs, one_array_of_two_signs, sum_from_zero, quotient_in_a_sum),
)
WAYS = SHORT | {way.__name__: way for way in LONG}
