"""How the number of code words of K kept tokens goes with K = 1 … V, from the ratio of each to the next."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, gt, index, le, lt

i = index("s")
n, T = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "T"))
V, resolution, dense = (sp.Symbol(name, positive=True) for name in ("V", "resolution", "dense"))
size = sp.IndexedBase("size", integer=True, positive=True)
below, R, codes_of = (sp.IndexedBase(name, real=True) for name in ("below", "R", "codes_of"))


class Codes(NamedTuple):
    """Sizes by number (V again after V), whether one is below V, and the code words R of each."""

    after: Any
    """The next size."""
    go: Any
    """The n-th next one."""
    within: tuple[Fact, ...]
    flag: tuple[Fact, ...]
    one_more: Fact
    ratio: Fact
    positive: Fact
    at_end: Fact
    moves: tuple[Fact, ...]
    arrive: Fact


def codes(d: Derivation, sign: int = 1) -> Codes:
    """Sizes and the ways between them; the code words R(K) of each, whose ratios binomials have."""
    after = d.map("after")
    go = d.map("go")
    within = d.domain("sizes are 1 to V", ge(size[i], 1), le(size[i], V), ge(resolution, 1), ge((V - 1) * (V - 2), 0))
    flag = d.domain(
        "which sizes are below V",
        eq(below[i] ** 2, below[i]),
        ge(V - size[i], below[i]),
        eq((1 - below[i]) * (V - size[i]), 0),
    )
    one_more = d.domain("the next size is one larger", eq(size[after[i]], size[i] + below[i]))
    meaning, ratio, positive = _binomials(d, after, (*within, *flag, one_more), sign)
    at_end = d.domain("keeping all tokens is the dense code", eq((1 - below[i]) * (R[i] - dense), 0))
    first, further = d.domain("the n-th next size", eq(size[go[0, i]], size[i]), eq(go[n + 1, i], after[go[n, i]]))
    there = d.instantiate("there", meaning, {i: go[0, i]})
    same = d.derive("its code", eq(R[go[0, i]], R[i]), there, first, meaning, by="algebra")
    moves = (first, same, further)
    arrive = d.domain("T steps lead to V", eq(below[go[T, i]], 0))
    return Codes(
        after=after,
        go=go,
        within=tuple(within),
        flag=tuple(flag),
        one_more=one_more,
        ratio=ratio,
        positive=positive,
        at_end=at_end,
        moves=moves,
        arrive=arrive,
    )


def _binomials(
    d: Derivation, after: sp.IndexedBase, code_facts: tuple[Fact, ...], sign: int
) -> tuple[Fact, Fact, Fact]:
    """R(K) = C(V, K) C(ℓ + K − 1, K − 1), from R(1) = V by the ratio of each to the next; positive for K ≤ V."""
    large, _, fine, _, flag, *_, one_more = code_facts
    first, then = d.recursion(
        "as many code words as binomials say: of K + 1 tokens, from those of one on",
        eq(codes_of[0], V),
        eq(codes_of[n + 1], codes_of[n] * (V - n - 1) * (resolution + sign * (n + 1)) / ((n + 2) * (n + 1))),
    )
    statement = gt(sp.Max(codes_of[n], n + 1 - V), 0)
    factor = d.derive("a positive factor", gt((resolution + n + 1) / ((n + 2) * (n + 1)), 0))
    some = d.inductive("some, up to V", statement, n, [first], [then, factor, fine], by="smt")
    meaning = d.define("of the size", R[i], codes_of[size[i] - 1])
    some = d.instantiate("of a size", some, {n: size[i] - 1}, large)
    positive = d.smt("there are some", gt(R[i], 0), some, meaning, code_facts[1])
    goal = eq(
        below[i] * (size[i] + 1) * size[i] * R[after[i]],
        below[i] * (V - size[i]) * (resolution + sign * size[i]) * R[i],
    )
    size_below_vocab = d.case("a size below V", ge(below[i], 1))
    flag_is_one = d.smt("a flag", eq(below[i], 1), size_below_vocab, flag)
    larger = d.instantiate("the next size", meaning, {i: after[i]})
    named = eq(R[after[i]], codes_of[size[i]])
    larger = d.derive("of one token more", named, larger, one_more, flag_is_one, by="algebra")
    step = d.instantiate("the next size", then, {n: size[i] - 1}, large)
    apart = d.smt("times both", goal, step, larger, meaning)
    last = d.case("no size below V", lt(below[i], 1))
    none = d.smt("none is larger", eq(below[i], 0), last, flag)
    binomial_ratio = d.cases("the ratio of binomials", apart, d.smt("nothing to show", goal, none))
    return meaning, binomial_ratio, positive


def along(d: Derivation, c: Codes, text: str, statement: Relation, start: Any, derive_next: Any) -> Fact:
    """A statement about the n-th next size after `start`, for every n; `derive_next` derives it for n + 1."""
    base = d.smt(f"{text}: the size itself", statement.replace({n: 0}), *at(d, c.moves[:2], start))
    before = d.suppose(f"{text}, for n", statement)
    return d.induction(text, statement, n, base, derive_next(before))


def at(d: Derivation, facts: Any, place: Any) -> list[Fact]:
    """Facts about every size, at one of them."""
    return [fact if place == i else d.instantiate("there", fact, {i: place}) for fact in facts]


def step_to(d: Derivation, c: Codes, start: Any) -> list[Fact]:
    """Sizes and code words after n + 1 steps are those after the n-th next size."""
    (here,) = at(d, c.moves[2:], start)
    return [
        d.derive("one step more", eq(f[c.go[n + 1, start]], f[c.after[c.go[n, start]]]), here, by="algebra")
        for f in (size, R)
    ]


def values(vocab: int, resolution: int) -> dict[str, Any]:
    """The symbols of `codes`."""

    def count(k: int) -> int:
        k = min(k, vocab)
        return comb(vocab, k) * comb(resolution + k - 1, k - 1)

    return {
        "V": vocab,
        "resolution": resolution,
        "dense": count(vocab),
        "size": lambda k: min(k, vocab),
        "below": lambda k: int(k < vocab),
        "R": count,
        "after": lambda k: min(k + 1, vocab),
        "go": lambda steps, k: k if steps == 0 else min(k + steps, vocab),
        "T": vocab,
        "ranges": {"s": range(1, vocab + 2), "n": range(vocab)},
    }
