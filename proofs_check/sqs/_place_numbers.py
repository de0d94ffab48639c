"""The numbers that `simspec.methods.sqs.codec` gives to sets of places tell them apart: by halves, as mixed radix numbers do."""

from __future__ import annotations

from math import comb
from typing import Any

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le
from proofs_check.sqs._vandermonde import blocks as block_facts
from proofs_check.sqs._vandermonde import values as counted_values
from simspec.methods.sqs.codec import subset_rank

a, b = index("a"), index("b")
"""Sets of places; halves of sets are sets."""
n, deep = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "deep"))
rank, number, before, split, depth = (
    sp.IndexedBase(name, nonnegative=True) for name in ("rank", "number", "before_it", "split", "depth")
)
same, different, earlier = (sp.IndexedBase(name, nonnegative=True) for name in ("same", "different", "earlier"))


def told_apart(d: Derivation, points: Any, words: Any, sign: int = 1) -> Fact:
    """words = points: as many numbers as sets of one kind."""
    low, high = d.map("low"), d.map("high")
    first, second = index("first"), index("second")
    halves = d.domain(
        "a set of more than one place and less than all is numbered by its halves",
        eq(split[a] ** 2, split[a]),
        eq(split[a] * (rank[a] - before[a] - rank[low[a]] * number[high[a]] - sign * rank[high[a]]), 0),
        ge(split[a] * (depth[a] - 1 - depth[low[a]]), 0),
        ge(split[a] * (depth[a] - 1 - depth[high[a]]), 0),
        ge(depth[a], split[a]),
        le(depth[a], deep),
    )
    names = {"number": number, "before": before, "split": split, "same": same, "earlier": earlier}
    fits, beyond = block_facts(d, names, low, high, halves[0])
    blocks = (fits, d.domain("there is a set of its kind", ge(number[a], 1)), beyond)
    single = d.domain(
        "no place, one place or all of them",
        ge((1 - split[a]) * (number[a] - 1 - rank[a]), 0),
        ge((1 - split[a]) * same[a, b] * (sp.Abs(rank[a] - rank[b]) - different[a, b]), 0),
    )
    alike = same[a, b] * split[a] * (1 - earlier[a, b] - earlier[b, a])
    kinds = d.domain(
        "sets of one kind: as many places of as many",
        eq(same[a, b] ** 2, same[a, b]),
        eq(same[a, b] * (split[a] - split[b]), 0),
        eq(same[a, b], same[b, a]),
        eq(earlier[a, b] ** 2, earlier[a, b]),
        le(earlier[a, b] + earlier[b, a], 1),
        eq(alike * (1 - same[low[a], low[b]]), 0),
        eq(alike * (1 - same[high[a], high[b]]), 0),
        eq(alike * (before[a] - before[b]), 0),
        eq(alike * (number[high[a]] - number[high[b]]), 0),
    )
    apart = d.domain(
        "sets differ where a half does",
        eq(different[a, b] ** 2, different[a, b]),
        ge(alike * (different[low[a], low[b]] + different[high[a], high[b]] - different[a, b]), 0),
        eq((1 - different[a, b]) * (rank[a] - rank[b]), 0),
    )

    def at(fact: Fact, one: Any, other: Any = b) -> Fact:
        return d.instantiate("there", fact, {a: one, b: other})

    # a number is below how many there are
    room, more = sp.Max(n + 1 - depth[a], 0), sp.Max(n + 2 - depth[a], 0)
    statement = ge(room * (number[a] - 1 - rank[a]), 0)
    supposed = d.suppose("numbers below their count, up to depth n", statement)
    parts = [
        d.smt(
            "so in its half",
            ge(more * split[a] * (number[h[a]] - 1 - rank[h[a]]), 0),
            *(at(supposed, h[a]), shallow, halves[0]),
        )
        for h, shallow in ((low, halves[2]), (high, halves[3]))
    ]
    full = at(blocks[1], high[a])
    below = d.inductive(
        "each number is below their count",
        statement,
        n,
        [single[0], halves[0], halves[4]],
        [*parts, halves[0], halves[1], blocks[0], single[0], full],
        by="smt",
    )
    below = d.instantiate("at its depth", below, {n: deep})
    below = d.smt("all of them", le(rank[a], number[a] - 1), below, halves[5])
    # different ones differ
    inside = d.smt(
        "a number lies in its block", ge(split[a] * (before[a] + number[low[a]] * number[high[a]] - 1 - rank[a]), 0),
        halves[0], halves[1], at(below, low[a]), at(below, high[a]), full,
    )  # fmt: skip
    gap = sp.Abs(rank[a] - rank[b]) - different[a, b]
    swap = {a: b, b: a}
    other = {
        fact: d.instantiate("the other", fact, swap) for fact in (halves[0], halves[1], inside, blocks[2], kinds[3])
    }
    start = d.smt(
        "a number is at or above the start of its block",
        ge(split[a] * (rank[a] - before[a]), 0),
        *(halves[1], halves[0]),
    )
    others_start = d.instantiate("the other", start, swap)
    flags = (kinds[0], kinds[1], kinds[2], kinds[3], other[kinds[3]], kinds[4], apart[0], halves[0])
    one_first = d.smt(
        "in different blocks", ge(same[a, b] * split[a] * earlier[a, b] * gap, 0),
        inside, others_start, blocks[2], *flags,
    )  # fmt: skip
    other_first = d.smt(
        "in different blocks", ge(same[a, b] * split[a] * earlier[b, a] * gap, 0),
        other[inside], start, other[blocks[2]], *flags,
    )  # fmt: skip
    statement = ge(room * same[a, b] * gap, 0)
    supposed = d.suppose("different sets of one kind up to depth n", statement)
    parts = [
        d.smt(
            "so their halves",
            ge(more * alike * (sp.Abs(rank[h[a]] - rank[h[b]]) - different[h[a], h[b]]), 0),
            *(at(supposed, h[a], h[b]), shallow, kind, *flags),
        )
        for h, shallow, kind in ((low, halves[2], kinds[5]), (high, halves[3], kinds[6]))
    ]
    equal = at(apart[2], low[a], low[b])
    digit = d.smt(
        "the same block",
        eq(
            alike
            * (rank[a] - rank[b] - (rank[low[a]] - rank[low[b]]) * number[high[a]] - (rank[high[a]] - rank[high[b]])),
            0,
        ),
        *(halves[1], other[halves[1]], kinds[7], kinds[8], *flags),
    )
    unlike = different[low[a], low[b]]
    which = at(apart[0], low[a], low[b])
    upper = d.smt(
        "in one block, the lower halves equal", ge(more * alike * (1 - unlike) * gap, 0),
        parts[1], digit, equal, which, apart[1], *flags,
    )  # fmt: skip
    carry = d.smt(
        "the upper halves' numbers are less than a block apart",
        ge(alike * (number[high[a]] - 1 - sp.Abs(rank[high[a]] - rank[high[b]])), 0),
        kinds[8], at(below, high[a]), at(below, high[b]), *flags,
    )  # fmt: skip
    block = d.smt(
        "the lower halves' numbers at least one block",
        ge(more * alike * unlike * (sp.Abs(rank[low[a]] - rank[low[b]]) * number[high[a]] - number[high[a]]), 0),
        parts[0], which, full, *flags,
    )  # fmt: skip
    lower = d.smt(
        "in one block, the lower halves different", ge(more * alike * unlike * gap, 0),
        block, carry, digit, which, full, *flags,
    )  # fmt: skip
    lower = d.smt("in one block, the halves' numbers are digits", ge(more * alike * gap, 0), upper, lower)
    every = d.inductive(
        "different sets of one kind have different numbers",
        statement,
        n,
        [single[1], halves[0], halves[4], kinds[0]],
        [lower, one_first, other_first, single[1], *flags],
        by="smt",
    )
    every = d.instantiate("two of them", every, {n: deep, a: first, b: second})
    pigeons = d.domain(
        "pigeonhole: with fewer numbers than sets two different ones share theirs",
        le(words, points),
        eq((points - words) * (rank[first] - rank[second]), 0),
        eq((points - words) * (1 - different[first, second]), 0),
        eq(same[first, second], 1),
    )
    last = d.instantiate("there", halves[5], {a: first})
    return d.smt("so no two share theirs", eq(words, points), every, *pigeons, last)


def values(masks: list[Any], sample: int = 7) -> dict[str, Any]:
    """The symbols of `told_apart`, for all sets of one kind; statements are tried on the first few of them and their halves."""
    place: dict[tuple[bool, ...], int] = {}

    def add(mask: tuple[bool, ...]) -> None:
        if mask not in place:
            place[mask] = len(place) + 1
            if _splits(mask):
                add(mask[: len(mask) // 2])
                add(mask[len(mask) // 2 :])

    for mask in masks:
        add(tuple(bool(v) for v in mask))
    sets = list(place)

    def half(k: int, upper: bool) -> int:
        mask = sets[k - 1]
        middle = len(mask) // 2
        return place[mask[middle:] if upper else mask[:middle]] if _splits(mask) else k

    def kind(k: int) -> tuple[int, int]:
        return len(sets[k - 1]), sum(sets[k - 1])

    def lower(k: int) -> int:
        return sum(sets[k - 1][: len(sets[k - 1]) // 2])

    def start(k: int) -> int:
        (size, ones), middle = kind(k), len(sets[k - 1]) // 2
        return sum(comb(middle, m) * comb(size - middle, ones - m) for m in range(lower(k)))

    counts = counted_values(sets)
    return {
        **counts,
        "rank": lambda k: subset_rank(np.array(sets[k - 1])) if sets[k - 1] else 0,
        "number": lambda k: comb(*kind(k)),
        "before_it": start,
        "split": lambda k: int(_splits(sets[k - 1])),
        "depth": lambda k: max(len(sets[k - 1]) - 1, 0).bit_length(),
        "deep": max(max(len(mask) - 1, 0).bit_length() for mask in sets),
        "low": lambda k: half(k, False),
        "high": lambda k: half(k, True),
        "same": lambda k, m: int(kind(k) == kind(m)),
        "different": lambda k, m: int(sets[k - 1] != sets[m - 1]),
        "earlier": lambda k, m: int(lower(k) < lower(m)),
        "first": 1,
        "second": 1,
        "ranges": {**counts["ranges"], **{k: range(1, min(len(sets), sample) + 1) for k in "ab"}},
    }


def _splits(mask: tuple[bool, ...]) -> bool:
    return 1 < sum(mask) < len(mask)
