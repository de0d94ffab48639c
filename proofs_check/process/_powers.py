"""Powers of marks are marks, and powers keep the order of numbers that are not negative: by induction on the exponent."""

from __future__ import annotations

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt

__all__ = ["above_zero", "counter", "exponent", "of_mark", "ordered"]

counter = sp.Symbol("m", integer=True, nonnegative=True)
exponent = sp.Symbol("e", integer=True, nonnegative=True)
"""The exponent of an instance, one less than the inverse of its temperature; the counter goes through all of them."""


def ordered(d: Derivation, weight: sp.Expr, larger: sp.Expr, smaller: sp.Expr, first: Fact) -> Fact:
    """From w (a − b) ≥ 0 the same of powers, w (aᵐ − bᵐ) ≥ 0 at the exponent; neither a nor b is negative."""
    m = counter
    statement = ge(weight * (larger**m - smaller**m), 0)
    before = d.suppose(f"powers keep the order of {larger} and {smaller}", statement)
    larger_times = d.derive("times the larger", ge(larger * weight * (larger**m - smaller**m), 0), before, by="smt")
    smaller_times = d.derive("times a power", ge(smaller**m * weight * (larger - smaller), 0), first, by="smt")
    base = d.derive("the power 0", statement.replace({m: 0}))
    step = d.derive("one more", statement.replace({m: m + 1}), larger_times, smaller_times, by="smt")
    every_power = d.induction("for every power", statement, m, base, step)
    return d.instantiate("at the exponent", every_power, {m: exponent})


def of_mark(d: Derivation, mark: sp.Expr, bit: Fact) -> Fact:
    """bᵐ⁺¹ = b at the exponent, for a mark b that is 0 or 1."""
    m = counter
    statement = eq(mark ** (m + 1), mark)
    before = d.suppose(f"a power of the mark {mark} is the mark", statement)
    base = d.derive("the power 1", statement.replace({m: 0}))
    step = d.derive("one more", statement.replace({m: m + 1}), before, bit, by="smt")
    every_power = d.induction("for every power", statement, m, base, step)
    return d.instantiate("at the exponent", every_power, {m: exponent})


def above_zero(d: Derivation, mark: sp.Expr, number: sp.Expr, bit: Fact, positive: Fact) -> Fact:
    """From b = 1 or v > 0 that b = 1 or vᵐ > 0 at the exponent."""
    m = counter
    statement = gt(mark + number**m, 0)
    before = d.suppose(f"a power of {number} is positive, or {mark} is 1", statement)
    base = d.derive("the power 0", statement.replace({m: 0}), bit, by="smt")
    step = d.derive("one more", statement.replace({m: m + 1}), before, bit, positive, by="smt")
    every_power = d.induction("for every power", statement, m, base, step)
    return d.instantiate("at the exponent", every_power, {m: exponent})
