"""parallel.marginal-half: what the marginal is from a row is what the others are from q, the row itself left out."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, le, total, x, y, z
from proofs_check.parallel._marginal import Two, marginal_of
from simspec.claims.parallel.marginal_half import MARGINAL_HALF, MARGINAL_HALF_SHARP
from simspec.laws import Array

Q_MASS = "q sums to one"


def _apart(d: Derivation, sign: int) -> tuple[Two, Any, Fact, list[Fact]]:
    """Σ_z a Σ_x |P − m| ≤ 2 Σ_z a (1 − a) Σ_x |P − q|, and that the overlaps are one minus half of such sums."""
    it = marginal_of(d)
    a = it.a
    P = it.P
    m = it.m
    q, mass_q = d.law("q")
    D = P[z, x] - q[x]
    far = total(a[z] * sp.Abs(D), z)
    mean = d.derive("the others on average", eq(a[z] * D, a[z] * P[z, x] - a[z] * q[x]))
    mean = d.sum("over the first token", mean, z)
    mean = d.smt("the marginal from q", eq(total(a[z] * D, z), m[x] - q[x]), mean, it.is_m, it.mass_a)
    low = d.derive("a mass", ge(a[z], 0))
    sides = {}
    for side in (1, -1):
        above = d.smt("no more than its size", ge(a[z] * sp.Abs(D), side * a[z] * D), low)
        sides[side] = d.term("without one row", above, z, y)
    a_y = a[y]
    D_y = P[y, x] - q[x]
    size = d.derive("a mass", ge(a_y, 0))
    at_most_one = d.term("at most one", low, z, y)
    at_most_one = d.smt("at most one", le(a_y, 1), at_most_one, it.mass_a)
    row_bound = le(sp.Abs(P[y, x] - m[x]), (1 - sign * 2 * a_y) * sp.Abs(D_y) + far)
    row_bound = d.smt("of a row", row_bound, sides[1], sides[-1], mean, size, at_most_one)
    row_bound = d.smt(
        "weighed", le(a_y * sp.Abs(P[y, x] - m[x]), a_y * ((1 - 2 * a_y) * sp.Abs(D_y) + far)), row_bound, size
    )
    row_bound = d.sum("over the rows", row_bound, y)
    rows = total(a[z] * sp.Abs(P[z, x] - m[x]), z)
    weighed = total(a[z] * (1 - a[z]) * sp.Abs(D), z)
    row_bound = d.derive("in all", le(rows, 2 * weighed), row_bound, it.mass_a, by="smt")
    summed_bound = d.sum("over the second token", row_bound, x)
    shared = []
    for law_fact, mass in ((m, it.mass_m), (q, mass_q)):
        split = eq(sp.Min(P[z, x], law_fact[x]), (P[z, x] + law_fact[x] - sp.Abs(P[z, x] - law_fact[x])) / 2)
        split = d.sum("over the second token", d.derive("the smaller of two masses", split), x)
        split = d.smt(
            "what is rejected after a first token",
            eq(1 - total(sp.Min(P[z, x], law_fact[x]), x), total(sp.Abs(P[z, x] - law_fact[x]), x) / 2),
            split,
            mass,
            it.mass_P,
        )
        shared.append(split)
    return it, q, summed_bound, shared


def sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    Attained by two first tokens of any probabilities that each decide the second one.
    """
    it, q, summed_bound, shared = _apart(d, sign)
    d.qed(_conclusion(d, it, q, [summed_bound], shared, constant, 1 - it.a[z]))


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    2 is the least constant: one first token in many that turns the second one comes as near as one likes.
    """
    it, q, summed_bound, shared = _apart(d, sign)
    low = d.derive("a mass", ge(it.a[z], 0))
    weaker = d.smt(
        "no more without the factor",
        ge(it.a[z] * sp.Abs(it.P[z, x] - q[x]), it.a[z] * (1 - it.a[z]) * sp.Abs(it.P[z, x] - q[x])),
        low,
    )
    weaker = d.sum("over both tokens", d.sum("over the first token", weaker, z), x)
    goal = _conclusion(d, it, q, [summed_bound, weaker], shared, constant, sp.S.One)
    d.qed(goal)


def _conclusion(
    d: Derivation, it: Two, q: Any, premises: list[Fact], shared: list[Fact], constant: int, factor: Any
) -> Fact:
    """The bound in terms of what is rejected, each first token's rejection weighed by a factor."""
    a = it.a
    P = it.P
    m = it.m
    marginal = d.derive(
        "weighed",
        eq(
            a[z] * (1 - total(sp.Min(P[z, x], m[x]), x)),
            a[z] * total(sp.Abs(P[z, x] - m[x]), x) / 2,
        ),
        shared[0],
    )
    marginal = d.sum("the marginal's", marginal, z)
    law_fact = d.derive(
        "weighed",
        eq(
            a[z] * factor * (1 - total(sp.Min(P[z, x], q[x]), x)),
            a[z] * factor * total(sp.Abs(P[z, x] - q[x]), x) / 2,
        ),
        shared[1],
    )
    law_fact = d.sum("the law's", law_fact, z)
    goal = le(
        constant * total(a[z] * (1 - total(sp.Min(P[z, x], m[x]), x)), z),
        2 * total(a[z] * factor * (1 - total(sp.Min(P[z, x], q[x]), x)), z),
    )
    return d.derive("together", goal, marginal, law_fact, *premises, by="smt")


def _values(a: Array, P: Array, q: Array) -> dict[str, Any]:
    return {"a": a, "P": P, "q": q, "V": len(a)}


PROOFS = (
    Proof(MARGINAL_HALF, prove, drop=Q_MASS, bind=_values),
    Proof(MARGINAL_HALF_SHARP, sharp, drop=Q_MASS, bind=_values),
)
