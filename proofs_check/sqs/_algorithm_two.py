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


def rounded(d: Derivation, s: Sparse, sign: int = 1, half: Any = sp.S.Half) -> Rounded:
    """Lines 6 to 16 of Algorithm 2 and their outcome; `sign` and `half` are for mutations."""
    u = s.u
    resolution = d.number("resolution", positive=True)
    unit = sp.Symbol("unit", positive=True)
    meaning = d.define("one unit of mass", unit, 1 / resolution)
    one = d.derive("ℓ of them are all", eq(resolution * unit, 1), meaning)
    n, h, lowered, raised = (d.weights(name) for name in ("n", "h", "lowered", "raised"))
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
    m = total(f[x], x)
    # the sum
    law_sum = d.derive("the kept law has mass one", eq(total(resolution * s.law, x), resolution), s.kept_mass)
    sums = d.sum("over the vocabulary", parts, x)
    whole = d.derive("whole and fractional parts make ℓ", eq(total(n[x], x), resolution - m), sums, law_sum)
    # what is not kept
    at_zero = d.smt("n f = … outside", le((1 - u[x]) * (f[x] + n[x]), 0), parts, s.flag)
    outside = d.smt("outside the kept tokens there is nothing", eq(n[x], n[x] * u[x]), at_zero, low, s.flag)
    inside = d.smt("a kept token's part is below one", le(f[x], u[x]), at_zero, low, high, s.flag)
    some = d.sum("over the vocabulary", low, x)
    most = d.sum("over the vocabulary", inside, x)
    # no more tokens change than there are
    over = d.smt(
        "rounding up adds at most ½", le(h[x] - f[x], u[x] / 2), *(nearest[0], nearest[2], low, s.flag, nearest[1])
    )
    under = d.smt(
        "rounding down takes at most ½",
        le(f[x] - h[x], u[x] / 2),
        *(nearest[0], nearest[3], inside, s.flag, nearest[1]),
    )
    over, under = d.sum("over the vocabulary", over, x), d.sum("over the vocabulary", under, x)
    some_kept = d.summed("a number of tokens", ge(u[x], 0))
    rise, fall = total(h[x], x) - m, m - total(h[x], x)
    lose = d.smt(
        "as many lose one as the sum is too large",
        eq(total(lowered[x], x), sp.Max(rise, 0)),
        *(losing[2], whole, over, under, some_kept),
    )
    gain = d.smt(
        "as many gain one as the sum is too small",
        eq(total(raised[x], x), sp.Max(fall, 0)),
        *(gaining[2], whole, over, under, some_kept),
    )
    # who loses had been rounded up
    pair = d.summed(
        "a token that was rounded down is not lowered before one that was rounded up",
        le(lowered[x] * (1 - h[x]) * (1 - lowered[y]) * h[y], 0),
        losing[0], losing[3], nearest[0], low, at_y["high"], at_y["lost"], at_y["h"], at_y["hu"], at_y["u"],
        at_y["lu"], over=(x, y), by="smt",
    )  # fmt: skip
    wrong = d.smt("lowered, though rounded down", ge(lowered[x] * (1 - h[x]), 0), nearest[0])
    none = d.sum("over the vocabulary", wrong, x)
    none = d.smt("there is none", eq(total(lowered[x] * (1 - h[x]), x), 0), pair, none, lose, some)
    each = d.term("so each", wrong, x, y)
    was_up = d.smt(
        "whoever loses one had been rounded up",
        eq(lowered[y], lowered[y] * h[y]),
        *(each, none, d.instantiate("y", wrong, {x: y})),
    )
    # who gains had been rounded down
    pair = d.summed(
        "a token that was rounded up is not raised before one that was rounded down",
        le(raised[x] * h[x] * (u[y] - h[y] - raised[y] + raised[y] * h[y]), 0),
        gaining[0], gaining[3], nearest[0], high, at_y["low"], at_y["rose"], at_y["h"], at_y["hu"], at_y["u"],
        at_y["ru"], over=(x, y), by="smt",
    )  # fmt: skip
    wrong = d.derive("raised, though rounded up", ge(raised[x] * h[x], 0))
    none = d.sum("over the vocabulary", wrong, x)
    part = d.summed("a part of them", le(raised[x] * h[x], raised[x]), nearest[0], by="smt")
    none = d.smt("there is none", eq(total(raised[x] * h[x], x), 0), pair, none, part, gain, most)
    each = d.term("so each", wrong, x, y)
    was_down = d.smt(
        "whoever gains one had been rounded down",
        eq(raised[y] * h[y], 0),
        *(each, none, d.instantiate("y", wrong, {x: y})),
    )
    # not both
    both = d.derive(
        "the sum is not too large and too small", eq(total(lowered[x], x) * total(raised[x], x), 0), lose, gain
    )
    product = d.derive("a product", ge(lowered[x] * total(raised[y], y), 0))
    product = d.term("one that loses", product, x, y)
    with_it = d.smt("with it none gains", le(lowered[y] * total(raised[x], x), 0), product, both)
    some_up = d.term("one that gains", d.derive("a product", ge(lowered[y] * raised[x], 0)), x, z)
    apart = d.smt(
        "so no two",
        eq(lowered[y] * raised[z], 0),
        *(some_up, with_it, d.derive("a product of flags", ge(lowered[y] * raised[z], 0))),
    )
    # the outcome
    up = sp.IndexedBase("up", real=True)
    outcome = d.define("what is rounded up in the end", up[x], h[x] - lowered[x] + raised[x])
    was_up = d.instantiate("of x", was_up, {y: x})
    was_down = d.instantiate("of x", was_down, {y: x})
    flag = d.smt(
        "rounded up or down, never further",
        eq(up[x] ** 2, up[x]),
        *(outcome, nearest[0], losing[0], gaining[0], was_up, was_down),
    )
    kept = d.smt(
        "only kept tokens",
        le(up[x], u[x]),
        *(outcome, nearest[0], nearest[1], losing[0], gaining[0], was_up, was_down, gaining[1]),
    )
    number = d.derive("the sum is mended", eq(total(up[x], x), m), d.sum("over the vocabulary", outcome, x), lose, gain)
    facts = (
        nearest[0],
        nearest[1],
        nearest[2],
        nearest[3],
        losing[0],
        losing[1],
        gaining[0],
        gaining[1],
        was_up,
        was_down,
        s.flag,
    )
    other = tuple(d.instantiate("of y", fact, {x: y}) for fact in facts)
    swapped = d.instantiate("the other way", losing[3], {x: y, y: x})
    crossed = (
        d.instantiate("of these two", apart, {y: x, z: y}),
        d.instantiate("of these two", apart, {z: x}),
        d.instantiate("of these two", apart, {z: y}),
        d.instantiate("of these two", apart, {y: x, z: x}),
    )
    order = d.smt(
        "the largest fractional parts are rounded up",
        ge(up[x] * (u[y] - up[y]) * (f[x] - f[y]), 0),
        outcome, d.instantiate("of y", outcome, {x: y}), swapped, gaining[3], *facts, *other, *crossed,
    )  # fmt: skip
    return Rounded(
        resolution, unit, one, n, f, up, m, parts, low, high, inside, outside, whole, flag, kept, number, order
    )
