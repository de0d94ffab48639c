"""numerics.kl-half: KL is the logarithm of a mean less a mean logarithm; its tangent and its chord meet in the best bound."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.ears._logarithms import SOME
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, le, total, x
from proofs_check.numerics._close import bind
from proofs_check.numerics._divergence import Divergence, chord, divergence
from simspec.claims.authoring import F
from simspec.claims.claim import Instance
from simspec.claims.numerics.laws import KL_HALF, KL_HALF_CORRECTED
from simspec.laws import Array

LARGER = "ε is positive"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all logits, every ε > 0 and temperature.

    Attained by two tokens, p = (a, 1 − a) with a = 1/h − 1/(exp(h) − 1), h = 2ε/T.
    """
    at = divergence(d)
    lg = at.lg
    L = at.L
    rho = at.it.rho
    m = at.m
    above = d.domain(LARGER, gt(rho, 1))
    low, share = _sizes(d, at, above)
    h = 2 * L
    spread = rho**2 - 1
    size = d.smt("positive", gt(spread, 0), above)
    top = d.smt("positive", gt(spread / (h * rho), 0), size, low, at.positive_rho)
    tangent = d.instantiate(
        "the tangent of log", lg.tangent, {lg.v: spread / (h * rho), lg.w: m}, top, at.positive_m, low, at.positive_rho
    )
    logs_ = _logs(d, at, low, size)
    X = sp.log(spread) - sp.log(h) - L
    line = ge(spread * (X - sp.log(m)), spread - h * rho * m)
    sizes = [low, size, at.positive_rho, at.positive_m]
    line = d.smt("times the range", line, tangent, *logs_, *sizes, top)
    bound = chord(d, at)
    goal = le(spread * total(at.term[x], x), spread * (X + L - 1) + h)
    far = d.smt("together", goal, line, bound, at.sums, *sizes)
    closed_form = sp.log(spread / h) - 1 + h / spread
    quotient = d.smt("positive", gt(spread / h, 0), size, low)
    same = d.instantiate("log of a quotient", lg.product, {lg.v: spread / h, lg.w: h}, quotient, low)
    same = d.smt("log of a quotient", eq(sp.log(spread / h), sp.log(spread) - sp.log(h)), same, *sizes, quotient)
    far = d.smt("over it", le(total(at.term[x], x), sign * closed_form), far, same, *sizes, quotient)
    near = _extreme(d, at, share, (low, size, above), logs_)
    d.qed(
        far,
        d.smt("attained", eq(near.relation.lhs, constant * closed_form), near, same, *sizes, quotient),
        d.smt("that is", eq(-near.relation.lhs, -constant * closed_form), near, same, *sizes, quotient),
    )


def _sizes(d: Derivation, at: Divergence, above: Fact) -> tuple[Fact, list[Fact]]:
    """h > 0, and that 1/h − 1/(ρ² − 1) is between 0 and 1."""
    lg = at.lg
    L = at.L
    rho = at.it.rho
    unit = sp.Integer(1)
    unit_positive = d.derive("positive", gt(unit, 0))
    under = d.instantiate("log ρ", lg.tangent, {lg.v: unit, lg.w: rho}, unit_positive, at.positive_rho)
    over = d.instantiate("log ρ", lg.tangent, {lg.v: rho, lg.w: unit}, at.positive_rho, unit_positive)
    low = d.smt("h is positive", gt(2 * L, 0), over, above, at.positive_rho)
    a = 1 / (2 * L) - 1 / (rho**2 - 1)
    spread = d.smt("positive", gt(rho**2 - 1, 0), above)
    upper_gap = d.smt("h is below ρ² − 1", gt(rho**2 - 1 - 2 * L, 0), under, above, at.positive_rho)
    lower_gap = d.smt("and above 1 − 1/ρ²", gt(2 * L * rho**2 - rho**2 + 1, 0), over, above, at.positive_rho)
    return low, [
        d.smt("the share is positive", gt(a, 0), upper_gap, low, spread),
        d.smt("and below 1", gt(1 - a, 0), lower_gap, low, spread),
    ]


def _logs(d: Derivation, at: Divergence, low: Fact, size: Fact) -> list[Fact]:
    """log of (ρ² − 1)/(h ρ)."""
    lg = at.lg
    L = at.L
    rho = at.it.rho
    h = 2 * L
    spread = rho**2 - 1
    scale = d.smt("positive", gt(h * rho, 0), low, at.positive_rho)
    quotient = d.smt("positive", gt(spread / (h * rho), 0), size, low, at.positive_rho)
    product = d.instantiate("log of a product", lg.product, {lg.v: spread / (h * rho), lg.w: h * rho}, quotient, scale)
    log_spread = d.derive("the whole", eq(sp.log(spread / (h * rho) * (h * rho)), sp.log(spread)), size)
    inverse = d.smt("positive", gt(1 / rho, 0), at.positive_rho)
    return [
        product,
        log_spread,
        d.instantiate("log of a product", lg.product, {lg.v: h, lg.w: rho}, low, at.positive_rho),
        d.instantiate("log 1", lg.product, {lg.v: 1 / rho, lg.w: rho}, inverse, at.positive_rho),
    ]


def _extreme(d: Derivation, at: Divergence, share: list[Fact], facts: tuple[Fact, ...], logs_: list[Fact]) -> Fact:
    """KL of the two tokens, in terms of log(ρ² − 1), log h and h."""
    lg = at.lg
    L = at.L
    rho = at.it.rho
    low, size, above = facts
    h = 2 * L
    spread = rho**2 - 1
    a = sp.Symbol("a", real=True)
    norm = sp.Symbol("M", real=True)
    named = d.define("the share", a, 1 / h - 1 / spread, low, size, above, at.positive_rho)
    positive = [d.smt("positive", gt(v, 0), named, f, low, size) for v, f in ((a, share[0]), (1 - a, share[1]))]
    rate = d.define("the sum of the changed weights", norm, a * rho + (1 - a) / rho, at.positive_rho)
    pos = d.smt("positive", gt(norm, 0), rate, *positive, at.positive_rho)
    value = d.smt("is (ρ² − 1)/(hρ)", eq(norm * h * rho, spread), rate, named, low, size, at.positive_rho)
    same = d.smt("that is", eq(norm, spread / (h * rho)), value, low, at.positive_rho)
    log_norm = d.derive(
        "its logarithm", eq(sp.log(norm), sp.log(spread / (h * rho))), same, pos, low, size, at.positive_rho
    )
    inverse = [d.smt("positive", gt(v / norm, 0), pos, at.positive_rho) for v in (rho, 1 / rho)]
    inverse_rho = d.smt("positive", gt(1 / rho, 0), at.positive_rho)
    terms = []
    for mass, factor, fact, change in ((a, rho, positive[0], inverse[0]), (1 - a, 1 / rho, positive[1], inverse[1])):
        parts = [
            d.instantiate(
                "log of a product", lg.product, {lg.v: mass, lg.w: factor / norm}, fact, change, pos, at.positive_rho
            ),
            d.instantiate(
                "log of a product", lg.product, {lg.v: factor / norm, lg.w: norm}, change, pos, at.positive_rho
            ),
            d.smt(
                "a logarithm", eq(sp.log(factor), L if factor == rho else -L), *logs_[3:], at.positive_rho, inverse_rho
            ),
        ]
        goal = eq(sp.log(mass * factor / norm), sp.log(mass) + (L if factor == rho else -L) - sp.log(norm))
        terms.append(d.smt("log of the changed mass", goal, *parts, fact, pos, change, at.positive_rho))
    sum_ = a * (sp.log(a) - sp.log(a * rho / norm)) + (1 - a) * (sp.log(1 - a) - sp.log((1 - a) * (1 / rho) / norm))
    goal = eq(sum_, sp.log(spread) - sp.log(h) - 1 + h / spread)
    logarithms = [*terms, log_norm, *logs_]
    sizes = [*positive, pos, low, size, at.positive_rho]
    return d.smt("of two tokens", goal, *logarithms, named, *sizes)


def _values(w: Array, change: Array, rho: Any) -> dict[str, Any]:
    return {**SOME, **bind(w, change, rho)}


def _pairs(rho: Any) -> Iterator[Instance]:
    """Two tokens whose weights are whole numbers, the first up by ρ, the second down."""
    for weight_sum in range(2, 8):
        for first in range(1, weight_sum):
            yield {"w": np.array([F(first), F(weight_sum - first)]), "change": np.array([rho, 1 / rho]), "rho": rho}


PROOFS = (
    Refutation(
        KL_HALF,
        lambda: (i for rho in (F(2), F(3)) for i in _pairs(rho)),
        scope="the first with ρ = 2 or 3 by the denominator of p",
        repaired={
            "the best bound": KL_HALF_CORRECTED,
            "equal weights": lambda: (i for i in _pairs(F(2)) if i["w"][0] == i["w"][1]),
        },
    ),
    Proof(KL_HALF_CORRECTED, prove, drop=LARGER, bind=_values),
)
