"""What an override can cost: values lie between 0 and 1, and a replacement is worth at most α more than the average."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x
from proofs_check.pad._steps_and_values import Models, grow, h, replaced, state

__all__ = ["Range", "Rates", "above_average", "accepted_or_replaced", "between", "rates"]


class Range(NamedTuple):
    """Values after a token and of a replacement, from below and from above."""

    low: Fact
    high: Fact
    least: Fact
    most: Fact


class Rates(NamedTuple):
    """SD's acceptance rate α, and the mass that the target (the draft) has beyond the other: 1 − α."""

    alpha: Any
    residual: Fact
    rejected: Fact
    low: Fact
    high: Fact


def between(d: Derivation, m: Models) -> Range:
    """All values lie between 0 and 1, as the utilities do."""
    low, high = d.domain("utilities lie between 0 and 1", ge(m.utility[state], 0), le(m.utility[state], 1))
    p = m.p[state, x]
    r = m.r[state, x]
    U = m.U
    after = m.U[h, m.step[state, x]]
    mass = d.derive("masses are not negative", ge(p, 0))
    bounds = []
    for text, statement, end in (
        ("no value is negative", ge(U[h, state], 0), low),
        ("no value is above one", le(U[h, state], 1), high),
    ):
        base = d.derive("a finished text", statement.replace({h: 0}), m.finished, end)
        premises = [m.earlier, m.mass_p]
        for_every_h = grow(d, m, p, mass, statement, base, *premises, text=text)
        bounds.append(d.instantiate("after a token", for_every_h, {state: m.step[state, x]}))
    low, high = bounds
    replacement_nonnegative = d.summed("a replacement", ge(r * after, 0), low, then="over replacements")
    replacement_at_most_one = d.summed("a replacement", le(r * after, r), high, then="over replacements")
    replacement_at_most_one = d.derive(
        "no replacement is worth more than one", le(replaced(m, after), 1), replacement_at_most_one, m.mass_r
    )
    return Range(low, high, replacement_nonnegative, replacement_at_most_one)


def rates(d: Derivation, m: Models) -> Rates:
    """Acceptance and rejection add up to one."""
    p = m.p[state, x]
    q = m.q[state, x]
    alpha = total(sp.Min(p, q), x)
    of_p = d.summed("the target's mass", eq(p, sp.Min(p, q) + sp.Max(p - q, 0)))
    of_q = d.summed("the draft's mass", eq(q, sp.Min(p, q) + sp.Max(q - p, 0)))
    return Rates(
        alpha,
        d.smt("the residual's mass", eq(total(sp.Max(p - q, 0), x), 1 - alpha), of_p, m.mass_p),
        d.smt("the rejected mass", eq(total(sp.Max(q - p, 0), x), 1 - alpha), of_q, m.mass_q),
        d.summed("the smaller of two masses", ge(sp.Min(p, q), 0)),
        d.derive("a rate", le(alpha, 1), d.summed("the smaller of two masses", le(sp.Min(p, q), p)), m.mass_p),
    )


def accepted_or_replaced(d: Derivation, m: Models, among: Range) -> tuple[Fact, Fact]:
    """The average by speculative decoding: what is accepted, and the replacement; the first part is not negative."""
    p = m.p[state, x]
    q = m.q[state, x]
    r = m.r[state, x]
    after = m.U[h, m.step[state, x]]
    mean = d.summed(
        "the target writes what speculative decoding accepts, or the replacement",
        eq(p * after, sp.Min(p, q) * after + total(sp.Max(p - q, 0), x) * r * after),
        m.residual,
        by="smt",
    )
    return mean, d.summed("what is accepted is worth something", ge(sp.Min(p, q) * after, 0), among.low)


def above_average(d: Derivation, m: Models, among: Range, rate: Rates) -> Fact:
    """The replacement is worth at most the acceptance rate more than the average: U_r − U ≤ α."""
    after = m.U[h, m.step[state, x]]
    mean, accepted = accepted_or_replaced(d, m, among)
    return d.derive(
        "a replacement is worth at most α more than the average",
        le(replaced(m, after) - m.U[h + 1, state], rate.alpha),
        *(m.earlier, mean, accepted, rate.residual, rate.low, among.most),
    )
