"""Lists of K drafts: how often the stream in which the target's token won drafts it, and another one where that one does not."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.coupling._race import Quotient, Race, race, sums, values
from proofs_check.language import Derivation, Fact, eq, ge, gt, index, total, x, y
from simspec.laws import exact
from simspec.methods.coupling import exact_masses

__all__ = ["LEMMA", "SAME", "K", "Lists", "above", "bind", "lists"]

K = sp.Symbol("K", integer=True, positive=True)
s = index("s")
t = index("t")
SAME = "y of a stream wins both races: the target's of all streams, the draft's of its own (see coupling.formula)"
LEMMA = "K over the lemma's sums"


class Lists(NamedTuple):
    """The race, K ≥ 1, P(Y = y and its own stream drafts it), P(Y = y and only another one does)."""

    race: Race
    some: Fact
    same: Quotient
    other: Any


def above(d: Derivation, q: Quotient, r: Race, name: str, below: Any, *using: Fact) -> tuple[Fact, Fact, Fact, Fact]:
    """A quotient's facts with a shorter denominator, of a definition among `using`."""
    over = sp.IndexedBase(f"over_{name}", real=True)[y]
    at_p = d.derive("in short, where p has y", eq(r.p[y] * (over - below), 0), q.facts[2], *using, by="smt")
    at_q = d.derive("in short, where q has y", eq(r.q[y] * (over - below), 0), q.facts[3], *using, by="smt")
    return q.facts[0], q.facts[1], at_p, at_q


def in_a_stream(d: Derivation, r: Race, some: Fact, constant: int) -> Quotient:
    """P(Y = y in some stream, which drafts it): a race of K V exponentials for each stream s.

    The target's law has p/K on each stream, the draft's q on s alone; the quotient of `coupling.formula` is p_y q_y over the sum
    of max(p_x q_y, q_x p_y) on s and p_x q_y on the others.
    """
    p = r.p
    q = r.q
    is_own = sp.IndexedBase("own", real=True)
    over = sp.IndexedBase("over_one", real=True)
    own_stream = d.weights("one", s, y)
    at = over[s, y]
    flag, once = d.domain("one stream is s", eq(is_own[s, t] ** 2, is_own[s, t]), eq(total(is_own[s, t], t, upto=K), 1))
    larger = sp.Max(p[x] * q[y], is_own[s, t] * q[x] * p[y])
    below = total(total(larger, x), t, upto=K)
    wins, positive, at_p, at_q = d.domain(
        SAME,
        eq(own_stream[s, y] * at, constant * p[y] * q[y]),
        gt(at, 0),
        eq(p[y] * (at - below), 0),
        eq(q[y] * (at - below), 0),
    )
    per_token = eq(larger, is_own[s, t] * r.larger + (1 - is_own[s, t]) * p[x] * q[y])
    per_token = d.summed("on s, and on the others", per_token, flag, by="smt")
    short = eq(total(larger, x), is_own[s, t] * (r.D[y] - q[y]) + q[y])
    per_token = d.derive("over the tokens", short, per_token, r.sums, r.mass_p)
    per_token = d.sum("over the streams", per_token, t, upto=K)
    short = r.D[y] + (K - 1) * q[y]
    denominator = d.derive("in short", eq(below, short), per_token, once)
    at_p = d.derive("in short, where p has y", eq(p[y] * (at - short), 0), at_p, denominator)
    at_q = d.derive("in short, where q has y", eq(q[y] * (at - short), 0), at_q, denominator)

    same = sp.IndexedBase("same", nonnegative=True)
    mean = sp.IndexedBase("over_same", real=True)
    all_ = d.define("in some stream", same[y], total(own_stream[s, y], s, upto=K))
    mean_ = d.define("over the streams", mean[y], total(at, s, upto=K) / K, some)
    other_stream = [d.instantiate("in another stream", f, {s: t}) for f in (positive, at_p, at_q)]
    product = eq(own_stream[s, y] * over[t, y], constant * p[y] * q[y])
    product = d.smt("alike in each", product, wins, positive, at_p, at_q, *other_stream)
    product = d.sum("over both", product, s, t, upto=K)
    product = d.derive("in all", eq(same[y] * mean[y], constant * K * p[y] * q[y]), product, all_, mean_, some)
    positive, at_p, at_q = (d.sum("over the streams", f, s, upto=K) for f in (positive, at_p, at_q))
    positive = d.smt("positive", gt(mean[y], 0), positive, mean_, some)
    at_p = d.derive("in short, where p has y", eq(p[y] * (mean[y] - short), 0), at_p, mean_, some)
    at_q = d.derive("in short, where q has y", eq(q[y] * (mean[y] - short), 0), at_q, mean_, some)
    return Quotient(same, (product, positive, at_p, at_q))


def lists(d: Derivation, constant: int = 1) -> Lists:
    """The race, K drafts, and how often Y is drafted: p K/(K + L) with L = Σ (q_x p_y/q_y − p_x)₊."""
    r = race(d)
    some = d.domain("there is a draft", ge(K, 1))
    return Lists(r, some, in_a_stream(d, r, some, constant), d.weights("other", y))


def bind(p: Any, q: Any, drafts: int) -> dict[str, Any]:
    """What the symbols stand for."""
    below = exact([m or 1 for m in sums(p, q) + (drafts - 1) * q])
    own_stream = p * q / below
    return {
        **values(p, q, lemma=(drafts * p * q, sums(p, q) + (drafts - 1) * q)),
        "one": lambda stream, token: own_stream[token - 1],
        "over_one": lambda stream, token: below[token - 1],
        "own": lambda stream, another: int(stream == another),
        "other": exact_masses(p, q, drafts) - drafts * own_stream,
        "K": drafts,
        "ranges": {k: range(1, drafts + 1) for k in "st"},
    }
