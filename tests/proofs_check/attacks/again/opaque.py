"""Attacks by what SymPy evaluates, by texts that it runs, and by givens that only names exempt; each has a twin that may."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.checking.plain import fair
from proofs_check.checking.proof import check
from proofs_check.checking.written import Proof
from proofs_check.rules.derivation import Derivation
from proofs_check.rules.terms import V, eq, ge, index, le, total, x, y
from proofs_check.sd.acceptance import PROOF as ACCEPTANCE
from simspec.claims import find
from tests.proofs_check.attacks.attack import Attack, steps_with_twin, with_twin

__all__ = ["OPAQUE"]

OPAQUE: list[Attack] = []
EVALUATED = "what SymPy evaluates"
RUN = "texts that SymPy runs"
NAMED = "names that exempt"
OBJECTS = "what a value reaches"
RULES = "rules taken further"
NON_EXPANSIVE = find(["rdk.non-expansive-sharp"])[0]
v, w = sp.symbols("v w", real=True)
r, s = sp.symbols("r s", positive=True)
n = sp.Symbol("n", integer=True, nonnegative=True)
m = sp.Symbol("m", integer=True, positive=True)
a = sp.IndexedBase("a", real=True)
p = sp.IndexedBase("p", nonnegative=True)
k = index("k")
TEXT = "1 + 1"


# --- what SymPy evaluates ---


@steps_with_twin(EVALUATED, OPAQUE)
def integral_right_on_one_side(d: Derivation, wrong: bool) -> None:
    """∫ erf(1/t) from −2 to −1 is that from 1 to 2, by an antiderivative that is right above 0 alone: they are opposite."""
    if not wrong:
        d.derive("so", eq(total(sp.erf(a[x]), x) - total(sp.erf(a[y]), y), 0))
        return
    below, above = (sp.Integral(sp.erf(1 / v), (v, *ends)) for ends in ((-2, -1), (1, 2)))
    values = d.domain("both have a value: the function is odd", eq(below + above, 0))
    d.derive("so", eq(below - above + 1, 1), values)


@steps_with_twin(EVALUATED, OPAQUE)
def condition_under_an_integral(d: Derivation, wrong: bool) -> None:
    """1/(2t − 3) has a value wherever it is integrated from 1 to 2, for 2k − 3 is not 0 at any whole number."""
    odd = d.domain("2k − 3 is not 0", ge((2 * k - 3) ** 2, 1))
    if wrong:
        whole = sp.Integral(1 / (2 * v - 3) ** 2, (v, 1, 2))
        d.derive("so", eq(2 * whole, whole + whole), odd)
    else:
        whole = total(1 / (2 * k - 3) ** 2, k, upto=m)
        d.derive("so", eq(2 * whole, whole + whole), odd)


@steps_with_twin(EVALUATED, OPAQUE)
def sum_of_another_class(d: Derivation, wrong: bool) -> None:
    """SymPy's own sum of numbers, whose sign it estimates by an integral, in a statement made by hand."""
    terms = total(1 / k, k, upto=3)
    own = sp.Sum(terms.function, *terms.limits) if wrong else terms
    d.derive("so", type(eq(0, 0))(own, "=", own * 1))
    if wrong:
        d.derive("not negative", type(eq(0, 0))(own, ">=", sp.S.Zero))


# --- texts that SymPy runs ---

TEXTS: dict[str, tuple[str, str]] = {
    "a text that simplify runs": (f"sp.simplify('{TEXT}')", "sp.expand(1)"),
    "a text that expand runs": (f"sp.expand('{TEXT}')", "sp.expand(1)"),
    "a text in a list that a sum takes": (f"sp.Sum(1, (x, 1, '{TEXT}'))", "sp.Sum(1, (x, 1, 2))"),
    "a text as a side of a statement": (f"eq('{TEXT}', 2)", "eq(1, 1)"),
    "a text of parts as a side of a statement": ("le(f'{1} + 1', 2)", "le(1, 2)"),
    "a text as what is summed": (f"total('{TEXT}', x)", "total(1, x)"),
    "a text put in for a name": (f"v.subs(v, '{TEXT}')", "v.subs(v, 2)"),
}
"""What `fair` sees in the text of a file."""


def _of_text(says: str, wrong: str, right: str, family: str) -> Attack:
    name = says.replace(" ", "_").replace("'", "").replace(",", "")
    return Attack(name, family, says, lambda: fair(wrong, says), twin=lambda: fair(right, says))


OPAQUE += [_of_text(says, *texts, RUN) for says, texts in TEXTS.items()]
RUNNING: dict[str, Callable[[Derivation, Any], Any]] = {
    "a text as the end of a range": lambda d, text: d.number("t", low=text),
    "a text as the place of an array": lambda d, text: d.derive("so", eq(a[text] - a[text], 0)),
    "a text as the second place of an array": lambda d, text: sp.IndexedBase("q")[x, text],
    "a text under another name of it": lambda d, text: sp.Max(text, v),
    "a text that a method takes": lambda d, text: v.subs({"v": text} if isinstance(text, str) else {v: text}),
    "a text as what a name means": lambda d, text: d.define("so", w, text),
    "a text as the value of an instance": lambda d, text: d.instantiate("so", d.derive("it", ge(v**2, 0)), {v: text}),
}
"""What no reading of a file sees, for the text may come from anywhere: each is refused where it is run."""


def _running(says: str, way: Callable[[Derivation, Any], Any]) -> Attack:
    def run(argument: Any) -> None:
        def prove(d: Derivation) -> None:
            way(d, argument)
            ACCEPTANCE.prove(d)

        check(Proof(ACCEPTANCE.claim, prove, {}, ACCEPTANCE.bind))

    return Attack(says.replace(" ", "_"), RUN, says, lambda: run(TEXT), twin=lambda: run(sp.Integer(2)))


OPAQUE += [_running(says, way) for says, way in RUNNING.items()]


@with_twin(RUN, OPAQUE)
def text_that_a_bind_runs(wrong: bool) -> Proof:
    """The bind of sd.acceptance, which asks SymPy what V is."""

    def bind(p: Any, q: Any) -> dict[str, Any]:
        length = sp.Max(str(len(p)), 1) if wrong else sp.Max(len(p), 1)
        return {"p": p, "q": q, "V": int(length)}

    return Proof(ACCEPTANCE.claim, ACCEPTANCE.prove, {}, bind)


# --- names that exempt ---

LEFT, RIGHT = (sp.IndexedBase(name, real=True) for name in ("left", "right"))


def _sides(**instance: Any) -> dict[str, Any]:
    left, right = (np.ravel(side) for side in np.broadcast_arrays(*NON_EXPANSIVE.sides(instance)))
    return {"left": left, "right": right, "V": len(left)}


def _by_name(name: str) -> None:
    @with_twin(NAMED, OPAQUE)
    def named(wrong: bool) -> Proof:
        if not wrong:
            return ACCEPTANCE
        return Proof(NON_EXPANSIVE, lambda d: d.qed(d.domain(name, le(LEFT[x], RIGHT[x]))), {}, _sides)

    attack = OPAQUE.pop()  # it is called by its name
    says = f"the claim itself, given under the name {name!r}"
    OPAQUE.append(Attack(says.replace(" ", "_").replace("'", ""), NAMED, says, attack.way, twin=attack.twin))


for ending in ("left is in its range", "left is nowhere negative", "left sums to one"):
    _by_name(ending)


@with_twin(NAMED, OPAQUE)
def range_that_is_the_claim(wrong: bool) -> Proof:
    """A number between nothing and the right side, which is the left side."""
    if not wrong:
        return ACCEPTANCE
    right = sp.Symbol("right", real=True)

    def prove(d: Derivation) -> None:
        left = d.number("left", high=right)
        d.qed(d.derive("by its range", le(left, right), by="smt"))

    def bind(**instance: Any) -> dict[str, Any]:
        sides = _sides(**instance)
        return {"left": sides["left"][0], "right": sides["right"][0], "V": 1}

    return Proof(NON_EXPANSIVE, prove, {}, bind)


@steps_with_twin(NAMED, OPAQUE)
def range_that_grows(d: Derivation, wrong: bool) -> None:
    """u ≥ 0 by its declaration, and 1 = 0 added to what that gave, under its name."""
    u = d.number("u", 0, 1)
    more = d.domain("u is in its range" if wrong else "u is small", le(u, sp.Rational(1, 2)))
    d.derive("so", le(u, 1), more)


@steps_with_twin(NAMED, OPAQUE)
def declaration_of_a_given_name(d: Derivation, wrong: bool) -> None:
    """1 = 0 is given first under the name that the declaration of u then has."""
    given = d.domain("u is in its range" if wrong else "u", le(sp.Symbol("c", real=True), 0))
    u = d.number("u", 0, 1)
    d.derive("so", ge(u, 0), given)


@steps_with_twin(NAMED, OPAQUE)
def range_used_unasked(d: Derivation, wrong: bool) -> None:
    """A given that only its name calls a range is used though no step was handed it."""
    u = sp.Symbol("u", real=True) if wrong else d.number("u", low=1)
    if wrong:
        d.domain("u is in its range", ge(u, 1))
    d.derive("so", ge(u**2, u), by="smt")


# --- what a value reaches ---

REACHED: dict[str, tuple[str, str]] = {
    "the frame around a generator": ("(i for i in ()).gi_frame.f_back.f_globals", "[i for i in ()]"),
    "the frames of an error": ("error.tb_frame", "error.args"),
    "a file that an array writes": ("np.ones(2).tofile('record')", "np.ones(2).tolist()"),
    "a file that an array is packed into": ("np.ones(2).dump('record')", "np.ones(2).tolist()"),
    "memory under an array": ("np.ones(2).ctypes", "np.ones(2).shape"),
    "the bytes of an array": ("np.ones(2).data", "np.ones(2).shape"),
    "a debugger": ("breakpoint()", "print()"),
    "a question to whoever runs the check": ("input()", "print()"),
}
OPAQUE += [_of_text(says, *texts, OBJECTS) for says, texts in REACHED.items()]


class _Large(Fraction):
    """A number that says it is larger than every other."""

    def __ge__(self, other: object) -> bool:
        return True

    def __le__(self, other: object) -> bool:
        return False


@with_twin(OBJECTS, OPAQUE)
def number_that_is_larger(wrong: bool) -> Proof:
    """A given c ≥ 1 of a number that says so, and is 0."""

    def prove(d: Derivation) -> None:
        c = sp.Symbol("c", real=True)
        d.domain("c is large", ge(c, 1))
        ACCEPTANCE.prove(d)

    def bind(p: Any, q: Any) -> dict[str, Any]:
        return {"p": p, "q": q, "V": len(p), "c": _Large(0) if wrong else Fraction(1)}

    return Proof(ACCEPTANCE.claim, prove, {}, bind)


# --- rules taken further ---


@steps_with_twin(RULES, OPAQUE)
def logarithm_of_a_product_below_zero(d: Derivation, wrong: bool) -> None:
    """log(v w) = log v + log w where v w > 0: both may be negative."""
    if wrong:
        d.derive("so", eq(sp.log(v * w), sp.log(v) + sp.log(w)), d.domain("a product", ge(v * w, 1)))
    else:
        d.derive("so", eq(sp.log(r * s), sp.log(r) + sp.log(s)))


@steps_with_twin(RULES, OPAQUE)
def logarithm_of_a_square_from_one_on(d: Derivation, wrong: bool) -> None:
    """log v² = 2 log v where v is not 0."""
    number = v if wrong else s
    d.derive("so", eq(sp.log(number**2), 2 * sp.log(number)), d.domain("not zero", ge(v**2, 1)))


@steps_with_twin(RULES, OPAQUE)
def logarithm_of_a_sum(d: Derivation, wrong: bool) -> None:
    """log Σ (1 + p) = Σ log(1 + p): the factors of a sum."""
    of_sum = sp.log(total(1 + p[x], x)) if wrong else total(sp.log(2 * (1 + p[x])), x)
    apart = total(sp.log(1 + p[x]), x) + (0 if wrong else V * sp.log(2))
    d.derive("so", eq(of_sum, apart))


@steps_with_twin(RULES, OPAQUE)
def power_of_zero(d: Derivation, wrong: bool) -> None:
    """0ⁿ = 0 for every n from 0 on: at 0 it is 1."""
    d.derive("so", eq(sp.Integer(0) ** (n if wrong else m), 0))


@steps_with_twin(RULES, OPAQUE)
def two_sequences_of_one_another(d: Derivation, wrong: bool) -> None:
    """A after n is B after n, which is A after n and 1 more."""
    A, B = (sp.IndexedBase(name, real=True) for name in "AB")
    _, first = d.recursion("one", eq(A[0], 0), eq(A[n + 1], B[n + 1] if wrong else A[n] + 1))
    _, other = d.recursion("another", eq(B[0], 0), eq(B[n + 1], A[n + 1] + 1))
    d.derive("so", eq(B[n + 1] - A[n + 1], 1), first, other)


@steps_with_twin(RULES, OPAQUE)
def place_of_the_largest_before_it_is_known(d: Derivation, wrong: bool) -> None:
    """A statement about a token called as the place of the largest; once that is defined, it is summed over all tokens."""
    place = sp.Symbol("most_at", integer=True) if wrong else y
    early = d.derive("of any token", ge(p[place], 0))
    _, _, attained = d.extremum("the largest", "most", p[x], x)
    d.sum("over all", d.derive("so", ge(p[place], 0), early, *([attained] if wrong else [])), place)


@steps_with_twin(RULES, OPAQUE)
def term_of_what_may_be_negative(d: Derivation, wrong: bool) -> None:
    """One term is at most all of a sum whose terms may be negative."""
    base = a if wrong else p
    d.term("so", d.derive("a term", ge(base[x] if not wrong else base[x] ** 2, 0)), x, y)
    if wrong:
        d.derive("hence", ge(total(a[x], x), a[y]))


@steps_with_twin(RULES, OPAQUE)
def mean_value_of_a_sum_to_a_real_number(d: Derivation, wrong: bool) -> None:
    """The slope of Σ up to v."""
    on = d.domain("on", ge(v, 0))
    rises = total(1, k, upto=sp.floor(v)) if wrong else v * total(p[x], x)
    slope = d.derive("the slope", ge(sp.Integer(1) if wrong else total(p[x], x), 0))
    d.increasing("so", rises, v, 0, slope, on)
