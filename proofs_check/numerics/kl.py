"""numerics.kl: Hoeffding's lemma by two slopes, and the symmetrised divergence by what is moved times the range."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._logarithms import SOME
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from proofs_check.numerics._close import HIGHER, apart, bind
from proofs_check.numerics._divergence import Divergence, chord, divergence
from simspec.claims.numerics.laws import KL


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all logits, every ε and temperature.

    The second is attained by p = (1, ρ)/(1 + ρ) and p̂ = (ρ, 1)/(1 + ρ); of the first the constant is the best as ε falls to 0.
    """
    at = divergence(d)
    first = _hoeffding(d, at, constant)
    it, L, rho = at.it, at.L, at.it.rho
    g, marks, bound = apart(d, it)
    turned = sp.IndexedBase("J", real=True)
    p, s = it.p[x], it.s[x]
    pos_k = d.derive("positive", gt(it.k, 0))
    positive_s = d.smt("p̂ is positive", gt(s, 0), it.rule, it.positive, at.positive_r, pos_k)
    means = d.define("what a token adds to KL(p̂‖p)", turned[x], s * (sp.log(s) - sp.log(p)), it.positive, positive_s)
    both = eq(at.term[x] + turned[x], (s - p) * at.log_r[x] - (s - p) * sp.log(at.m))
    both = d.smt("both of a token", both, *at.forms, means, it.positive, positive_s, at.positive_m)
    both = d.sum("over the vocabulary", both, x)
    size = d.derive("at least 1", ge(rho, 1), by="smt")
    moved = le((s - p) * at.log_r[x], (2 * g[x] * (s - p) - s + p) * L)
    moved = d.smt("what is moved, times the range", moved, *at.within, *marks, at.positive_rho)
    moved = d.sum("over the vocabulary", moved, x)
    known = [at.positive_rho, at.positive_m]
    apart_sum = total(g[x] * s, x) - total(g[x] * p, x)
    grows = d.smt("log ρ is not negative", ge(L, 0), *at.within, at.positive_rho)
    spare = d.smt("times log ρ", ge(L * (rho - 1 - (rho + 1) * apart_sum), 0), grows, bound, size, *known)
    spare = d.smt("over ρ + 1", le(L * apart_sum, L * (rho - 1) / (rho + 1)), spare, size, *known)
    second = le(total(at.term[x], x) + total(turned[x], x), sign * 2 * L * (rho - 1) / (rho + 1))
    d.qed(first, d.smt("of both", second, both, moved, spare, *it.masses, size, *known))


def _hoeffding(d: Derivation, at: Divergence, constant: int) -> Fact:
    """KL ≤ (log ρ)²/2."""
    lg, L, rho, m = at.lg, at.L, at.it.rho, at.m
    y = d.number("v_y", positive=True)
    alpha, beta = d.number("alpha", positive=True), d.number("beta", 0)
    beyond = d.case("y is at least 1", ge(y, 1))
    top = beta + alpha * y**2
    sizes = [d.derive("positive", gt(e, 0)) for e in (top, alpha + beta)]
    inner = sp.log(y) - 2 * alpha * y**2 / top + 2 * alpha / (alpha + beta)
    slope = d.smt("(α y² + β)² is at least 4 α β y²", ge(sp.diff(inner, y), 0), *sizes)
    inner = d.increasing("so this slope is not negative", inner, y, sp.S.One, slope, beyond)
    form = sp.log(y) ** 2 / 2 - sp.log(top) + 2 * alpha / (alpha + beta) * sp.log(y)
    slope = d.smt("nor this", ge(sp.diff(form, y), 0), inner, *sizes)
    form = d.increasing("Hoeffding's lemma", form, y, sp.S.One, slope, beyond)
    size = d.derive("at least 1", ge(rho, 1), by="smt")
    goal = le(total(at.term[x], x), L**2 / (2 * constant))
    known = [at.positive_rho, at.positive_m]
    even = d.case("ε is 0", le(rho, 1))
    equal = d.smt("ρ is 1", eq(rho, 1), even, size)
    zero = d.derive("log ρ", eq(L, 0), equal, at.positive_rho)
    no_r = d.smt("nothing is changed", eq(at.log_r[x], 0), *at.within, zero, at.positive_rho)
    no_r = d.sum("over the vocabulary", d.smt("times p", eq(at.it.p[x] * at.log_r[x], 0), no_r), x)
    same = d.smt("r is 1", eq(at.it.r[x], 1), *at.it.near, equal)
    same = d.sum("over the vocabulary", d.smt("times p", eq(at.it.p[x] * at.it.r[x], at.it.p[x]), same), x)
    one = d.smt("m is 1", eq(m, 1), same, at.mean, at.it.masses[0])
    one = d.derive("log m", eq(sp.log(m), 0), one, at.positive_m)
    case_even = d.smt("both are 0", goal, at.sums, no_r, one, zero, *known)
    apart_ = d.case("ε is positive", gt(rho, 1))
    bound = chord(d, at)
    spread = rho**2 - 1
    wide = d.smt("positive", gt(spread, 0), apart_)
    wide_mean = d.smt("the mean change is at least 1/ρ", ge(rho * m, 1), *_mean(d, at))
    tall_mean = d.smt("and at most ρ", ge(rho**2 - rho * m, 0), *_mean(d, at), at.positive_rho)
    product = d.instantiate("log of a product", lg.product, {lg.v: rho, lg.w: m}, *known)
    bound = d.smt(
        "by the chord",
        le(spread * (total(at.term[x], x) - sp.log(m) - L), -2 * L * (rho * m - 1)),
        bound,
        at.sums,
        *known,
    )
    least = d.case("the mean is the least", le(rho * m, 1))
    least_ = d.smt("ρ m is 1", eq(rho * m, 1), least, wide_mean)
    none = d.derive("its logarithm", eq(sp.log(rho * m), 0), least_, *known)
    case_least = d.smt("KL is not positive", goal, bound, least_, none, product, wide, *known)
    more = d.case("the mean is more", gt(rho * m, 1))
    positive = d.smt("positive", gt(rho * m - 1, 0), more)
    lemma = d.instantiate(
        "at ρ", form, {y: rho, alpha: rho * m - 1, beta: rho**2 - rho * m}, positive, tall_mean, apart_, wide, *known
    )
    inside = rho**2 - rho * m + (rho * m - 1) * rho**2
    inside_ = d.smt("in the logarithm", eq(inside, rho * m * spread))
    scaled = d.smt("positive", gt(rho * m * spread, 0), wide, *known)
    there = d.smt("positive", gt(inside, 0), scaled, inside_)
    same = d.derive("in the logarithm", eq(sp.log(inside), sp.log(rho * m * spread)), inside_, scaled, there)
    scale = d.smt("positive", gt(rho * m, 0), *known)
    split = d.instantiate("log of a product", lg.product, {lg.v: rho * m, lg.w: spread}, scale, wide)
    case_more = d.smt("Hoeffding's lemma", goal, lemma, same, split, product, bound, wide, *known)
    usual = d.cases("whether the mean is the least", case_more, case_least)
    return d.cases("whether ε is 0", usual, case_even)


def _mean(d: Derivation, at: Divergence) -> list[Fact]:
    """1 ≤ ρ m and m ≤ ρ."""
    it = at.it
    low = d.smt("of a token", ge(it.p[x] * (it.rho * it.r[x] - 1), 0), it.near[0], it.positive)
    high = d.smt("of a token", ge(it.p[x] * (it.rho - it.r[x]), 0), it.near[1], it.positive)
    return [d.sum("on average", low, x), d.sum("on average", high, x), at.mean, it.masses[0]]


def _numbers() -> dict[str, Any]:
    """Values for the numbers of Hoeffding's lemma, which is about all of them."""
    return {"v_y": 1, "alpha": 1, "beta": 0}


PROOF = Proof(KL, prove, drop=HIGHER, bind=lambda w, change, rho: {**SOME, **_numbers(), **bind(w, change, rho)})
