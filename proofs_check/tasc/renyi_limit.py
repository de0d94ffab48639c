"""tasc.renyi-limit: e^a lies above its tangents and below a parabola, with a the surprisal times α − 1."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from proofs_check.tasc._exponential_tangent import tangent
from simspec.claims.balls import log
from simspec.claims.tasc.renyi_limit import RENYI_LIMIT
from simspec.laws import Array

AWAY = "the order is not one"


def parabola(d: Derivation, half: sp.Expr = sp.S.Half) -> tuple[Fact, Any]:
    """e^a ≤ 1 + a + a² max(1, e^a)/2 for every real a; the fact, and a."""
    a = d.number("place")
    v = sp.Symbol("depth", nonnegative=True)
    top = sp.Max(1, sp.exp(a))
    statement = le(sp.exp(a), 1 + a + half * a**2 * top)

    right = d.case("a is not negative", ge(a, 0))
    f = 1 + a + half * a**2 * sp.exp(a) - sp.exp(a)
    positive = d.derive("the exponential is positive", gt(sp.exp(a), 0))
    bend = d.smt("the second derivative", ge(sp.expand(sp.diff(f, a, 2)), 0), positive, right)
    slope = d.increasing("the first one rises", sp.diff(f, a), a, 0, bend, right)
    slope = d.derive("from nought", ge(sp.diff(f, a), 0), slope)
    above = d.increasing("to the right", f, a, 0, slope, right)
    above = d.smt("below the parabola", statement, above, positive)

    not_positive = d.case("a is not positive", le(a, 0))
    g = 1 - v + half * v**2 - sp.exp(-v)
    beyond = d.derive("a distance", ge(v, 0))
    slope = d.derive("the exponential is positive", ge(sp.exp(-v), 0))
    falls = d.increasing("the exponential falls to the left", -sp.exp(-v), v, 0, slope, beyond)
    bend = d.derive("the second derivative", ge(sp.diff(g, v, 2), 0), falls)
    slope = d.increasing("the first one rises", sp.diff(g, v), v, 0, bend, beyond)
    slope = d.derive("from nought", ge(sp.diff(g, v), 0), slope)
    mirrored = d.increasing("to the left", g, v, 0, slope, beyond)
    mirrored = d.instantiate("at the distance from nought", mirrored, {v: -a}, not_positive)
    mirrored = d.smt("below the parabola", statement, mirrored, not_positive)
    return d.cases("everywhere", above, mirrored), a


def prove(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every law, also with outcomes of mass zero, and every order but one.

    0 is attained by uniform laws. The other end is sharp as α → 1 for laws of vanishing entropy: the gap is (α − 1)/2 times
    the variance of the surprisal, which log² p exceeds by H² on average.
    """
    p, mass = d.law("p")
    surprisal = sp.IndexedBase("l", real=True)
    t = d.number("t")
    inverse = d.number("inverse")
    away = d.domain(AWAY, eq(inverse * t, 1))
    H = sp.Symbol("H", real=True)
    S = sp.Symbol("S", real=True)
    entropy = d.define("entropy, with l = log p", H, -total(p[x] * surprisal[x], x))
    tilted = p[x] * sp.exp(t * surprisal[x])
    total_mass = d.define("Σ p^α, α = 1 + t", S, total(tilted, x))

    curve, a, b = tangent(d)
    line = d.instantiate("tangent at −tH", curve, {a: t * surprisal[x], b: -t * H})
    line = d.derive("weighted", ge(tilted, p[x] * sp.exp(-t * H) * (1 + t * surprisal[x] + sign * t * H)), line)
    line = d.sum("over outcomes", line, x)
    floor = d.derive("Jensen", ge(S, sp.exp(-t * H)), line, total_mass, entropy, mass)
    positive = d.derive("the exponential is positive", gt(sp.exp(-t * H), 0))
    positive = d.smt("so the sum is positive", gt(S, 0), floor, positive)
    low = d.instantiate("tangent at log Σ p^α", curve, {a: -t * H, b: sp.log(S)}, positive)
    low = d.derive("without logarithms", ge(sp.exp(-t * H), S * (1 - t * H - sp.log(S))), low, positive)
    low = d.smt("the logarithm is no less", ge(t * H + sp.log(S), 0), low, floor, positive)

    bowl, place = parabola(d)
    per_outcome = d.instantiate("at t l", bowl, {place: t * surprisal[x]})
    second = p[x] * sp.Max(1, sp.exp(t * surprisal[x])) * surprisal[x] ** 2
    per_outcome = d.smt("weighted", le(tilted, p[x] + t * p[x] * surprisal[x] + t**2 * second / 2), per_outcome)
    per_outcome = d.sum("over outcomes", per_outcome, x)
    sum_bound = d.derive(
        "all of it", le(S, 1 - t * H + t**2 * total(second, x) / 2), per_outcome, total_mass, entropy, mass
    )
    high = d.instantiate("tangent at nought", curve, {a: sp.log(S), b: 0}, positive)
    high = d.derive("log S ≤ S − 1", le(sp.log(S), S - 1), high, positive)
    high = d.smt("the logarithm is no more", le(t * H + sp.log(S), t**2 * total(second, x) / 2), high, sum_bound)

    gap = (H + sp.log(S) * inverse) * inverse
    square = d.derive("the gap, times t²", eq((t * H + sp.log(S)) * inverse**2, gap), away, positive)
    low = d.derive("over t²", ge((t * H + sp.log(S)) * inverse**2, 0), low, positive)
    goal = le((t * H + sp.log(S)) * inverse**2, (t * inverse) ** 2 * total(second, x) / 2)
    high = d.smt("over t²", goal, high, positive)
    d.qed(
        d.smt("no less than nought", le(-gap, 0), low, square),
        d.smt("no more than half the mean square", le(gap, total(second, x) * constant / 2), high, square, away),
    )


def bind(p: Array, order: Fraction) -> dict[str, Any]:
    """The order less one, and the logarithms of positive masses."""
    return {"p": p, "V": len(p), "t": order - 1, "inverse": 1 / (order - 1), "l": [log(m) if m else 0 for m in p]}


PROOF = Proof(RENYI_LIMIT, prove, drop="p sums to one", change={"constant": sp.S.Half}, bind=bind)
