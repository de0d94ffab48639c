"""Counting by Pascal's rule: whatever grows by it from one is a binomial."""

from __future__ import annotations

from collections.abc import Callable
from math import comb
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le

i = index("s")
k = index("k")
n, T = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "T"))
NONE = "of no token there is one set, and as many points as the others leave"
count, binomial, of_none = (sp.IndexedBase(name, real=True) for name in ("count", "binomial", "of_none"))


def counted(d: Derivation, text: str, sign: int = 1) -> Fact:
    """count[T, k] = binomial[T, k], for a count that `text` says goes by Pascal's rule."""
    before = d.map("before")
    has_smaller = sp.IndexedBase("more", real=True)
    _, pascal = d.recursion(
        "binomials by Pascal's rule",
        eq(binomial[0, i], of_none[i]),
        eq(binomial[n + 1, i], binomial[n, i] + has_smaller[i] * binomial[n, before[i]]),
    )
    start = d.domain("the first row", eq(count[0, i], binomial[0, i]))
    grows = d.domain(text, eq(count[n + 1, i], count[n, i] + sign * has_smaller[i] * count[n, before[i]]))
    statement = eq(count[n, i], binomial[n, i])
    supposed = d.suppose("the statement for n", statement)
    one_size_less = d.instantiate("one less", supposed, {i: before[i]})
    step = d.derive("both go on alike", statement.replace({n: n + 1}), grows, pascal, supposed, one_size_less)
    for_every_n = d.induction("for every n", statement, n, start, step)
    return d.instantiate("here", for_every_n, {n: T, i: k})


def values(row: int, column: int, number: Callable[..., Any]) -> dict[str, Any]:
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
    kept_choices, points, has_smaller = (sp.IndexedBase(name, nonnegative=True) for name in ("kept", "points", "more"))
    weight = sp.Symbol("weight", nonnegative=True)
    none, alone, fewest = (sp.IndexedBase(name, nonnegative=True) for name in ("none", "alone", "fewest"))
    first, then = d.recursion(
        "sets of tokens, by Pascal's rule",
        eq(kept_choices[0, i], none[i]),
        eq(kept_choices[n + 1, i], kept_choices[n, i] + has_smaller[i] * kept_choices[n, before[i]]),
    )
    first_points, then_points = d.recursion(
        "points of the lattice, by Pascal's rule; below the fewest counts there are some too",
        eq(points[0, i], alone[i]),
        eq(
            points[n + 1, i],
            points[n, i] + has_smaller[i] * points[n, before[i]] + (1 - has_smaller[i]) ** 2 * fewest[n],
        ),
    )
    empty = d.domain(NONE, ge(alone[i], sign * weight * none[i]))
    statement = le(constant * weight * kept_choices[n, i], points[n, i])
    before_ = d.suppose("the statement for n", statement)
    one_size_less = d.instantiate("one size less", before_, {i: before[i]})
    start = d.derive("of no token", statement.replace({n: 0}), first, first_points, empty, by="smt")
    step = d.smt("of one more", statement.replace({n: n + 1}), then, then_points, before_, one_size_less)
    for_every_vocabulary = d.induction("for every vocabulary", statement, n, start, step)
    d.qed(d.instantiate("of V tokens", for_every_vocabulary, {n: T, i: k}))


def support_values(vocab: int, k: int, resolution: int) -> dict[str, Any]:
    """The symbols of `prove_support`."""
    return {
        "T": vocab,
        "k": k + 1,
        "weight": comb(resolution - 1, k - 1),
        "none": lambda at: int(at == 1),
        "alone": lambda at: comb(resolution - 1, low) if (low := at - 1 + resolution - k) >= 0 else 0,
        "fewest": lambda tokens: comb(tokens + resolution - 1, resolution - k - 1) if resolution > k else 0,
        "before": lambda at: max(at - 1, 1),
        "more": lambda at: int(at > 1),
        "ranges": {"s": range(1, vocab + 3), "n": range(vocab + 1)},
    }
