"""cascade.order: draft by draft, what the last model emits from there on, in a recursion with a geometric sum."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction as F
from itertools import product
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, laws
from simspec.claims.cascade.order import ORDER, ORDER_CORRECTED
from simspec.claims.claim import Instance

n, gamma = sp.symbols("n gamma", integer=True, nonnegative=True)


def prove(d: Derivation, sign: int = 1, constant: int = 1, bonus: int = 1) -> None:
    """All acceptances, every number of drafts, independent steps.

    N is what the last model emits where the draft has n tokens left: each is tested by the first model, what that emits by the
    second, and what that emits by the last.  A model that rejects emits a token, after which those above it add one each.
    """
    first, second, third = (d.number(name, 0, 1) for name in ("first", "second", "third"))
    N, G, rho = (sp.IndexedBase(name, real=True) for name in ("N", "G", "rho"))
    last = 1 + third  # the second model's own token comes next: it may be kept, then the last one adds its own
    cut = 1  # the second model rejected: its token was kept, and the last model adds its own
    start, step = d.recursion(
        "tokens from there on",
        eq(N[0], 1 + third * (second * last + bonus * (1 - second) * cut)),
        eq(
            N[n + 1],
            1 + third * (second * (first * N[n] + (1 - first) * last) + bonus * (1 - second) * cut),
        ),
    )
    product_ = first * second * third
    powers = d.recursion("powers", eq(rho[0], 1), eq(rho[n + 1], sign * product_ * rho[n]))
    sums = d.recursion("their sum", eq(G[0], 1), eq(G[n + 1], G[n] + rho[n + 1]))
    series = eq(G[n + 1], 1 + product_ * G[n])
    second_sum = d.instantiate("the second", sums[1], {n: 0})
    power = d.instantiate("of it", powers[1], {n: 0})
    base = [sums[0], powers[0], second_sum, power]
    later = d.instantiate("one more", sums[1], {n: n + 1})
    power = d.instantiate("of it", powers[1], {n: n + 1})
    series = d.inductive("a geometric series", series, n, base, [sums[1], later, powers[1], power], by="smt")
    closed = eq(N[n], 1 + third + second * third**2 * G[n])
    closed = d.inductive("in closed form", closed, n, [start, sums[0]], [step, series], by="smt")
    closed = d.instantiate("of all drafts", closed, {n: gamma})
    goal = eq(N[gamma], constant + third + second * third**2 * G[gamma])
    d.qed(d.derive("in all", goal, closed, by="smt"))


def _values(first: F, second: F, third: F, gamma: int) -> dict[str, Any]:
    numbers = {"first": first, "second": second, "third": third, "gamma": gamma}
    return {**numbers, "ranges": {"n": range(gamma + 1)}}


def _models(same: bool) -> Iterator[Instance]:
    """Two tokens, masses of one denominator, one draft."""
    for size in (1, 2):
        for p, cheap, dear, q in product(list(laws(2, size)), repeat=4):
            if not same or (cheap == dear).all():
                yield {"p": p, "cheap": cheap, "dear": dear, "q": q, "gamma": 1}


PROOFS = (
    Refutation(
        ORDER,
        lambda: _models(False),
        scope="the first by a common denominator, with two tokens and one draft",
        repaired={"middle models that are one": lambda: _models(True)},
    ),
    Proof(ORDER_CORRECTED, prove, drop={"bonus": 0}, bind=_values),
)
