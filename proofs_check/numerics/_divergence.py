"""KL(p‖p̂) of laws whose weights differ by factors from 1/ρ to ρ: log m + L − h a, with the chord of the logarithm."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._logarithms import Logs, larger, logs
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x
from proofs_check.numerics._close import Close, close

__all__ = ["Divergence", "chord", "divergence"]


class Divergence(NamedTuple):
    """The laws, the logarithms, what a token adds to KL, L = log ρ, the mean change m = 1/k, and what is known of them."""

    it: Close
    lg: Logs
    term: Any
    log_r: Any
    L: Any
    m: Any
    positive_r: Fact
    positive_rho: Fact
    positive_m: Fact
    named: Fact
    forms: list[Fact]
    """What a token adds, as it is defined, and log p̂ = log r + log p − log m."""
    sums: Fact
    mean: Fact
    within: list[Fact]


def divergence(d: Derivation) -> Divergence:
    """Σ p (log p − log p̂) = log m − Σ p log r, m = Σ p r = 1/k."""
    it = close(d)
    lg = logs(d)
    r = it.r[x]
    p = it.p[x]
    s = it.s[x]
    rho = it.rho
    size = d.derive("at least 1", ge(rho, 1), by="smt")
    positive_rho = d.smt("positive", gt(rho, 0), size)
    positive_r = d.smt("so is every change", gt(r, 0), it.near[0], size)
    pos_k = d.derive("positive", gt(it.k, 0))
    positive_s = d.smt("and p̂", gt(s, 0), it.rule, it.positive, positive_r, pos_k)
    term = sp.IndexedBase("D", real=True)
    log_r = sp.IndexedBase("l", real=True)
    m = sp.Symbol("m", real=True)
    mean = d.define("the mean change", m, total(p * r, x))
    mass = d.sum("over the vocabulary", d.derive("p̂", eq(s, it.k * r * p), it.rule), x)
    inverse = d.smt("k is one over it", eq(it.k * m, 1), mass, mean, it.masses[1])
    positive_m = d.smt("so it is positive", gt(m, 0), inverse, pos_k)
    named = d.define("log r", log_r[x], sp.log(r), positive_r)
    means = d.define("what a token adds to KL", term[x], p * (sp.log(p) - sp.log(s)), it.positive, positive_s)
    scaled = d.smt("k r is positive", gt(it.k * r, 0), pos_k, positive_r)
    split = d.derive("log p̂", eq(sp.log(s), sp.log(it.k * r * p)), it.rule, positive_s)
    split_ = [
        d.instantiate("log of a product", lg.product, {lg.v: it.k * r, lg.w: p}, scaled, it.positive),
        d.instantiate("log of a product", lg.product, {lg.v: it.k, lg.w: r}, pos_k, positive_r),
        d.instantiate("log of a product", lg.product, {lg.v: it.k, lg.w: m}, pos_k, positive_m),
        d.derive("log 1", eq(sp.log(it.k * m), 0), inverse, pos_k, positive_m),
    ]
    sizes = [it.positive, positive_s, positive_r, pos_k, positive_m]
    log_s = eq(sp.log(s), log_r[x] + sp.log(p) - sp.log(m))
    log_s = d.smt("so it is", log_s, named, split, *split_, *sizes)
    token = eq(term[x], p * sp.log(m) - p * log_r[x])
    token = d.smt("of a token", token, means, named, split, *split_, *sizes)
    sums = d.sum("over the vocabulary", token, x)
    sums = d.smt("KL", eq(total(term[x], x), sp.log(m) - total(p * log_r[x], x)), sums, it.masses[0], positive_m)
    L = sp.log(rho)
    top = larger(d, lg, r, rho, it.near[1], positive_r)
    inverse_rho = d.smt("1/ρ", gt(1 / rho, 0), positive_rho)
    low = d.smt("1/ρ is no larger", le(1 / rho, r), it.near[0], positive_rho)
    bottom = larger(d, lg, 1 / rho, r, low, inverse_rho)
    negative = d.instantiate("log 1", lg.product, {lg.v: 1 / rho, lg.w: rho}, inverse_rho, positive_rho)
    lower_facts = [bottom, negative, named]
    within = [
        d.smt("log r is at most log ρ", le(log_r[x], L), top, named, positive_rho, positive_r),
        d.smt("and at least −log ρ", ge(log_r[x], -L), *lower_facts, positive_rho, positive_r, inverse_rho),
    ]
    return Divergence(
        it=it,
        lg=lg,
        term=term,
        log_r=log_r,
        L=L,
        m=m,
        positive_r=positive_r,
        positive_rho=positive_rho,
        positive_m=positive_m,
        named=named,
        forms=[token, means, log_s],
        sums=sums,
        mean=mean,
        within=within,
    )


def chord(d: Derivation, at: Divergence) -> Fact:
    """(ρ² − 1) (Σ p log r + L) ≥ 2 L (ρ m − 1): the logarithm is above its chord from 1/ρ to ρ."""
    it = at.it
    lg = at.lg
    r = it.r[x]
    p = it.p[x]
    rho = it.rho
    inverse_rho = d.smt("positive", gt(1 / rho, 0), at.positive_rho)
    negative = d.instantiate("log 1", lg.product, {lg.v: 1 / rho, lg.w: rho}, inverse_rho, at.positive_rho)
    down = d.instantiate("the tangent at r", lg.tangent, {lg.v: r, lg.w: 1 / rho}, at.positive_r, inverse_rho)
    up = d.instantiate("the tangent at r", lg.tangent, {lg.v: r, lg.w: rho}, at.positive_r, at.positive_rho)
    log_r = sp.log(r)
    down = d.smt(
        "at 1/ρ", ge(rho * r * (log_r + at.L), rho * r - 1), down, negative, inverse_rho, at.positive_rho, at.positive_r
    )
    left = d.smt("not above r", ge(rho * r - 1, 0), it.near[0])
    right = d.smt("nor below", ge(rho - r, 0), it.near[1])
    down = d.smt(
        "weighed",
        ge((rho - r) * (rho * r * (log_r + at.L) - rho * r + 1), 0),
        down,
        right,
        at.positive_rho,
        at.positive_r,
    )
    up = d.smt(
        "weighed", ge((rho * r - 1) * (r * (log_r - at.L) - r + rho), 0), up, left, at.positive_rho, at.positive_r
    )
    goal = ge(r * ((rho**2 - 1) * (log_r + at.L) - 2 * at.L * (rho * r - 1)), 0)
    times_r = d.smt("together", goal, down, up, at.positive_rho, at.positive_r)
    token = ge((rho**2 - 1) * (at.log_r[x] + at.L) - 2 * at.L * (rho * r - 1), 0)
    token = d.smt("over r", token, times_r, at.named, at.positive_rho, at.positive_r)
    weighed = ge(p * ((rho**2 - 1) * (at.log_r[x] + at.L) - 2 * at.L * (rho * r - 1)), 0)
    weighed = d.sum("over the vocabulary", d.smt("times p", weighed, token, it.positive, at.positive_rho), x)
    goal = ge((rho**2 - 1) * (total(p * at.log_r[x], x) + at.L), 2 * at.L * (rho * at.m - 1))
    return d.smt("on average", goal, weighed, at.mean, it.masses[0], at.positive_rho)
