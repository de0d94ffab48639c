"""tasc.mixture-average: min(p, ·) is concave, token by token; what mixing gains is where the two drafters err oppositely."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from simspec.claims.tasc.mixture_average import BETWEEN, MIXTURE, MIXTURE_SHARP
from simspec.laws import Array


def concave(d: Derivation, sign: int = 1, weights: sp.Expr | int = 1) -> None:
    """Every vocabulary size, all laws and parameters of the claim.

    The average is the most that can be promised: equality wherever, on every token, both drafters propose at least or
    both at most what the target wants; tasc.mixture-average-sharp gives the exact gain.
    """
    p = d.weights("p")
    c = d.weights("c")
    r = d.weights("r")
    mix = sp.Symbol("mix", real=True)
    between = d.assume(BETWEEN, ge(mix, 0), le(mix, 1))
    mixture = mix * c[x] + sign * (weights - mix) * r[x]
    average = mix * sp.Min(p[x], c[x]) + (1 - mix) * sp.Min(p[x], r[x])
    below_target = d.derive("the mean of the minima is at most p", le(average, p[x]), *between)
    below_mixture = d.derive("and at most the mean of the two drafts", le(average, mixture), *between)
    token = d.derive(
        "so it is at most the smaller one", ge(sp.Min(p[x], mixture), average), below_target, below_mixture
    )
    d.qed(d.sum("over the vocabulary", token, x))


def gain(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> None:
    """Every vocabulary size, any three vectors, and any λ, also outside [0, 1]."""
    p = d.weights("p")
    c = d.weights("c")
    r = d.weights("r")
    mix = d.number("mix")
    rest = d.number("rest")
    weights_sum = d.domain("the two weights sum to one", eq(rest, 1 - mix))
    over = mix * sp.Max(c[x] - p[x], 0) + rest * sp.Max(r[x] - p[x], 0)
    under = mix * sp.Max(p[x] - c[x], 0) + constant * rest * sp.Max(p[x] - r[x], 0)
    surplus = sp.IndexedBase("surplus", real=True)
    lack = sp.IndexedBase("lack", real=True)
    a = d.define("mean surplus of the two drafters", surplus[x], over)
    b = d.define("mean lack of the two drafters", lack[x], under)
    mixture = mix * c[x] + rest * r[x]
    average = mix * sp.Min(p[x], c[x]) + rest * sp.Min(p[x], r[x])
    mean = eq(mixture, p[x] + surplus[x] - sign * lack[x])
    mean = d.derive("the mixture is the target and what it errs by", mean, a, b, weights_sum)
    average_accepted = d.derive(
        "on average the target is accepted but for the lack", eq(average, p[x] - lack[x]), b, weights_sum
    )
    smaller = sp.Min(surplus[x], lack[x])
    token = d.summed(
        "the smaller of the two is gained", eq(sp.Min(p[x], mixture), average + smaller), mean, average_accepted
    )
    gained = eq(total(sp.Min(p[x], mixture), x) - total(average, x), total(smaller, x))
    d.qed(d.derive("the gain over the average", gained, token))


def _values(p: Array, c: Array, r: Array, mix: Fraction) -> dict[str, Any]:
    return {"p": p, "c": c, "r": r, "mix": mix, "rest": 1 - mix, "V": len(p)}


PROOFS = (
    Proof(MIXTURE, concave, drop=BETWEEN, change={"weights": sp.S.Half}, bind=_values),
    Proof(MIXTURE_SHARP, gain, drop="the two weights sum to one", bind=_values),
)
