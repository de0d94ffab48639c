"""How far Algorithm 2 moves a law: an average of fractional parts, and what whole numbers add to it."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x, y
from proofs_check.metrics._whole_numbers import none_between
from proofs_check.sqs._algorithm_two import Rounded
from proofs_check.sqs._kept_tokens import Sparse, some_kept, values
from simspec.laws import Array

EVEN = "all fractional parts are M/K"


class Distance(NamedTuple):
    """The distance of the rounded law as m minus the parts of those rounded up, over ℓ."""

    each: Fact
    all: Fact
    average: Fact
    bounds: tuple[Fact, Fact, Fact]


def distance(d: Derivation, s: Sparse, r: Rounded, two: int = 2) -> Distance:
    """2 TV(q̃, q̂) = 2 (m − Σ up f)/ℓ, and K Σ up f ≥ m²."""
    f = r.f
    up = r.up
    u = s.u
    m = r.m
    gap = sp.Abs(s.law - r.law)
    law = d.smt("in units of 1/ℓ", eq(s.law - r.law, r.unit * (f[x] - up[x])), r.one, r.parts)
    apart = d.smt("a distance", eq(gap, r.unit * sp.Abs(f[x] - up[x])), law)
    size = d.smt(
        "one rounded down has its part too much, one rounded up too little",
        eq(sp.Abs(f[x] - up[x]), up[x] + f[x] - two * up[x] * f[x]), r.flag, r.low, r.high
    )  # fmt: skip
    per_token = d.derive(
        "rounding up moves a token by 1 − f, rounding down by f",
        eq(gap, r.unit * (up[x] + f[x] - two * up[x] * f[x])),
        apart, size, by="algebra"
    )  # fmt: skip
    per_token = d.sum("over the vocabulary", per_token, x)
    each_sum = d.derive(
        "as many are rounded up as the parts sum to",
        eq(total(gap, x), 2 * r.unit * (m - total(up[x] * f[x], x))),
        *(per_token, r.number),
    )
    inside_sum = d.summed("parts are of kept tokens", eq(u[x] * f[x], f[x]), s.flag, r.inside, r.low, by="smt")
    pairs = d.sum("over all pairs", r.order, x, y)
    average = d.smt(
        "those rounded up have at least the mean fractional part",
        ge(s.size * total(up[x] * f[x], x), m**2),
        pairs, r.number, inside_sum
    )  # fmt: skip
    bounds = (
        d.sum("over the vocabulary", r.low, x),
        d.sum("over the vocabulary", r.inside, x),
        d.summed("not negative", ge(up[x] * f[x], 0), r.flag, r.low, by="smt"),
    )
    return Distance(per_token, each_sum, average, bounds)


class Sharpest(NamedTuple):
    """The largest distance, and what has been shown of it."""

    worst: Any
    bound: Fact
    """TV ≤ worst."""
    half: Any
    least: Any
    """M = min(ℓ, ⌊K/2⌋)."""
    value: Fact
    """K ℓ worst = M (K − M)."""
    floor: tuple[Fact, ...]
    token: Fact


def sharpest(
    d: Derivation, s: Sparse, r: Rounded, distance_facts: Distance, step: sp.Expr | int = 1, constant: sp.Expr | int = 1
) -> Sharpest:
    """TV(q̃, q̂) ≤ M (K − M)/(K ℓ) with M = min(ℓ, ⌊K/2⌋)."""
    half = sp.Symbol("half", integer=True, nonnegative=True)
    m = r.m
    K = s.size
    kept_up = total(r.up[x] * r.f[x], x)
    floor = d.domain("half is K/2 rounded down", le(2 * half, K), le(K, 2 * half + 1))
    number = sp.Symbol("number", integer=True)
    count_meaning = d.define("as many as are rounded up", number, total(r.up[x], x))
    apart = none_between(d, number - half)
    apart = d.smt(
        "no whole number lies between two neighbours",
        ge((m - half) * (m - half - step), 0),
        apart,
        count_meaning,
        r.number,
    )
    worst_count = sp.Min(r.resolution, half)
    some = d.summed("counts are not negative", ge(r.n[x], 0))
    raised_at_most_units = d.smt("no more units are rounded up than there are", le(m, r.resolution), some, r.whole)
    best = d.smt(
        "the parabola m (K − m) rises up to K/2",
        le(m * (K - m), worst_count * (K - worst_count)),
        *floor,
        apart,
        raised_at_most_units,
    )
    mean = d.smt("m − m²/K at most", le(K * (m - kept_up), m * (K - m)), distance_facts.average)
    at_most = d.smt("the worst whole number m", le(K * (m - kept_up), worst_count * (K - worst_count)), mean, best)
    token = some_kept(d, s)
    worst = sp.Symbol("worst", real=True)
    meaning = d.define(
        "rounding at its worst", worst, constant * worst_count * (K - worst_count) / (K * r.resolution), token
    )
    value = d.derive("that is", eq(K * r.resolution * worst, constant * worst_count * (K - worst_count)), meaning)
    small = d.smt("divided by K", le(K * (m - kept_up), K * r.resolution * worst), at_most, value)
    small = d.smt("and not by zero", le(m - kept_up, r.resolution * worst), small, token)
    small = d.smt("over ℓ", le(r.unit * (m - kept_up), r.unit * r.resolution * worst), small)
    gap = sp.Abs(s.law - r.law)
    bound = d.smt("together", le(total(gap, x) / 2, worst), distance_facts.all, small, r.one)
    return Sharpest(worst, bound, half, worst_count, value, tuple(floor), token)


def attained(d: Derivation, s: Sparse, r: Rounded, distance_facts: Distance, h: Sharpest) -> Fact:
    """TV = worst where all fractional parts are M/K."""
    K = s.size
    m = r.m
    up = r.up
    even = d.domain(EVEN, eq(K * r.f[x], h.least * s.u[x]))
    parts = d.smt("then M are rounded up", eq(m, h.least), d.sum("over the vocabulary", even, x), h.token)
    raised_part = eq(K * (up[x] * r.f[x]), h.least * up[x])
    raised_part = d.summed("those rounded up are kept", raised_part, even, r.flag, r.kept, s.flag, by="smt")
    gap = total(sp.Abs(s.law - r.law), x)
    mean = eq(K * total(up[x] * r.f[x], x), h.least**2)
    mean = d.smt("and their parts are M/K each", mean, raised_part, parts, r.number)
    twice = d.smt("what all move", eq(r.resolution * gap / 2, m - total(up[x] * r.f[x], x)), distance_facts.all, r.one)
    scaled = eq(K * r.resolution * gap / 2, h.least * (K - h.least))
    scaled = d.smt("times K", scaled, twice, mean, parts)
    same = eq(K * r.resolution * (gap / 2 - h.worst), 0)
    same = d.smt("the same as the bound", same, scaled, h.value)
    size = d.derive("K ℓ is positive", gt(K * r.resolution, 0), h.token)
    return d.smt("so it is attained", eq(gap / 2, h.worst), same, size)


def sharp_values(q: Array, kept: Array, resolution: int) -> dict[str, Any]:
    """The symbols, with ⌊K/2⌋."""
    return {**values(q, kept, resolution), "half": int(kept.sum()) // 2}
