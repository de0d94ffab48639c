"""greedy.tree-margin: the law with one token above m equal ones is the nearest to a uniform one, by tangents of the logarithm.

Also how the certificate grows with the branches: its slope is not negative, since log y ≤ y − 1, and it has no limit.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._logarithms import SOME, Logs, logs
from proofs_check.ears._truth_values import flag, flags, truth, zeros
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import case_of, hot
from simspec.claims.authoring import F
from simspec.claims.claim import Instance
from simspec.claims.greedy.trees import INCREASING, LIMIT, LIMIT_CORRECTED, TREE_MARGIN, drafted, ranked
from simspec.claims.relaxed.certificate_margin import margin
from simspec.laws import Array

FINITE = "q is positive where p is"
MISSED = "t marks m tokens other than a; each has of q no less than a, and of p at least the margin less than a"


class Margin(NamedTuple):
    """The margin, the branches, the logarithms of 1 + mδ and of 1 − δ (0 at δ = 1), and what is known of them."""

    lg: Logs
    delta: Any
    m: Any
    f: Any
    is_f: list[Fact]
    high: Any
    up: Any
    down: Any
    sizes: list[Fact]


def _margin(d: Derivation) -> Margin:
    lg = logs(d)
    delta = d.number("delta_", 0, 1)
    m = d.number("m", positive=True)
    f, is_f = truth(d, "f", 1 - delta)
    high = 1 + m * delta
    sizes = [d.derive("positive", gt(high, 0)), is_f[2]]
    up = sp.log(high)
    down = sp.log(1 - delta + f)
    return Margin(lg=lg, delta=delta, m=m, f=f, is_f=is_f, high=high, up=up, down=down, sizes=sizes)


def _certificate(at: Margin) -> Any:
    """The closed form."""
    return (at.high * at.up + at.m * (1 - at.delta) * at.down) / (at.m + 1)


def _signs(d: Derivation, at: Margin) -> list[Fact]:
    """log(1 + mδ) ≥ 0, log(1 − δ) ≤ 0, and log(1 + mδ) + m log(1 − δ) ≤ 0 below δ = 1."""
    lg = at.lg
    unit = sp.Integer(1)
    unit_positive = d.derive("positive", gt(unit, 0))
    above = d.instantiate("log(1 + mδ)", lg.tangent, {lg.v: at.high, lg.w: unit}, at.sizes[0], unit_positive)
    above = d.smt("is not negative", ge(at.up, 0), above, at.sizes[0])
    upper_line = d.instantiate("log(1 + mδ)", lg.tangent, {lg.v: unit, lg.w: at.high}, at.sizes[0], unit_positive)
    line = d.instantiate("log(1 − δ)", lg.tangent, {lg.v: unit, lg.w: 1 - at.delta + at.f}, unit_positive, at.sizes[1])
    under = d.smt("is not positive", le((1 - at.f) * at.down, 0), line, *at.is_f)
    weighed = le((1 - at.f) * (at.up + at.m * at.down), 0)
    weighed = d.smt("nor are both", weighed, upper_line, line, *at.is_f, at.sizes[0])
    return [above, under, weighed]


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size above the number of branches, every p, and every q that is positive where p is.

    Attained for every margin and number of branches, by p = ((1 + mδ), 1 − δ, …, 1 − δ)/(m + 1) and the uniform q.
    """
    at = _margin(d)
    lg = at.lg
    delta = at.delta
    m = at.m
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    a = d.weights("a")
    t = d.weights("t")
    first = d.number("p_1", 0)
    Q = d.number("Q_1", 0)
    z, is_z = zeros(d, "z", p)
    finite = d.domain(FINITE, gt(q[x] + z[x], 0))
    marks = d.domain(
        MISSED,
        *(eq(a[x] * (1 - a[x]), 0), eq(t[x] * (1 - t[x]), 0), eq(a[x] * t[x], 0)),
        *(eq(total(a[x], x), 1), eq(total(t[x], x), m), eq(a[x] * p[x], a[x] * first), eq(a[x] * q[x], a[x] * Q)),
        *(ge(t[x] * (q[x] - Q), 0), le(t[x] * p[x], t[x] * (first - delta))),
    )
    term = sp.IndexedBase("D", real=True)
    P = p[x] + z[x]
    R = q[x] + z[x]
    adds = d.define("what a token adds to KL", term[x], p[x] * (sp.log(P) - sp.log(R)), is_z[2], finite)
    low = [d.derive("masses are not negative", ge(w, 0)) for w in (p[x], q[x])]
    mass_beside_a = ge(p[x] - a[x] * first, 0)
    mass_beside_a = d.smt("one token's mass is a part", mass_beside_a, low[0], marks[0], marks[5])
    mass_beside_a = d.sum("over the vocabulary", mass_beside_a, x)
    at_most_one = d.smt("no mass is above 1", le(first, 1), mass_beside_a, marks[3], mass_p)
    share = 1 + m * delta * a[x] - delta * t[x]
    goal = ge(term[x], a[x] * p[x] * at.up + t[x] * p[x] * at.down + p[x] - q[x] * share)
    base = [*is_z, finite, *low, *at.sizes, *at.is_f]

    def by_tangent(factor: Any, log: Any, scale: list[Fact], *extra: Fact) -> Any:
        def of_token(on: list[Fact]) -> Fact:
            right = d.smt("positive", gt(R * factor, 0), finite, *scale)
            line = d.instantiate("the tangent", lg.tangent, {lg.v: P, lg.w: R * factor}, is_z[2], right)
            split = d.instantiate("log of the product", lg.product, {lg.v: R, lg.w: factor}, finite, *scale)
            line = d.smt("that is", ge(P * (sp.log(P) - sp.log(R) - log), P - R * factor), line, split, *base)
            return d.smt("of this token", goal, line, adds, *on, *extra, *base)

        return of_token

    def plain(on: list[Fact]) -> Fact:
        line = d.instantiate("the tangent", lg.tangent, {lg.v: P, lg.w: R}, is_z[2], finite)
        return d.smt("of this token", goal, line, adds, *on, *base)

    none = d.smt(
        "with all the margin the others have nothing",
        le(at.f * t[x] * p[x], 0),
        marks[8],
        *at.is_f,
        at_most_one,
        marks[1],
    )
    ways = (
        by_tangent(at.high, at.up, [at.sizes[0]]),
        by_tangent(1 - delta + at.f, at.down, [at.sizes[1]], none),
        plain,
    )
    sums = d.sum("over the vocabulary", case_of(d, "from below", marks[:3], (a, t), ways), x)
    rest = total(t[x] * p[x], x)
    lows = [
        d.sum("the masses of a", d.derive("its mass", eq(a[x] * p[x], a[x] * first), marks[5]), x),
        d.sum("and of q", d.derive("its mass", eq(a[x] * q[x], a[x] * Q), marks[6]), x),
        d.sum("and of the others", d.derive("their masses", ge(t[x] * q[x], t[x] * Q), marks[7], by="smt"), x),
    ]
    far = d.smt(
        "together",
        ge(total(term[x], x), first * at.up + rest * at.down),
        *(sums, *lows, marks[3], marks[4], mass_p, mass_q, *at.sizes),
    )
    under = d.sum("the others' masses", marks[8], x)
    under = d.smt("are at most the first less the margin", le(rest, m * (first - delta)), under, marks[4])
    within = ge(p[x] - a[x] * p[x] - t[x] * p[x], 0)
    within = d.sum("over the vocabulary", d.smt("apart", within, *marks[:3], low[0]), x)
    within = d.smt("and with it at most 1", le(first + rest, 1), within, lows[0], marks[3], mass_p)
    not_negative = d.sum("masses", d.smt("a mass", ge(t[x] * p[x], 0), low[0], marks[1]), x)
    above, below, weighed = _signs(d, at)
    scaled = ge((m + 1) * (first * at.up + rest * at.down), at.high * at.up + m * (1 - delta) * at.down)
    gone = d.case("with all the margin", ge(at.f, sp.S.Half))
    full_margin = d.smt("δ is 1", eq(delta, 1), at.is_f[0], gone)
    bare = d.smt("there is one token", eq(first, 1), full_margin, under, not_negative, at_most_one)
    bare_rest = d.smt("alone", eq(rest, 0), full_margin, under, not_negative, at_most_one)
    case_gone = d.smt("equality", scaled, full_margin, bare, bare_rest, *at.sizes)
    usual = d.case("with less", le(at.f, sp.S.Half))
    zero = d.smt("f is 0", eq(at.f, 0), at.is_f[1], usual)
    pull = ge((at.up - at.down) * (m * (first - delta) - rest), 0)
    pull = d.smt("the margin", pull, above, below, under, zero, *at.sizes)
    push = ge(-(at.up + m * at.down) * (1 - first - rest), 0)
    push = d.smt("the mass", push, weighed, within, zero, *at.sizes)
    case_usual = d.smt("weighed", scaled, pull, push, *at.sizes)
    scaled = d.cases("whether δ is 1", case_gone, case_usual)
    value = _certificate(at)
    over = ge(first * at.up + rest * at.down, value)
    over = d.smt("over m + 1", over, scaled, *at.sizes)
    far = d.smt("KL from below", ge(total(term[x], x), sign * constant * value), far, over, *at.sizes)
    near = _extreme(d, at)
    d.qed(far, near, d.derive("that is", eq(-near.relation.lhs, -value), near, *at.sizes))


def _extreme(d: Derivation, at: Margin) -> Fact:
    """KL of the extreme law from the uniform one, token by token."""
    size = at.m + 1
    lg = at.lg
    inverse = d.derive("positive", gt(1 / size, 0))
    logs_ = [
        d.instantiate("log of the product", lg.product, {lg.v: number, lg.w: 1 / size}, fact, inverse)
        for number, fact in ((at.high, at.sizes[0]), (1 - at.delta + at.f, at.sizes[1]))
    ]
    top = sp.log(at.high / size)
    bottom = sp.log((1 - at.delta + at.f) / size)
    unit = sp.log(1 / size)
    sum_ = at.high / size * (top - unit) + at.m * (1 - at.delta) / size * (bottom - unit)
    parts = [
        d.derive("its logarithm", eq(e, f.relation.rhs), f, *at.sizes)
        for e, f in zip((top, bottom), logs_, strict=True)
    ]
    return d.derive("of m + 1 tokens", eq(sum_, _certificate(at)), *parts, *at.sizes)


def prove_increasing(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every margin and every number of branches.

    Equality at δ = 0 alone.
    """
    at = _margin(d)
    v = d.number("v_m", positive=True)
    lg = at.lg
    high = 1 + v * at.delta
    down = sp.Symbol("B", real=True)
    named = d.define("log(1 − δ)", down, at.down, at.sizes[1])
    form = (high * sp.log(high) + v * (1 - at.delta) * down) / (v + 1)
    size = d.derive("positive", gt(high, 0))
    line = d.instantiate(
        "log(1 + vδ) against log(1 − δ)", lg.tangent, {lg.v: 1 - at.delta + at.f, lg.w: high}, at.sizes[1], size
    )
    slope = ge(sp.diff(form, v), 0)
    scaled = ge(at.delta * (v + 1) - (1 - at.delta) * (sp.log(high) - down), 0)
    scaled = d.smt("log y is at most y − 1", scaled, line, named, *at.is_f, size)
    slope = d.smt("the slope is not negative", slope, scaled, size, at.sizes[1])
    beyond = d.case("more branches", ge(v, at.m))
    grows = d.increasing("it grows", form, v, at.m, slope, beyond)
    there = d.derive("one more", ge(at.m + 1, at.m))
    grows = d.instantiate("one more", grows, {v: at.m + 1}, there)
    next_value = (1 + (at.m + 1) * at.delta) * sp.log(1 + (at.m + 1) * at.delta) + (at.m + 1) * (1 - at.delta) * at.down
    goal = ge(sign * next_value / (at.m + 2), constant * _certificate(at))
    d.qed(d.smt("so it is no smaller", goal, grows, named, *at.sizes))


def prove_limit(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every margin and every number of branches.

    What is beside δ log(1 + mδ) + (1 − δ) log(1 − δ) is not negative and tends to 0.
    """
    at = _margin(d)
    rest = (1 - at.delta) / (at.m + 1) * (at.up - at.down)
    value = at.delta * at.up + (1 - at.delta) * at.down + sign * rest
    d.qed(d.derive("in other order", eq(constant * _certificate(at), value), *at.sizes))


def _values(p: Array, q: Array, m: int) -> dict[str, Any]:
    first = ranked(p)[0]
    missed = drafted(p, q, m)
    return {
        **{**SOME, "p": p, "q": q, "V": len(p), "z": flags(p == 0), "m": m, **_of_margin(margin(p), m)},
        **{"a": hot(len(p), first), "t": flags([y in missed for y in range(len(p))]), "p_1": p[first], "Q_1": q[first]},
    }


def _of_margin(delta: Any, m: int) -> dict[str, Any]:
    return {**SOME, "delta_": delta, "m": m, "f": flag(delta == 1), "v_m": m}


def _above(limit: int) -> Iterator[Instance]:
    """Margins of small denominators, by the number of branches."""
    return (
        {"delta": F(numerator, denominator), "m": m}
        for m in range(1, limit)
        for denominator in range(2, 11)
        for numerator in range(1, denominator)
    )


PROOFS = (
    Proof(TREE_MARGIN, prove, drop=MISSED, bind=_values),
    Proof(INCREASING, prove_increasing, drop="f is 1 where 1 - delta_ is 0, else 0", bind=_of_margin),
    Refutation(
        LIMIT,
        lambda: _above(40),
        scope="the first by branches, then by the denominator of the margin, up to tenths",
        repaired={"the growth that is left out": LIMIT_CORRECTED, "ten branches or fewer": lambda: _above(11)},
    ),
    Proof(LIMIT_CORRECTED, prove_limit, drop="f is 1 where 1 - delta_ is 0, else 0", bind=_of_margin),
)
