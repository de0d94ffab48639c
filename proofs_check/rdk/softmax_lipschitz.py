"""rdk.softmax-lipschitz: logits that change by ε in ℓ1 tilt the law by a range of at most ε, and a range R moves tanh(R/4)."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, j, le, total, x
from proofs_check.rdk._tilted_laws import at_least_one, below_half, between, ends, far, moved, tanh, tilt, turned
from simspec.claims.balls import enclose, log
from simspec.claims.rdk.softmax_lipschitz import (
    SMALL1,
    SOFTMAX_LIPSCHITZ,
    SOFTMAX_LIPSCHITZ_ATTAINED,
    SOFTMAX_LIPSCHITZ_SHARP,
)
from simspec.laws import Array


def sharp(d: Derivation, fraction: sp.Expr = sp.S.One) -> tuple[Any, Any, Fact, Fact]:
    """The distance, ε, that it is at most 2 tanh(ε/4) (with `fraction` of ε in its place), and that ε ≥ 0."""
    t = tilt(d)
    epsilon = sp.Symbol("epsilon", real=True)
    delta = t.delta
    small = d.assume(SMALL1, le(total(sp.Abs(delta[j]), j), epsilon))
    h, exponential_bound = at_least_one(d)
    up, down = sp.symbols("up down", real=True)
    up_is = d.define("what the logits rise by", up, total(sp.Max(delta[j], 0), j))
    down_is = d.define("what they fall by", down, total(sp.Max(-delta[j], 0), j))
    e = ends(d, up, down)

    rises = d.derive("a rise", ge(sp.Max(delta[x], 0), 0))
    falls = d.derive("a fall", ge(sp.Max(-delta[x], 0), 0))
    high = d.derive("no logit rises more", ge(up - delta[j], 0), d.term("one rise", rises, x, j), up_is)
    low = d.derive("none falls more", ge(delta[j] + down, 0), d.term("one fall", falls, x, j), down_is)
    within = between(d, t, e, (h, exponential_bound), high, low)

    all_up = d.sum("over the vocabulary", rises, x)
    all_down = d.sum("over the vocabulary", falls, x)
    range_ = d.derive("the range is not negative", ge((up + down) / 2, 0), all_up, all_down, up_is, down_is)
    g_at_least_one = d.instantiate("at half of the range", exponential_bound, {h: (up + down) / 2}, range_)
    g_at_least_one = d.derive("so G ≥ 1", ge(e.G, 1), g_at_least_one, e.g_is)
    tilted = far(d, t, e, within, g_at_least_one)

    size = d.summed("the size of a change", eq(sp.Abs(delta[j]), sp.Max(delta[j], 0) + sp.Max(-delta[j], 0)), over=j)
    budget = ge(fraction * epsilon / 2 - (up + down) / 2, 0)
    range_slack = d.derive("the range is at most ε", budget, size, up_is, down_is, small)
    wider = d.instantiate(
        "at what is left of it", exponential_bound, {h: fraction * epsilon / 2 - (up + down) / 2}, range_slack
    )
    wider = d.derive("so G ≤ e^(ε/2)", le(e.G, sp.exp(fraction * epsilon / 2)), wider, e.g_is)
    goal = le(moved(t), 2 * tanh(fraction * epsilon / 2))
    bound = d.derive("and (G − 1)/(G + 1) increases in G", goal, tilted, wider, g_at_least_one)
    positive = d.derive("ε is not negative", ge(epsilon / 2, 0), range_slack, range_)
    return goal.lhs, epsilon, bound, positive


def prove(d: Derivation, sign: int = 1, fraction: sp.Expr = sp.S.Half) -> None:
    """Every vocabulary, all logits and perturbations.

    The constant ½ is the least, approached as ε → 0 by two tokens of equal odds, but never attained for ε > 0; the
    sharp function of ε is 2 tanh(ε/4), rdk.softmax-lipschitz-sharp.
    """
    distance, epsilon, bound, positive = sharp(d)
    v, tangent = below_half(d)
    tangent = d.instantiate("at ε/2", tangent, {v: epsilon / 2}, positive)
    d.qed(d.derive("together", le(distance, sign * fraction * epsilon), bound, tangent))


def prove_sharp(d: Derivation, sign: int = 1, fraction: sp.Expr = sp.S.One) -> None:
    """Every vocabulary, all logits and perturbations.

    Attained for every ε: rdk.softmax-lipschitz-sharp.attained.
    """
    distance, _, bound, _ = sharp(d, fraction)
    d.qed(d.derive("the statement", le(distance, sign * bound.relation.rhs), bound))


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every ε."""
    d.qed(turned(d, sp.S.Half, "the first up by ε, the odds e^(ε/2) are turned round", sign, constant))


def _values(w: Array, ratio: Array, spare: Fraction) -> dict[str, Any]:
    delta = log(ratio)
    epsilon = abs(delta).sum() + enclose(spare)
    return {"w": w, "delta": delta, "epsilon": epsilon, "h": 0, "v": 0, "V": len(w)}


def _odds(odds: Fraction) -> dict[str, Any]:
    return {"epsilon": 2 * log(odds), "h": 0, "V": 2}


PROOFS = (
    Proof(SOFTMAX_LIPSCHITZ, prove, drop=SMALL1, change={"fraction": sp.Rational(1, 3)}, bind=_values),
    Proof(SOFTMAX_LIPSCHITZ_SHARP, prove_sharp, drop=SMALL1, change={"fraction": sp.Rational(1, 2)}, bind=_values),
    Proof(SOFTMAX_LIPSCHITZ_ATTAINED, prove_attained, drop="epsilon is in its range", bind=_odds),
)
