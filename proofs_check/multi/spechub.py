"""multi.spechub-lossless and others: four steps that each take as much as they can; as sets the pairs are greedy drafts."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, laws, le, total, x, y
from proofs_check.multi._recursive import by_size
from proofs_check.multi.greedy import bound_by_set, value, values
from simspec.claims.multi import spechub as claims
from simspec.laws import tv
from simspec.laws.unchecked import normalise
from simspec.methods.multi.greedy import hub_plan

TOP = "a is one token"
REST = "q̃ is q without a, normalised"
RULE = "what is left is drawn from when no draft is kept"


class Hub(NamedTuple):
    """SpecHub's four steps: from pairs (i, a), from pairs (a, i), and of a from what is left of the second and the first."""

    p: Any
    t: Any
    A: Any
    first: Any
    second: Any
    x1: Any
    x2: Any
    y1: Any
    y2: Any
    mass: Fact
    bit: Fact
    one: Fact
    at: Fact
    none: Fact
    pairs: Fact
    named: tuple[Fact, Fact, Fact, Fact]

    @property
    def of_hub(self) -> Any:
        return self.y1 + self.y2

    @property
    def taken(self) -> Any:
        return self.x1 + self.x2


def _hub(d: Derivation) -> Hub:
    """State the law of the pairs and define the mass that each of SpecHub's four steps takes."""
    p, mass = d.law("p")
    t = d.weights("t")
    first = d.weights("first")
    second = d.weights("second")
    A = d.number("A", 0)
    bit, mark_sum, at = d.domain(TOP, eq(t[x] * (1 - t[x]), 0), eq(total(t[x], x), 1), eq(t[x] * p[x], t[x] * A))
    none = d.domain("no pair (a, a) comes first", eq(t[x] * first[x], 0))
    pairs = d.domain("the pairs have a law", eq(total(first[x] + second[x], x), 1))
    X1, X2 = (sp.IndexedBase(name, real=True) for name in ("X1", "X2"))
    Y1, Y2 = sp.symbols("Y1 Y2", real=True)
    named = (
        d.define("first, i from pairs (i, a)", X1[x], sp.Min((1 - t[x]) * p[x], first[x])),
        d.define("then i from pairs (a, i)", X2[x], sp.Min((1 - t[x]) * p[x] - X1[x], second[x])),
        d.define("then a from what is left of these", Y2, sp.Min(A, total(second[x] - X2[x], x))),
        d.define("then a from what is left of the first", Y1, sp.Min(A - Y2, total(first[x] - X1[x], x))),
    )
    return Hub(
        p=p,
        t=t,
        A=A,
        first=first,
        second=second,
        x1=X1[x],
        x2=X2[x],
        y1=Y1,
        y2=Y2,
        mass=mass,
        bit=bit,
        one=mark_sum,
        at=at,
        none=none,
        pairs=pairs,
        named=named,
    )


def prove_lossless(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws."""
    hub = _hub(d)
    w = d.weights("w")
    normed = d.domain(RULE, eq(w[x] * hub_left(hub, x), constant * hub_left(hub)))
    top_mass = d.sum("a has all of its mass", hub.at, x)
    accepted = total(hub.taken, x) + hub.of_hub
    none = d.derive("no draft is kept", eq(1 - accepted, hub_left(hub, x)), hub.mass, hub.one, top_mass)
    again = d.derive("drawn then", eq((1 - accepted) * w[x], hub_left(hub)), none, normed)
    emitted = hub.taken + sign * hub.t[x] * hub.of_hub + (1 - accepted) * w[x]
    d.qed(d.derive("either way", eq(emitted, hub.p[x]), again, hub.at))


def hub_left(hub: Hub, at: Any = None) -> Any:
    """Target mass that no pair has taken; its sum where a name to sum over is given."""
    remainder = (1 - hub.t[x]) * hub.p[x] - hub.taken + hub.t[x] * (hub.A - hub.of_hub)
    return remainder if at is None else total(remainder, x)


def _plan(p: Any, q: Any) -> dict[str, Any]:
    plan = hub_plan(p, q)
    return {
        **{"p": p, "t": plan.top.astype(int), "A": p[plan.top].sum(), "first": plan.first, "second": plan.second},
        **{"w": normalise(plan.left, otherwise=p), "V": len(p)},
    }


def prove_optimal(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws."""
    hub = _hub(d)
    p = hub.p
    t = hub.t
    A = hub.A
    q = d.weights("q")
    r = d.weights("r")
    B = d.number("B", 0, 1)
    zero = d.domain("q̃ has nothing of a", eq(t[x] * r[x], 0))
    of_first, of_second, normed = d.domain(
        REST,
        eq(hub.first[x], (1 - t[x]) * q[x]),
        eq((1 - t[x]) * hub.second[x], constant * (1 - t[x]) * B * r[x]),
        eq(r[x] * (1 - B), (1 - t[x]) * q[x]),
    )
    pair_kinds = d.smt(
        "both kinds of pairs",
        eq((1 - t[x]) * (hub.first[x] + hub.second[x]), (1 - t[x]) * r[x]),
        *(of_first, of_second, normed, hub.bit),
    )
    x1_rule, two, three, four = hub.named
    others = d.smt(
        "taken of the others",
        eq(hub.taken, (1 - t[x]) * sp.Min(p[x], r[x])),
        *(pair_kinds, x1_rule, two, hub.bit, hub.none),
    )
    others_sum = d.sum("over the vocabulary", others, x)
    R1, R2 = sp.symbols("R1 R2", real=True)
    in_first = d.define("left of the first pairs", R1, total(hub.first[x] - hub.x1, x))
    in_second = d.define("left of the second", R2, total(hub.second[x] - hub.x2, x))
    capacity = d.derive("all that is left", eq(R1 + R2, 1 - total(hub.taken, x)), in_first, in_second, hub.pairs)
    at_most_p = d.smt("no more than p", le(hub.taken, (1 - t[x]) * p[x]), two)
    top_mass = d.sum("a has all of its mass", hub.at, x)
    at_most_p = d.derive(
        "so a finds room", le(total(hub.taken, x), 1 - A), d.sum("in all", at_most_p, x), hub.mass, hub.one, top_mass
    )
    low1 = d.smt("a mass", ge(hub.first[x] - hub.x1, 0), x1_rule)
    low1 = d.derive("in all", ge(R1, 0), d.sum("over the vocabulary", low1, x), in_first)
    low2 = d.smt("a mass", ge(hub.second[x] - hub.x2, 0), two)
    low2 = d.derive("in all", ge(R2, 0), d.sum("over the vocabulary", low2, x), in_second)
    three = d.derive("in short", eq(hub.y2, sp.Min(A, R2)), three, in_second)
    four = d.derive("in short", eq(hub.y1, sp.Min(A - hub.y2, R1)), four, in_first)
    capacity = d.derive("room for a", ge(R1 + R2, A), capacity, at_most_p)
    full = d.smt("a gets all that p gives it", eq(hub.of_hub, A), capacity, low1, low2, three, four)
    rate = d.derive(
        "accepted",
        eq(total(hub.taken, x) + hub.of_hub, sign * value(p, r, t)),
        *(full, others_sum, top_mass, hub.one),
    )
    alpha, upper = bound_by_set(d, p, r, t, zero, hub.bit)
    lower = d.domain("no rule accepts more than the optimum", ge(alpha, total(hub.taken, x) + hub.of_hub))
    d.qed(rate, d.derive("the optimum", eq(alpha, value(p, r, t)), upper, lower, rate, by="smt"))


def _optimal(p: Any, q: Any) -> dict[str, Any]:
    top = hub_plan(p, q).top
    return {**values(p, q, 2), **_plan(p, q), "q": q, "B": q[top].sum()}


class Pair(NamedTuple):
    """Two laws, a marked by t with B = q(a), q̃ as r, and what a step leaves."""

    p: Any
    q: Any
    r: Any
    t: Any
    B: Any
    mass: Fact
    mass_q: Fact
    bit: Fact
    normed: Fact
    beta: Any


def _pair(d: Derivation) -> Pair:
    p, mass = d.law("p")
    q, mass_q = d.law("q")
    r = d.weights("r")
    t = d.weights("t")
    B = d.number("B", 0, 1)
    bit = d.domain("a is a token or none", eq(t[x] * (1 - t[x]), 0))
    normed = d.domain(REST, eq(r[x] * (1 - B), (1 - t[x]) * q[x]))
    return Pair(
        p=p, q=q, r=r, t=t, B=B, mass=mass, mass_q=mass_q, bit=bit, normed=normed, beta=total(sp.Max(p[x] - q[x], 0), x)
    )


def _over_rrs(d: Derivation, of: Pair, small: Any, sign: int, constant: int) -> None:
    """SpecHub is no worse where c (1 − q(a)) ≤ 1 with c = 1 + β."""
    p = of.p
    q = of.q
    r = of.r
    t = of.t
    c = sp.Symbol("c", real=True)
    named = d.define("the scale of recursive rejection", c, 1 + of.beta)
    low = d.sum("over the vocabulary", d.derive("a mass", ge(sp.Max(p[x] - q[x], 0), 0)), x)
    low = d.derive("at least one", ge(c, 1), named, low)
    small = d.derive("in short", le(c * (1 - of.B), 1), small, named)
    token = d.smt(
        "no less than it keeps", ge((1 - t[x]) * r[x], (1 - t[x]) * c * q[x]), *(of.normed, small, low, of.bit)
    )
    per_token = d.smt(
        "of each token",
        ge(t[x] * p[x] + sign * (1 - t[x]) * sp.Min(p[x], r[x]), p[x] - sp.Max(p[x] - c * q[x], 0)),
        *(token, of.bit),
    )
    per_token = d.sum("over the vocabulary", per_token, x)
    excess = total(sp.Max(p[x] - (1 + of.beta) * q[x], 0), x)
    by_scale = d.derive(
        "by the scale", ge(value(p, r, t), 1 - total(sp.Max(p[x] - c * q[x], 0), x)), per_token, of.mass
    )
    same = d.derive("of each", eq(sp.Max(p[x] - (1 + of.beta) * q[x], 0), sp.Max(p[x] - c * q[x], 0)), named)
    d.qed(
        d.derive(
            "accepted", ge(value(p, r, t), constant * (1 - excess)), by_scale, d.sum("over the vocabulary", same, x)
        )
    )


def prove_heavy(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    With equality for p = q.
    """
    of = _pair(d)
    heavy = d.assume("q(a) ≥ 1/2", ge(2 * of.B, 1))
    beta_at_most_one = d.summed("a part of p", le(sp.Max(of.p[x] - of.q[x], 0), of.p[x]))
    beta = sp.Symbol("beta", real=True)
    named = d.define("in short", beta, of.beta)
    beta_at_most_one = d.derive("at most one", le(beta, 1), beta_at_most_one, of.mass, named)
    low = d.summed("a mass", ge(sp.Max(of.p[x] - of.q[x], 0), 0))
    low = d.derive("a mass", ge(beta, 0), low, named)
    small = d.smt("at most two halves", le((1 + beta) * (1 - of.B), 1), beta_at_most_one, heavy, low)
    _over_rrs(d, of, d.derive("so small", le((1 + of.beta) * (1 - of.B), 1), small, named), sign, constant)


def prove_small(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws.

    With equality for p = q.
    """
    of = _pair(d)
    distance = total(sp.Abs(of.p[x] - of.q[x]), x) / 2
    small = d.assume("(1 + TV)(1 − q(a)) ≤ 1", le((1 + distance) * (1 - of.B), 1))
    gap = of.p[x] - of.q[x]
    half = d.summed("beyond q is half of the distance", eq(sp.Max(gap, 0), (sp.Abs(gap) + gap) / 2))
    half = d.derive("in all", eq(of.beta, distance), half, of.mass, of.mass_q)
    _over_rrs(d, of, d.derive("so small", le((1 + of.beta) * (1 - of.B), 1), small, half), sign, constant)


def _two(p: Any, q: Any) -> dict[str, Any]:
    return {**values(p, q, 2), "q": q, "B": q.max(), "TV": tv(p, q)}


def prove_rrsw(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws; token by token.

    With equality for p = q.
    """
    of = _pair(d)
    p = of.p
    q = of.q
    r = of.r
    t = of.t
    B = of.B
    w = d.weights("w")
    o = d.weights("o", x, y)
    Q = d.weights("Q", x, y)
    safe = d.assume("p(a) ≥ q(a)", ge(t[x] * (p[x] - q[x]), 0))
    heavy = d.assume("q(a) ≥ 1/2", ge(2 * B, 1))
    top = d.domain("q(a) is B", eq(total(t[x] * q[x], x), B))
    second = d.domain(
        "the second draft has q without the first", eq(Q[x, y] * (1 - q[x]), o[x, y] * q[y]), le(o[x, y], 1)
    )
    over = sp.Max(p[y] - q[y], 0)
    under = sp.Max(q[x] - p[x], 0)
    normed = d.domain("the residual is (p − q)₊ over its sum", eq(w[y] * of.beta, over))
    beta = sp.Symbol("beta", real=True)
    named = d.define("in short", beta, of.beta)
    balance = d.summed("beyond and below", eq(sp.Max(p[x] - q[x], 0), under + p[x] - q[x]))
    balance = d.derive("equally much", eq(total(under, x), beta), balance, of.mass, of.mass_q, named)
    normed = d.derive("in short", eq(w[y] * beta, over), normed, named)
    below = d.smt("a is never refused, of the others at most q", le(under, (1 - t[x]) * q[x]), safe, of.bit)
    below = d.sum("over the vocabulary", below, x)
    below = d.derive("so refused with at most 1 − B", le(beta, 1 - B), below, balance, top, of.mass_q)
    per_token = d.smt("the others", ge((1 - t[x]) * q[x], 0), of.bit)
    others_bound = d.term("one of the others", per_token, x, y)
    others_bound = d.derive("at most 1 − B", le((1 - t[y]) * q[y], 1 - B), others_bound, top, of.mass_q)
    others_bound = d.instantiate("of each", others_bound, {y: x})
    second_accepted = under * sp.Min(w[y], Q[x, y])
    by_p = d.smt("at most what is left of p", le(second_accepted, under * w[y]))
    by_p = d.derive("in all", le(total(second_accepted, x), over), d.sum("over the first", by_p, x), balance, normed)
    refusal_slack = d.smt("where a draft is refused", ge(under * (1 - q[x] - B), 0), others_bound, safe, of.bit)
    second_draft = d.smt("the second draft", le(Q[x, y] * (1 - q[x]), q[y]), *second)
    size = sp.IndexedBase("size", real=True)
    second_share = sp.IndexedBase("part", real=True)
    name = d.define("mass that is refused", size[x], under)
    low = d.derive("not negative", ge(size[x], 0), name)
    refusal_slack = d.derive("in short", ge(size[x] * (1 - q[x] - B), 0), refusal_slack, name)
    back = d.define("of a second draft", second_share[x, y], sp.Min(w[y], Q[x, y]))
    smaller = d.derive("at most its law", le(second_share[x, y], Q[x, y]), back)
    by_q = d.smt("by q", le(B * size[x] * Q[x, y], size[x] * q[y]), refusal_slack, second_draft, low)
    by_q = d.smt("at most q over B", le(B * size[x] * second_share[x, y], size[x] * q[y]), by_q, smaller, low, heavy)
    by_q = d.derive("in full", le(B * second_accepted, under * q[y]), by_q, name, back)
    by_q = d.derive("in all", le(B * total(second_accepted, x), beta * q[y]), d.sum("over the first", by_q, x), balance)
    m = sp.IndexedBase("m", real=True)
    mass = d.define("kept in the second test", m[y], total(second_accepted, x))
    by_p = d.derive("in short", le(m[y], over), by_p, mass)
    by_q = d.derive("in short", le(B * m[y], beta * q[y]), by_q, mass)
    rest, bit = (d.instantiate("of y", f, {x: y}) for f in (of.normed, of.bit))
    refusal_slack = d.smt(
        "and in the first", le((1 - t[y]) * (q[y] + m[y]), (1 - t[y]) * r[y]), by_q, rest, heavy, below, bit
    )
    token = d.smt(
        "no more than SpecHub takes",
        le(sp.Min(p[y], q[y]) + m[y], t[y] * p[y] + (1 - t[y]) * sp.Min(p[y], r[y])),
        *(by_p, by_q, refusal_slack, rest, bit, heavy),
    )
    token = d.derive(
        "in full",
        le(
            constant * (sp.Min(p[y], q[y]) + total(second_accepted, x)),
            t[y] * p[y] + sign * (1 - t[y]) * sp.Min(p[y], r[y]),
        ),
        *(token, mass),
    )
    all_ = d.sum("over the vocabulary", token, y)
    rrsw = total(sp.Min(p[y], q[y]), y) + total(total(second_accepted, x), y)
    d.qed(d.derive("accepted", ge(value(p, r, t), rrsw), all_))


def _without(p: Any, q: Any) -> dict[str, Any]:
    vocab = len(p)
    over = np.maximum(p - q, 0)
    others = [np.array([m if token != gone else 0 * m for token, m in enumerate(q)]) for gone in range(vocab)]
    return {
        **_two(p, q),
        "w": normalise(over, otherwise=p),
        "o": lambda first_token, two: int(first_token != two),
        "Q": [normalise(law, otherwise=law) for law in others],
    }


def _by_tokens() -> Any:
    """Pairs of laws, also over four tokens with masses in quarters."""
    yield from by_size()
    for p in laws(4, 4):
        for q in laws(4, 4):
            yield {"p": p, "q": q}


PROOFS = (
    Proof(claims.SPECHUB_LOSSLESS, prove_lossless, drop=RULE, bind=_plan),
    Proof(claims.SPECHUB_OPTIMAL, prove_optimal, drop=REST, bind=_optimal),
    Refutation(
        claims.ALWAYS,
        _by_tokens,
        scope="the first by vocabulary and denominator",
        repaired={
            "two tokens": lambda: (i for i in by_size() if len(i["p"]) <= 2),
            "q(a) at least 1/2": claims.ALWAYS_CORRECTED,
        },
    ),
    Proof(claims.ALWAYS_CORRECTED, prove_heavy, drop="q(a) ≥ 1/2", bind=_two),
    Refutation(
        claims.TOP_SAFE,
        _by_tokens,
        scope="the first by vocabulary and denominator",
        repaired={"(1 + TV)(1 − q(a)) at most 1": claims.TOP_SAFE_CORRECTED},
    ),
    Proof(claims.TOP_SAFE_CORRECTED, prove_small, drop="(1 + TV)(1 − q(a)) ≤ 1", bind=_two),
    Refutation(
        claims.SPECHUB_OVER_RRSW,
        by_size,
        scope="the first by vocabulary and denominator; of two tokens both are drafted",
        repaired={
            "two tokens": lambda: (i for i in by_size() if len(i["p"]) <= 2),
            "p(a) ≥ q(a) ≥ 1/2": claims.SPECHUB_OVER_RRSW_CORRECTED,
        },
    ),
    Proof(claims.SPECHUB_OVER_RRSW_CORRECTED, prove_rrsw, drop="q(a) ≥ 1/2", bind=_without),
)
