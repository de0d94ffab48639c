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
    it = at.it
    L = at.L
    rho = it.rho
    g, marks, bound = apart(d, it)
    turned = sp.IndexedBase("J", real=True)
    p = it.p[x]
    s = it.s[x]
    pos_k = d.derive("positive", gt(it.k, 0))
    positive_s = d.smt("p̂ is positive", gt(s, 0), it.rule, it.positive, at.positive_r, pos_k)
    means = d.define("what a token adds to KL(p̂‖p)", turned[x], s * (sp.log(s) - sp.log(p)), it.positive, positive_s)
    symmetrised = eq(at.term[x] + turned[x], (s - p) * at.log_r[x] - (s - p) * sp.log(at.m))
    symmetrised = d.smt("both of a token", symmetrised, *at.forms, means, it.positive, positive_s, at.positive_m)
    symmetrised = d.sum("over the vocabulary", symmetrised, x)
    size = d.derive("at least 1", ge(rho, 1), by="smt")
    change_bound = le((s - p) * at.log_r[x], (2 * g[x] * (s - p) - s + p) * L)
    change_bound = d.smt("what is moved, times the range", change_bound, *at.within, *marks, at.positive_rho)
    change_bound = d.sum("over the vocabulary", change_bound, x)
    sizes = [at.positive_rho, at.positive_m]
    apart_sum = total(g[x] * s, x) - total(g[x] * p, x)
    grows = d.smt("log ρ is not negative", ge(L, 0), *at.within, at.positive_rho)
    spare = d.smt("times log ρ", ge(L * (rho - 1 - (rho + 1) * apart_sum), 0), grows, bound, size, *sizes)
    spare = d.smt("over ρ + 1", le(L * apart_sum, L * (rho - 1) / (rho + 1)), spare, size, *sizes)
    second = le(total(at.term[x], x) + total(turned[x], x), sign * 2 * L * (rho - 1) / (rho + 1))
    sums = [symmetrised, change_bound, spare]
    d.qed(first, d.smt("of both", second, *sums, *it.masses, size, *sizes))


def _hoeffding(d: Derivation, at: Divergence, constant: int) -> Fact:
    """KL ≤ (log ρ)²/2."""
    lg = at.lg
    L = at.L
    rho = at.it.rho
    m = at.m
    y = d.number("v_y", positive=True)
    alpha = d.number("alpha", positive=True)
    beta = d.number("beta", 0)
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
    mean_positive = [at.positive_rho, at.positive_m]
    even = d.case("ε is 0", le(rho, 1))
    equal = d.smt("ρ is 1", eq(rho, 1), even, size)
    zero = d.derive("log ρ", eq(L, 0), equal, at.positive_rho)
    no_r = d.smt("nothing is changed", eq(at.log_r[x], 0), *at.within, zero, at.positive_rho)
    no_r = d.sum("over the vocabulary", d.smt("times p", eq(at.it.p[x] * at.log_r[x], 0), no_r), x)
    same = d.smt("r is 1", eq(at.it.r[x], 1), *at.it.near, equal)
    same = d.sum("over the vocabulary", d.smt("times p", eq(at.it.p[x] * at.it.r[x], at.it.p[x]), same), x)
    unit_mean = d.smt("m is 1", eq(m, 1), same, at.mean, at.it.masses[0])
    log_mean = d.derive("log m", eq(sp.log(m), 0), unit_mean, at.positive_m)
    case_even = d.smt("both are 0", goal, at.sums, no_r, log_mean, zero, *mean_positive)
    apart_ = d.case("ε is positive", gt(rho, 1))
    bound = chord(d, at)
    spread = rho**2 - 1
    wide = d.smt("positive", gt(spread, 0), apart_)
    wide_mean = d.smt("the mean change is at least 1/ρ", ge(rho * m, 1), *_mean(d, at))
    tall_mean = d.smt("and at most ρ", ge(rho**2 - rho * m, 0), *_mean(d, at), at.positive_rho)
    product = d.instantiate("log of a product", lg.product, {lg.v: rho, lg.w: m}, *mean_positive)
    bound = d.smt(
        "by the chord",
        le(spread * (total(at.term[x], x) - sp.log(m) - L), -2 * L * (rho * m - 1)),
        bound,
        at.sums,
        *mean_positive,
    )
    smallest_mean = d.case("the mean is the least", le(rho * m, 1))
    unit_product = d.smt("ρ m is 1", eq(rho * m, 1), smallest_mean, wide_mean)
    none = d.derive("its logarithm", eq(sp.log(rho * m), 0), unit_product, *mean_positive)
    product_facts = [unit_product, none, product]
    case_least = d.smt("KL is not positive", goal, bound, *product_facts, wide, *mean_positive)
    larger_mean = d.case("the mean is more", gt(rho * m, 1))
    positive = d.smt("positive", gt(rho * m - 1, 0), larger_mean)
    values = {y: rho, alpha: rho * m - 1, beta: rho**2 - rho * m}
    value_facts = [positive, tall_mean, apart_, wide]
    lemma = d.instantiate("at ρ", form, values, *value_facts, *mean_positive)
    inside = rho**2 - rho * m + (rho * m - 1) * rho**2
    inside_ = d.smt("in the logarithm", eq(inside, rho * m * spread))
    scaled = d.smt("positive", gt(rho * m * spread, 0), wide, *mean_positive)
    there = d.smt("positive", gt(inside, 0), scaled, inside_)
    same = d.derive("in the logarithm", eq(sp.log(inside), sp.log(rho * m * spread)), inside_, scaled, there)
    scale = d.smt("positive", gt(rho * m, 0), *mean_positive)
    split = d.instantiate("log of a product", lg.product, {lg.v: rho * m, lg.w: spread}, scale, wide)
    logarithms = [same, split, product]
    case_more = d.smt("Hoeffding's lemma", goal, lemma, *logarithms, bound, wide, *mean_positive)
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
