"""How far Algorithm 2 moves a law: an average of fractional parts, and what whole numbers add to it."""

from __future__ import annotations

from collections import namedtuple
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x, y
from proofs_check.sqs._algorithm_two import Rounded
from proofs_check.sqs._kept_tokens import Sparse, some_kept, values

Distance = namedtuple("Distance", "each all average bounds")
"""The distance of the rounded law as m minus the parts of those rounded up, over ℓ."""


def distance(d: Derivation, s: Sparse, r: Rounded, two: int = 2) -> Distance:
    """2 TV(q̃, q̂) = 2 (m − Σ up f)/ℓ, and K Σ up f ≥ m²."""
    f, up, u, m = r.f, r.up, s.u, r.m
    gap = sp.Abs(s.law - r.law)
    law = d.derive("in units of 1/ℓ", eq(s.law - r.law, r.unit * (f[x] - up[x])), r.one, r.parts, by="smt")
    apart = d.derive("a distance", eq(gap, r.unit * sp.Abs(f[x] - up[x])), law, by="smt")
    size = d.derive(
        "one rounded down has its part too much, one rounded up too little",
        eq(sp.Abs(f[x] - up[x]), up[x] + f[x] - two * up[x] * f[x]), r.flag, r.low, r.high, by="smt"
    )  # fmt: skip
    each = d.derive(
        "rounding up moves a token by 1 − f, rounding down by f",
        eq(gap, r.unit * (up[x] + f[x] - two * up[x] * f[x])),
        apart, size, by="algebra"
    )  # fmt: skip
    each = d.sum("over the vocabulary", each, x)
    each_sum = d.derive(
        "as many are rounded up as the parts sum to",
        eq(total(gap, x), 2 * r.unit * (m - total(up[x] * f[x], x))),
        each,
        r.number,
    )
    inside_sum = d.summed("parts are of kept tokens", eq(u[x] * f[x], f[x]), s.flag, r.inside, r.low, by="smt")
    pairs = d.sum("over all pairs", r.order, x, y)
    average = d.derive(
        "those rounded up have at least the mean fractional part",
        ge(s.size * total(up[x] * f[x], x), m**2),
        pairs, r.number, inside_sum, by="smt"
    )  # fmt: skip
    bounds = (
        d.sum("over the vocabulary", r.low, x),
        d.sum("over the vocabulary", r.inside, x),
        d.summed("not negative", ge(up[x] * f[x], 0), r.flag, r.low, by="smt"),
    )
    return Distance(each, each_sum, average, bounds)


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


def sharpest(d: Derivation, s: Sparse, r: Rounded, moved: Distance, step: Any = 1, constant: Any = 1) -> Sharpest:
    """TV(q̃, q̂) ≤ M (K − M)/(K ℓ) with M = min(ℓ, ⌊K/2⌋)."""
    half = d.number("half", low=0)
    m, K, kept_up = r.m, s.size, total(r.up[x] * r.f[x], x)
    floor = d.domain("half is K/2 rounded down", le(2 * half, K), le(K, 2 * half + 1))
    apart = d.domain("no whole number lies between two neighbours", ge((m - half) * (m - half - step), 0))
    least = sp.Min(r.resolution, half)
    some = d.summed("counts are not negative", ge(r.n[x], 0))
    few = d.derive("no more units are rounded up than there are", le(m, r.resolution), some, r.whole, by="smt")
    best = d.derive(
        "the parabola m (K − m) rises up to K/2", le(m * (K - m), least * (K - least)), *floor, apart, few, by="smt"
    )
    mean = d.derive("m − m²/K at most", le(K * (m - kept_up), m * (K - m)), moved.average, by="smt")
    at_most = d.derive("the worst whole number m", le(K * (m - kept_up), least * (K - least)), mean, best, by="smt")
    token = some_kept(d, s)
    worst = sp.Symbol("worst", real=True)
    meaning = d.define("rounding at its worst", worst, constant * least * (K - least) / (K * r.resolution), token)
    value = d.derive("that is", eq(K * r.resolution * worst, constant * least * (K - least)), meaning)
    small = d.derive("divided by K", le(K * (m - kept_up), K * r.resolution * worst), at_most, value, by="smt")
    small = d.derive("and not by zero", le(m - kept_up, r.resolution * worst), small, token, by="smt")
    small = d.derive("over ℓ", le(r.unit * (m - kept_up), r.unit * r.resolution * worst), small, by="smt")
    gap = sp.Abs(s.law - r.law)
    bound = d.derive("together", le(total(gap, x) / 2, worst), moved.all, small, r.one, by="smt")
    return Sharpest(worst, bound, half, least, value, tuple(floor), token)


def attained(d: Derivation, s: Sparse, r: Rounded, moved: Distance, h: Sharpest) -> Fact:
    """TV = worst where all fractional parts are M/K."""
    K, m, up = s.size, r.m, r.up
    even = d.suppose("all fractional parts are M/K", eq(K * r.f[x], h.least * s.u[x]))
    parts = d.sum("over the vocabulary", even, x)
    parts = d.derive("then M are rounded up", eq(m, h.least), parts, h.token, by="smt")
    one = eq(K * (up[x] * r.f[x]), h.least * up[x])
    one = d.summed("those rounded up are kept", one, even, r.flag, r.kept, s.flag, by="smt")
    gap = total(sp.Abs(s.law - r.law), x)
    mean = eq(K * total(up[x] * r.f[x], x), h.least**2)
    mean = d.derive("and their parts are M/K each", mean, one, parts, r.number, by="smt")
    twice = d.derive(
        "what all move", eq(r.resolution * gap / 2, m - total(up[x] * r.f[x], x)), moved.all, r.one, by="smt"
    )
    scaled = eq(K * r.resolution * gap / 2, h.least * (K - h.least))
    scaled = d.derive("times K", scaled, twice, mean, parts, by="smt")
    same = eq(K * r.resolution * (gap / 2 - h.worst), 0)
    same = d.derive("the same as the bound", same, scaled, h.value, by="smt")
    size = d.derive("K ℓ is positive", gt(K * r.resolution, 0), h.token)
    return d.derive("so it is attained", eq(gap / 2, h.worst), same, size, by="smt")


def never_all(d: Derivation, s: Sparse, r: Rounded, h: Sharpest) -> Fact:
    """worst ≤ 1 − 1/K."""
    K = s.size
    each = d.derive("a kept token", ge(s.u[x], 0))
    each = d.term("one of them", each, x, y)
    each = d.derive(
        "mass is on no more tokens than K", le(s.u[y] * s.q[y], K * s.u[y] * s.q[y]), each, _flag(d, s), by="smt"
    )
    some = d.sum("over the vocabulary", each, y)
    some = d.derive("so K ≥ 1", ge(K, 1), some, s.kept_mass, by="smt")
    whole = d.domain("half is a whole number", ge(h.half * (h.half - 1), 0))
    units = d.domain("at least one unit", ge(r.resolution, 1))
    none = d.derive("M is 0, or from 1 to ℓ", ge(h.least * (h.least - 1), 0), whole, units, by="smt")
    goal = le(K * r.resolution * h.worst, r.resolution * (K - 1))
    goal = d.derive("times K ℓ", goal, h.value, none, units, some, *h.floor, by="smt")
    return d.derive("never above 1 − 1/K", le(K * h.worst, K - 1), goal, units, by="smt")


def _flag(d: Derivation, s: Sparse) -> Fact:
    return d.instantiate("of y", s.flag, {x: y})


def sharp_values(q: Any, kept: Any, resolution: int) -> dict[str, Any]:
    """The symbols, with ⌊K/2⌋."""
    return {**values(q, kept, resolution), "half": int(kept.sum()) // 2}
