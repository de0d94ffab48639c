"""What the proofs about fixed thresholds share: the sets X(β) of every law of a text, and the lemma of Neyman and Pearson."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, index, le, total, x, y
from simspec.laws import Array
from simspec.methods.sqs.quantised import threshold_mask

c = index("c")
"""Position in the text."""
N = sp.Symbol("N", integer=True, positive=True)
"""Number of tokens of the text."""
TOP = "the most likely token"
REACHED = "what reaches the fixed threshold"
EMPTY = "whether nothing reaches it"


class Laws(NamedTuple):
    """The laws of a text, and the most likely token of each (t is 1 there)."""

    q: Any
    t: Any
    mass: Fact
    positive: Fact
    bit: Fact
    one: Fact
    most: Fact


class Sets(NamedTuple):
    """X(β): what reaches β, whether that is nothing, and what is kept."""

    keep: Any
    empty: Any
    mask: Any
    bit: Fact
    reach: Fact
    below: Fact
    nothing: tuple[Fact, ...]


def laws(d: Derivation, at: sp.Symbol) -> Laws:
    """Laws at every position `at`."""
    q = sp.IndexedBase("q", real=True)
    t = sp.IndexedBase("t", real=True)
    mass = d.domain("draft laws sum to one", eq(total(q[at, x], x), 1))
    positive = d.domain("no mass is negative", ge(q[at, x], 0))
    bit, top_is_one, top_is_largest = d.domain(
        TOP, eq(t[at, x] * (1 - t[at, x]), 0), eq(total(t[at, x], x), 1), ge(t[at, x] * (q[at, x] - q[at, y]), 0)
    )
    return Laws(q, t, mass, positive, bit, top_is_one, top_is_largest)


def sets(
    d: Derivation, w: Laws, at: sp.Symbol, beta: sp.Symbol, name: str = "fixed", keep_top: sp.Expr | int = 1
) -> Sets:
    """X(β) for every position; `keep_top` is 1, 0 or a number that is one of them."""
    keep = sp.IndexedBase(name, real=True)
    empty = sp.IndexedBase(f"{name}_empty", real=True)
    k = keep[at, x]
    e = empty[at]
    K = total(keep[at, x], x)
    bit, reach, below = d.domain(
        REACHED, eq(k * (1 - k), 0), ge(k * (w.q[at, x] - beta), 0), gt((1 - k) * (beta - w.q[at, x]) + k, 0)
    )
    nothing = d.domain(
        EMPTY, eq(e * (1 - e), 0), eq(e * K, 0), eq((1 - keep_top) * e, 0), ge(keep_top * (K + e - 1), 0)
    )
    return Sets(keep, empty, k + e * w.t[at, x], bit, reach, below, tuple(nothing))


def over_text(d: Derivation, fact: Fact) -> Fact:
    """A statement about every position, summed."""
    return d.sum("over the text", fact, c, upto=N)


def in_all(e: sp.Expr) -> sp.Expr:
    """Sum over the vocabulary and the text."""
    return total(total(e, x), c, upto=N)


def literal_choice(
    d: Derivation, w: Laws, s: Sets, at: sp.Symbol, beta: sp.Symbol, other_sets: sp.IndexedBase, bit: Fact
) -> Fact:
    """For any other sets, read literally: Σ (other − X)(q − β) ≤ 0."""
    per_token = le((other_sets[at, x] - s.keep[at, x]) * (w.q[at, x] - beta), 0)
    each_fact = d.derive("X(β) holds the tokens that are worth their price", per_token, bit, s.bit, s.reach, s.below)
    return d.sum("over the vocabulary", each_fact, x)


def best_choice(
    d: Derivation, w: Laws, s: Sets, at: sp.Symbol, beta: sp.Symbol, other_sets: sp.IndexedBase, facts: tuple[Fact, ...]
) -> Fact:
    """For other sets with a token each, in the keep-top reading: Σ (other − X)(q − β) ≤ 0."""
    q = w.q[at, x]
    t = w.t[at, x]
    r = other_sets[at, x]
    e = s.empty[at]
    bit, some = facts
    price = q - beta
    literal = literal_choice(d, w, s, at, beta, other_sets, bit)
    Q = total(t * q, x)
    at_most_top = d.sum("over the most likely", d.instantiate("tokens renamed", w.most, {x: y, y: x}), y)
    at_most_top = d.derive("none has more than the most likely", le(q, Q), at_most_top, w.one)
    worth = d.summed("so of the other set each has at most that", le(r * price, r * (Q - beta)), at_most_top, bit)
    under = d.derive("nothing kept: below its price", le((1 - s.keep[at, x]) * t * price, 0), s.bit, s.below, w.bit)
    off = d.derive("where X(β) would be empty no token is in it", eq(e * s.keep[at, x], 0), *none_of(d, s, at))
    under = d.summed("where X(β) would be empty the most likely too is", le(e * t * price, 0), under, off, *s.nothing)
    forced = d.derive(
        "and to keep the most likely alone costs least",
        ge(e * (Q - beta - total(r * price, x)), 0),
        *(worth, under, some, w.one, *s.nothing),
    )
    gone = d.summed("no token reaches it", eq(e * s.keep[at, x] * price, 0), off, then="and nothing else")
    return d.derive(
        "in both cases", le(total((r - s.mask) * price, x), 0), *(literal, forced, gone, w.one, s.nothing[0])
    )


def none_of(d: Derivation, s: Sets, at: sp.Symbol) -> tuple[Fact, ...]:
    """A sum of bits that is zero has no term."""
    k = s.keep[at, x]
    e = s.empty[at]
    nonnegative = d.derive("not negative", ge(e * k, 0), s.bit, s.nothing[0])
    term = d.instantiate("this one", d.term("a term of it", nonnegative, x, y), {y: x})
    return (term, nonnegative, s.nothing[1])


def bind(q: Array, threshold: Fraction | int, name: str = "fixed", keep_top: bool = True) -> dict[str, Any]:
    """Values of `laws` and `sets`, positions from 1."""
    likely = q.argmax(axis=-1)
    mask = threshold_mask(q, threshold, keep_top=False)
    return {
        **{"q": lambda c, x: q[c - 1][x - 1], "t": lambda c, x: int(likely[c - 1] == x - 1)},
        **{name: lambda c, x: mask[c - 1][x - 1], f"{name}_empty": lambda c: int(keep_top and not mask[c - 1].any())},
        **{"V": q.shape[-1], "N": len(q), "ranges": {"c": range(1, len(q) + 1)}},
    }
