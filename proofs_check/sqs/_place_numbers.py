"""The numbers that `simspec.methods.sqs.codec` gives to sets of places tell them apart: by halves, as mixed radix numbers do."""

from __future__ import annotations

from math import comb
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le, total
from proofs_check.sqs._vandermonde import blocks as block_facts
from proofs_check.sqs._vandermonde import values as counted_values
from simspec.methods.sqs.codec import subset_rank

a = index("a")
b = index("b")
w = index("w")
"""Sets of places; halves of sets are sets.  The numbers 0, 1, … in their order."""
sets, top = (sp.Symbol(name, integer=True, positive=True) for name in ("sets", "top_number"))
"""How many sets there are, and how many numbers are looked at."""
n, deep = (sp.Symbol(name, integer=True, nonnegative=True) for name in ("n", "deep"))
rank, value, number, before, split, depth = (
    sp.IndexedBase(name, nonnegative=True) for name in ("rank", "value", "number", "before_it", "split", "depth")
)
same, different, earlier, kind = (
    sp.IndexedBase(name, nonnegative=True) for name in ("same", "different", "earlier", "kind")
)


ROOM = sp.Max(n + 1 - depth[a], 0)
MORE = sp.Max(n + 2 - depth[a], 0)
"""Positive for sets of depth up to n, and up to n + 1."""
ALIKE = same[a, b] * split[a] * (1 - earlier[a, b] - earlier[b, a])
"""1 for two sets of one kind, numbered by halves, with as many places in the lower half."""
GAP = sp.Abs(rank[a] - rank[b]) - different[a, b]
"""Not negative where different sets have different numbers."""


class Numbered(NamedTuple):
    """How sets are numbered by their halves `low` and `high`."""

    low: Any
    high: Any
    halves: list[Fact]
    blocks: tuple[Fact, Fact, Fact]
    """A block fits the numbers; there is a set; an earlier block ends before a later one starts."""
    single: list[Fact]
    """The numbers of sets that have no halves."""
    kinds: list[Fact]
    apart: list[Fact]


class Pair(NamedTuple):
    """What is known of two sets of one kind."""

    other_halves: Fact
    """The other set is numbered by its halves."""
    flags: tuple[Fact, ...]
    blocks: tuple[Fact, Fact]
    """Whichever comes first, numbers in different blocks differ."""


def _at(d: Derivation, fact: Fact, first_set: sp.Expr, second_set: sp.Expr = b) -> Fact:
    return d.instantiate("there", fact, {a: first_set, b: second_set})


def numbered(d: Derivation, sign: int = 1) -> Numbered:
    """What is given of the numbers, the halves and the kinds of sets."""
    low = d.map("low")
    high = d.map("high")
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
        ge((1 - split[a]) * same[a, b] * GAP, 0),
    )
    of_halves = [
        eq(ALIKE * (1 - same[low[a], low[b]]), 0),
        eq(ALIKE * (1 - same[high[a], high[b]]), 0),
        eq(ALIKE * (before[a] - before[b]), 0),
        eq(ALIKE * (number[high[a]] - number[high[b]]), 0),
    ]
    kinds = d.domain(
        "sets of one kind: as many places of as many",
        eq(same[a, b] ** 2, same[a, b]),
        eq(same[a, b] * (split[a] - split[b]), 0),
        eq(same[a, b], same[b, a]),
        eq(earlier[a, b] ** 2, earlier[a, b]),
        le(earlier[a, b] + earlier[b, a], 1),
        *of_halves,
    )
    apart = d.domain(
        "sets differ where a half does",
        eq(different[a, b] ** 2, different[a, b]),
        ge(ALIKE * (different[low[a], low[b]] + different[high[a], high[b]] - different[a, b]), 0),
        eq((1 - different[a, b]) * (rank[a] - rank[b]), 0),
    )
    return Numbered(low, high, halves, blocks, single, kinds, apart)


def below_count(d: Derivation, s: Numbered) -> tuple[Fact, Fact]:
    """A number is below how many there are; and there is a set of the kind of an upper half."""
    halves = s.halves
    single = s.single
    statement = ge(ROOM * (number[a] - 1 - rank[a]), 0)
    supposed = d.suppose("numbers below their count, up to depth n", statement)
    parts = [
        d.smt(
            "so in its half",
            ge(MORE * split[a] * (number[h[a]] - 1 - rank[h[a]]), 0),
            *(_at(d, supposed, h[a]), shallow, halves[0]),
        )
        for h, shallow in ((s.low, halves[2]), (s.high, halves[3]))
    ]
    full = _at(d, s.blocks[1], s.high[a])
    below = d.inductive(
        "each number is below their count",
        statement,
        n,
        [single[0], halves[0], halves[4]],
        [*parts, halves[0], halves[1], s.blocks[0], single[0], full],
        by="smt",
    )
    below = d.instantiate("at its depth", below, {n: deep})
    return d.smt("all of them", le(rank[a], number[a] - 1), below, halves[5]), full


def in_different_blocks(d: Derivation, s: Numbered, below: Fact, full: Fact) -> Pair:
    """Sets of one kind with unequal lower halves in size have different numbers, as these lie in different blocks."""
    low = s.low
    high = s.high
    halves = s.halves
    blocks = s.blocks
    kinds = s.kinds
    inside = d.smt(
        "a number lies in its block", ge(split[a] * (before[a] + number[low[a]] * number[high[a]] - 1 - rank[a]), 0),
        halves[0], halves[1], _at(d, below, low[a]), _at(d, below, high[a]), full,
    )  # fmt: skip
    swap = {a: b, b: a}
    facts_of_second = {
        fact: d.instantiate("the other", fact, swap) for fact in (halves[0], halves[1], inside, blocks[2], kinds[3])
    }
    start = ge(split[a] * (rank[a] - before[a]), 0)
    start = d.smt("a number is at or above the start of its block", start, *(halves[1], halves[0]))
    others_start = d.instantiate("the other", start, swap)
    flags = (*kinds[:4], facts_of_second[kinds[3]], kinds[4], s.apart[0], halves[0])
    one_first = d.smt(
        "in different blocks", ge(same[a, b] * split[a] * earlier[a, b] * GAP, 0),
        inside, others_start, blocks[2], *flags,
    )  # fmt: skip
    other_first = d.smt(
        "in different blocks", ge(same[a, b] * split[a] * earlier[b, a] * GAP, 0),
        facts_of_second[inside], start, facts_of_second[blocks[2]], *flags,
    )  # fmt: skip
    return Pair(facts_of_second[halves[1]], flags, (one_first, other_first))


def in_one_block(d: Derivation, s: Numbered, pair: Pair, supposed: Fact, below: Fact, full: Fact) -> Fact:
    """In one block the halves' numbers are digits: what is supposed of the halves holds of the sets."""
    low = s.low
    high = s.high
    kinds = s.kinds
    apart = s.apart
    flags = pair.flags
    parts = [
        d.smt(
            "so their halves",
            ge(MORE * ALIKE * (sp.Abs(rank[h[a]] - rank[h[b]]) - different[h[a], h[b]]), 0),
            *(_at(d, supposed, h[a], h[b]), shallow, kind, *flags),
        )
        for h, shallow, kind in ((low, s.halves[2], kinds[5]), (high, s.halves[3], kinds[6]))
    ]
    equal = _at(d, apart[2], low[a], low[b])
    lower = rank[low[a]] - rank[low[b]]
    upper = rank[high[a]] - rank[high[b]]
    digit = d.smt(
        "the same block",
        eq(ALIKE * (rank[a] - rank[b] - lower * number[high[a]] - upper), 0),
        *(s.halves[1], pair.other_halves, kinds[7], kinds[8], *flags),
    )
    unlike = different[low[a], low[b]]
    lower_halves_apart = _at(d, apart[0], low[a], low[b])
    premises = [parts[1], digit, equal, lower_halves_apart, apart[1], *flags]
    alike_below = d.smt(
        "in one block, the lower halves equal", ge(MORE * ALIKE * (1 - unlike) * GAP, 0),
        *premises,
    )  # fmt: skip
    carry = d.smt(
        "the upper halves' numbers are less than a block apart",
        ge(ALIKE * (number[high[a]] - 1 - sp.Abs(upper)), 0),
        kinds[8], _at(d, below, high[a]), _at(d, below, high[b]), *flags,
    )  # fmt: skip
    block = d.smt(
        "the lower halves' numbers at least one block",
        ge(MORE * ALIKE * unlike * (sp.Abs(lower) * number[high[a]] - number[high[a]]), 0),
        parts[0], lower_halves_apart, full, *flags,
    )  # fmt: skip
    premises = [block, carry, digit, lower_halves_apart, full, *flags]
    unlike_below = d.smt(
        "in one block, the lower halves different", ge(MORE * ALIKE * unlike * GAP, 0),
        *premises,
    )  # fmt: skip
    goal = ge(MORE * ALIKE * GAP, 0)
    return d.smt("in one block, the halves' numbers are digits", goal, alike_below, unlike_below)


def told_apart(d: Derivation, points: sp.Expr, words: sp.Symbol, sign: int = 1) -> Fact:
    """words = points: as many numbers as sets of one kind."""
    s = numbered(d, sign)
    below, full = below_count(d, s)
    pair = in_different_blocks(d, s, below, full)
    statement = ge(ROOM * same[a, b] * GAP, 0)
    supposed = d.suppose("different sets of one kind up to depth n", statement)
    lower = in_one_block(d, s, pair, supposed, below, full)
    for_every_depth = d.inductive(
        "different sets of one kind have different numbers",
        statement,
        n,
        [s.single[1], s.halves[0], s.halves[4], s.kinds[0]],
        [lower, *pair.blocks, s.single[1], *pair.flags],
        by="smt",
    )
    for_every_depth = d.instantiate("at their depth", for_every_depth, {n: deep})
    for_every_depth = d.smt("different sets of one kind", ge(same[a, b] * GAP, 0), for_every_depth, s.halves[5])
    return _counted(d, for_every_depth, s, points, words)


def _counted(d: Derivation, numbers_differ: Fact, s: Numbered, points: Any, words: Any) -> Fact:
    """Numbers that tell sets apart are as many as the sets: each number is that of one set at most."""
    hit = 1 - sp.Min(1, sp.Abs(rank[a] - value[w]))
    is_set, is_kind = d.domain(
        "every set is listed once, and those of the kind that is counted are marked",
        eq(total(1 - different[a, b], b, upto=sets), 1),
        eq(points, total(kind[b], b, upto=sets)),
    )
    flag, *alike = d.domain(
        "marked sets are of one kind, and two that are equal are marked alike",
        eq(kind[a] ** 2, kind[a]),
        eq(kind[a] * kind[b] * (1 - same[a, b]), 0),
        eq((1 - different[a, b]) * (kind[a] - kind[b]), 0),
    )
    hit_is_flag, some = d.domain(
        "each number is one of the values 0, 1, …", eq(hit**2, hit), eq(total(hit, w, upto=top), 1)
    )
    has = sp.IndexedBase("has", real=True)
    marks_number = d.define("1 where a set that is counted has this number", has[a, w], kind[a] * hit)
    used = d.define("code words in use", words, total(sp.Min(1, total(has[b, w], b, upto=sets)), w, upto=top))
    swap = {a: b}
    mark = d.smt("or not", eq(has[a, w] ** 2, has[a, w]), marks_number, hit_is_flag, flag)
    there = [d.instantiate("another set", fact, swap) for fact in (marks_number, hit_is_flag, flag, mark)]
    facts = (marks_number, hit_is_flag, flag, mark, *there, *alike, s.apart[0])
    apart = eq(has[a, w] * has[b, w] * different[a, b], 0)
    apart = d.smt("no two different sets have one number", apart, numbers_differ, s.kinds[0], *facts)
    own_number = d.smt(
        "a set has its own number", eq((1 - different[a, b]) * (has[a, w] - has[b, w]), 0), s.apart[2], *facts
    )
    pairs = eq(has[a, w] * has[b, w], has[a, w] * (1 - different[a, b]))
    pairs = d.summed(
        "so pairs with one number are one set", pairs, apart, own_number, mark, over=b, upto=sets, by="smt"
    )
    pairs = d.derive("each with itself alone", eq(has[a, w] * total(has[b, w], b, upto=sets), has[a, w]), pairs, is_set)
    pairs = d.sum("over sets", pairs, a, upto=sets)
    holders = total(has[b, w], b, upto=sets)
    once = d.smt("one set has it or none", eq(sp.Min(1, holders), holders), pairs)
    per_set = d.derive(
        "in each number",
        eq(total(has[a, w], w, upto=top), kind[a]),
        d.sum("over numbers", marks_number, w, upto=top),
        some,
    )
    goal = eq(words, points)
    conclusions = (used, d.sum("over numbers", once, w, upto=top), d.sum("over sets", per_set, a, upto=sets), is_kind)
    return d.derive("as many numbers as sets", goal, *conclusions)


def values(masks: list[Any]) -> dict[str, Any]:
    """The symbols of `told_apart`, for all sets of one kind and their halves."""
    place: dict[tuple[bool, ...], int] = {}

    def add(mask: tuple[bool, ...]) -> None:
        if mask not in place:
            place[mask] = len(place) + 1
            if _splits(mask):
                add(mask[: len(mask) // 2])
                add(mask[len(mask) // 2 :])

    counted = [tuple(bool(v) for v in mask) for mask in masks]
    for mask in counted:
        add(mask)
    sets = list(place)

    def half(k: int, upper: bool) -> int:
        mask = sets[k - 1]
        middle = len(mask) // 2
        return place[mask[middle:] if upper else mask[:middle]] if _splits(mask) else k

    def size(k: int) -> tuple[int, int]:
        return len(sets[k - 1]), sum(sets[k - 1])

    def lower(k: int) -> int:
        return sum(sets[k - 1][: len(sets[k - 1]) // 2])

    def start(k: int) -> int:
        (places, ones) = size(k)
        middle = len(sets[k - 1]) // 2
        return sum(comb(middle, m) * comb(places - middle, ones - m) for m in range(lower(k)))

    counts = counted_values(sets)
    ranks = [subset_rank(np.array(mask)) if mask else 0 for mask in sets]
    numbers = max(ranks) + 1
    return {
        **counts,
        "rank": lambda k: ranks[k - 1],
        "number": lambda k: comb(*size(k)),
        "before_it": start,
        "split": lambda k: int(_splits(sets[k - 1])),
        "depth": lambda k: max(len(sets[k - 1]) - 1, 0).bit_length(),
        "deep": max(max(len(mask) - 1, 0).bit_length() for mask in sets),
        "low": lambda k: half(k, False),
        "high": lambda k: half(k, True),
        "same": lambda k, m: int(size(k) == size(m)),
        "different": lambda k, m: int(sets[k - 1] != sets[m - 1]),
        "earlier": lambda k, m: int(lower(k) < lower(m)),
        "value": lambda k: k - 1,
        "kind": lambda k: int(sets[k - 1] in counted),
        "sets": len(sets),
        "top_number": numbers,
        "ranges": {**counts["ranges"], **{k: range(1, len(sets) + 1) for k in "ab"}, "w": range(1, numbers + 1)},
    }


def _splits(mask: tuple[bool, ...]) -> bool:
    return 1 < sum(mask) < len(mask)
