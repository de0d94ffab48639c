"""cascade.pays: tokens of a round and of k rounds by induction, and of drafts without a middle model."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, laws
from simspec.claims.cascade.pays import FOLK, ROUNDS
from simspec.claims.claim import Instance

n, gamma, inner, rounds = sp.symbols("n gamma inner rounds", integer=True, nonnegative=True)


def _powers(d: Derivation, name: str, base: Any) -> tuple[Any, tuple[Fact, Fact]]:
    """base**n as a sequence."""
    power = sp.IndexedBase(name, real=True)
    return power, d.recursion(f"powers, {name}", eq(power[0], 1), eq(power[n + 1], base * power[n]))


def prove(d: Derivation, sign: int = 1, constant: int = 1, bonus: int = 1) -> None:
    """All acceptances and costs, every number of drafts and rounds, independent steps.

    A and B say what a round is worth: A tokens, and with probability B the target accepts them all and goes on.
    """
    a, lower, upper = (d.number(name, 0, 1) for name in ("alpha", "lower", "upper"))
    cost, middle = (d.number(name, 0) for name in ("cost", "middle"))
    product_ = lower * upper
    A, B, G, W, E = (sp.IndexedBase(name, real=True) for name in ("A", "B", "G", "W", "E"))
    rho, of_rho = _powers(d, "rho", product_)
    of_G = d.recursion("sums of powers", eq(G[0], 0), eq(G[n + 1], G[n] + rho[n]))
    series = eq((1 - product_) * G[n], 1 - rho[n])
    series = d.inductive("a geometric series", series, n, [of_G[0], of_rho[0]], [of_G[1], of_rho[1]], by="smt")
    of_A = d.recursion(
        "tokens of a round of n drafts: the target's answer to each, as long as it accepts",
        eq(A[0], 1),
        eq(A[n + 1], 1 + product_ * A[n]),
    )
    of_B = d.recursion(
        "all are accepted: a draft that m rejects ends the round with m's token",
        eq(B[0], upper),
        eq(B[n + 1], upper * (lower * B[n] + bonus * (1 - lower))),
    )
    closed = eq(B[n], upper * ((1 - lower) * G[n] + rho[n]))
    first = [of_B[0], of_G[0], of_rho[0]]
    closed = d.inductive("in closed form", closed, n, first, [of_B[1], of_G[1], of_rho[1], series], by="smt")
    worth = eq((1 - upper) * A[n], 1 - B[n])
    worth = d.inductive("tokens of a round", worth, n, [of_A[0], of_B[0]], [of_A[1], of_B[1]], by="smt")
    closed, worth = (d.instantiate("of this round", fact, {n: inner}) for fact in (closed, worth))
    b = sp.Symbol("b", real=True)
    named = d.define("all tokens of a round are accepted", b, upper * ((1 - lower) * G[inner] + rho[inner]))
    power, of_power = _powers(d, "power", b)
    of_W = d.recursion("tokens of n rounds", eq(W[0], 1), eq(W[n + 1], A[inner] + B[inner] * W[n]))
    tokens = eq((1 - upper) * W[n], 1 - upper * power[n])
    step = [of_W[1], of_power[1], worth, closed, named]
    tokens = d.inductive("of the cascade", tokens, n, [of_W[0], of_power[0]], step, by="smt")
    tokens = d.instantiate("of its rounds", tokens, {n: rounds})
    alone, of_alone = _powers(d, "alone", a)
    of_E = d.recursion("tokens of n drafts", eq(E[0], 1), eq(E[n + 1], E[n] + sign * alone[n + 1]))
    plain = eq((1 - a) * E[n], 1 - a * alone[n])
    plain = d.inductive("without it", plain, n, [of_E[0], of_alone[0]], [of_E[1], of_alone[1]], by="smt")
    plain = d.instantiate("of its drafts", plain, {n: gamma})
    plain_time = 1 + gamma * cost
    time = 1 + rounds * (inner * cost + middle)
    left = (1 - a) * (1 - upper) * (W[rounds] * plain_time - E[gamma] * time)
    right = (1 - a) * (1 - upper * power[rounds]) * plain_time
    right -= (1 - upper) * (1 - a * alone[gamma]) * time
    d.qed(d.derive("together", eq(constant * left, right), tokens, plain, by="smt"))


def _values(
    alpha: F, lower: F, upper: F, draft_cost: F, middle_cost: F, gamma: int, inner: int, rounds: int
) -> dict[str, Any]:
    return {
        **{"alpha": alpha, "lower": lower, "upper": upper, "cost": draft_cost, "middle": middle_cost},
        **{"gamma": gamma, "inner": inner, "rounds": rounds},
        "ranges": {"n": range(max(gamma, inner, rounds) + 1)},
    }


def _laws(free: bool) -> Iterator[Instance]:
    """Two tokens, masses of one denominator, a draft that costs nothing, and prices of the middle model."""
    for size in range(2, 5):
        for p, m, q in product(list(laws(2, size)), repeat=3):
            for price in (F(0),) if free else (F(1, 2), F(3, 4)):
                yield {"p": p, "m": m, "q": q, "draft_cost": F(0), "middle_cost": price}


PROOFS = (
    Proof(ROUNDS, prove, drop={"bonus": 0}, bind=_values),
    Refutation(
        FOLK,
        lambda: _laws(False),
        scope="the first by a common denominator, with two tokens and a draft that costs nothing",
        repaired={"a middle model that costs nothing either": lambda: _laws(True)},
    ),
)
