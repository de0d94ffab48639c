"""Drafts without replacement: a token outside of H adds more to D(all in H), for its mass of q, than one inside did."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, le, total, x, y, z
from proofs_check.multi._urn import Chance, F, K, Urn, chance, h, m, n, none, of_token, picked, rho, s, start, u
from proofs_check.multi._urn_draws import likelier

__all__ = ["Density", "N", "P", "densities"]

P, N, D, G = (sp.IndexedBase(name, real=True) for name in ("P", "N", "D", "G"))


class Density(NamedTuple):
    """Of all K drafts from the start."""

    every: Fact
    """D[K, start, x, y] is not negative."""
    named: Fact
    """D is h[x] (1 − h[y]) (u[x] (P[y] − F) − u[y] (F − N[x]))."""
    larger: Fact
    """P is at least F."""
    f: Chance


def _first(d: Derivation, urn: Urn, there: Any, mark: Any, g: Chance) -> Fact:
    """Σ m[y, z] mark[z] u[s, z] (…) is its term at y."""
    low, high = (d.instantiate("after a draft", b, {s: urn.after[s, z]}) for b in (g.low, g.high))
    c = mark * u[s, z] * there
    ends = [d.smt("a probability", r, low, high, urn.low, urn.high, urn.bit) for r in (ge(c, 0), le(c, 1))]
    return picked(d, (urn.mark, urn.own, urn.one), c, *ends)


def _equal(d: Derivation, urn: Urn, q: Any, f: Chance, g: Chance) -> tuple[Fact, Fact]:
    """Once y is drawn it does not matter whether it is in H; and the sum over what y adds, which is one term."""
    there = P[n, urn.after[s, z], y]
    gap = q[y] - u[s, y]
    statement = eq(gap * (P[n, s, y] - F[n, s]), 0)
    before = d.suppose("y is drawn", statement)
    move = {s: urn.after[s, z]}
    gone = d.instantiate("y after z", urn.drawn, {y: z, z: y})
    kind = of_token(d, y, urn.kind)
    same = eq(gap * (there - F[n, urn.after[s, z]]), 0)
    same = d.smt("after z too", same, d.instantiate("after a draft", before, move), gone, kind)
    inside_terms = h[z] * u[s, z] * gap * (there - F[n, urn.after[s, z]])
    same = d.summed("of each token of H", eq(inside_terms, 0), same, over=z, by="smt")
    only = _first(d, urn, there, 1 - h[z], g)
    step_facts = (f.then, g.then, same, only, kind, before)
    step = d.smt("one draft more", statement.replace({n: n + 1}), *step_facts)
    base = d.derive("at first", statement.replace({n: 0}), f.first, g.first)
    return d.induction("once y is drawn", statement, n, base, step), only


def _more(d: Derivation, urn: Urn, f: Chance, g: Chance) -> Fact:
    """P[n, s, y] ≥ F[n, s]."""
    before = d.suppose("with y in it", ge(P[n, s, y], F[n, s]))
    move = {s: urn.after[s, z]}
    there, low = (d.instantiate("after a draft", b, move) for b in (before, g.low))
    mark = h[z] + m[y, z] * (1 - h[z])
    per_draft = ge(mark * u[s, z] * P[n, urn.after[s, z], y], h[z] * u[s, z] * F[n, urn.after[s, z]])
    per_draft = d.sum("any draft", d.smt("a draft", per_draft, there, low, urn.low, urn.bit, urn.mark), z)
    step_facts = (per_draft, f.then, g.then, before, urn.least, urn.flag)
    step = d.smt("one draft more", ge(P[n + 1, s, y], F[n + 1, s]), *step_facts)
    base = d.derive("at first", ge(P[0, s, y], F[0, s]), f.first, g.first)
    return d.induction("a larger set holds more", ge(P[n, s, y], F[n, s]), n, base, step)


class Sides(NamedTuple):
    """H, H with y and H without y; how much more y adds for its mass than x did, by its name."""

    f: Chance
    g: Chance
    e: Chance
    named: Fact
    larger: Fact
    sign: int

    @property
    def statement(self) -> Relation:
        return ge(D[n, s, x, y], 0)


def _sides(d: Derivation, urn: Urn, sign: int) -> Sides:
    f = chance(d, urn, "n drafts are in H", lambda k, t: F[k, t], h[z], (urn.bit,))
    with_y = h[z] + m[y, z] * (1 - h[z])
    g = chance(d, urn, "in H with y", lambda k, t: P[k, t, y], with_y, (urn.bit, urn.mark))
    e = chance(d, urn, "in H without y", lambda k, t: N[k, t, y], h[z] * (1 - m[y, z]), (urn.bit, urn.mark))
    gap = sign * u[s, x] * (P[n, s, y] - F[n, s]) - u[s, y] * (F[n, s] - N[n, s, x])
    named = d.define("how much more y adds for its mass", D[n, s, x, y], h[x] * (1 - h[y]) * gap)
    return Sides(f, g, e, named, _more(d, urn, f, g), sign)


def _each(d: Derivation, urn: Urn, c: Sides, before: Fact) -> Fact:
    """Over the tokens z of H that are drafted next."""
    move = {s: urn.after[s, z]}
    there, larger_there, named_z = (d.instantiate("after a draft", b, move) for b in (before, c.larger, c.named))
    gone_x = d.instantiate("x after z", urn.drawn, {y: z, z: x})
    gone_y = d.instantiate("y after z", urn.drawn, {y: z, z: y})
    inside = of_token(d, x, urn.bit)
    out = of_token(d, y, urn.bit)
    pos = (of_token(d, x, urn.low), of_token(d, y, urn.low))
    to_x = {y: x}
    apart = d.instantiate("x", urn.even, to_x)
    marked = d.instantiate("x", urn.mark, to_x)
    grown, lost = _gaps(urn)
    per_token = h[z] * u[s, z] * h[x] * (1 - h[y]) * (c.sign * u[s, x] * grown - (1 - m[x, z]) * u[s, y] * lost)
    bits = (apart, urn.even, marked, urn.same, urn.bit, urn.low, inside, out, *pos)
    premises = [there, larger_there, named_z, gone_x, gone_y, *bits]
    per_token = d.smt("of each token", ge(per_token, 0), *premises)
    return d.sum("over the vocabulary", per_token, z)


def _gaps(urn: Urn) -> tuple[Any, Any]:
    """What y adds, and what x did, after z."""
    there = urn.after[s, z]
    return P[n, there, y] - F[n, there], F[n, there] - N[n, there, x]


def _sums(d: Derivation, urn: Urn, c: Sides, q: Any, per_token: Fact) -> Fact:
    """The next draft: a token of H, or y where it is added, or x where it was there."""
    after = urn.after
    f = c.f
    g = c.g
    sign = c.sign
    better, weight = likelier(d, urn, f)
    once, first_y = _equal(d, urn, q, f, g)
    after_y = d.instantiate("y drawn", once, {s: after[s, y]})
    y_gone = d.instantiate("y", urn.drawn, {z: y})
    y_first = eq(u[s, y] * (P[n, after[s, y], y] - F[n, after[s, y]]), 0)
    after_y = d.smt("y drawn first", y_first, after_y, y_gone, urn.own, of_token(d, y, urn.kind))
    first_x = d.instantiate("x", _first(d, urn, F[n, after[s, z]], h[z], f), {y: x})
    grown_sum = total((h[z] + m[y, z] * (1 - h[z])) * u[s, z] * P[n, after[s, z], y], z)
    own_sum = total(h[z] * u[s, z] * F[n, after[s, z]], z)
    lost_sum = total(h[z] * (1 - m[x, z]) * u[s, z] * N[n, after[s, z], x], z)
    grown, lost = _gaps(urn)
    gain = total(h[z] * u[s, z] * grown, z) + (1 - h[y]) * u[s, y] * F[n, after[s, y]]
    gain = d.smt("what y adds", eq(grown_sum - own_sum, gain), first_y, after_y)
    loss = total(h[z] * (1 - m[x, z]) * u[s, z] * lost, z) + h[x] * u[s, x] * F[n, after[s, x]]
    loss = d.smt("what x adds", eq(own_sum - lost_sum, loss), first_x)
    sums = ge(h[x] * (1 - h[y]) * (sign * u[s, x] * (grown_sum - own_sum) - u[s, y] * (own_sum - lost_sum)), 0)
    bits = (of_token(d, x, urn.bit), of_token(d, y, urn.bit))
    premises = [per_token, gain, loss, better, weight, *bits]
    return d.smt("the sums", sums, *premises)


def densities(d: Derivation, urn: Urn, q: Any, sign: int) -> Density:
    """Of a y outside of H, P − F over its mass is no less than F − N over its mass of an x in H; by induction on the drafts."""
    c = _sides(d, urn, sign)
    before = d.suppose("a token outside adds more", c.statement)
    sums = _sums(d, urn, c, q, _each(d, urn, c, before))
    law = d.define("with the law", G[n, s, x, y], rho[s] * sums.relation.lhs)
    scaled = d.smt("with the law", ge(G[n, s, x, y], 0), law, sums, urn.least)
    parts = eq(D[n + 1, s, x, y], G[n, s, x, y] + none[s] * D[n, s, x, y])
    then_x, first_x = (d.instantiate("x", b, {y: x}) for b in (c.e.then, c.e.first))
    recur = (d.instantiate("one more", c.named, {n: n + 1}), law, c.named, c.f.then, c.g.then, then_x)
    parts = d.derive("either way", parts, *recur, by="algebra")
    then = d.smt("one draft more", c.statement.replace({n: n + 1}), scaled, parts, before, urn.flag)
    begin = d.instantiate("at first", c.named, {n: 0})
    base = d.derive("at first", c.statement.replace({n: 0}), begin, c.f.first, c.g.first, first_x)
    outside_gains = d.induction("a token outside of H adds more for its mass", c.statement, n, base, then)
    at = {n: K, s: start}
    outside_gains, named, larger = (
        d.instantiate("of all drafts", fact, at) for fact in (outside_gains, c.named, c.larger)
    )
    return Density(outside_gains, named, larger, c.f)
