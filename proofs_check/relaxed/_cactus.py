"""Cactus: raised masses, refused masses, the law after each refusal; what is drawn again stays below p − q.

After the refusal of x the raised law has Z(x) above q, and all refused mass W is at most Z(x): so the residuals, each with its
share of W, bring a token y no more than (p(y) − q(y))₊.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x, y
from simspec.claims.balls import enclose
from simspec.claims.relaxed.parts import left, scale
from simspec.laws import Array

__all__ = ["AGAIN", "ROOT", "SHRINKS", "Cactus", "Raised", "bind", "cactus", "raised", "roots"]

ROOT = "s is the root of 2δp(1 − p)"
SHRINKS = "c is (1 − h)/(1 − p), and 1 where p is 1"
AGAIN = "after the refusal of x, R is (c p − q)₊ made a law"


class Raised(NamedTuple):
    """Target and draft, δ, the roots, the raised masses, and that they are at least p."""

    p: Any
    q: Any
    delta: Any
    s: Any
    h: Any
    mass_p: Fact
    mass_q: Fact
    root: Fact
    means: Fact
    one: Fact
    """p ≤ 1."""
    more: Fact
    """h ≥ p."""


def raised(d: Derivation, sign: int = 1, delta: Any = None) -> Raised:
    """h = min(1, p + s), s² = 2δp(1 − p)."""
    p, mass_p = d.law("p")
    q, mass_q = d.law("q")
    delta = d.number("delta", 0) if delta is None else delta
    s = d.weights("s")
    h = sp.IndexedBase("h", real=True)
    root = d.domain(ROOT, eq(s[x] ** 2, 2 * delta * p[x] * (1 - p[x])))
    means = d.define("the raised mass", h[x], sp.Min(1, p[x] + sign * s[x]))
    nonnegative = d.derive("masses are not negative", ge(p[x], 0))
    at_most_one = d.smt("none exceeds one", le(p[x], 1), d.term("one is at most all", nonnegative, x), mass_p)
    root_sign = d.derive("a root is not negative", ge(s[x], 0))
    raised_no_less = d.smt("raising adds", ge(h[x], p[x]), means, at_most_one, root_sign)
    return Raised(
        p=p,
        q=q,
        delta=delta,
        s=s,
        h=h,
        mass_p=mass_p,
        mass_q=mass_q,
        root=root,
        means=means,
        one=at_most_one,
        more=raised_no_less,
    )


class Cactus(NamedTuple):
    """The rule: what is raised, the emitted law o = min(q, h) + B, and that 0 ≤ B ≤ (p − q)₊ and o is a law."""

    r: Raised
    o: Any
    B: Any
    law: Fact
    again: Fact
    """B ≤ (p − q)₊."""
    some: Fact
    """B ≥ 0."""
    mass: Fact


def cactus(d: Derivation, sign: int = 1, delta: Any = None, constant: sp.Expr | int = 1) -> Cactus:
    """The law that is emitted, whichever tokens are refused."""
    r = raised(d, delta=delta)
    p = r.p
    q = r.q
    h = r.h
    c = d.weights("c")
    R = d.weights("R", x, y)
    shrinks, scale_at_most_one = d.domain(SHRINKS, eq(c[x] * (1 - p[x]), 1 - h[x]), le(c[x], 1))
    w, Z, B, o = (sp.IndexedBase(name, real=True) for name in ("w", "Z", "B", "o"))
    W = sp.Symbol("W", real=True)
    above = sp.Max(c[x] * p[y] - q[y], 0)
    shape = d.domain(AGAIN, eq(R[x, y] * total(above, y), constant * above))
    laws = d.domain("R sums to one for each x", eq(total(R[x, y], y), 1))
    lost = d.define("refused mass of a token", w[x], sp.Max(q[x] - h[x], 0))
    all_ = d.define("of all tokens", W, total(w[x], x))
    rest = d.define("what the raised law has above q", Z[x], total(above, y))
    refusal_bound = _room(d, r, c, (w, W, Z), (shrinks, scale_at_most_one, lost, all_, rest))
    resampled = d.define("drawn after the refusals", B[y], total(w[x] * R[x, y], x))
    sizes = [d.derive("sizes", ge(w[x], 0), lost), d.derive("sizes", ge(R[x, y], 0)), d.derive("sizes", ge(p[x], 0))]
    bound = le(W * w[x] * R[x, y], w[x] * sp.Max(p[y] - q[y], 0))
    refused = d.case("x may be refused", gt(w[x], 0))
    shrunk_bound = d.smt("shrunk", le(c[x] * p[y], p[y]), scale_at_most_one, d.derive("sizes", ge(p[y], 0)))
    below = d.smt("at most (p − q)₊", le(R[x, y] * Z[x], sp.Max(p[y] - q[y], 0)), shape, rest, shrunk_bound)
    share = d.smt("W is at most Z", le(W * R[x, y], R[x, y] * Z[x]), refusal_bound(refused), sizes[1])
    share = d.smt("so is its part", le(W * R[x, y], sp.Max(p[y] - q[y], 0)), share, below)
    refused_case = d.smt("of x", bound, share, refused)
    never = d.case("x is never refused", le(w[x], 0))
    accepted_case = d.smt("of x", bound, never, sizes[0], sizes[1])
    per_token = d.sum("over the refused tokens", d.cases("whether x may be refused", refused_case, accepted_case), x)
    again = _divided(d, r, (w, W, B, R), per_token, (resampled, all_, *sizes))
    some = d.summed("sizes", ge(w[x] * R[x, y], 0), sizes[0], sizes[1], over=x, by="smt")
    some = d.derive("nor is B", ge(B[y], 0), some, resampled)
    law = d.define("the emitted law", o[x], sp.Min(q[x], h[x]) + sign * B[x])
    some, again = (d.instantiate("of token x", f, {y: x}) for f in (some, again))
    mass = _mass(d, r, (w, B, R, o), (lost, laws, resampled, law))
    return Cactus(r, o, B, law, again, some, mass)


def _room(d: Derivation, r: Raised, c: Any, names: Any, facts: Any) -> Any:
    """In the case that x may be refused: W ≤ Z(x)."""
    p = r.p
    q = r.q
    h = r.h
    _w, W, Z = names
    shrinks, scale_at_most_one, lost, all_, rest = facts
    nonnegative = d.derive("sizes", ge(p[y], 0))
    raised_no_less = d.instantiate("of token y", r.more, {x: y})
    low = sp.Max(q[y] - h[y], 0)
    high = sp.Max(q[y] - c[x] * p[y], 0)
    shrunk_below_raised = d.smt(
        "shrunk by c, no token is above its raised mass",
        le(c[x] * p[y], h[y]),
        raised_no_less,
        nonnegative,
        scale_at_most_one,
    )
    apart = d.smt("so q is at least as far above it", ge(high, low), shrunk_below_raised)
    term = d.term("and at x by more", apart, y, x)
    balance = d.summed(
        "what is above and below",
        eq(sp.Max(c[x] * p[y] - q[y], 0), c[x] * p[y] - q[y] + high),
        over=y,
    )
    at_x = d.smt("where x shrinks and is raised", eq(h[x] - c[x] * p[x], 1 - c[x]), shrinks)
    lost_y = d.sum("refused mass", d.instantiate("of token y", lost, {x: y}), y)
    mass_q = r.mass_q

    def room(refused: Fact) -> Fact:
        return d.smt(
            "so all that is refused is at most what the raised law has above q",
            le(W, Z[x]),
            *(term, balance, at_x, rest, all_, lost_y, lost, refused, r.mass_p, mass_q, scale_at_most_one, r.more),
            d.derive("sizes", ge(p[x], 0)),
        )

    return room


def _divided(d: Derivation, r: Raised, names: Any, per_token: Fact, facts: Any) -> Fact:
    """B ≤ (p − q)₊ from W B ≤ W (p − q)₊."""
    p = r.p
    q = r.q
    w, W, B, R = names
    resampled, all_, w_size, *_ = facts
    goal = le(B[y], sp.Max(p[y] - q[y], 0))
    some = d.case("something is refused", gt(W, 0))
    first = d.smt("divided by W", goal, per_token, some, resampled, all_)
    none = d.case("nothing is refused", le(W, 0))
    term = d.term("one token's is at most all", w_size, x)
    nothing = d.smt("so none of x", eq(w[x], 0), term, none, all_, w_size)
    nothing = d.summed("and nothing is drawn", eq(w[x] * R[x, y], 0), nothing, over=x, by="smt")
    second = d.smt("nothing", goal, nothing, resampled)
    return d.cases("whether anything is refused", first, second)


def _mass(d: Derivation, r: Raised, names: Any, facts: Any) -> Fact:
    """The emitted law sums to one."""
    w, _B, R, o = names
    lost, laws, resampled, law = facts
    sums = d.sum("drawn in all", resampled, y)
    refused_total = d.summed("each law is whole", eq(w[x] * total(R[x, y], y), w[x]), laws, by="smt")
    parts = d.summed("kept or refused", eq(sp.Min(r.q[x], r.h[x]) + w[x], r.q[x]), lost, by="smt")
    out = d.sum("emitted in all", law, x)
    return d.derive("it is a law", eq(total(o[x], x), 1), out, sums, refused_total, parts, r.mass_q)


def roots(p: Array, delta: Any) -> Array:
    """√(2δp(1 − p)), enclosed."""
    return np.sqrt(enclose(2 * delta * p * (1 - p)))


def bind(p: Array, q: Array, delta: Any) -> dict[str, Any]:
    """What the names stand for."""
    rows = [left(p, q, delta, token) for token in range(len(p))]
    laws = [row / row.sum() if any(v != 0 for v in row) else enclose(p) for row in rows]
    return {"p": p, "q": q, "delta": delta, "s": roots(p, delta), "c": scale(p, delta), "R": laws, "V": len(p)}
