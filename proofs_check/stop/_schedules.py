"""Schedules as flags: which drafts of a context are verified, what that yields and costs."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, index, total

__all__ = [
    "THRESHOLD",
    "Schedules",
    "at",
    "flags_of",
    "gamma",
    "k",
    "number",
    "positive_time",
    "schedules",
    "times",
    "times_at",
]

k = index("k")
at = index("at")
number, gamma = sp.symbols("K gamma", integer=True, positive=True)
SPEED = "S is the speed of the schedule v"
THRESHOLD = "h marks products that are at least b S, and no others"


class Schedules(NamedTuple):
    """Weights, products, cost, flags of the given schedule, its speed, and what is known of them."""

    w: Any
    P: Any
    b: Any
    v: Any
    S: Any
    speed: Fact
    marks: list[Fact]
    low: list[Fact]

    def tokens(self, flags: Any) -> Any:
        """Mean tokens of a pass."""
        return 1 + times(self.w[k] * times_at(self.P[k, at] * flags[k, at]))

    def time(self, flags: Any) -> Any:
        """Its mean time."""
        return 1 + self.b * times(self.w[k] * times_at(flags[k, at]))


def times(e: Any) -> Any:
    """Sum over contexts."""
    return total(e, k, upto=number)


def times_at(e: Any) -> Any:
    """Sum over drafts of a context."""
    return total(e, at, upto=gamma)


def schedules(d: Derivation) -> Schedules:
    """A schedule v of speed S."""
    w = d.weights("w", k)
    P = d.weights("P", k, at)
    v = d.weights("v", k, at)
    b = d.number("b", 0)
    S = d.number("S", 0)
    bit = d.domain("v is 1 or 0", eq(v[k, at] * (1 - v[k, at]), 0))
    low = [d.derive("not negative", ge(e, 0)) for e in (w[k], v[k, at], b)]
    it = Schedules(w=w, P=P, b=b, v=v, S=S, speed=bit, marks=[bit], low=low)
    speed = d.domain(SPEED, eq(S * it.time(v), it.tokens(v)))
    return it._replace(speed=speed)


def flags_of(d: Derivation, it: Schedules, name: str, products: Any, text: str) -> tuple[Any, list[Fact]]:
    """Flags of a threshold at b S on some products."""
    h = d.weights(name, k, at)
    facts = d.domain(
        text,
        eq(h[k, at] * (1 - h[k, at]), 0),
        ge(h[k, at] * (products[k, at] - it.b * it.S), 0),
        ge((1 - h[k, at]) * (it.b * it.S - products[k, at]), 0),
    )
    return h, list(facts)


def positive_time(d: Derivation, it: Schedules, flags: Any) -> Fact:
    """The mean time of a pass is at least 1."""
    low = d.derive("not negative", ge(it.w[k] * flags[k, at], 0))
    some = d.sum("over the contexts", d.sum("over the drafts", low, at, upto=gamma), k, upto=number)
    return d.derive("a pass takes time", gt(it.time(flags), 0), some, it.low[2], by="smt")
