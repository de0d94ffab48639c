"""What the proofs about C-SQS share: the threshold's recursion in both readings, how far it moves, where it stays.

Literal: X(β) = {x: q[x] ≥ β}, possibly empty.  Keep-top: an empty X(β) becomes the most likely token.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, V, eq, ge, gt, le, lt, total, x, y
from simspec.claims.csqs.parts import READINGS
from simspec.laws import Array
from simspec.methods.csqs.conformal import draft_thresholds

n = sp.Symbol("n", integer=True, nonnegative=True)
"""Position in the text."""
T = sp.Symbol("T", integer=True, positive=True)
"""Number of tokens."""
BELOW = "dropped tokens lie below the threshold"
REACH = "kept tokens reach the threshold"
TOP = "the most likely token"
TOP_KEPT = "the most likely token is kept"
LAWS = "draft laws sum to one"


class Text(NamedTuple):
    """Draft laws along a text, the most likely token of each (t is 1 there), and the parameters."""

    q: Any
    t: Any
    start: Any
    eta: Any
    alpha: Any
    positive: Fact
    mass: Fact
    one_top: Fact
    top_bit: Fact
    top_most: Fact


class Threshold(NamedTuple):
    """One reading of the recursion: kept tokens, dropped mass, threshold, and what defines them."""

    keep: Any
    drop: Any
    beta: Any
    dropped: Fact
    at_start: Fact
    update: Fact
    bit: Fact
    below: Fact
    reach: Fact
    kept_top: tuple[Fact, ...]


def text(d: Derivation) -> Text:
    """The draft laws and the parameters."""
    negative = d.dropped == "draft laws are nowhere negative"
    q = sp.IndexedBase("q", real=True) if negative else sp.IndexedBase("q", nonnegative=True)
    t = sp.IndexedBase("t", real=True)
    positive = d.domain("draft laws are nowhere negative", ge(q[n, x], 0))
    mass = d.domain(LAWS, eq(total(q[n, x], x), 1))
    bit, top_is_one, top_is_largest = d.domain(
        TOP, eq(t[n, x] * (1 - t[n, x]), 0), eq(total(t[n, x], x), 1), ge(t[n, x] * (q[n, x] - q[n, y]), 0)
    )
    start = d.number("start")
    eta = d.number("eta", positive=True)
    return Text(
        q=q,
        t=t,
        start=start,
        eta=eta,
        alpha=d.number("alpha", 0, 1),
        positive=positive,
        mass=mass,
        one_top=top_is_one,
        top_bit=bit,
        top_most=top_is_largest,
    )


def threshold(d: Derivation, w: Text, top: bool, sign: int = 1, assumed: str | None = None) -> Threshold:
    """Eq. 6 and Eq. 8 in one reading; `assumed` is the claim's name of the assumption that it is the literal one."""
    tail = "_top" if top else ""
    keep, drop, beta = (sp.IndexedBase(name + tail, real=True) for name in ("keep", "drop", "beta"))
    q = w.q[n, x]
    k = keep[n, x]
    name = "keep-top" if top else "literal"
    dropped = d.define(f"the dropped mass, {name}", drop[n], total((1 - k) * q, x))
    at_start, update = d.recursion(
        f"the threshold (Eq. 8), {name}",
        eq(beta[0], w.start),
        eq(beta[n + 1], beta[n] - w.eta * (sign * drop[n] - w.alpha)),
    )
    bit = d.domain("a token is kept or not", eq(k * (1 - k), 0))
    below = d.domain(BELOW, gt((1 - k) * (beta[n] - q) + k, 0))
    if top:
        kept_top: tuple[Fact, ...] = (d.domain(TOP_KEPT, ge(k, w.t[n, x])),)
        reach = d.domain(REACH + ", or are the most likely", ge((k - w.t[n, x]) * (q - beta[n]), 0))
    else:
        reached = ge(k * (q - beta[n]), 0)
        kept_top = ()
        reach = d.domain(REACH, reached) if assumed is None else d.assume(assumed, reached)
    return Threshold(
        keep=keep,
        drop=drop,
        beta=beta,
        dropped=dropped,
        at_start=at_start,
        update=update,
        bit=bit,
        below=below,
        reach=reach,
        kept_top=kept_top,
    )


def mass_bounds(d: Derivation, w: Text, h: Threshold) -> tuple[Fact, Fact]:
    """0 ≤ drop ≤ 1."""
    q = w.q[n, x]
    k = h.keep[n, x]
    low = d.derive("what is dropped of one token", ge((1 - k) * q, 0), h.bit)
    high = d.derive("no more than its mass", le((1 - k) * q, q), h.bit)
    low = d.sum("over the vocabulary", low, x)
    high = d.sum("over the vocabulary", high, x)
    return (
        d.derive("the dropped mass is not negative", ge(h.drop[n], 0), low, h.dropped),
        d.derive("and at most one", le(h.drop[n], 1), high, h.dropped, w.mass),
    )


def nothing_at_zero(d: Derivation, w: Text, h: Threshold) -> Fact:
    """drop = 0 where β ≤ 0."""
    q = w.q[n, x]
    k = h.keep[n, x]
    per_token = d.summed(
        "at a threshold ≤ 0 a dropped token has no mass", eq((1 - k) * q * sp.Min(h.beta[n], 0), 0), h.bit, h.below
    )
    return d.derive(
        "at a threshold ≤ 0 nothing is dropped", eq(h.drop[n] * sp.Min(h.beta[n], 0), 0), per_token, h.dropped
    )


def one_mass(d: Derivation, w: Text) -> Fact:
    """A mass is at most 1."""
    single_mass = d.term("one mass is at most their sum", w.positive, x, y)
    return d.derive("one mass is at most 1", le(w.q[n, y], 1), single_mass, w.mass)


def all_beyond_one(d: Derivation, w: Text, h: Threshold) -> Fact:
    """Literal: drop = 1 where β > 1."""
    at = d.instantiate("of this token", one_mass(d, w), {y: x})
    over = sp.Max(h.beta[n] - 1, 0)
    per_token = d.summed("beyond 1 no token is kept", eq(h.keep[n, x] * w.q[n, x] * over, 0), h.bit, h.reach, at)
    return d.derive("beyond 1 all is dropped", eq((1 - h.drop[n]) * over, 0), per_token, h.dropped, w.mass)


def induct(d: Derivation, h: Threshold, statement: Relation, *using: Fact, goal: str, update: bool = True) -> Fact:
    """P(n) for every n, where the step follows from facts about one token."""
    return d.inductive(f"{goal}, for every n", statement, n, [h.at_start], [*([h.update] * update), *using])


def lowest(d: Derivation, w: Text, h: Threshold, at_most: Fact | None = None) -> Fact:
    """β_n ≥ min(β_0, −η(1 − α)), or with the bound on the dropped mass that `at_most` states in place of 1."""
    at_most = at_most or mass_bounds(d, w, h)[1]
    statement = ge(h.beta[n], sp.Min(w.start, -w.eta * (at_most.relation.rhs - w.alpha)))
    return induct(d, h, statement, at_most, nothing_at_zero(d, w, h), goal="the lower end")


def highest(d: Derivation, w: Text, h: Threshold) -> Fact:
    """Literal: β_n ≤ max(β_0, 1 + ηα)."""
    nonnegative, _ = mass_bounds(d, w, h)
    statement = le(h.beta[n], sp.Max(w.start, 1 + w.eta * w.alpha))
    return induct(d, h, statement, nonnegative, all_beyond_one(d, w, h), goal="the upper end")


def top_share(d: Derivation, w: Text) -> Fact:
    """Σ t q ≥ 1/V: the most likely token has at least an even share."""
    pairs = d.sum("over all pairs", w.top_most, x, y)
    product = d.derive("one token of mass one", eq(total(w.t[n, x], x) * total(w.q[n, y], y), 1), w.one_top, w.mass)
    return d.derive("an even share", ge(V * total(w.t[n, x] * w.q[n, x], x), 1), pairs, product)


def even_share(d: Derivation) -> tuple[sp.Symbol, Fact]:
    """A name for 1/V."""
    u = sp.Symbol("u", positive=True)
    named = d.define("an even share", u, 1 / V)
    return u, d.derive("V of them", eq(V * u, 1), named)


class Few(NamedTuple):
    """How little is dropped below 1/V: nothing of β ≤ 0, at most (V − 1)β in (0, 1/V); and `most` of all."""

    zero: Fact
    less: Fact
    inside: Any
    few: Fact
    most: Fact


def few_below_share(d: Derivation, w: Text, h: Threshold, u: sp.Symbol, even: Fact) -> Few:
    """What is dropped, by where the threshold is; u = 1/V."""
    k = h.keep[n, x]
    q = w.q[n, x]
    t = w.t[n, x]
    beta = h.beta[n]
    drop = h.drop[n]
    K = total(k, x)
    ahead = sp.Max(u - beta, 0)
    if not h.kept_top:
        at_most = mass_bounds(d, w, h)[1]
        top = d.sum("the most likely against all", w.top_most, y)
        top = d.derive("it has at least an even share", ge(t * q, t * u), top, w.mass, even)
        top_kept = d.derive("and so it is kept where β < 1/V", ge(ahead * (k - t), 0), h.bit, w.top_bit, h.below, top)
    else:
        at_most = top_leaves(d, w, h, u, even)
        top_kept = d.derive("the most likely token is kept", ge(ahead * (k - t), 0), *h.kept_top)
    top_kept = d.sum("over the vocabulary", top_kept, x)
    top_kept = d.derive("at least one token is kept where β < 1/V", ge(ahead * (K - 1), 0), top_kept, w.one_top)
    dropped_below = d.summed("a dropped token has less than β", le((1 - k) * q, (1 - k) * beta), h.bit, h.below)
    dropped_below = d.derive("β for each dropped token", le(drop, (V - K) * beta), dropped_below, h.dropped)
    inside = ahead * sp.Max(beta, 0)
    few_dropped = d.derive(
        "at most V − 1 are dropped in (0, 1/V)", le(inside * (drop - (V - 1) * beta), 0), top_kept, dropped_below
    )
    return Few(nothing_at_zero(d, w, h), dropped_below, inside, few_dropped, at_most)


def wherever(
    d: Derivation, h: Threshold, few: Few, u: sp.Symbol, goal: Relation, beyond: Fact, inside: Callable[..., Fact]
) -> Fact:
    """A bound on the next threshold, whether β ≥ 1/V, β ≤ 0, or neither.

    `beyond`: what it is at least in the first case; `inside` makes the bound of the facts 0 < β < 1/V and drop ≤ (V − 1)β.
    """
    beta = h.beta[n]
    large = d.case(f"the threshold is at least 1/V: {beta}", ge(beta, u))
    small = d.case(f"the threshold is below 1/V: {beta}", lt(beta, u))
    low = d.case(f"the threshold is at most 0: {beta}", le(beta, 0))
    above = d.case(f"the threshold is above 0: {beta}", gt(beta, 0))
    none = d.derive("nothing is dropped", le(h.drop[n], 0), low, few.less, few.zero)
    stays = d.derive("the threshold does not fall", ge(h.beta[n + 1], beta), none, h.update)
    weight = d.derive("inside (0, 1/V)", gt(few.inside, 0), small, above)
    dropped = d.derive("at most V − 1 are dropped", le(h.drop[n], (V - 1) * beta), few.few, weight)
    not_large = d.cases("above 0 or not", inside(above, small, dropped), d.derive("at most 0", goal, stays))
    return d.cases("up to 1/V or beyond", d.derive("from 1/V on", goal, beyond, large), not_large)


def never_below_share(d: Derivation, w: Text, h: Threshold, u: sp.Symbol, even: Fact, share: sp.Expr | int = 1) -> Fact:
    """β_n ≥ min(β_0, 0, m) with m = 1/V − η(1 − α); keep-top: 1 − 1/V for 1."""
    few = few_below_share(d, w, h, u, even)
    beta = h.beta[n]
    after = h.beta[n + 1]
    m = share * u - w.eta * (few.most.relation.rhs - w.alpha)
    goal = ge(after, sp.Min(beta, 0, m))
    slope = w.eta * (V - 1)

    def inside(above: Fact, small: Fact, dropped: Fact) -> Fact:
        """From (0, 1/V) a step leads to β(1 − η(V − 1)) + ηα at least: to 0, or to what it is at 1/V."""
        step = d.derive("a step from there", ge(after, beta + w.eta * w.alpha - slope * beta), dropped, h.update)
        flat = d.case(f"a step of at most 1/(V − 1): {beta}", le(slope, 1))
        steep = d.case(f"a step of more: {beta}", gt(slope, 1))
        rises = d.derive("it stays above 0", ge(after, 0), step, above, flat)
        falls = d.derive("no lower than from 1/V", ge(after, u + w.eta * w.alpha - slope * u), step, small, steep)
        falls = d.derive("which is m at least", ge(after, m + (1 - share) * u), falls, even)
        return d.cases("long or short", d.derive("a short step", goal, rises), d.derive("a long step", goal, falls))

    beyond = d.derive("one step down from there", ge(after, beta - share * u + m), few.most, h.update)
    rest = wherever(d, h, few, u, goal, beyond, inside)
    return induct(d, h, ge(beta, sp.Min(w.start, 0, m)), rest, goal="the lower end, with V", update=False)


def top_leaves(d: Derivation, w: Text, h: Threshold, u: sp.Symbol, even: Fact) -> Fact:
    """Keep-top: drop ≤ 1 − 1/V, with u = 1/V."""
    k = h.keep[n, x]
    q = w.q[n, x]
    t = w.t[n, x]
    per_token = d.summed("the most likely token is kept", le((1 - k) * q, (1 - t) * q), *h.kept_top)
    at_most = d.derive("at most what that leaves", le(h.drop[n], 1 - total(t * q, x)), per_token, h.dropped, w.mass)
    return d.derive("at most 1 − 1/V is dropped", le(h.drop[n], 1 - u), at_most, top_share(d, w), even)


def never_beyond_half(d: Derivation, w: Text, h: Threshold, certain: Fact, half: sp.Expr = sp.S.Half) -> Fact:
    """β_n ≤ max(β_0, ½ + ηα) when no mass exceeds 1 − α."""
    k = h.keep[n, x]
    q = w.q[n, x]
    t = w.t[n, x]
    beta = h.beta[n]
    drop = h.drop[n]
    Q = total(t * q, x)
    over = sp.Max(beta - half, 0)
    other_mass = d.derive("the mass of a token that is not the most likely", ge((1 - t) * q, 0), w.top_bit)
    other_and_top = d.term("and the most likely one together have at most 1", other_mass, x, y)
    other_and_top = d.instantiate("for this token", other_and_top, {y: x})
    at_most_top = d.sum("over the most likely", d.instantiate("tokens renamed", w.top_most, {x: y, y: x}), y)
    at_most_top = d.derive("no token has more than the most likely", le(q, Q), at_most_top, w.one_top)
    alone = d.summed(
        "beyond ½ no other is kept",
        le(over * (k - t) * q, 0),
        *(h.bit, w.top_bit, h.reach, other_and_top, at_most_top, w.mass),
    )
    top_bound = d.summed("the most likely has no more than 1 − α", le(t * q, t * (1 - w.alpha)), certain, w.top_bit)
    top_bound = d.derive("that is, at most 1 − α is kept with it", le(Q, 1 - w.alpha), top_bound, w.one_top)
    falls = d.derive(
        "beyond ½ at least α is dropped", ge(over * (drop - w.alpha), 0), alone, top_bound, h.dropped, w.mass
    )
    nonnegative, _ = mass_bounds(d, w, h)
    statement = le(beta, sp.Max(w.start, half + w.eta * w.alpha))
    return induct(d, h, statement, nonnegative, falls, goal="the upper end")


def at_extreme(d: Derivation, for_every_n: Fact, top: bool, name: str) -> Fact:
    """A bound on every threshold at the least (largest) one."""
    at = sp.Symbol(name + ("_top" if top else ""), integer=True, nonnegative=True)
    fact = d.instantiate(f"where the threshold is {name}", for_every_n, {n: at})
    return negated(d, fact) if fact.relation.op == ">=" else fact


def negated(d: Derivation, fact: Fact) -> Fact:
    """a ≥ b as −a ≤ −b."""
    return d.derive("the same, the other way round", le(-fact.relation.lhs, -fact.relation.rhs), fact)


def bind(q: Array, start: Fraction, step_size: Fraction, dropped_target: Fraction) -> dict[str, Any]:
    """Values of the symbols of `text` and `threshold`; n = 0 … T − 1."""
    laws = np.concatenate([q, q[-1:]])  # one law more, so that something is kept and dropped at the last threshold too
    literal, top = (draft_thresholds(laws, start, step_size, dropped_target, reading) for reading in READINGS)
    likely = laws.argmax(axis=-1)
    return {
        **{"q": lambda n, x: laws[n][x - 1], "t": lambda n, x: int(likely[n] == x - 1)},
        **{"keep": lambda n, x: literal.masks[n][x - 1], "keep_top": lambda n, x: top.masks[n][x - 1]},
        **{"start": start, "eta": step_size, "alpha": dropped_target, "V": q.shape[-1]},
        **{"ranges": {"n": range(len(q)), "T": range(1, len(q) + 1)}},
    }


def bind_thresholds(q: Array, start: Fraction, step_size: Fraction, dropped_target: Fraction) -> dict[str, Any]:
    """The same with n = 0 … T, and where the least and the largest thresholds are."""
    values = bind(q, start, step_size, dropped_target)
    for tail, reading in zip(("", "_top"), READINGS, strict=True):
        betas = draft_thresholds(q, start, step_size, dropped_target, reading).thresholds
        values |= {"least" + tail: int(betas.argmin()), "largest" + tail: int(betas.argmax())}
    return {**values, "ranges": {"n": range(len(q) + 1)}}
