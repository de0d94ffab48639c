"""Algorithm 2 on a sparsified law, as SQS claims need it: it rounds each ℓq̃ down or up, the largest fractional parts up.

The definitions mirror the algorithm: nearest integer (either way at ½), then the sum is mended where ζ is extreme (any ties).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, lt, total, x, y, z
from proofs_check.sqs._kept_tokens import Sparse


class Rounded(NamedTuple):
    """What Algorithm 2 returns, b = n + up, and what has been shown of it."""

    resolution: Any
    unit: Any
    """1/ℓ."""
    one: Fact
    """ℓ unit = 1."""
    n: Any
    f: Any
    up: Any
    m: sp.Expr
    """Σ f, how many are rounded up."""
    parts: Fact
    """f = ℓq̃ − n."""
    low: Fact
    high: Fact
    inside: Fact
    """f ≤ u."""
    outside: Fact
    """n = n u: no count outside the kept tokens."""
    whole: Fact
    """Σ n + Σ f = ℓ."""
    flag: Fact
    """up is 0 or 1."""
    kept: Fact
    """up ≤ u."""
    number: Fact
    """Σ up = Σ f."""
    order: Fact
    """Whoever is rounded up has no smaller fractional part than a kept token that is not."""

    @property
    def counts(self) -> sp.Expr:
        """b(x)."""
        return self.n[x] + self.up[x]

    @property
    def law(self) -> sp.Expr:
        """q̂(x) = b(x)/ℓ."""
        return self.unit * self.counts


class Algorithm(NamedTuple):
    """Lines 6 to 16 of Algorithm 2 as facts about x; h, lowered and raised are 0 or 1, and 0 outside the kept tokens."""

    s: Sparse
    resolution: Any
    unit: Any
    one: Fact
    n: Any
    f: Any
    parts: Fact
    low: Fact
    high: Fact
    """Whole and fractional part: f = ℓq̃ − n, 0 ≤ f < 1."""
    h: Any
    nearest: list[Fact]
    """h = 1: the nearest integer is above."""
    lowered: Any
    losing: list[Fact]
    """The largest h − f lose one, as many as the sum is too large."""
    raised: Any
    gaining: list[Fact]
    """The smallest gain one, as many as it is too small."""
    at_y: dict[str, Fact]
    """Some of the facts, about y."""


def algorithm(d: Derivation, s: Sparse, sign: int = 1, half: sp.Expr = sp.S.Half) -> Algorithm:
    """What the algorithm does; `sign` and `half` are for mutations."""
    u = s.u
    resolution = d.number("resolution", positive=True)
    unit = sp.Symbol("unit", positive=True)
    meaning = d.define("one unit of mass", unit, 1 / resolution)
    total_is_one = d.derive("ℓ of them are all", eq(resolution * unit, 1), meaning)
    n = d.weights("n")
    h, lowered, raised = (sp.IndexedBase(k, integer=True, nonnegative=True) for k in ("h", "lowered", "raised"))
    f = sp.IndexedBase("f", real=True)
    parts, low, high = d.domain(
        "whole and fractional part", eq(f[x], resolution * s.law - n[x]), ge(f[x], 0), lt(f[x], 1)
    )
    nearest = d.domain(
        "rounding to the nearest",
        eq(h[x] ** 2, h[x]),
        le(h[x], u[x]),
        ge(h[x] * (f[x] - half), 0),
        ge((u[x] - h[x]) * (half - f[x]), 0),
    )
    excess = total(n[x] + h[x], x) - resolution
    zeta = {t: h[t] - f[t] for t in (x, y)}
    losing = d.domain(
        "the largest ζ lose one",
        eq(lowered[x] ** 2, lowered[x]),
        le(lowered[x], u[x]),
        eq(total(lowered[x], x), sp.Min(sp.Max(excess, 0), s.size)),
        ge(lowered[x] * (u[y] - lowered[y]) * sign * (zeta[x] - zeta[y]), 0),
    )
    gaining = d.domain(
        "the smallest ζ gain one",
        eq(raised[x] ** 2, raised[x]),
        le(raised[x], u[x]),
        eq(total(raised[x], x), sp.Min(sp.Max(-excess, 0), s.size)),
        ge(raised[x] * (u[y] - raised[y]) * sign * (zeta[y] - zeta[x]), 0),
    )
    at_y = {name: d.instantiate("the same of y", fact, {x: y}) for name, fact in (
        ("low", low), ("high", high), ("u", s.flag), ("h", nearest[0]), ("hu", nearest[1]),
        ("lost", losing[0]), ("lu", losing[1]), ("rose", gaining[0]), ("ru", gaining[1]),
    )}  # fmt: skip
    return Algorithm(
        s=s,
        resolution=resolution,
        unit=unit,
        one=total_is_one,
        n=n,
        f=f,
        parts=parts,
        low=low,
        high=high,
        h=h,
        nearest=nearest,
        lowered=lowered,
        losing=losing,
        raised=raised,
        gaining=gaining,
        at_y=at_y,
    )


def rounded(d: Derivation, s: Sparse, sign: int = 1, half: sp.Expr = sp.S.Half) -> Rounded:
    """Lines 6 to 16 of Algorithm 2 and their outcome; `sign` and `half` are for mutations."""
    a = algorithm(d, s, sign, half)
    f = a.f
    n = a.n
    u = s.u
    m = total(f[x], x)
    law_sum = d.derive("the kept law has mass one", eq(total(a.resolution * s.law, x), a.resolution), s.accepted_mass)
    sums = d.sum("over the vocabulary", a.parts, x)
    parts_sum = d.derive("whole and fractional parts make ℓ", eq(total(n[x], x), a.resolution - m), sums, law_sum)
    at_zero = d.smt("n f = … outside", le((1 - u[x]) * (f[x] + n[x]), 0), a.parts, s.flag)
    outside = d.smt("outside the kept tokens there is nothing", eq(n[x], n[x] * u[x]), at_zero, a.low, s.flag)
    inside = d.smt("a kept token's part is below one", le(f[x], u[x]), at_zero, a.low, a.high, s.flag)
    some = d.sum("over the vocabulary", a.low, x)
    fraction_bound = d.sum("over the vocabulary", inside, x)
    lose, gain = _as_many(d, a, parts_sum, inside)
    was_up = _lowered_was_up(d, a, lose, some)
    was_down = _raised_was_down(d, a, gain, fraction_bound)
    apart = _never_both(d, a, lose, gain)
    up = sp.IndexedBase("up", integer=True)
    outcome = d.define("what is rounded up in the end", up[x], a.h[x] - a.lowered[x] + a.raised[x])
    was = d.instantiate("of x", was_up, {y: x}), d.instantiate("of x", was_down, {y: x})
    nearest = a.nearest
    losing = a.losing
    gaining = a.gaining
    flags = (losing[0], gaining[0], *was)
    flag = d.smt("rounded up or down, never further", eq(up[x] ** 2, up[x]), outcome, nearest[0], *flags)
    up_within_support = d.smt("only kept tokens", le(up[x], u[x]), outcome, *nearest[:2], *flags, gaining[1])
    number = d.derive("the sum is mended", eq(total(up[x], x), m), d.sum("over the vocabulary", outcome, x), lose, gain)
    order = _in_order(d, a, outcome, was, apart)
    return Rounded(
        resolution=a.resolution,
        unit=a.unit,
        one=a.one,
        n=n,
        f=f,
        up=up,
        m=m,
        parts=a.parts,
        low=a.low,
        high=a.high,
        inside=inside,
        outside=outside,
        whole=parts_sum,
        flag=flag,
        kept=up_within_support,
        number=number,
        order=order,
    )


def _as_many(d: Derivation, a: Algorithm, parts_sum: Fact, inside: Fact) -> tuple[Fact, Fact]:
    """As many tokens lose or gain one as the sum is off; no more than there are."""
    h = a.h
    f = a.f
    u = a.s.u
    nearest = a.nearest
    flag = a.s.flag
    m = total(f[x], x)
    over = d.smt(
        "rounding up adds at most ½", le(h[x] - f[x], u[x] / 2), *(nearest[0], nearest[2], a.low, flag, nearest[1])
    )
    under = d.smt(
        "rounding down takes at most ½", le(f[x] - h[x], u[x] / 2), *(nearest[0], nearest[3], inside, flag, nearest[1])
    )
    over = d.sum("over the vocabulary", over, x)
    under = d.sum("over the vocabulary", under, x)
    some_kept = d.summed("a number of tokens", ge(u[x], 0))
    rise = total(h[x], x) - m
    fall = m - total(h[x], x)
    lose = d.smt(
        "as many lose one as the sum is too large",
        eq(total(a.lowered[x], x), sp.Max(rise, 0)),
        *(a.losing[2], parts_sum, over, under, some_kept),
    )
    gain = d.smt(
        "as many gain one as the sum is too small",
        eq(total(a.raised[x], x), sp.Max(fall, 0)),
        *(a.gaining[2], parts_sum, over, under, some_kept),
    )
    return lose, gain


def _lowered_was_up(d: Derivation, a: Algorithm, lose: Fact, some: Fact) -> Fact:
    """Whoever loses one had been rounded up."""
    h = a.h
    lowered = a.lowered
    nearest = a.nearest
    at_y = a.at_y
    premises = [
        a.losing[0],
        a.losing[3],
        nearest[0],
        a.low,
        at_y["high"],
        at_y["lost"],
        at_y["h"],
        at_y["hu"],
        at_y["u"],
        at_y["lu"],
    ]
    pair = d.summed(
        "a token that was rounded down is not lowered before one that was rounded up",
        le(lowered[x] * (1 - h[x]) * (1 - lowered[y]) * h[y], 0),
        *premises, over=(x, y), by="smt",
    )  # fmt: skip
    wrong = d.smt("lowered, though rounded down", ge(lowered[x] * (1 - h[x]), 0), nearest[0])
    none = d.sum("over the vocabulary", wrong, x)
    none = d.smt("there is none", eq(total(lowered[x] * (1 - h[x]), x), 0), pair, none, lose, some)
    per_token = d.term("so each", wrong, x, y)
    return d.smt(
        "whoever loses one had been rounded up",
        eq(lowered[y], lowered[y] * h[y]),
        *(per_token, none, d.instantiate("y", wrong, {x: y})),
    )


def _raised_was_down(d: Derivation, a: Algorithm, gain: Fact, gain_at_most: Fact) -> Fact:
    """Whoever gains one had been rounded down."""
    h = a.h
    raised = a.raised
    u = a.s.u
    nearest = a.nearest
    at_y = a.at_y
    premises = [
        a.gaining[0],
        a.gaining[3],
        nearest[0],
        a.high,
        at_y["low"],
        at_y["rose"],
        at_y["h"],
        at_y["hu"],
        at_y["u"],
        at_y["ru"],
    ]
    pair = d.summed(
        "a token that was rounded up is not raised before one that was rounded down",
        le(raised[x] * h[x] * (u[y] - h[y] - raised[y] + raised[y] * h[y]), 0),
        *premises, over=(x, y), by="smt",
    )  # fmt: skip
    wrong = d.derive("raised, though rounded up", ge(raised[x] * h[x], 0))
    none = d.sum("over the vocabulary", wrong, x)
    raised_share = d.summed("a part of them", le(raised[x] * h[x], raised[x]), nearest[0], by="smt")
    none = d.smt("there is none", eq(total(raised[x] * h[x], x), 0), pair, none, raised_share, gain, gain_at_most)
    per_pair = d.term("so each", wrong, x, y)
    return d.smt(
        "whoever gains one had been rounded down",
        eq(raised[y] * h[y], 0),
        *(per_pair, none, d.instantiate("y", wrong, {x: y})),
    )


def _never_both(d: Derivation, a: Algorithm, lose: Fact, gain: Fact) -> Fact:
    """No token y loses one while a token z gains one."""
    lowered = a.lowered
    raised = a.raised
    no_pair_of_moves = d.derive(
        "the sum is not too large and too small", eq(total(lowered[x], x) * total(raised[x], x), 0), lose, gain
    )
    product = d.derive("a product", ge(lowered[x] * total(raised[y], y), 0))
    product = d.term("one that loses", product, x, y)
    with_it = d.smt("with it none gains", le(lowered[y] * total(raised[x], x), 0), product, no_pair_of_moves)
    some_up = d.term("one that gains", d.derive("a product", ge(lowered[y] * raised[x], 0)), x, z)
    return d.smt(
        "so no two",
        eq(lowered[y] * raised[z], 0),
        *(some_up, with_it, d.derive("a product of flags", ge(lowered[y] * raised[z], 0))),
    )


def _in_order(d: Derivation, a: Algorithm, outcome: Fact, was: tuple[Fact, Fact], apart: Fact) -> Fact:
    """Whoever is rounded up has no smaller fractional part than a kept token that is not.

    `was`: that x had been rounded up if it loses one, and down if it gains one.
    """
    up = outcome.relation.lhs
    u = a.s.u
    f = a.f
    facts = (*a.nearest, *a.losing[:2], *a.gaining[:2], *was, a.s.flag)
    facts_of_y = tuple(d.instantiate("of y", fact, {x: y}) for fact in facts)
    swapped = d.instantiate("the other way", a.losing[3], {x: y, y: x})
    pairs: tuple[dict[Any, Any], ...] = ({y: x, z: y}, {z: x}, {z: y}, {y: x, z: x})
    crossed = tuple(d.instantiate("of these two", apart, pair) for pair in pairs)
    premises = [outcome, d.instantiate("of y", outcome, {x: y}), swapped, a.gaining[3], *facts, *facts_of_y, *crossed]
    return d.smt(
        "the largest fractional parts are rounded up",
        ge(up * (u[y] - up.subs(x, y)) * (f[x] - f[y]), 0),
        *premises,
    )  # fmt: skip
