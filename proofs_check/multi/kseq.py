"""multi.kseq-lossless and others: one threshold for all drafts, and how often a draft passes it."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, le, total, x, y
from proofs_check.multi._kseq import INVERSE, A, B, K, all_refused, n, passing, values
from proofs_check.multi._over_rrs import proof as over_rrs
from proofs_check.multi._recursive import by_size
from simspec.claims.multi import kseq as claims
from simspec.claims.multi.parts import iid_best, rho_steps
from simspec.claims.multi.transport import drawn
from simspec.laws import Array
from simspec.laws.unchecked import normalise
from simspec.methods.multi.kseq import kseq_rho
from simspec.methods.multi.optimum import optimum, subset_value

T, out, v, u, E, S = (sp.IndexedBase(name, real=True) for name in ("T", "out", "v", "u", "E", "S"))
SET = "the optimum is that of a set (see multi.subset)"
STRICT = "ρ is at least ρ*"
NORMED = "drawn in the end is p without what was kept, over its sum"


def prove_lossless(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts and every ρ that is at least ρ*."""
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    r = d.weights("r")
    rho = d.number("rho", positive=True)
    c = d.number("c", 0)
    inverse = d.domain(INVERSE, eq(c * rho, 1))
    b, low, high = passing(d, p, q, c, mass_q)
    m = sp.Min(c * p[x], q[x])
    start, on, some, _ = all_refused(d, b, low, high)
    none, tests_step = d.recursion("tests", eq(T[0], 0), eq(T[n + 1], T[n] + sign * A[n]))
    accepted_law, also = d.recursion("kept so far", eq(out[0, x], 0), eq(out[n + 1, x], out[n, x] + A[n] * m))
    strict = d.assume(STRICT, le(T[K], rho))
    normed = d.domain(NORMED, eq(r[x] * total(sp.Max(p[y] - sp.Min(c * p[y], q[y]) * T[K], 0), y), left_over(p, q, c)))
    accepted_law = d.inductive(
        "kept in n tests",
        eq(out[n, x], m * T[n]),
        n,
        [accepted_law, none],
        [also, tests_step, d.suppose("in n tests", eq(out[n, x], m * T[n]))],
    )
    ends = d.inductive(
        "tests that fail",
        eq(b * T[n], 1 - A[n]),
        n,
        [none, start],
        [tests_step, on, d.suppose("fail", eq(b * T[n], 1 - A[n]))],
    )
    accepted_law, ends, some = (d.instantiate("in all tests", f, {n: K}) for f in (accepted_law, ends, some))
    t = sp.Symbol("t", real=True)
    named = d.define("in short", t, T[K])
    times = d.derive("times ρ at most p", le(m * rho, p[x]), inverse, by="smt")
    enough = d.derive("a mass", ge(m, 0))
    within_p = d.smt("no more is kept than p has", le(m * t, p[x]), times, enough, strict, named)
    over = d.derive("what is left", eq(left_over(p, q, c), p[x] - m * T[K]), within_p, named, by="smt")
    sums = d.sum("over the vocabulary", over, x)
    rest = d.derive("as often as none is kept", eq(total(left_over(p, q, c), x), A[K]), sums, ends, mass)
    again = d.derive("drawn in the end", eq(r[x] * A[K], constant * (p[x] - m * T[K])), normed, rest, over)
    first = d.derive("either way", eq(out[K, x] + A[K] * r[x], p[x]), accepted_law, again)
    d.qed(first, _at_most_k(d, p, q, mass_q))


def left_over(p: sp.IndexedBase, q: sp.IndexedBase, c: sp.Symbol) -> Any:
    """(p − T min(c p, q))₊."""
    return sp.Max(p[x] - sp.Min(c * p[x], q[x]) * T[K], 0)


def _at_most_k(d: Derivation, p: sp.IndexedBase, q: sp.IndexedBase, mass_q: Fact) -> Fact:
    """At ρ = K there are at most K tests on average."""
    b, low, high = passing(d, p, q, 1 / K, mass_q)
    _, _, _, at_most_one = all_refused(d, b, low, high, B)
    none, tests_step = d.recursion("tests at K", eq(S[0], 0), eq(S[n + 1], S[n] + B[n]))
    upto = d.suppose("at most n", le(S[n], n))
    upto = d.inductive("at most a test for each draft", le(S[n], n), n, [none], [tests_step, upto, at_most_one])
    upto = d.instantiate("of all", upto, {n: K})
    return d.derive("so K is lossless", eq(sp.Max(S[K] - K, 0), 0), upto, by="smt")


def _lossless(p: Array, q: Array, k: int, rho: Fraction) -> dict[str, Any]:
    m = np.minimum(p / rho, q)
    residual = np.maximum(p - m * claims.rounds(m.sum(), k), 0)
    return {"r": normalise(residual, otherwise=p), **values(p, q, k, rho)}


def prove_falling(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts; every ρ and larger ρ₂.

    With equality where ρ = ρ₂.
    """
    p = d.weights("p")
    q, mass_q = d.law("q")
    rho = d.number("rho", positive=True)
    rho2 = d.number("rho2", positive=True)
    c = d.number("c", 0)
    c2 = d.number("c2", 0)
    inverse = d.domain(INVERSE, eq(c * rho, 1), eq(c2 * rho2, 1))
    further = d.assume("ρ ≤ ρ₂", le(rho, rho2))
    b, low, high = passing(d, p, q, c, mass_q)
    b2, low2, high2 = passing(d, p, q, c2, mass_q)
    start, on, some, _ = all_refused(d, b, low, high)
    start2, on2, _, _ = all_refused(d, b2, low2, high2, B)
    share = d.smt("a smaller part", ge(c, sign * constant * c2), further, *inverse)
    fewer = d.smt("passes less often", ge(sp.Min(c * p[x], q[x]), sp.Min(c2 * p[x], q[x])), share)
    fewer = d.sum("over the vocabulary", fewer, x)
    before = d.suppose("n refused", le(A[n], B[n]))
    for_every_n = d.inductive(
        "refused more often", le(A[n], B[n]), n, [start, start2], [on, on2, before, some, high2, fewer], by="smt"
    )
    for_every_n = d.instantiate("all of them", for_every_n, {n: K})
    d.qed(d.derive("accepted", le(1 - B[K], 1 - A[K]), for_every_n))


def prove_ratio(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts; for every ρ from 1 to K.

    The constant is best for large vocabularies at each K: for p uniform and q uniform on ever more tokens.
    """
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    a = d.weights("a")
    rho = d.number("rho", positive=True)
    alpha = d.number("alpha", 0)
    c = d.number("c", 0)
    inverse = d.domain(INVERSE, eq(c * rho, 1))
    above = d.domain("ρ is at most K", le(rho, K))
    above = d.smt("so c is at least 1/K", ge(K * c, 1), inverse, above)
    none, miss_step = d.recursion(
        "a token is in none of n drafts", eq(u[0, x], 1), eq(u[n + 1, x], u[n, x] * (1 - q[x]))
    )
    best, at_most, drafted = d.domain(
        "the optimum accepts drafts, and no more than p",
        eq(alpha, total(a[x], x)),
        le(a[x], p[x]),
        le(a[x], 1 - u[K, x]),
    )
    b, low, high = passing(d, p, q, c, mass_q)
    mass_at_most_one = d.term("one mass of all", d.derive("q is a law", ge(q[x], 0)), x, y)
    mass_at_most_one = d.instantiate("of each", d.derive("at most one", le(q[y], 1), mass_at_most_one, mass_q), {y: x})
    small = d.suppose("none of n, at most", le(u[n, x], 1))
    pos = d.suppose("none of n, at least", ge(u[n, x], 0))
    pos = d.inductive("a probability", ge(u[n, x], 0), n, [none], [miss_step, pos, mass_at_most_one], by="smt")
    small = d.inductive("at most one", le(u[n, x], 1), n, [none], [miss_step, small, pos], by="smt")
    bern = d.suppose("one of n", ge(u[n, x], 1 - n * q[x]))
    bern = d.inductive("by the union of n", ge(u[n, x], 1 - n * q[x]), n, [none], [miss_step, bern, small], by="smt")
    bern = d.instantiate("of all", bern, {n: K})
    token = d.smt("kept by ρ often enough", le(a[x], K * sp.Min(c * p[x], q[x])), at_most, drafted, bern, above)
    reach = d.sum("over the vocabulary", token, x)
    reach = d.derive("the optimum is at most K b", le(alpha, K * b), reach, best)
    optimum_at_most_one = d.sum("the optimum is a probability", at_most, x)
    optimum_at_most_one = d.derive("at most one", le(alpha, 1), optimum_at_most_one, best, mass)
    start, on, some, _ = all_refused(d, b, low, high)
    k1 = d.number("k1", 0)
    same, product, inverse_at_most_one = d.domain("k1 is 1/K", eq(k1, 1 / K), eq(k1 * K, 1), le(k1, 1))
    reach = d.smt("b is at least α/K", ge(b, k1 * alpha), reach, product)
    power_start, power_step = d.recursion("(1 − 1/K)^n", eq(v[0], 1), eq(v[n + 1], v[n] * (1 - constant * k1)))
    vpos = d.suppose("v is not negative", ge(v[n], 0))
    vpos = d.inductive(
        "never negative", ge(v[n], 0), n, [power_start], [power_step, vpos, inverse_at_most_one], by="smt"
    )
    vone = d.suppose("v is at most one", le(v[n], 1))
    vone = d.inductive(
        "at most one", le(v[n], 1), n, [power_start], [power_step, vone, vpos, inverse_at_most_one], by="smt"
    )
    before = d.suppose("n refused", le(A[n], 1 - alpha + alpha * v[n]))
    for_every_n = d.inductive(
        "convexity, draft by draft",
        le(A[n], 1 - alpha + alpha * v[n]),
        n,
        [start, power_start],
        [on, power_step, before, some, reach, optimum_at_most_one, vone, vpos, inverse_at_most_one],
        by="smt",
    )
    for_every_n = d.instantiate("of all", for_every_n, {n: K})
    limit = _below_e(d, power_start, power_step, vpos, same)
    first = d.derive("accepted", ge(1 - A[K], sign * (1 - v[K]) * alpha), for_every_n)
    d.qed(first, d.smt("and 1 − 1/e", ge((1 - v[K]) * alpha, (1 - sp.exp(-1)) * alpha), limit))


def _below_e(d: Derivation, power_start: Fact, power_step: Fact, vpos: Fact, same: Fact) -> Fact:
    """(1 − 1/K)^K is at most 1/e."""
    w = sp.Symbol("w", nonnegative=True)
    slope = d.derive("its slope", ge(w * sp.exp(w), 0))
    beyond = d.derive("from zero", ge(w, 0))
    rise = d.increasing("(w − 1) exp w rises", (w - 1) * sp.exp(w), w, sp.S.Zero, slope, beyond)
    rise = d.instantiate("at 1/K", rise, {w: 1 / K})
    start, on = d.recursion("exp(n/K)", eq(E[0], 1), eq(E[n + 1], E[n] * sp.exp(1 / K)))
    pos = d.suppose("E is not negative", ge(E[n], 0))
    pos = d.inductive("never negative", ge(E[n], 0), n, [start], [on, pos], by="smt")
    before = d.suppose("v E is at most one", le(v[n] * E[n], 1))
    step = d.smt("one more factor", le(v[n] * E[n] * (1 - 1 / K) * sp.exp(1 / K), v[n] * E[n]), rise, pos, vpos)
    power_step = d.derive("with 1/K", eq(v[n + 1], v[n] * (1 - 1 / K)), power_step, same)
    then = d.derive("then", le(v[n + 1] * E[n + 1], 1), step, before, on, power_step)
    base = d.derive("at first", le(v[0] * E[0], 1), start, power_start, by="smt")
    for_every_n = d.induction("for every n", le(v[n] * E[n], 1), n, base, then)
    power = d.suppose("E is a power", eq(E[n], sp.exp(n / K)))
    power = d.inductive("a power", eq(E[n], sp.exp(n / K)), n, [start], [on, power])
    power = d.derive("of e", eq(E[K], sp.exp(1)), d.instantiate("at K", power, {n: K}))
    for_every_n = d.derive("at K", le(v[K] * sp.exp(1), 1), d.instantiate("of all", for_every_n, {n: K}), power)
    return d.derive("at most 1/e", le(v[K], sp.exp(-1)), for_every_n)


def _ratio(p: Array, q: Array, k: int) -> dict[str, Any]:
    sets = drawn(q, k)
    accepted = [sum(m for (_, t), m in optimum(p, sets).flow.items() if t == token) for token in range(len(p))]
    rho = kseq_rho(p, q, k, rho_steps())[1]
    return {**values(p, q, k, rho), "a": accepted, "alpha": iid_best(p, q, k)}


def prove_under(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts, every ρ that is at least ρ*.

    With equality for p = q.
    """
    p, _ = d.law("p")
    q, mass_q = d.law("q")
    rho = d.number("rho", positive=True)
    c = d.number("c", 0)
    h = d.weights("h")
    inverse = d.domain(INVERSE, eq(c * rho, 1))
    bit = d.domain("H is a set", eq(h[x] * (1 - h[x]), 0))
    s = d.number("s", 0)
    o = d.number("o", 0)
    alpha = d.number("alpha", 0)
    power = d.recursion("s^n", eq(S[0], 1), eq(S[n + 1], S[n] * s))
    set_facts = (
        d.domain(SET, eq(alpha, total(h[x] * p[x], x) + 1 - S[K])),
        d.domain("its mass", eq(s, total(h[x] * q[x], x))),
    )
    b, low, high = passing(d, p, q, c, mass_q)
    m = sp.Min(c * p[x], q[x])
    outside = d.domain("what passes outside H", eq(o, total((1 - h[x]) * m, x)))
    start, on, some, _ = all_refused(d, b, low, high)
    none, tests_step = d.recursion("tests", eq(T[0], 0), eq(T[n + 1], T[n] + sign * A[n]))
    strict = d.assume(STRICT, le(T[K], rho))
    ends = d.inductive(
        "tests that fail",
        eq(b * T[n], 1 - A[n]),
        n,
        [none, start],
        [tests_step, on, d.suppose("fail", eq(b * T[n], 1 - A[n]))],
    )
    t = sp.Symbol("t", real=True)
    named = d.define("in short", t, T[K])
    within_p = d.smt("no more is kept than p has", le(m * t, p[x]), inverse, strict, named)
    within_p = d.smt("in H", le(h[x] * m * t, h[x] * p[x]), within_p, bit)
    within_p = d.sum("over H", within_p, x)
    outside_mass = d.smt("outside it q has", le((1 - h[x]) * m, (1 - h[x]) * q[x]), bit)
    outside_mass = d.derive(
        "at most 1 − s", le(o, 1 - s), d.sum("over the others", outside_mass, x), outside, set_facts[1], mass_q
    )
    fewer = d.smt("outside H is a part", le((1 - h[x]) * m, m), bit)
    fewer = d.derive("of what passes", le(o, b), d.sum("over the vocabulary", fewer, x), outside)
    first, then = d.recursion("(1 − o)^n", eq(B[0], 1), eq(B[n + 1], B[n] * (1 - o)))
    above = d.suppose("all inside", le(A[n], B[n]))
    above = d.inductive(
        "none outside",
        le(A[n], B[n]),
        n,
        [start, first],
        [on, then, above, some, fewer, outside_mass],
        by="smt",
    )
    chance = d.suppose("one outside", le(o * T[n], 1 - B[n]))
    chance = d.inductive(
        "kept outside", le(o * T[n], 1 - B[n]), n, [none, first], [tests_step, then, chance, above], by="smt"
    )
    inside = d.suppose("all in H", ge(B[n], S[n]))
    spos = d.suppose("s^n is a mass", ge(S[n], 0))
    spos = d.inductive("never negative", ge(S[n], 0), n, [power[0]], [power[1], spos], by="smt")
    inside = d.inductive(
        "at least s^n", ge(B[n], S[n]), n, [first, power[0]], [then, power[1], inside, outside_mass, spos], by="smt"
    )
    ends, chance, inside = (d.instantiate("of all", f, {n: K}) for f in (ends, chance, inside))
    inside_and_outside = d.derive("inside or outside", eq(b * t, total(h[x] * m * t, x) + o * t), outside)
    premises = [ends, chance, inside, inside_and_outside, within_p, named, set_facts[0]]
    d.qed(
        d.derive(
            "accepted",
            le(constant * (1 - A[K]), alpha),
            *premises,
            by="smt",
        )
    )


def _set(p: Any, q: Any, k: int, rho: Any) -> dict[str, Any]:
    sets = drawn(q, k)
    best_set = optimum(p, sets).chosen
    h = [int(token in best_set) for token in range(len(p))]
    pass_mass = np.minimum(p / rho, q)
    return {
        **values(p, q, k, rho),
        **{"h": h, "s": sum(m for m, bit in zip(q, h, strict=True) if bit), "alpha": subset_value(p, sets, best_set)},
        "o": sum(m for m, bit in zip(pass_mass, h, strict=True) if not bit),
    }


PROOFS = (
    Proof(claims.KSEQ_LOSSLESS, prove_lossless, drop=STRICT, bind=_lossless),
    Proof(
        claims.KSEQ_RHO,
        prove_falling,
        drop="ρ ≤ ρ₂",
        bind=lambda p, q, k, rho, rho2: {**values(p, q, k, rho), "rho2": rho2, "c2": 1 / rho2},
    ),
    Proof(claims.KSEQ_RATIO, prove_ratio, drop="ρ is at most K", bind=_ratio),
    over_rrs(claims.KSEQ_OVER_RRS),
    Refutation(
        claims.KSEQ_UNDER_RRSW,
        by_size,
        scope="the first by vocabulary and denominator, with two drafts",
        repaired={
            "two tokens": lambda: (i for i in by_size() if len(i["p"]) <= 2),
        },
    ),
    Proof(claims.KSEQ_UNDER_RRSW_CORRECTED, prove_under, drop=STRICT, bind=_set),
)
