"""The race: how often a token wins both, as products; lists of drafts; what an instance says of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, total, x, y
from simspec.laws import exact

__all__ = ["WINS", "Quotient", "Race", "quotient", "race", "sums", "values"]

WINS = "a token wins both races with 1/Σ max(p_i/p_j, q_i/q_j) (see coupling.formula)"


class Quotient(NamedTuple):
    """m[y] · over[y] is the numerator, over[y] > 0, and it is the denominator where p, and where q, has the token."""

    m: Any
    facts: tuple[Fact, ...]


class Race(NamedTuple):
    """Laws; D[y] = Σ_x max(p_x q_y, q_x p_y), by definition; how often y wins both races, p_y q_y / D[y]."""

    p: Any
    q: Any
    D: Any
    sums: Fact
    wins: Quotient
    mass_p: Fact
    mass_q: Fact

    @property
    def larger(self) -> Any:
        """max(p_x q_y, q_x p_y)."""
        return sp.Max(self.p[x] * self.q[y], self.q[x] * self.p[y])

    def at_least_one(self, d: Derivation) -> tuple[Fact, Fact]:
        """D[y] ≥ q[y] and D[y] ≥ p[y]."""
        bounds = []
        for law, mass, product in (
            (self.q, self.mass_p, self.p[x] * self.q[y]),
            (self.p, self.mass_q, self.q[x] * self.p[y]),
        ):
            per_token = d.sum("over the tokens", d.smt("the larger of two", ge(self.larger, product)), x)
            bounds.append(d.derive("at least one law", ge(self.D[y], law[y]), per_token, mass, self.sums, by="smt"))
        return bounds[0], bounds[1]

    def at_most_both(self, d: Derivation) -> Fact:
        """D[y] ≤ p[y] + q[y] − p[y] q[y]."""
        per_token = d.smt("no larger than both", ge(self.p[x] * self.q[y] + self.q[x] * self.p[y], self.larger))
        per_token = d.term("and at the token itself it is half of them", per_token, x, y)
        goal = ge(self.p[y] + self.q[y] - self.p[y] * self.q[y], self.D[y])
        return d.derive("in all", goal, per_token, self.mass_p, self.mass_q, self.sums, by="smt")


def quotient(d: Derivation, name: str, text: str, above: Any, below: Any, p: Any, q: Any) -> Quotient:
    """A mass for each token y, as a quotient that is 0 where both laws lack the token."""
    m = d.weights(name, y)
    over = sp.IndexedBase(f"over_{name}", real=True)
    facts = d.domain(
        text,
        eq(m[y] * over[y], above),
        gt(over[y], 0),
        eq(p[y] * (over[y] - below), 0),
        eq(q[y] * (over[y] - below), 0),
    )
    return Quotient(m, tuple(facts))


def race(d: Derivation, constant: int = 1) -> Race:
    """Both laws and the printed formula, multiplied through."""
    (p, mass_p) = d.law("p")
    (q, mass_q) = d.law("q")
    D = sp.IndexedBase("D", real=True)
    meaning = total(sp.Max(p[x] * q[y], q[x] * p[y]), x)
    definition = d.define("the sum of the larger products", D[y], meaning)
    wins = quotient(d, "wins", WINS, constant * p[y] * q[y], meaning, p, q)
    product, some, at_p, at_q = wins.facts
    at_p = d.derive("in short, where p has y", eq(at_p.relation.lhs.subs(meaning, D[y]), 0), at_p, definition, by="smt")
    at_q = d.derive("in short, where q has y", eq(at_q.relation.lhs.subs(meaning, D[y]), 0), at_q, definition, by="smt")
    return Race(p, q, D, definition, Quotient(wins.m, (product, some, at_p, at_q)), mass_p, mass_q)


def sums(p: Any, q: Any) -> Any:
    """D of an instance."""
    return exact([np.maximum(p * b, q * a).sum() for a, b in zip(p, q, strict=True)])


def values(p: Any, q: Any, **quotients: tuple[Sequence[Any], Sequence[Any]]) -> dict[str, Any]:
    """What the symbols stand for: laws, and quotients by name from numerators and denominators."""
    bindings: dict[str, Any] = {"p": p, "q": q, "V": len(p)}
    for name, (above, below) in {"wins": (p * q, sums(p, q)), **quotients}.items():
        over = exact([b or 1 for b in below])
        bindings |= {f"over_{name}": over, name: above / over}
    return bindings
