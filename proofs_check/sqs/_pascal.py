"""Counting by Pascal's rule: whatever grows by it from one is a binomial."""

from __future__ import annotations

from math import comb
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le

i, k = index("s"), index("k")
n, T = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "T"))
count, binomial, of_none = (sp.IndexedBase(name, real=True) for name in ("count", "binomial", "of_none"))


def counted(d: Derivation, text: str, sign: int = 1) -> Fact:
    """count[T, k] = binomial[T, k], for a count that `text` says goes by Pascal's rule."""
    before = d.map("before")
    more = sp.IndexedBase("more", real=True)
    _, pascal = d.recursion(
        "binomials by Pascal's rule",
        eq(binomial[0, i], of_none[i]),
        eq(binomial[n + 1, i], binomial[n, i] + more[i] * binomial[n, before[i]]),
    )
    start = d.domain("the first row", eq(count[0, i], binomial[0, i]))
    grows = d.domain(text, eq(count[n + 1, i], count[n, i] + sign * more[i] * count[n, before[i]]))
    statement = eq(count[n, i], binomial[n, i])
    supposed = d.suppose("the statement for n", statement)
    other = d.instantiate("one less", supposed, {i: before[i]})
    step = d.derive("both go on alike", statement.replace({n: n + 1}), grows, pascal, supposed, other)
    every = d.induction("for every n", statement, n, start, step)
    return d.instantiate("here", every, {n: T, i: k})


def values(row: int, column: int, number: Any) -> dict[str, Any]:
    """The symbols of `counted`; binomial[n, i] is C(n, i − 1), as the proof defines it."""
    return {
        "T": row,
        "k": column,
        "count": number,
        "of_none": lambda at: int(at == 1),
        "before": lambda at: max(at - 1, 1),
        "more": lambda at: int(at > 1),
        "ranges": {"s": range(1, column + 2), "n": range(row + 1)},
    }


def prove_support(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """C(V, K) C(ℓ − 1, K − 1) ≤ C(V + ℓ − 1, ℓ), by induction on V: sqs.bandwidth-support."""
    before = d.map("before")
    kept, points, more = (sp.IndexedBase(name, nonnegative=True) for name in ("kept", "points", "more"))
    weight = sp.Symbol("weight", nonnegative=True)
    flag = d.domain("whether a size is above 0", eq(more[i] ** 2, more[i]))
    pascal = d.domain(
        "Pascal's rule",
        eq(kept[n + 1, i], kept[n, i] + more[i] * kept[n, before[i]]),
        ge(points[n + 1, i], points[n, i] + sign * more[i] * points[n, before[i]]),
    )
    empty = d.domain("no token", ge(points[0, i], weight * kept[0, i]))
    statement = le(constant * weight * kept[n, i], points[n, i])
    before_ = d.suppose("the statement for n", statement)
    other = d.instantiate("one size less", before_, {i: before[i]})
    every = d.inductive("for every vocabulary", statement, n, [empty], [*pascal, before_, other, flag], by="smt")
    d.qed(d.instantiate("of V tokens", every, {n: T, i: k}))


def support_values(vocab: int, k: int, resolution: int) -> dict[str, Any]:
    """The symbols of `prove_support`."""
    return {
        "T": vocab,
        "k": k + 1,
        "weight": comb(resolution - 1, k - 1),
        "kept": lambda tokens, at: comb(tokens, at - 1),
        "points": lambda tokens, at: comb(tokens + resolution - 1, low) if (low := at - 1 + resolution - k) >= 0 else 0,
        "before": lambda at: max(at - 1, 1),
        "more": lambda at: int(at > 1),
        "ranges": {"s": range(1, vocab + 3), "n": range(vocab + 1)},
    }
