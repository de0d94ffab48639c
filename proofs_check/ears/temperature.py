"""ears.temperature: the powers (u / max u)^a fall as a grows, and the largest probability is one over their sum."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import grows
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from simspec.claims import balls
from simspec.claims.ears.temperature import HOTTER, TEMPERATURE
from simspec.laws import Array, normalise


class Heated:
    """The law proportional to u^a: powers over the largest, their sum, and the largest probability."""

    def __init__(
        self,
        d: Derivation,
        letter: str,
        power: sp.Symbol,
        L: sp.IndexedBase,
        top: sp.Symbol,
        none_above: Fact,
        attained: Fact,
    ) -> None:
        """Define the law proportional to u^a and derive that its largest probability is at least one over the sum of powers."""
        at = sp.Symbol("M_at", integer=True)
        self.power = sp.IndexedBase(f"v_{letter}", real=True)
        self.meaning = d.define("a weight's power over the largest", self.power[x], sp.exp(power * (L[x] - top)))
        never = d.derive("powers are positive", gt(self.power[x], 0), self.meaning)
        at_largest = d.instantiate("at the largest weight", self.meaning, {x: at})
        at_largest = d.derive("the power is 1", eq(self.power[at], 1), at_largest, attained)
        self.sum = sp.Symbol(f"S_{letter}", real=True)
        self.mass = d.define("their sum", self.sum, total(self.power[x], x))
        term = d.instantiate("that of the largest weight", d.term("one term", never, x), {x: at})
        self.positive = d.smt("so the sum is at least 1", ge(self.sum, 1), term, at_largest, self.mass)
        p = sp.IndexedBase(f"p_{letter}", real=True)
        law = d.define("the law", p[x], self.power[x] / self.sum, self.positive)
        self.peak, above, reached = d.extremum("its largest probability", f"m_{letter}", p[x], x)
        peak_bound = d.instantiate("no less than that of the largest weight", above, {x: at})
        there = d.instantiate("its probability", law, {x: at})
        self.least = d.smt("which is 1/S", ge(self.peak * self.sum, 1), peak_bound, there, at_largest, self.positive)
        self.law, self.reached = law, reached


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all positive weights, all real exponents 0 ≤ b ≤ a, β ≥ 0.

    The constant 1 is the least: equality at uniform weights, for all a and b.
    """
    g, delta, grow = grows(d)
    a = d.number("a", low=0)
    b = d.number("b", low=0)
    beta = d.number("beta", low=0)
    order = d.assume(HOTTER, le(b, a))
    L = sp.IndexedBase("L", real=True)  # u = exp(L)
    top, none_above, attained = d.extremum("the largest weight is exp(M), u = exp(L)", "M", L[x], x)
    cold = Heated(d, "a", a, L, top, none_above, attained)
    hot = Heated(d, "b", b, L, top, none_above, attained)

    gap_nonnegative = d.smt("a weight is at most the largest", ge((a - b) * (top - L[x]), 0), order, none_above)
    values = {g: a * (L[x] - top), delta: (a - b) * (top - L[x])}
    powers_ordered = d.instantiate("exp grows", grow, values, gap_nonnegative)
    goal = ge(hot.power[x], sign * constant * cold.power[x])
    powers_ordered = d.summed("so no power grows with the exponent", goal, powers_ordered, hot.meaning, cold.meaning)
    sums = d.smt("nor does their sum", ge(hot.sum, cold.sum), powers_ordered, hot.mass, cold.mass)

    never = d.smt("a weight is at most the largest", ge(b * (top - L[x]), 0), none_above)
    power_at_most_one = d.instantiate("exp grows", grow, {g: b * (L[x] - top), delta: b * (top - L[x])}, never)
    power_at_most_one = d.derive("so no power exceeds 1", le(hot.power[x], 1), power_at_most_one, hot.meaning)
    at = sp.Symbol("m_b_at", integer=True)
    power_at_most_one = d.instantiate("nor that of the token", power_at_most_one, {x: at})
    there = d.instantiate("of the law", hot.law, {x: at})
    peak = d.smt(
        "so no probability exceeds 1/S", le(hot.peak * hot.sum, 1), hot.reached, there, power_at_most_one, hot.positive
    )
    peaks = d.smt(
        "the largest probability grows with a",
        le(hot.peak, cold.peak),
        *(peak, cold.least, sums, cold.positive, hot.positive),
    )
    d.qed(d.smt("so the tolerance falls", ge(beta * (1 - hot.peak), beta * (1 - cold.peak)), peaks))


def bind(u: Array, a: int, b: int, beta: Fraction) -> dict[str, Any]:
    L = balls.log(u)
    return {
        **{"L": L, "M": L[u.argmax()], "a": a, "b": b, "beta": beta, "g": 0, "delta": 0, "V": len(u)},
        **{"m_a": max(normalise(u**a)), "m_b": max(normalise(u**b))},
    }


PROOF = Proof(TEMPERATURE, prove, drop=HOTTER, bind=bind)
