"""rdk.static-mixture: fixed masses that fill every token to one level, worth as much on the shared tokens, are the best."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, eq, ge, index, le, lt, total, x
from simspec.claims.rdk.static_mixture import BALANCE, LEVEL, STATIC_MIXTURE
from simspec.laws import Array, restrict

n = index("n")
N = sp.Symbol("N", integer=True, positive=True)
"""A context, and how many there are."""


class Masses(NamedTuple):
    """Targets, drafts on the shared tokens (m = 1), masses a put outside, other masses b, and their sums."""

    p: Any
    q: Any
    m: Any
    a: Any
    b: Any
    w: Any
    u: Any
    flag: Fact
    apart: list[Fact]
    """No mass is put on a shared token."""
    supported: Fact
    mass_a: Fact
    mass_b: Fact


class Indicators(NamedTuple):
    """Where p > a, p ≥ a, (1 − w) q < p and (1 − w) q ≤ p, with two facts of each."""

    more: Any
    every: Any
    below: Any
    upto: Any
    facts: list[Fact]


def _masses(d: Derivation) -> Masses:
    p = d.weights("p", n, x)
    q = d.weights("q", n, x)
    m, a, b = (d.weights(name) for name in ("m", "a", "b"))
    flag = d.domain("m is 1 on shared tokens and 0 elsewhere", eq(m[x] * (1 - m[x]), 0))
    apart = d.domain("the masses are put outside the shared vocabulary", eq(a[x] * m[x], 0), eq(b[x] * m[x], 0))
    supported = d.domain("TLI drafts shared tokens", eq(q[n, x] * (1 - m[x]), 0))
    w = sp.Symbol("w", real=True)
    u = sp.Symbol("u", real=True)
    mass_a = d.define("mass put outside", w, total(a[x], x))
    mass_b = d.define("mass of the other masses", u, total(b[x], x))
    return Masses(
        p=p, q=q, m=m, a=a, b=b, w=w, u=u, flag=flag, apart=apart, supported=supported, mass_a=mass_a, mass_b=mass_b
    )


def _indicators(d: Derivation, s: Masses) -> Indicators:
    p = s.p[n, x]
    a = s.a[x]
    shared_draft = (1 - s.w) * s.q[n, x]
    exceeds, reaches, below, upto = (sp.IndexedBase(name, real=True) for name in ("more", "all", "below", "upto"))
    facts = d.domain(
        "more, all, below, upto are the indicators of p > a, p ≥ a, (1 − w) q < p, (1 − w) q ≤ p",
        *(ge(exceeds[n, x], 0), eq(sp.Max(p - a, 0) * (1 - exceeds[n, x]), 0)),
        *(le(reaches[n, x], 1), eq(sp.Max(a - p, 0) * reaches[n, x], 0)),
        *(ge(below[n, x], 0), eq(sp.Max(p - shared_draft, 0) * (1 - below[n, x]), 0)),
        *(le(upto[n, x], 1), eq(sp.Max(shared_draft - p, 0) * upto[n, x], 0)),
    )
    return Indicators(exceeds, reaches, below, upto, facts)


def _tangent(d: Derivation, s: Masses, at: Indicators, sign: int) -> tuple[Fact, sp.Expr, sp.Expr]:
    """Acceptance with b is at most that with a and its change to first order; both rates in a context and at a token."""
    p = s.p[n, x]
    q = s.q[n, x]
    a = s.a[x]
    b = s.b[x]
    shared_draft = (1 - s.w) * s.q[n, x]
    up = sp.Max(b - a, 0)
    down = sp.Max(a - b, 0)
    grown = sp.Max(s.u - s.w, 0)
    shrunk = sp.Max(s.w - s.u, 0)
    exceeds, reaches, below, upto = (flag[n, x] for flag in at[:4])
    outside = d.derive(
        "a concave function is below its tangent: a token outside",
        le(sp.Min(p, b), sp.Min(p, a) + exceeds * up - sign * reaches * down),
        *at.facts[:4],
    )
    inside = d.derive(
        "and a shared token, of which less is drafted the more is put outside",
        le(sp.Min(p, (1 - s.u) * q), sp.Min(p, shared_draft) - upto * q * grown + below * q * shrunk),
        *at.facts[4:],
    )
    first = (1 - s.m[x]) * (exceeds * up - reaches * down)
    second = -upto * q * grown + below * q * shrunk
    accepted_b = sp.Min(p, (1 - s.u) * q + b)
    accepted_a = sp.Min(p, shared_draft + a)
    goal = le(accepted_b, accepted_a + first + second)
    shared = d.case("a shared token", ge(s.m[x], sp.S.Half))
    is_shared = d.derive("m is one", eq(s.m[x], 1), shared, s.flag)
    no_mass = [d.derive("no mass is put there", eq(v, 0), is_shared, f) for v, f in zip((a, b), s.apart, strict=True)]
    alone = [
        d.derive("it is drafted alone", eq(e, sp.Min(p, r)), no)
        for e, r, no in zip((accepted_a, accepted_b), (shared_draft, (1 - s.u) * q), no_mass, strict=True)
    ]
    plain = d.derive("no change of masses", eq(first, 0), is_shared)
    at_shared = d.derive("of a shared token", goal, inside, *alone, plain)
    other = d.case("a token outside", lt(s.m[x], sp.S.Half))
    is_outside = d.derive("m is zero", eq(s.m[x], 0), other, s.flag)
    undrafted = d.derive("it is not drafted", eq(q, 0), is_outside, s.supported)
    only = [
        d.derive("it has its mass alone", eq(e, sp.Min(p, v)), undrafted) for e, v in ((accepted_a, a), (accepted_b, b))
    ]
    change = d.derive("the change of masses", eq(first, exceeds * up - reaches * down), is_outside)
    still = d.derive("no change of drafts", eq(second, 0), undrafted)
    at_outside = d.derive("of a token outside", goal, outside, *only, change, still)
    tangent = d.cases("every token is one or the other", at_shared, at_outside)
    tangent = d.sum("over the vocabulary", tangent, x)
    return d.sum("over the vocabulary and the contexts", tangent, n, upto=N), accepted_b, accepted_a


def prove(d: Derivation, sign: int = 1, share: sp.Expr | int = 1) -> None:
    """Any number of contexts and tokens, all laws.

    No constant is left: masses that meet the two conditions are the best there are, and others may be as good.
    """
    s = _masses(d)
    q = s.q
    m = s.m
    a = s.a
    b = s.b
    w = s.w
    u = s.u
    level = sp.Symbol("lambda", real=True)
    at = _indicators(d, s)
    tangent, *accepted = _tangent(d, s, at, sign)
    exceed_count = total(at.more[n, x], n, upto=N)
    reach_count = total(at.every[n, x], n, upto=N)
    not_above, not_below = d.assume(
        LEVEL, le((1 - m[x]) * (exceed_count - level * N), 0), le(a[x] * (level * N - reach_count), 0)
    )
    up = sp.Max(b[x] - a[x], 0)
    down = sp.Max(a[x] - b[x], 0)
    filled = d.summed(
        "each token outside is filled to the level",
        le((1 - m[x]) * (exceed_count * up - reach_count * down), level * N * (1 - m[x]) * (b[x] - a[x])),
        *(s.flag, s.apart[0], not_above, not_below),
    )
    none = d.summed("no mass is put on shared tokens", eq((b[x] - a[x]) * m[x], 0), *s.apart)
    upto_mass, below_mass = (total(total(flag[n, x] * q[n, x], n, upto=N), x) for flag in (at.upto, at.below))
    worth, used = d.assume(BALANCE, le(level * N, upto_mass), le(w * (below_mass - level * N), 0))
    not_negative = d.derive("masses", ge(a[x], 0)), d.derive("masses", ge(b[x], 0))
    weights = [
        d.derive("so is their sum", ge(total(v[x], x), 0), d.sum("over the vocabulary", f, x))
        for v, f in zip((a, b), not_negative, strict=True)
    ]
    shared = d.derive(
        "the shared tokens are worth the level",
        le(-upto_mass * sp.Max(u - w, 0) + below_mass * sp.Max(w - u, 0), -level * N * (u - w)),
        *(worth, used, s.mass_a, s.mass_b, *weights),
    )
    accepted_totals = [total(total(e, x), n, upto=N) for e in accepted]
    premises = [tangent, filled, none, shared, s.mass_a, s.mass_b]
    summed = d.derive(
        "so nothing is gained",
        le(accepted_totals[0], share * accepted_totals[1]),
        *premises,
    )
    d.qed(d.derive("on average over the contexts", le(accepted_totals[0] / N, share * accepted_totals[1] / N), summed))


def _values(p: Array, q: Array, shared: Array, extra: Array, level: Fraction, other: Array) -> dict[str, Any]:
    d = restrict(q, shared)
    shared_draft = (1 - extra.sum()) * d
    return {
        **{"p": p, "q": d, "m": shared.astype(int).tolist(), "a": extra, "b": other, "lambda": level, "N": len(p)},
        **{"more": (p > extra).astype(int).tolist(), "all": (p >= extra).astype(int).tolist()},
        **{"below": (shared_draft < p).astype(int).tolist(), "upto": (shared_draft <= p).astype(int).tolist()},
        **{"V": p.shape[-1], "ranges": {"n": range(1, len(p) + 1)}},
    }


PROOF = Proof(STATIC_MIXTURE, prove, drop=LEVEL, change={"share": sp.Rational(1, 2)}, bind=_values)
