"""Vandermonde's identity by Pascal's rule: sets of n + t places with o − 1 chosen, counted by how many are among the first n."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le, lt

n, t, m, g, top = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "t", "m", "g", "top"))
o = index("o")
a = index("a")
b = index("b")
first_, then_, full = (sp.IndexedBase(name, nonnegative=True) for name in ("first_half", "then", "full"))
any_, alone = (sp.IndexedBase(name, nonnegative=True) for name in ("any", "alone"))
"""alone[t, o]: sets of t places with o − 1 chosen."""
W = sp.IndexedBase("W", real=True)
"""W[n, t, o, m]: those with fewer than m among the first n."""


class Sets(NamedTuple):
    """What has been shown of the numbers of sets."""

    block: Fact
    """One more among the first n: W[…, m + 1] = W[…, m] + C(n, m) C(t, o − 1 − m)."""
    grows: Fact
    """W[…, m + g] ≥ W[…, m]."""
    all: Fact
    """Vandermonde's identity: W[…, top + 1] is the number of all."""


def vandermonde(d: Derivation) -> Sets:
    """Σ C(n, m) C(t, o − 1 − m) = C(n + t, o − 1) by induction on n, for partial sums over m."""
    one_smaller = d.map("less")
    rows = _rows(d)
    before_any, rest = d.recursion(
        "of the other places as many are chosen as the first ones leave",
        eq(then_[t, o, 0], alone[t, o]),
        eq(then_[t, o, m + 1], any_[o] * then_[t, one_smaller[o], m]),
    )
    all_ = d.recursion(
        "sets of n + t places, by Pascal's rule",
        eq(full[0, t, o], alone[t, o]),
        eq(full[n + 1, t, o], full[n, t, o] + any_[o] * full[n, t, one_smaller[o]]),
    )
    pascal = (*rows[2:], all_[1])
    empty = (*rows[:2], d.derive("without the first ones", eq(full[0, t, o], then_[t, o, 0]), all_[0], before_any))
    none = d.domain("no more than top are chosen", eq(then_[t, o, top], 0))
    zero, block = d.recursion(
        "sets with fewer than m among the first n places",
        eq(W[n, t, o, 0], 0),
        eq(W[n, t, o, m + 1], W[n, t, o, m] + first_[n, m] * then_[t, o, m]),
    )

    def at(fact: Fact, **values: Any) -> Fact:
        names = {"n": n, "m": m, "o": o}
        return d.instantiate("there", fact, {names[k]: v for k, v in values.items()})

    # Pascal's rule for the partial sums
    statement = eq(W[n + 1, t, o, m + 1], W[n, t, o, m + 1] + any_[o] * W[n, t, one_smaller[o], m])
    facts = [at(block, n=n + 1, m=0), at(zero, n=n + 1), at(block, m=0), zero, at(zero, o=one_smaller[o]), pascal[1]]
    base = d.derive("none among the first", statement.replace({m: 0}), *facts)
    before = d.suppose("Pascal's rule for partial sums up to m", statement)
    facts = [at(block, n=n + 1, m=m + 1), at(block, m=m + 1), at(block, o=one_smaller[o]), before, pascal[0], rest]
    step = d.derive("one more", statement.replace({m: m + 1}), *facts)
    partial = d.induction("partial sums go by Pascal's rule", statement, m, base, step)
    # Vandermonde's identity
    statement = eq(W[0, t, o, m + 1], then_[t, o, 0])
    start = d.inductive(
        "of no first places none is chosen",
        statement,
        m,
        [at(block, n=0, m=0), at(zero, n=0), empty[0]],
        [at(block, n=0, m=m + 1), empty[1]],
    )
    statement = eq(W[n, t, o, top + 1], full[n, t, o])
    before = d.suppose("Vandermonde's identity for n", statement)
    last = [at(block, m=top, o=one_smaller[o]), at(none, o=one_smaller[o])]
    facts = [at(partial, m=top), *last, before, at(before, o=one_smaller[o]), pascal[2]]
    vandermonde_sum = d.inductive("Vandermonde's identity", statement, n, [at(start, m=top), empty[2]], facts, by="smt")
    # partial sums grow
    statement = ge(W[n, t, o, m + g] - W[n, t, o, m], 0)
    return Sets(
        block, d.inductive("partial sums grow", statement, g, [], [at(block, m=m + g)], by="smt"), vandermonde_sum
    )


def _rows(d: Derivation) -> list[Fact]:
    """C(n, m) by Pascal's rule: the first row at 0 and at m + 1, then the next rows at m + 1 and at 0."""
    first, then = d.recursion(
        "sets of n places with m chosen, by Pascal's rule",
        eq(first_[0, m], sp.Max(1 - m, 0)),
        eq(first_[n + 1, m], first_[n, m] + sp.Min(m, 1) * first_[n, sp.Max(m - 1, 0)]),
    )
    return [d.instantiate("there", fact, {m: k}) for fact, k in ((first, 0), (first, m + 1), (then, m + 1), (then, 0))]


def blocks(
    d: Derivation, names: dict[str, Any], low: sp.IndexedBase, high: sp.IndexedBase, flag: Fact
) -> tuple[Fact, Fact]:
    """The numbers of the sets that share a number of places in their lower half are a block, and blocks do not overlap."""
    number, before, split, same, earlier = (names[k] for k in ("number", "before", "split", "same", "earlier"))
    sets = vandermonde(d)
    ones = d.map("ones")
    lower, upper, inside = (sp.IndexedBase(k, integer=True, nonnegative=True) for k in ("lower", "upper", "inside"))
    there = {n: lower[a], t: upper[a], o: ones[a]}
    begins = d.domain(
        "a block begins after those with fewer places in the lower half",
        eq(split[a] * (before[a] - W[lower[a], upper[a], ones[a], inside[a]]), 0),
        eq(same[a, b] * split[a] * (before[b] - W[lower[a], upper[a], ones[a], inside[b]]), 0),
    )
    size = d.domain(
        "numbers of sets with as many places, of as many, as a set and as its halves",
        eq(split[a] * (number[a] - full[lower[a], upper[a], ones[a]]), 0),
        eq(
            split[a]
            * (
                number[low[a]] * number[high[a]]
                - first_[lower[a], inside[a]] * then_[upper[a], ones[a], inside[a]]
            ),
            0,
        ),
    )  # fmt: skip
    inside_at_most_top = d.domain("no more than top are in the lower half", le(inside[a], top))
    sooner = d.domain(
        "the earlier of two has fewer there", ge(same[a, b] * split[a] * earlier[a, b] * (inside[b] - inside[a] - 1), 0)
    )
    block = d.instantiate("a block", sets.block, {**there, m: inside[a]})
    full_sum = d.instantiate("all of them", sets.all, there)
    later_blocks = d.instantiate(
        "the later ones", sets.grows, {**there, m: inside[a] + 1, g: top - inside[a]}, inside_at_most_top
    )
    block_fits = ge(split[a] * (number[a] - before[a] - number[low[a]] * number[high[a]]), 0)
    premises = [begins[0], *size, block, full_sum, later_blocks, flag]
    block_fits = d.smt("blocks fit", block_fits, *premises)
    goal = ge(same[a, b] * split[a] * earlier[a, b] * (before[b] - before[a] - number[low[a]] * number[high[a]]), 0)
    after = d.case("fewer in the lower half of a", ge(inside[b] - inside[a] - 1, 0))
    between = {**there, m: inside[a] + 1, g: inside[b] - inside[a] - 1}
    span = d.instantiate("those in between", sets.grows, between, after)
    apart = d.smt("b's block is beyond a's", goal, span, block, *begins, size[1], flag)
    second_not_fewer = d.case("no fewer in the lower half of a", lt(inside[b] - inside[a] - 1, 0))
    not_ = eq(same[a, b] * split[a] * earlier[a, b], 0)
    not_ = d.smt("then a is not the earlier", not_, sooner, second_not_fewer)
    return block_fits, d.cases("blocks do not overlap", apart, d.smt("nothing to show", goal, not_))


def values(sets: list[tuple[bool, ...]]) -> dict[str, Any]:
    """The symbols, for sets of places; o counts from 1, the number of chosen places from 0."""

    def half(k: int) -> int:
        return len(sets[k - 1]) // 2

    largest = max(len(s) for s in sets) + 1
    return {
        "alone": lambda t, o: comb(t, o - 1),
        "first_half": comb,
        "full": lambda n, t, o: comb(n + t, o - 1),
        "any": lambda o: int(o > 1),
        "less": lambda o: max(o - 1, 1),
        "ones": lambda k: sum(sets[k - 1]) + 1,
        "lower": half,
        "upper": lambda k: len(sets[k - 1]) - half(k),
        "inside": lambda k: sum(sets[k - 1][: half(k)]),
        "top": largest,
        "ranges": {"o": range(1, largest + 1), **{name: range(largest + 1) for name in "mtg"}},
    }
