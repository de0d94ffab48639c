"""ears.best-tradeoff-kl: the slope of x log x at o/p is largest where o < q, least where o > q; a closer rival accepts less."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._logarithms import SOME, Logs, grows, larger, logs
from proofs_check.ears._rivals import FILLING, Rivals, bind, rivals
from proofs_check.ears._truth_values import flag, flags, truth, zeros
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, lt, total, x
from simspec.claims.ears.best_tradeoff_kl import BEST_KL
from simspec.laws import Array
from simspec.methods import lenience, levelled, output_law


class Setting(NamedTuple):
    """Both laws, their logarithms (1 in place of 0, where the mass is 0) and what is known where u is inside the support."""

    it: Rivals
    lg: Logs
    P: Any
    Q: Any
    U: Any
    z: Any
    y: Any
    gap: Any
    near: Fact
    far: Fact
    slope: Any
    zeros: list[Fact]
    sizes: list[Fact]
    plain: list[Fact]
    named: list[Fact]


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and ℓ, every rival rule, infinite divergences among them.

    Equality with the rule itself as rival: the minimum is attained.
    """
    lg = logs(d)
    g, delta, grow = grows(d)
    it = rivals(d, sign)
    p = it.s.p
    o = it.best.o
    u = it.rival.o
    (z, is_z) = (it.z, it.is_z)
    (y, is_y) = zeros(d, "y", o)
    (w, is_w) = zeros(d, "w", u)
    P = p[x] + z[x]
    Q = o[x] + y[x]
    U = u[x] + w[x]
    K, K_u, N = sp.symbols("K K_u N", real=True)
    log_p, log_o, log_u, our_terms, theirs, slope = (
        sp.IndexedBase(name, real=True) for name in ("L_p", "L_o", "L_u", "D", "D_u", "f")
    )
    logarithms = [
        d.define("the logarithm of p, or 0 where p is 0", log_p[x], sp.log(P), *is_z),
        d.define("likewise", log_o[x], sp.log(Q), *is_y),
        d.define("and", log_u[x], sp.log(U), *is_w),
        d.define("what a token adds to KL(o‖p)", our_terms[x], (1 - z[x]) * o[x] * (log_o[x] - log_p[x])),
        d.define("and to KL(u‖p), on the support of p", theirs[x], (1 - z[x]) * u[x] * (log_u[x] - log_p[x])),
        d.define("log(o/p), the slope of x log x but for 1", slope[x], (1 - z[x]) * (log_o[x] - log_p[x])),
    ]
    near = d.define("KL(o‖p)", K, constant * total(our_terms[x], x))
    far = d.define("KL(u‖p)", K_u, total(theirs[x], x))
    outside = d.define("what u puts outside the support", N, total(z[x] * u[x], x))
    finite, is_finite = truth(d, "I", N)
    goal = le(finite * sp.exp(-K_u), sp.exp(-K))

    some = d.case("u leaves the support of p", gt(N, 0))
    infinite = d.smt("its divergence is infinite", goal, some, *is_finite)

    none = d.case("u does not leave the support of p", le(N, 0))
    nonnegative = d.derive("masses are not negative", ge(it.h[x], 0))
    off_support = d.smt("and so are those outside the support", ge(z[x] * u[x], 0), *is_z, it.holds, nonnegative)
    off_support = d.term("one of them is at most their sum", off_support, x)
    premises = [off_support, none, outside, it.holds, nonnegative, *is_z]
    off = d.smt("so u is 0 where p is 0", eq(z[x] * u[x], 0), *premises)
    support_facts = [*logarithms, *is_z, *is_y, *is_w, off]
    sizes = [is_z[2], is_y[2], is_w[2]]
    plain = [*is_z, *is_y]
    named = [*logarithms[:2], logarithms[5], *is_z]
    at = Setting(
        it=it,
        lg=lg,
        P=P,
        Q=Q,
        U=U,
        z=z,
        y=y,
        gap=theirs[x] - our_terms[x],
        near=near,
        far=far,
        slope=slope[x],
        zeros=support_facts,
        sizes=sizes,
        plain=plain,
        named=named,
    )
    positive = d.case("the level is positive", gt(it.a, 0))
    first = levels(d, at, positive, le(K, K_u))
    zero = d.case("the level is 0", le(it.a, 0))
    second = accepts_all(d, at, zero, nonnegative, le(K, K_u))
    gap_nonnegative = d.derive(
        "the difference is not negative", ge(K_u - K, 0), d.cases("whether the level is 0", first, second)
    )
    larger = d.instantiate("exp(−KL) falls with KL", grow, {g: -K_u, delta: K_u - K}, gap_nonnegative)
    last = d.smt("so o is closer", goal, larger, none, *is_finite)
    d.qed(d.cases("whether u leaves the support", infinite, last))


def tangent(
    d: Derivation, at: Setting, support_facts: list[Fact], text: str = "x log x is above its tangent at o/p"
) -> Fact:
    """Token by token: its part of KL(u‖p) is at least that of KL(o‖p) and (1 + f)(u − o)."""
    it = at.it
    o = it.best.o[x]
    u = it.rival.o[x]
    line = d.instantiate("the tangent at o", at.lg.tangent, {at.lg.v: at.U, at.lg.w: at.Q}, *at.sizes)
    return d.smt(text, ge(at.gap, (1 + at.slope) * (u - o)), line, *at.zeros, *support_facts)


def levels(d: Derivation, at: Setting, positive: Fact, goal: Any) -> Fact:
    """KL(o‖p) ≤ KL(u‖p) where the level a is positive."""
    it = at.it
    lg = at.lg
    p = it.s.p[x]
    q = it.s.q[x]
    o = it.best.o[x]
    u = it.rival.o[x]
    h = it.h[x]
    k = it.k[x]
    f = at.slope
    inside = 1 - at.z[x]
    line = tangent(d, at, [d.smt("o is positive where p is", ge(o, it.a * p), it.clipped), positive])
    A = sp.log(it.a)
    B = sp.log(it.c)
    aP = d.smt("a p is positive", gt(it.a * at.P, 0), positive, *at.sizes)
    cP = d.smt("and c p", gt(it.c * at.P, 0), *at.sizes)
    product_a = d.instantiate("log of a p", lg.product, {lg.v: it.a, lg.w: at.P}, positive, *at.sizes)
    product_c = product_of_c(d, at)
    order = d.instantiate("c against a", lg.tangent, {lg.v: it.c, lg.w: it.a}, positive)
    order = d.smt("A = log a is at most B = log c", le(A, B), order, it.low)
    level_facts = [it.clipped, it.rule, it.low, positive, *at.plain]
    named = at.named

    full = d.derive("o is positive where p is", gt(at.Q, 0), *at.sizes)
    order_c = d.smt("o is at most c p", le(at.Q, it.c * at.P), *level_facts)
    line_c = larger(d, lg, at.Q, it.c * at.P, order_c, full)
    slope_at_most_B = d.smt("so f ≤ B", ge(inside * (B - f), 0), product_c, line_c, *named)
    order_a = d.smt("o is at least a p", ge(at.Q, it.a * at.P), *level_facts)
    line_a = larger(d, lg, it.a * at.P, at.Q, order_a, aP)
    slope_at_least_A = d.smt("so f ≥ A", ge(inside * (f - A), 0), product_a, line_a, *named)

    some = d.case("p is positive", gt(p, 0))
    off = d.case("p is 0", le(p, 0))
    goals = ge(inside * sp.Max(q - o, 0) * (f - B), 0), ge(inside * sp.Max(o - q, 0) * (A - f), 0)
    ends = []
    for goal_, here, there, low, high, positive_, product, text in (
        (goals[0], lt(o, q), ge(o, q), it.c * at.P, at.Q, cP, product_c, "where o < q, it is c p: f = B"),
        (goals[1], gt(o, q), le(o, q), at.Q, it.a * at.P, full, product_a, "where o > q, it is a p: f = A"),
    ):
        inner = d.case(f"{here.op} q", here)
        outer = d.case(f"not {here.op} q", there)
        order_ = d.smt("so o is at that end", le(low, high), inner, some, *level_facts)
        line_ = larger(d, lg, low, high, order_, positive_)
        at_end = d.smt(text, goal_, line_, product, inner, some, *named)
        not_at_end = d.smt("nothing to show", goal_, outer, positive)
        either_end = d.cases("whether it is", at_end, not_at_end)
        ends.append(d.cases("whether p is 0", either_end, d.smt("nothing to show", goal_, off, *at.zeros, positive)))
    steep, flat = ends

    shared = d.smt("k is what o shares with q", eq(k, sp.Min(o, q)), *level_facts)
    none = d.smt("o is 0 where p is 0", eq(at.z[x] * o, 0), *level_facts)
    traded = d.smt(
        "so a token on which u is closer than A allows is one of which it accepts less",
        ge(f * (u - o), A * (u - o) + (B - A) * (h - k)),
        *(
            slope_at_most_B,
            slope_at_least_A,
            steep,
            flat,
            order,
            shared,
            none,
            it.holds,
            it.part,
            at.zeros[-1],
            at.plain[1],
        ),
    )
    divergence_gap = d.summed("together", ge(at.gap, (1 + A) * (u - o) + (B - A) * (h - k)), line, traded, by="smt")
    premises = [divergence_gap, order, it.often, *masses(d, it), at.near, at.far]
    return d.smt("and u accepts at least as often", goal, *premises)


def masses(d: Derivation, it: Rivals) -> list[Fact]:
    """Both emitted laws sum to one."""
    mass_facts = []
    for out, mass in ((it.best, it.mass_r), (it.rival, it.mass_s)):
        sums = d.sum("what is emitted, over the vocabulary", out.law, x)
        mass_facts.append(d.smt("is a law", eq(total(out.o[x], x), 1), sums, mass, out.rate))
    return mass_facts


def product_of_c(d: Derivation, at: Setting) -> Fact:
    """log(c p) = log c + log p."""
    lg = at.lg
    return d.instantiate("log of c p", lg.product, {lg.v: at.it.c, lg.w: at.P}, *at.sizes)


def accepts_all(d: Derivation, at: Setting, zero: Fact, nonnegative: Fact, goal: Any) -> Fact:
    """KL(o‖p) ≤ KL(u‖p) where a = 0: lenience accepts every draft, and so does the rival."""
    it = at.it
    lg = at.lg
    s = it.s
    q = s.q[x]
    o = it.best.o[x]
    u = it.rival.o[x]
    f = at.slope
    inside = (1 - at.z[x]) * (1 - at.y[x])
    B = sp.log(it.c)
    bare = d.summed("nothing is filled up", eq(sp.Max(it.a * s.p[x] - it.k[x], 0), 0), it.rule, zero, by="smt")
    rate = d.smt("so every draft is accepted", eq(total(it.k[x], x), 1), bare, it.level)
    spare = d.smt("the mass that is not kept is not negative", ge(q - it.k[x], 0), it.rule)
    spare = d.term("one token's is at most their sum", spare, x)
    same = d.smt("k = q", eq(it.k[x], q), spare, rate, s.mass_q, it.rule)
    same = d.smt("and o = q", eq(o, q), same, it.clipped, zero)
    rate = d.smt(
        "the rival accepts every draft too", eq(it.rival.kappa, 1), *(rate, it.often, it.rival.rate, it.rival.most)
    )
    under = d.smt("so u = h ≤ q", le(u, q), it.rival.law, rate, it.part)
    cP = d.smt("c p is positive", gt(it.c * at.P, 0), *at.sizes)
    line_c = d.instantiate("c p against o", lg.tangent, {lg.v: it.c * at.P, lg.w: at.Q}, cP, *at.sizes)
    product = product_of_c(d, at)
    level_facts = [it.clipped, it.rule, it.low, zero, *at.zeros]
    slope_at_most_B = d.smt(
        "where o is positive, at most c p: f ≤ B", ge(inside * (B - f), 0), product, line_c, *level_facts
    )
    line = d.instantiate("the tangent at o", lg.tangent, {lg.v: at.U, lg.w: at.Q}, *at.sizes)
    divergence_gap = d.summed(
        "x log x is above its tangent, which is at most B steep",
        ge(at.gap, (1 + B) * (u - o)),
        *(line, slope_at_most_B, same, under, it.holds, nonnegative, it.clipped, it.rule, zero, *at.zeros),
        by="smt",
    )
    return d.smt("both are laws", goal, divergence_gap, *masses(d, it), at.near, at.far)


def bind_kl(p: Array, q: Array, factor: Fraction, o: Array) -> dict[str, Any]:
    best = output_law(levelled(lenience(factor)), p, q)
    zero = {"y": flags(best == 0), "w": flags(o == 0)}
    return {**SOME, **bind(p, q, factor, o), **zero, "I": flag(not o[p == 0].any())}


PROOF = Proof(BEST_KL, prove, drop=FILLING, bind=bind_kl)
