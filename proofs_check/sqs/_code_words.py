"""How the number of code words of K kept tokens goes with K = 1 … V, from the ratio of each to the next."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, gt, index, le

i = index("s")
n, T = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "T"))
V, resolution, dense = (sp.Symbol(name, positive=True) for name in ("V", "resolution", "dense"))
size, below, R = (sp.IndexedBase(name, real=True) for name in ("size", "below", "R"))


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
    """What binomials give: the ratio of R(K + 1) to R(K)."""
    after, go = d.map("after"), d.map("go")
    within = d.domain("sizes are 1 to V", ge(size[i], 1), le(size[i], V), ge(resolution, 1), ge((V - 1) * (V - 2), 0))
    flag = d.domain(
        "which sizes are below V",
        eq(below[i] ** 2, below[i]),
        ge(V - size[i], below[i]),
        eq((1 - below[i]) * (V - size[i]), 0),
    )
    one_more = d.domain("the next size is one larger", eq(size[after[i]], size[i] + below[i]))
    ratio, positive = d.domain(
        "binomials to the next ones",
        eq(
            below[i] * (size[i] + 1) * size[i] * R[after[i]],
            below[i] * (V - size[i]) * (resolution + sign * size[i]) * R[i],
        ),
        gt(R[i], 0),
    )
    at_end = d.domain("keeping all tokens is the dense code", eq((1 - below[i]) * (R[i] - dense), 0))
    moves = d.domain(
        "the n-th next size", eq(size[go[0, i]], size[i]), eq(R[go[0, i]], R[i]), eq(go[n + 1, i], after[go[n, i]])
    )
    arrive = d.domain("T steps lead to V", eq(below[go[T, i]], 0))
    return Codes(after, go, tuple(within), tuple(flag), one_more, ratio, positive, at_end, tuple(moves), arrive)


def along(d: Derivation, c: Codes, text: str, statement: Relation, start: Any, each: Any) -> Fact:
    """A statement about the n-th next size after `start`, for every n; `each` derives it for n + 1 from the supposition."""
    base = d.smt(f"{text}: the size itself", statement.replace({n: 0}), *at(d, c.moves[:2], start))
    before = d.suppose(f"{text}, for n", statement)
    return d.induction(text, statement, n, base, each(before))


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
