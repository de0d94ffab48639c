"""multi.threshold and multi.swor-optimum: s^K lies above its tangents; drafts in H leave less of H for the next.

Drafts without replacement: `_swor_sets`.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, index, le, total, x
from proofs_check.multi import _swor_sets
from proofs_check.multi._tests import states
from simspec.claims.multi import thresholds as claims
from simspec.claims.multi.parts import iid_best, sets_of, swor_best
from simspec.claims.multi.transport import drawn
from simspec.methods.multi.drafting import swor
from simspec.methods.multi.optimum import draft_sets, optimum, subset_value

s, start, k, at = (index(name) for name in ("s", "start", "k", "at"))
n, K = sp.symbols("n K", integer=True, nonnegative=True)
S, T, slope = (sp.IndexedBase(name, real=True) for name in ("S", "T", "slope"))
BEST, MARKED, DRAWN = "H has the least value of all sets", "g marks p ≤ λ q", "H without the draft that was drawn"


def prove_iid(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts."""
    p, q, h, g = d.weights("p"), d.weights("q"), d.weights("h"), d.weights("g")
    low, other = d.number("low", 0), d.number("other", 0)
    a, b = d.number("a", 0), d.number("b", 0)
    start_, on = d.recursion("a^n", eq(S[0], 1), eq(S[n + 1], S[n] * a))
    again, then = d.recursion("b^n", eq(T[0], 1), eq(T[n + 1], T[n] * b))
    flat, rise = d.recursion("n a^(n−1)", eq(slope[0], 0), eq(slope[n + 1], slope[n] * a + constant * S[n]))
    sets = d.domain("sets of tokens", eq(h[x] * (1 - h[x]), 0), eq(g[x] * (1 - g[x]), 0))
    masses = d.domain("their masses under q", eq(a, total(h[x] * q[x], x)), eq(b, total(g[x] * q[x], x)))
    best = d.domain(BEST, eq(low, total(h[x] * p[x], x) + 1 - S[K]))
    marked = d.domain(MARKED, le(g[x] * (p[x] - slope[K] * q[x]), 0), ge((1 - g[x]) * (p[x] - slope[K] * q[x]), 0))
    one = d.domain("it is a threshold set", le(other, total(g[x] * p[x], x) + 1 - T[K]))
    some = d.domain("a threshold set is a set", ge(other, low))
    pos = d.suppose("a^n is not negative", ge(S[n], 0))
    pos = d.inductive("never negative", ge(S[n], 0), n, [start_], [on, pos], by="smt")
    steep = d.suppose("the slope is not negative", ge(slope[n], 0))
    steep = d.inductive("never falling", ge(slope[n], 0), n, [flat], [rise, steep, pos], by="smt")
    tangent = ge(T[n], S[n] + sign * slope[n] * (b - a))
    before = d.suppose("above the tangent", tangent)
    up = d.smt("times b", ge(T[n] * b, (S[n] + slope[n] * (b - a)) * b), before)
    square = d.derive("a square", ge(slope[n] * (b - a) ** 2, 0), steep)
    up = d.derive("one more factor", ge(T[n + 1], S[n + 1] + sign * slope[n + 1] * (b - a)), up, square, on, then, rise)
    base = d.derive("at first", tangent.replace({n: 0}), start_, again, flat)
    every = d.induction("for every power", tangent, n, base, up)
    every = d.instantiate("for K", every, {n: K})
    lam = sp.Symbol("lam", real=True)
    named = d.define("the threshold", lam, slope[K])
    point = d.smt("token by token", le(g[x] * (p[x] - lam * q[x]), h[x] * (p[x] - lam * q[x])), named, *marked, *sets)
    point = d.sum("over the vocabulary", point, x)
    least = d.derive("no more than the least", le(other, low), point, every, named, best, one, *masses, by="smt")
    d.qed(d.derive("so as little", eq(other, low), least, some, by="smt"))


def _iid(p: Any, q: Any, k: int) -> dict[str, Any]:
    sets = drawn(q, k)
    chosen = optimum(p, sets).chosen
    h = [int(token in chosen) for token in range(len(p))]
    a = sum(q[token] for token in chosen)
    steep = k * a ** (k - 1) if k > 1 else 1
    g = [int(q[token] > 0 and p[token] <= steep * q[token]) for token in range(len(p))]
    other = min(subset_value(p, sets, one) for one in claims.threshold_sets(p, q))
    return {
        **{"p": p, "q": q, "h": h, "g": g, "low": subset_value(p, sets, chosen), "other": other, "K": k, "V": len(p)},
        **{"a": a, "b": sum(m for m, bit in zip(q, g, strict=True) if bit), "ranges": {"n": range(k + 1)}},
    }


def prove_swor(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    With equality for p = q.
    """
    p, h = d.weights("p"), d.weights("h")
    Q, e, U, F, W = (sp.IndexedBase(name, real=True) for name in ("Q", "e", "U", "F", "W"))
    after = d.map("after")
    one, other = d.number("one", 0), d.number("other", 0)
    bit = d.domain("H is a set", eq(h[x] * (1 - h[x]), 0))
    low, high, none = d.domain("masses", ge(Q[s, x], 0), le(Q[s, x], 1), ge(e[s], 0))
    chance = d.domain("the next draft is in H, or there is none", eq(U[s], total(h[x] * Q[s, x], x) + e[s]))
    most = d.domain("a probability", le(U[s], 1))
    pair = h[x] * Q[s, x]
    drawn_ = d.domain(DRAWN, eq(pair * (U[after[s, x]] * (1 - Q[s, x]) - (U[s] - Q[s, x])), 0))
    positive = d.sum("over the vocabulary", d.smt("a part", ge(pair, 0), low, bit), x)
    positive = d.derive("not negative", ge(U[s], 0), positive, chance, none)
    there, most_there = (d.instantiate("after a draft", f, {s: after[s, x]}) for f in (positive, most))
    falls = d.smt(
        "H is no likelier after a draft in it",
        ge(sign * pair * (U[s] - U[after[s, x]]), 0),
        *(drawn_, bit, low, high, most, most_there, there, positive),
    )
    first, on = d.recursion("U^n", eq(W[0, s], 1), eq(W[n + 1, s], W[n, s] * U[s]))
    wpos = d.suppose("a power is not negative", ge(W[n, s], 0))
    wpos = d.inductive("never negative", ge(W[n, s], 0), n, [first], [on, wpos, positive], by="smt")
    wpos_there = d.instantiate("after a draft", wpos, {s: after[s, x]})
    first_there, on_there = (d.instantiate("after a draft", f, {s: after[s, x]}) for f in (first, on))
    fewer = ge(pair * (W[n, s] - W[n, after[s, x]]), 0)
    before = d.suppose("powers fall with them", fewer)
    fall = d.inductive(
        "and so do the powers",
        fewer,
        n,
        [first, first_there],
        [on, on_there, before, falls, wpos, wpos_there, positive, there, low, bit],
        by="smt",
    )
    start_, then = d.recursion(
        "n drafts in H",
        eq(F[0, s], 1),
        eq(F[n + 1, s], total(pair * F[n, after[s, x]], x) + e[s] * F[n, s]),
    )
    upto = le(F[n, s], W[n, s])
    before = d.suppose("n of them", upto)
    next_ = d.instantiate("after a draft", before, {s: after[s, x]})
    part = d.smt("a draft in H, and then", le(pair * F[n, after[s, x]], pair * W[n, s]), next_, fall, low, bit)
    part = d.sum("over the vocabulary", part, x)
    rest = d.smt("or no draft", le(e[s] * F[n, s], e[s] * W[n, s]), before, none)
    step = d.derive("one more", le(F[n + 1, s], W[n + 1, s]), part, rest, then, on, chance)
    every = d.induction("for every n", upto, n, d.derive("at first", le(F[0, s], W[0, s]), start_, first), step)
    every = d.instantiate("from the start", d.instantiate("all K", every, {n: K}), {s: start})
    least = _least(d, p, h, (first, on), one, U)
    best = d.domain(
        "the optimum of drafts without replacement is that of H (see multi.subset)",
        eq(other, total(h[x] * p[x], x) + 1 - constant * F[K, start]),
    )
    d.qed(d.derive("so it is no less", le(one, other), every, best, least))


def _least(d: Derivation, p: Any, h: Any, power: tuple[Fact, Fact], one: Any, U: Any) -> Fact:
    """The optimum of independent drafts is no more than H allows, which is one of all sets."""
    g, S2, W, q = (sp.IndexedBase(name, real=True) for name in ("g", "S2", "W", "q"))
    inside = total(g[k, x] * q[x], x)
    start_, then = d.recursion("q(H)^n", eq(S2[0, k], 1), eq(S2[n + 1, k], S2[n, k] * inside))
    bound = d.domain(
        "no set has less than the optimum of independent drafts (see multi.subset)",
        le(one, total(g[k, x] * p[x], x) + 1 - S2[K, k]),
    )
    mine, all_ = d.domain("H is one of them", eq(h[x], g[at, x]), eq(U[start], total(g[at, x] * q[x], x)))
    start_, then, bound = (d.instantiate("at H", f, {k: at}) for f in (start_, then, bound))
    first, on = (d.instantiate("at the start", f, {s: start}) for f in power)
    same = d.suppose("the same power", eq(W[n, start], S2[n, at]))
    same = d.inductive("the same powers", eq(W[n, start], S2[n, at]), n, [first, start_], [on, then, same, all_])
    part = d.summed("of each token", eq(h[x] * p[x], g[at, x] * p[x]), mine)
    same = d.instantiate("all K", same, {n: K})
    return d.derive("at H", le(one, total(h[x] * p[x], x) + 1 - W[K, start]), bound, part, same)


def _swor(p: Any, q: Any, k: int) -> dict[str, Any]:
    found = states(p, q, k, without=True)
    chosen = optimum(p, draft_sets(swor(q, k))).chosen
    h = [int(token in chosen) for token in range(len(p))]
    every = [frozenset[int](), *sets_of(len(p))]
    Q, U, e = [], [], []
    for law, never in zip(found["Q"], found["h"], strict=True):
        inside = sum(m for m, bit in zip(law, h, strict=True) if bit) if law.any() else 1
        Q.append(law * (1 - never))
        U.append(inside)
        e.append(inside if never else 0)
    return {
        **{"p": p, "h": h, "Q": Q, "U": U, "e": e, "after": found["after"], "K": k, "start": 1, "V": len(p)},
        **{"one": iid_best(p, q, k), "other": swor_best(p, q, k), "q": q, "at": every.index(chosen) + 1},
        "g": [[int(token in one) for token in range(len(p))] for one in every],
        "ranges": {**found["ranges"], "k": range(1, len(every) + 1)},
    }


PROOFS = (
    Proof(claims.IID, prove_iid, drop=MARKED, bind=_iid),
    Proof(claims.SWOR_OPTIMUM, prove_swor, drop=DRAWN, bind=_swor),
    Proof(claims.SWOR, _swor_sets.prove, drop=_swor_sets.BEST, bind=_swor_sets.bind),
)
