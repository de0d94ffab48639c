"""Truth values as numbers: which tokens have mass, whether two laws are proportional, when statements are equivalent."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._relaxed_step import Emitted, Step
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, lt, total, x

__all__ = [
    "Proportional",
    "equivalent",
    "flag",
    "flags",
    "if_proportional",
    "proportional",
    "proportional_if",
    "truth",
    "zeros",
]


def zeros(d: Derivation, name: str, weights: sp.IndexedBase) -> tuple[Any, list[Fact]]:
    """A number for each token: 1 where a weight ≥ 0 is 0, else 0."""
    z = sp.IndexedBase(name, nonnegative=True)
    text = f"{name} is 1 where {weights.label} is 0, else 0"
    facts = d.domain(text, eq(z[x] * weights[x], 0), eq(z[x] * (1 - z[x]), 0), gt(weights[x] + z[x], 0))
    return z, facts


def truth(d: Derivation, name: str, number: sp.Expr) -> tuple[Any, list[Fact]]:
    """Whether a number ≥ 0 is 0: 1 or 0."""
    flag = sp.Symbol(name, real=True)
    return flag, d.domain(
        f"{name} is 1 where {number} is 0, else 0", eq(flag * number, 0), eq(flag * (1 - flag), 0), gt(number + flag, 0)
    )


def flag(holds: bool) -> F:
    """Its value on an instance."""
    return F(bool(holds))


def flags(holds: Any) -> list[F]:
    """Its values, token by token."""
    return [F(bool(h)) for h in holds]


def equivalent(
    d: Derivation,
    first_number: sp.Symbol,
    second_number: sp.Expr,
    only_if: Callable[..., Any],
    if_: Callable[..., Any],
    signs: tuple[Fact, Fact],
) -> Fact:
    """That two numbers ≥ 0 vanish together, as equality of their truth values.

    `only_if` derives other ≤ 0 from the fact one ≤ 0, and `if_` the converse; `signs` say that neither is negative.
    """
    (first_, is_one) = truth(d, "I", first_number)
    (second_, is_other) = truth(d, "J", second_number)
    goal = eq(first_, second_)
    truth_facts = [*is_one, *is_other, *signs]
    zero = d.case(f"{first_number} vanishes", le(first_number, 0))
    first = d.smt("so both do", goal, zero, only_if(zero), *truth_facts)
    first_positive = d.case(f"{first_number} does not vanish", gt(first_number, 0))
    zero = d.case(f"{second_number} vanishes", le(second_number, 0))
    second = d.smt("which cannot be", goal, zero, if_(zero), first_positive, *truth_facts)
    positive = d.case(f"{second_number} does not vanish", gt(second_number, 0))
    third = d.smt("neither does", goal, positive, first_positive, *truth_facts)
    return d.cases(
        f"whether {first_number} vanishes", d.cases(f"whether {second_number} vanishes", third, second), first
    )


class Proportional(NamedTuple):
    """Whether q is a multiple of p on the support of p (z is 1 outside)."""

    z: Any
    is_zero: list[Fact]
    S: Any
    mass: Fact
    """S is q's mass on the support."""
    D: Any
    far: Fact
    """D = Σ |q − S p| there, which is 0 exactly when q is a multiple."""


def proportional(
    d: Derivation, s: Step, z: sp.IndexedBase, is_zero: list[Fact], constant: sp.Expr | int = 1
) -> Proportional:
    """Names for S and D."""
    S = sp.Symbol("S", real=True)
    D = sp.Symbol("D", real=True)
    mass = d.define("the draft's mass on the support of p", S, total((1 - z[x]) * s.q[x], x))
    far = d.define(
        "how far q is from a multiple of p there", D, total(sp.Abs((1 - z[x]) * (constant * s.q[x] - S * s.p[x])), x)
    )
    return Proportional(z, is_zero, S, mass, D, far)


def proportional_if(d: Derivation, s: Step, near: Proportional, out: Emitted, multiple: Fact) -> Fact:
    """D ≤ 0, from min(p, q) = κ p for every token."""
    z, is_zero, S, mass, D, far = near
    kappa = out.kappa
    goal = le(D, 0)
    little = d.case("κ is below 1", lt(kappa, 1))
    some = d.smt(
        "where p > 0, min(p, q) = κ p < p is q", eq((1 - z[x]) * s.q[x], kappa * s.p[x]), *(multiple, little, *is_zero)
    )
    some_mass = d.sum("over the vocabulary", some, x)
    share = d.smt("so q has the mass κ there", eq(S, kappa), some_mass, mass, s.mass_p)
    scaled_draft = d.summed(
        "q = S p there", le(sp.Abs((1 - z[x]) * (s.q[x] - S * s.p[x])), 0), some, share, *is_zero, by="smt"
    )
    first_case = d.smt("so q is proportional to p", goal, scaled_draft, far)
    all_ = d.case("κ is 1", ge(kappa, 1))
    above = d.smt("min(p, q) is all of p", ge(s.q[x] - s.p[x], 0), multiple, all_)
    single = d.term("a draft that covers p", above, x)
    equal = d.smt("has nothing to spare: q = p", eq(s.q[x], s.p[x]), above, single, s.mass_p, s.mass_q)
    some = d.smt("all its mass is on the support of p", eq((1 - z[x]) * s.q[x], s.p[x]), equal, *is_zero)
    share = d.smt("so S is 1", eq(S, 1), d.sum("over the vocabulary", some, x), mass, s.mass_p)
    scaled_draft = d.summed(
        "q = S p there", le(sp.Abs((1 - z[x]) * (s.q[x] - S * s.p[x])), 0), some, share, *is_zero, by="smt"
    )
    second_case = d.smt("so q is proportional to p", goal, scaled_draft, far)
    return d.cases("whether every draft is accepted", first_case, second_case)


def if_proportional(d: Derivation, s: Step, near: Proportional, gone: Fact, out: Emitted, rule: Fact) -> Fact:
    """min(p, q) = κ p for every token, from D ≤ 0 (`gone`), for a rule that keeps min(p, q)."""
    z, is_zero, S, mass, _, far = near
    size = d.derive("a distance from S p is not negative", ge(sp.Abs((1 - z[x]) * (s.q[x] - S * s.p[x])), 0))
    single = d.term("one of them is at most their sum", size, x)
    scaled_draft = d.smt("so q = S p on the support of p", eq((1 - z[x]) * (s.q[x] - S * s.p[x]), 0), single, far, gone)
    within = d.summed("part of the draft", le((1 - z[x]) * s.q[x], s.q[x]), is_zero[1])
    share_at_most_one = d.smt("its mass there is at most 1", le(S, 1), within, mass, s.mass_q)
    positive = d.summed("and not negative", ge((1 - z[x]) * s.q[x], 0), is_zero[1], by="smt")
    share_nonnegative = d.smt("in all", ge(S, 0), positive, mass)
    shared = d.smt(
        "so what is kept is S p",
        eq(sp.Min(s.p[x], s.q[x]), S * s.p[x]),
        scaled_draft,
        share_at_most_one,
        share_nonnegative,
        *is_zero,
    )
    sums = d.sum("over the vocabulary", shared, x)
    rule = d.sum("what is kept in all", rule, x)
    rate = d.smt("and κ = S", eq(out.kappa, S), sums, rule, out.rate, s.mass_p)
    return d.smt("so it is κ p", eq(sp.Min(s.p[x], s.q[x]), out.kappa * s.p[x]), shared, rate)
