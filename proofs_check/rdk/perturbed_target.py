"""rdk.perturbed-target: an error of ε in every logit is a tilt of range 2ε; half of ε does not bound it, 2 tanh(ε/2) does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, ge, j, le
from proofs_check.rdk._tilted_laws import at_least_one, below_half, between, ends, far, moved, tanh, tilt, turned
from simspec.claims.balls import enclose, log
from simspec.claims.claim import Instance
from simspec.claims.rdk.perturbed_target import (
    PERTURBED_TARGET,
    PERTURBED_TARGET_ATTAINED,
    PERTURBED_TARGET_CORRECTED,
    PERTURBED_TARGET_SHARP,
    SMALL_MAX,
)
from simspec.laws import Array, exact


def by_size(largest: int = 3) -> Iterator[Instance]:
    """Weights and ratios that are integers up to `largest`, or their inverses, for one token and then for two."""
    for vocab in (1, 2):
        for size in range(1, largest + 1):
            numbers = [exact([a])[0] for a in range(1, size + 1)]
            ratios = numbers + [1 / a for a in numbers[1:]]
            for w, ratio in product(product(numbers, repeat=vocab), product(ratios, repeat=vocab)):
                yield {"w": exact(list(w)), "ratio": exact(list(ratio)), "spare": 0 * numbers[0]}


def sharp(d: Derivation, fraction: sp.Expr = sp.S.One) -> tuple[Any, Any, Fact, Fact]:
    """The distance, ε, that it is at most 2 tanh(ε/2) (with `fraction` of ε in its place), and that ε ≥ 0."""
    t = tilt(d)
    epsilon = sp.Symbol("epsilon", real=True)
    delta = t.delta
    small = d.assume(SMALL_MAX, le(delta[j], epsilon), ge(delta[j], -epsilon))
    h, exponential_bound = at_least_one(d)
    e = ends(d, fraction * epsilon, fraction * epsilon)
    high = d.derive("no logit rises more", ge(fraction * epsilon - delta[j], 0), small[0])
    low = d.derive("none falls more", ge(delta[j] + fraction * epsilon, 0), small[1])
    within = between(d, t, e, (h, exponential_bound), high, low)
    positive = d.derive("ε is not negative", ge(epsilon, 0), *small)
    g_at_least_one = d.derive(
        "so G ≥ 1", ge(e.G, 1), d.instantiate("at ε", exponential_bound, {h: fraction * epsilon}, positive), e.g_is
    )
    tilted = far(d, t, e, within, g_at_least_one)
    goal = le(moved(t), 2 * tanh(fraction * epsilon))
    return goal.lhs, epsilon, d.derive("which is tanh(ε/2)", goal, tilted, e.g_is), positive


def prove_corrected(d: Derivation, sign: int = 1, fraction: sp.Expr = sp.S.One) -> None:
    """Every vocabulary, all logits and perturbations.

    The constant 1 is the least, approached as ε → 0 and attained at ε = 0 only; the sharp function of ε is 2 tanh(ε/2),
    rdk.perturbed-target-sharp.
    """
    distance, epsilon, bound, positive = sharp(d)
    v, tangent = below_half(d)
    tangent = d.instantiate("at ε", tangent, {v: epsilon}, positive)
    d.qed(d.derive("together", le(distance, sign * fraction * epsilon), bound, tangent))


def prove_sharp(d: Derivation, sign: int = 1, fraction: sp.Expr = sp.S.One) -> None:
    """Every vocabulary, all logits and perturbations.

    Attained for every ε: rdk.perturbed-target-sharp.attained.
    """
    distance, _, bound, _ = sharp(d, fraction)
    d.qed(d.derive("the statement", le(distance, sign * bound.relation.rhs), bound))


def prove_attained(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every ε."""
    d.qed(turned(d, sp.S.One, "one up and one down by ε, the odds e^ε are turned round", sign, constant))


def _values(w: Array, ratio: Array, spare: Fraction) -> dict[str, Any]:
    delta = log(ratio)
    epsilon = max(abs(delta), key=float) + enclose(spare)
    return {"w": w, "delta": delta, "epsilon": epsilon, "h": 0, "v": 0, "V": len(w)}


def _odds(odds: Fraction) -> dict[str, Any]:
    return {"epsilon": log(odds), "h": 0, "V": 2}


PROOFS = (
    Refutation(
        PERTURBED_TARGET,
        by_size,
        scope="the first with weights e^z and ratios e^δ that are integers or their inverses, by vocabulary and then by the "
        "largest integer; certified by balls. One token cannot move",
        repaired={
            "ε in place of ε/2": PERTURBED_TARGET_CORRECTED,
            "2 tanh(ε/2) in place of ε/2": PERTURBED_TARGET_SHARP,
        },
    ),
    Proof(
        PERTURBED_TARGET_CORRECTED,
        prove_corrected,
        drop=SMALL_MAX,
        change={"fraction": sp.Rational(1, 2)},
        bind=_values,
    ),
    Proof(PERTURBED_TARGET_SHARP, prove_sharp, drop=SMALL_MAX, change={"fraction": sp.Rational(1, 2)}, bind=_values),
    Proof(PERTURBED_TARGET_ATTAINED, prove_attained, drop="epsilon is in its range", bind=_odds),
)
