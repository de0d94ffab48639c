"""A threshold for all drafts: what proofs about K-SEQ share."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x
from simspec.laws import Array

__all__ = ["INVERSE", "A", "B", "K", "all_refused", "n", "passing", "values"]

n = sp.Symbol("n", integer=True, nonnegative=True)
K = sp.Symbol("K", integer=True, positive=True)
A, B = (sp.IndexedBase(name, real=True) for name in "AB")
INVERSE = "c is 1/ρ"


def passing(d: Derivation, p: sp.IndexedBase, q: sp.IndexedBase, c: sp.Expr, mass_q: Fact) -> tuple[Any, Fact, Fact]:
    """b = Σ min(c p, q) with c = 1/ρ, that it is not negative, and that it is at most one."""
    m = sp.Min(c * p[x], q[x])
    per_token = d.derive("a mass of its own", ge(m, 0))
    low = d.sum("over the vocabulary", per_token, x)
    high = d.summed("a part of q", le(m, q[x]))
    return total(m, x), low, d.derive("at most one", le(total(m, x), 1), high, mass_q)


def all_refused(
    d: Derivation, b: sp.Expr, low: Fact, high: Fact, a: sp.IndexedBase = A
) -> tuple[Fact, Fact, Fact, Fact]:
    """(1 − b)^n as a recursion: its start, its step, and that it lies between 0 and 1."""
    start, on = d.recursion("all refused", eq(a[0], 1), eq(a[n + 1], a[n] * (1 - b)))
    some = d.suppose(f"{a} is not negative", ge(a[n], 0))
    some = d.inductive("a probability", ge(a[n], 0), n, [start], [on, some, high], by="smt")
    at_most_one = d.suppose(f"{a} is at most one", le(a[n], 1))
    at_most_one = d.inductive("at most one", le(a[n], 1), n, [start], [on, at_most_one, some, low], by="smt")
    return start, on, some, at_most_one


def values(p: Array, q: Array, k: int, rho: Any) -> dict[str, Any]:
    return {
        "p": p,
        "q": q,
        "rho": rho,
        "c": 1 / rho,
        "K": k,
        "k1": Fraction(1, k),
        "V": len(p),
        "ranges": {"n": range(k + 1)},
    }
