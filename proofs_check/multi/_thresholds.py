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
BEST = "H has the least value of all sets"
MARKED = "g marks p ≤ λ q"
DRAWN = "H without the draft that was drawn"


def prove_iid(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts."""
    p = d.weights("p")
    q = d.weights("q")
    h = d.weights("h")
    g = d.weights("g")
    low = d.number("low", 0)
    threshold_value = d.number("other", 0)
    a = d.number("a", 0)
    b = d.number("b", 0)
    start_, on = d.recursion("a^n", eq(S[0], 1), eq(S[n + 1], S[n] * a))
    again, then = d.recursion("b^n", eq(T[0], 1), eq(T[n + 1], T[n] * b))
    flat, rise = d.recursion("n a^(n−1)", eq(slope[0], 0), eq(slope[n + 1], slope[n] * a + constant * S[n]))
    sets = d.domain("sets of tokens", eq(h[x] * (1 - h[x]), 0), eq(g[x] * (1 - g[x]), 0))
    masses = d.domain("their masses under q", eq(a, total(h[x] * q[x], x)), eq(b, total(g[x] * q[x], x)))
    best = d.domain(BEST, eq(low, total(h[x] * p[x], x) + 1 - S[K]))
    marked = d.domain(MARKED, le(g[x] * (p[x] - slope[K] * q[x]), 0), ge((1 - g[x]) * (p[x] - slope[K] * q[x]), 0))
    threshold_bound = d.domain("it is a threshold set", le(threshold_value, total(g[x] * p[x], x) + 1 - T[K]))
    some = d.domain("a threshold set is a set", ge(threshold_value, low))
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
    for_every_power = d.induction("for every power", tangent, n, base, up)
    for_every_power = d.instantiate("for K", for_every_power, {n: K})
    lam = sp.Symbol("lam", real=True)
    named = d.define("the threshold", lam, slope[K])
    point = d.smt("token by token", le(g[x] * (p[x] - lam * q[x]), h[x] * (p[x] - lam * q[x])), named, *marked, *sets)
    point = d.sum("over the vocabulary", point, x)
    premises = [point, for_every_power, named, best, threshold_bound, *masses]
    at_most_low = d.derive(
        "no more than the least",
        le(threshold_value, low),
        *premises,
        by="smt",
    )
    d.qed(d.derive("so as little", eq(threshold_value, low), at_most_low, some, by="smt"))


def _iid(p: Any, q: Any, k: int) -> dict[str, Any]:
    """The values of the symbols of `prove_iid`, with the best set and the best threshold set."""
    sets = drawn(q, k)
    best_set = optimum(p, sets).chosen
    h = [int(token in best_set) for token in range(len(p))]
    a = sum(q[token] for token in best_set)
    steep = k * a ** (k - 1) if k > 1 else 1
    g = [int(q[token] > 0 and p[token] <= steep * q[token]) for token in range(len(p))]
    threshold_value = min(subset_value(p, sets, token_set) for token_set in claims.threshold_sets(p, q))
    return {
        **{
            "p": p,
            "q": q,
            "h": h,
            "g": g,
            "low": subset_value(p, sets, best_set),
            "other": threshold_value,
            "K": k,
            "V": len(p),
        },
        **{"a": a, "b": sum(m for m, bit in zip(q, g, strict=True) if bit), "ranges": {"n": range(k + 1)}},
    }


def prove_swor(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws, every number of drafts.

    With equality for p = q.
    """
    p = d.weights("p")
    h = d.weights("h")
    Q, e, U, F, W = (sp.IndexedBase(name, real=True) for name in ("Q", "e", "U", "F", "W"))
    after = d.map("after")
    iid_value = d.number("one", 0)
    swor_value = d.number("other", 0)
    bit = d.domain("H is a set", eq(h[x] * (1 - h[x]), 0))
    low, high, none = d.domain("masses", ge(Q[s, x], 0), le(Q[s, x], 1), ge(e[s], 0))
    chance = d.domain("the next draft is in H, or there is none", eq(U[s], total(h[x] * Q[s, x], x) + e[s]))
    at_most_one = d.domain("a probability", le(U[s], 1))
    pair = h[x] * Q[s, x]
    draft_rule = d.domain(DRAWN, eq(pair * (U[after[s, x]] * (1 - Q[s, x]) - (U[s] - Q[s, x])), 0))
    positive = d.sum("over the vocabulary", d.smt("a part", ge(pair, 0), low, bit), x)
    positive = d.derive("not negative", ge(U[s], 0), positive, chance, none)
    there, most_there = (d.instantiate("after a draft", f, {s: after[s, x]}) for f in (positive, at_most_one))
    falls = d.smt(
        "H is no likelier after a draft in it",
        ge(sign * pair * (U[s] - U[after[s, x]]), 0),
        *(draft_rule, bit, low, high, at_most_one, most_there, there, positive),
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
    per_draft = d.smt("a draft in H, and then", le(pair * F[n, after[s, x]], pair * W[n, s]), next_, fall, low, bit)
    per_draft = d.sum("over the vocabulary", per_draft, x)
    rest = d.smt("or no draft", le(e[s] * F[n, s], e[s] * W[n, s]), before, none)
    step = d.derive("one more", le(F[n + 1, s], W[n + 1, s]), per_draft, rest, then, on, chance)
    for_every_n = d.induction("for every n", upto, n, d.derive("at first", le(F[0, s], W[0, s]), start_, first), step)
    for_every_n = d.instantiate("from the start", d.instantiate("all K", for_every_n, {n: K}), {s: start})
    iid_bound = _least(d, p, h, (first, on), iid_value, U)
    best = d.domain(
        "the optimum of drafts without replacement is that of H (see multi.subset)",
        eq(swor_value, total(h[x] * p[x], x) + 1 - constant * F[K, start]),
    )
    d.qed(d.derive("so it is no less", le(iid_value, swor_value), for_every_n, best, iid_bound))


def _least(d: Derivation, p: Any, h: Any, power: tuple[Fact, Fact], iid_value: Any, U: Any) -> Fact:
    """The optimum of independent drafts is no more than H allows, which is one of all sets."""
    g, S2, W, q = (sp.IndexedBase(name, real=True) for name in ("g", "S2", "W", "q"))
    inside = total(g[k, x] * q[x], x)
    start_, then = d.recursion("q(H)^n", eq(S2[0, k], 1), eq(S2[n + 1, k], S2[n, k] * inside))
    bound = d.domain(
        "no set has less than the optimum of independent drafts (see multi.subset)",
        le(iid_value, total(g[k, x] * p[x], x) + 1 - S2[K, k]),
    )
    set_is_listed, all_ = d.domain("H is one of them", eq(h[x], g[at, x]), eq(U[start], total(g[at, x] * q[x], x)))
    start_, then, bound = (d.instantiate("at H", f, {k: at}) for f in (start_, then, bound))
    first, on = (d.instantiate("at the start", f, {s: start}) for f in power)
    same = d.suppose("the same power", eq(W[n, start], S2[n, at]))
    same = d.inductive("the same powers", eq(W[n, start], S2[n, at]), n, [first, start_], [on, then, same, all_])
    per_token = d.summed("of each token", eq(h[x] * p[x], g[at, x] * p[x]), set_is_listed)
    same = d.instantiate("all K", same, {n: K})
    return d.derive("at H", le(iid_value, total(h[x] * p[x], x) + 1 - W[K, start]), bound, per_token, same)


def _swor(p: Any, q: Any, k: int) -> dict[str, Any]:
    """The values of the symbols of `prove_swor`, with the best set of drafts without replacement."""
    bindings = states(p, q, k, without=True)
    best_set = optimum(p, draft_sets(swor(q, k))).chosen
    h = [int(token in best_set) for token in range(len(p))]
    all_sets = [frozenset[int](), *sets_of(len(p))]
    Q = []
    U = []
    e = []
    for law, never in zip(bindings["Q"], bindings["h"], strict=True):
        inside = sum(m for m, bit in zip(law, h, strict=True) if bit) if law.any() else 1
        Q.append(law * (1 - never))
        U.append(inside)
        e.append(inside if never else 0)
    return {
        **{"p": p, "h": h, "Q": Q, "U": U, "e": e, "after": bindings["after"], "K": k, "start": 1, "V": len(p)},
        **{"one": iid_best(p, q, k), "other": swor_best(p, q, k), "q": q, "at": all_sets.index(best_set) + 1},
        "g": [[int(token in token_set) for token in range(len(p))] for token_set in all_sets],
        "ranges": {**bindings["ranges"], "k": range(1, len(all_sets) + 1)},
    }


PROOFS = (
    Proof(claims.IID, prove_iid, drop=MARKED, bind=_iid),
    Proof(claims.SWOR_OPTIMUM, prove_swor, drop=DRAWN, bind=_swor),
    Proof(claims.SWOR, _swor_sets.prove, drop=_swor_sets.BEST, bind=_swor_sets.bind),
)
