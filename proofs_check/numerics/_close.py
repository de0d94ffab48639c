"""Laws whose weights differ by factors from 1/ρ to ρ: their overlap, and what is given of them."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._truth_values import flags
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x, y
from simspec.claims.numerics.parts import CLOSE, laws_of
from simspec.laws import Array

__all__ = ["HIGHER", "Close", "apart", "bind", "close"]

WEIGHTS = "the weights of p are changed by r, and k is the ratio of their sums"
HIGHER = "g is 1 where p̂ is above p, else 0"
LEFT, RIGHT = sp.symbols("left_0 right_0", real=True)


class Close(NamedTuple):
    """Both laws (s is p̂), the changes r, ρ, k, and what is known of them."""

    p: Any
    s: Any
    r: Any
    rho: Any
    k: Any
    masses: list[Fact]
    near: list[Fact]
    rule: Fact
    positive: Fact


def close(d: Derivation, *at: sp.Symbol) -> Close:
    """p̂ = k r p with 1/ρ ≤ r ≤ ρ, for each value of the indices `at`; p is nowhere zero."""
    p, mass_p = d.law("p", *at)
    s, mass_s = d.law("s", *at)
    r = d.weights("r", *at, x)
    k_ = d.weights("k", *at) if at else d.number("k", positive=True)
    k = k_[at] if at else k_
    rho = d.number("rho", 1)
    near = d.assume(CLOSE, ge(rho * r[(*at, x)], 1), le(r[(*at, x)], rho))
    here = (*at, x)
    rule, positive = d.domain(WEIGHTS, eq(s[here], k * r[here] * p[here]), gt(p[here], 0))
    masses = [mass_p, mass_s]
    return Close(p=p, s=s, r=r, rho=rho, k=k, masses=masses, near=near, rule=rule, positive=positive)


def apart(d: Derivation, it: Close, *at: sp.Symbol) -> tuple[Any, list[Fact], Fact]:
    """Marks g of the tokens where p̂ is above p, what is given of them, and (ρ + 1) Σ g (p̂ − p) ≤ ρ − 1."""
    g_ = d.weights("g", *at, x)
    here = (*at, x)
    there = (*at, y)
    bit, above, below = d.domain(
        HIGHER,
        eq(g_[here] * (1 - g_[here]), 0),
        ge(g_[here] * (it.s[here] - it.p[here]), 0),
        le((1 - g_[here]) * (it.s[here] - it.p[here]), 0),
    )
    other_near = d.instantiate("of the other token", it.near[0], {x: y})
    other_rule = d.instantiate("of the other token", it.rule, {x: y})
    other_bit = d.instantiate("of the other token", bit, {x: y})
    low = [d.derive("not negative", ge(v, 0)) for v in (it.p[here], it.p[there], g_[here], g_[there], it.k)]
    size = d.derive("at least 1", ge(it.rho, 1), by="smt")
    factors = d.smt("two changes", ge(it.rho**2 * it.r[there] - it.r[here], 0), other_near, it.near[1], size)
    pair_weight = it.k * it.p[here] * it.p[there]
    pair = d.smt("of two tokens", ge(pair_weight * (it.rho**2 * it.r[there] - it.r[here]), 0), factors, *low)
    pair = d.smt(
        "as laws",
        ge(it.rho**2 * it.p[here] * it.s[there] - it.s[here] * it.p[there], 0),
        *(pair, it.rule, other_rule),
    )
    goal = g_[here] * (1 - g_[there]) * (it.rho**2 * it.p[here] * it.s[there] - it.s[here] * it.p[there])
    pair_of_marks = d.smt("one above, one not", ge(g_[here] * (1 - g_[there]), 0), other_bit, bit, *low)
    pair = d.smt("one above, one not", ge(goal, 0), pair, pair_of_marks)
    pairs = d.sum("over pairs of tokens", pair, x, y)
    S = total(g_[here] * it.s[here], x)
    P = total(g_[here] * it.p[here], x)
    odds = ge(it.rho**2 * P * (1 - S) - S * (1 - P), 0)
    odds = d.derive("the odds grow by at most ρ²", odds, pairs, *it.masses, by="smt")
    u = P + 1 - S
    square = d.derive("a square", ge((P - 1 + S) ** 2, 0))
    square = d.smt("the same", ge(u**2 - 4 * P * (1 - S), 0), square)
    product = ge(((it.rho + 1) * u / 2 - 1) * ((it.rho - 1) * u / 2 + 1), 0)
    product = d.smt("so two factors have a product that is not negative", product, odds, square, size)
    mass = d.derive("a mass", ge(it.s[here], 0))
    parts = [
        d.sum("a mass", d.smt("not negative", ge(g_[here] * it.p[here], 0), *low), x),
        d.sum("a mass", d.smt("not negative", ge((1 - g_[here]) * it.s[here], 0), bit, mass), x),
    ]
    rest = d.smt("what both leave", ge(u, 0), *parts, it.masses[1])
    second = d.smt("the second is positive", gt((it.rho - 1) * u / 2 + 1, 0), rest, size)
    first = d.instantiate(
        "so the first is not negative",
        _cancelled(d),
        {LEFT: (it.rho + 1) * u / 2 - 1, RIGHT: (it.rho - 1) * u / 2 + 1},
        product,
        second,
    )
    goal_ = le((it.rho + 1) * (S - P), it.rho - 1)
    return g_, [bit, above, below], d.smt("that is", goal_, first)


def _cancelled(d: Derivation) -> Fact:
    """A number is not negative if its product with a positive one is not."""
    conditions = d.suppose("the product with a positive number", ge(LEFT * RIGHT, 0), gt(RIGHT, 0))
    return d.smt("the other factor", ge(LEFT, 0), *conditions)


def bind(w: Array, change: Array, rho: Any) -> dict[str, Any]:
    """What the names stand for."""
    p, s = laws_of(w, change)
    return {
        **{"p": p, "s": s, "r": change, "rho": rho, "k": w.sum() / (w * change).sum()},
        **{"g": flags(s > p), "V": len(w)},
    }
