"""Logarithms and exponentials as atoms, with what is needed of them: tangents, products, monotonicity."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._truth_values import zeros
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x

__all__ = ["SOME", "Divergence", "Log", "Logs", "compared", "divergence", "grows", "larger", "log_of", "logs", "split"]


SOME = {"v": 1, "v_0": 1, "g": 0, "delta": 0, "epsilon": 0}
"""Values for the numbers of the lemmas below, which are about all of them."""


class Logs(NamedTuple):
    """Facts about all v, w > 0 and ε ≥ 0."""

    v: Any
    w: Any
    tangent: Fact
    """v (log v − log w) ≥ v − w."""
    product: Fact
    """log(v w) = log v + log w."""
    epsilon: Any
    rises: Fact
    """log(v + ε) ≥ log v."""


def logs(d: Derivation) -> Logs:
    """The tangent of v log v at w lies below it."""
    v = d.number("v", positive=True)
    w = d.number("v_0", positive=True)
    f = v * sp.log(v) - v * sp.log(w) - v + w
    above_w = d.case("v is at least w", ge(v, w))
    slope = d.derive("the slope of log", ge(1 / v, 0))
    above = d.increasing("log grows", sp.log(v), v, w, slope, above_w)
    slope = d.derive("so this slope is not negative", ge(sp.log(v) - sp.log(w), 0), above)
    from_above = d.increasing("v log v is above its tangent at w", f, v, w, slope, above_w)
    below_w = d.case("v is at most w", le(v, w))
    beyond = d.derive("that is", ge(w, v), below_w)
    slope = d.smt("the slope in w", ge(1 - v / w, 0), below_w)
    from_below = d.increasing("and on the other side", f, w, v, slope, beyond)
    tangent = d.cases("on either side", from_above, from_below)
    product = d.derive("log of a product", eq(sp.log(v * w), sp.log(v) + sp.log(w)))
    epsilon = d.number("epsilon", low=0)
    slope = d.derive("the slope of log", ge(1 / (v + epsilon), 0))
    beyond = d.derive("to the right", ge(epsilon, 0))
    rises = d.increasing("log grows", sp.log(v + epsilon), epsilon, sp.S.Zero, slope, beyond)
    return Logs(v, w, tangent, product, epsilon, rises)


def larger(d: Derivation, lg: Logs, low: sp.Expr, high: sp.Expr, order: Fact, positive: Fact) -> Fact:
    """log low ≤ log high, from 0 < low ≤ high."""
    nonnegative_gap = d.smt("a larger number", ge(sp.expand(high - low), 0), order)
    return d.instantiate(
        "has the larger logarithm", lg.rises, {lg.v: low, lg.epsilon: high - low}, nonnegative_gap, positive
    )


def grows(d: Derivation) -> tuple[Any, Any, Fact]:
    """exp(g + δ) ≥ exp(g) for every real g and δ ≥ 0: the two symbols and the fact."""
    g = d.number("g")
    delta = d.number("delta", low=0)
    slope = d.derive("the slope of exp", ge(sp.exp(g + delta), 0))
    beyond = d.derive("to the right", ge(delta, 0))
    return g, delta, d.increasing("exp grows", sp.exp(g + delta), delta, sp.S.Zero, slope, beyond)


def compared(
    d: Derivation, lg: Logs, first_factors: tuple[Any, Any], second_factors: tuple[Any, Any], *positive_factors: Fact
) -> list[Fact]:
    """Products v v′ and w w′ of positive numbers and their logarithms: enough to know that log grows, and equal means equal."""
    (v, v2) = first_factors
    (w, w2) = second_factors
    positive_products = [
        d.smt("a product of positive numbers", gt(v * v2, 0), *positive_factors),
        d.smt("and another", gt(w * w2, 0), *positive_factors),
    ]
    return [
        d.instantiate("one against the other", lg.tangent, {lg.v: v * v2, lg.w: w * w2}, *positive_products),
        d.instantiate("and back", lg.tangent, {lg.v: w * w2, lg.w: v * v2}, *positive_products),
        *(split(d, lg, a, b, *positive_factors) for a, b in (first_factors, second_factors) if b != 1),
    ]


def split(d: Derivation, lg: Logs, a: sp.Expr, b: sp.Expr, *positive_factors: Fact) -> Fact:
    """log(a b) = log a + log b."""
    return d.instantiate("log of the product", lg.product, {lg.v: a, lg.w: b}, *positive_factors)


class Log(NamedTuple):
    """The logarithm of a weight, or 0 where the weight is 0."""

    zero: Any
    """1 where the weight is 0, else 0."""
    is_zero: list[Fact]
    log: Any
    means: Fact
    """log = log(weight + zero)."""

    @property
    def known(self) -> list[Fact]:
        """What both names mean."""
        return [*self.is_zero, self.means]


class Divergence(NamedTuple):
    """KL(a‖p) on the support of p, what a has outside it, and the logarithms that it is made of."""

    value: Any
    outside: Any
    part: Any
    """What a token adds to the value."""
    log: Any
    zero: Any
    """log a at a token, and 1 where a is 0."""
    facts: list[Fact]
    """What zero, log and part mean."""
    mean: Fact
    rest: Fact
    """What value and outside mean."""


def log_of(d: Derivation, name: str, weights: sp.IndexedBase, is_zero: list[Fact], zero: sp.IndexedBase) -> Log:
    """log of a weight, or 0 where it is 0."""
    logarithm = sp.IndexedBase(f"L_{name}", real=True)
    means = d.define(f"log {name}, or 0 where {name} is 0", logarithm[x], sp.log(weights[x] + zero[x]), is_zero[2])
    return Log(zero, is_zero, logarithm, means)


def divergence(d: Derivation, a: sp.IndexedBase, p: Log) -> Divergence:
    """Names for KL(a‖p), with 0 log 0 = 0, and for Σ_{p = 0} a."""
    name = str(a.label)
    zero, is_zero = zeros(d, f"n_{name}", a)
    weight_log = log_of(d, name, a, is_zero, zero)
    summand = sp.IndexedBase(f"D_{name}", real=True)
    summand_rule = d.define(
        "what a token adds to the divergence", summand[x], (1 - p.zero[x]) * a[x] * (weight_log.log[x] - p.log[x])
    )
    K = sp.Symbol(f"K_{name}", real=True)
    N = sp.Symbol(f"N_{name}", real=True)
    mean = d.define(f"KL({name}‖p) on the support of p", K, total(summand[x], x))
    rest = d.define(f"what {name} has outside the support", N, total(p.zero[x] * a[x], x))
    return Divergence(
        value=K,
        outside=N,
        part=summand[x],
        log=weight_log.log[x],
        zero=zero[x],
        facts=[*weight_log.known, summand_rule],
        mean=mean,
        rest=rest,
    )
