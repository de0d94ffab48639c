"""Drafts in H, drawn without replacement: more of them are rarer, and a token outside of H is the better one to lose."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le, total, x, y, z
from proofs_check.multi._urn import Chance, F, R, Urn, h, m, n, none, of_token, picked, s, u

__all__ = ["likelier", "w"]

w = sp.IndexedBase("w", real=True)


def fewer_inside(d: Derivation, urn: Urn, f: Chance) -> Fact:
    """F[n + 1, s] ≤ F[n, s]."""
    before = d.suppose("one draft more", le(F[n + 1, s], F[n, s]))
    there = d.instantiate("after a draft", before, {s: urn.after[s, z]})
    per_draft = h[z] * u[s, z] * (F[n, urn.after[s, z]] - F[n + 1, urn.after[s, z]])
    per_draft = d.sum("any draft", d.smt("a draft", ge(per_draft, 0), there, urn.bit, urn.low), z)
    facts = (per_draft, f.then, d.instantiate("one more", f.then, {n: n + 1}), before, urn.least, urn.flag)
    after = d.smt("and then", le(F[n + 2, s], F[n + 1, s]), *facts)
    base = d.derive("at first", le(F[1, s], F[0, s]), d.instantiate("one", f.high, {n: sp.S.One}), f.first)
    return d.induction("more drafts are in H less often", le(F[n + 1, s], F[n, s]), n, base, after)


def _inside(urn: Urn, state: Any) -> Any:
    """What is left in H, with what follows."""
    return total(h[z] * u[state, z] * F[n, urn.after[state, z]], z)


class Step(NamedTuple):
    """What one draft does."""

    all_: Fact
    """R F[n + 1] is the sum over the first draft in H."""
    end: Fact
    """Where no token is left F does not change."""


def first_draft(d: Derivation, urn: Urn, f: Chance) -> Step:
    idle = d.summed(
        "no token is left", eq(none[s] * h[z] * u[s, z] * F[n, urn.after[s, z]], 0), urn.idle, over=z, by="smt"
    )
    empty = d.sum("no token is left", urn.idle, z)
    all_ = d.smt("the first draft", eq(R[s] * F[n + 1, s], _inside(urn, s)), f.then, urn.mass, urn.size, idle, empty)
    end = d.smt("the last one", eq(none[s] * (F[n + 1, s] - F[n, s]), 0), f.then, idle, urn.flag)
    return Step(all_, end)


def outside_helps(d: Derivation, urn: Urn, f: Chance, fewer: Fact, step: Step) -> Fact:
    """For y outside of H: F[n, s] ≤ F[n, s + y]."""
    after = urn.after
    out = 1 - h[y]
    gone = after[s, y]
    statement = ge(out * (F[n, gone] - F[n, s]), 0)
    before = d.suppose("y is drawn first", statement)
    there = d.instantiate("after a draft", before, {s: after[s, z]})
    token_gain = h[z] * out * (u[gone, z] * F[n, after[gone, z]] - u[s, z] * F[n, after[s, z]])
    inside_unchanged = eq(h[z] * out * u[gone, z], h[z] * out * u[s, z])
    inside_unchanged = d.smt("H loses nothing", inside_unchanged, urn.drawn, urn.same, urn.bit)
    inside = ge(h[z] * u[s, z] * out * (F[n, after[after[s, z], y]] - F[n, after[s, z]]), 0)
    there = d.smt("of a token in H", inside, there, urn.low, urn.bit)
    swapped = eq(F[n, after[gone, z]], F[n, after[after[s, z], y]])
    swapped = d.derive("in either order", swapped, urn.order, by="algebra")
    per_token = d.smt("of each token", ge(token_gain, 0), there, inside_unchanged, swapped)
    per_token = d.sum("over the vocabulary", per_token, z)
    at = {s: gone}
    all_, end, mass, flag = (d.instantiate("after y", g, at) for g in (step.all_, step.end, urn.norm, urn.flag))
    next_nonnegative = d.instantiate("one more", f.low, {n: n + 1})
    low = of_token(d, y, urn.low)
    bit = of_token(d, y, urn.bit)
    goal = ge(R[gone] * out * (F[n + 1, gone] - F[n + 1, s]), 0)
    premises = [per_token, all_, step.all_, urn.rest, low, next_nonnegative, bit]
    grown = d.smt("and less is left", goal, *premises)
    rate_nonnegative = d.instantiate("after y", urn.least, at)
    there = ge((1 - none[gone]) * out * (F[n + 1, gone] - F[n + 1, s]), 0)
    grown = d.smt("where a token is left", there, grown, mass, rate_nonnegative)
    last = ge(none[gone] * out * (F[n + 1, gone] - F[n + 1, s]), 0)
    last = d.smt("where none is", last, end, before, fewer, flag, bit)
    goal = statement.replace({n: n + 1})
    then = d.smt("one draft more", goal, grown, last)
    base = d.derive("at first", statement.replace({n: 0}), f.first, d.instantiate("after y", f.first, at))
    return d.induction("what is outside of H does no good", statement, n, base, then)


class Pair(NamedTuple):
    """A token x in H and a token y outside of it, one or the other drawn first in the state s."""

    f: Chance
    weight: Fact
    """What w[s, x, y] is."""
    some: Fact
    """It is not negative."""
    inside: Fact
    out: Fact
    pos: tuple[Fact, Fact]
    marked: Fact


def _pair(d: Derivation, urn: Urn, f: Chance) -> Pair:
    weight = d.define("x in H and y outside may be drawn", w[s, x, y], h[x] * u[s, x] * (1 - h[y]) * u[s, y])
    inside = of_token(d, x, urn.bit)
    out = of_token(d, y, urn.bit)
    pos = (of_token(d, x, urn.low), of_token(d, y, urn.low))
    some = d.smt("a weight", ge(w[s, x, y], 0), weight, inside, out, *pos)
    return Pair(f, weight, some, inside, out, pos, d.instantiate("x", urn.mark, {y: x}))


def _each(d: Derivation, urn: Urn, c: Pair, before: Fact) -> Fact:
    """Over the tokens z that are drafted next, x apart: after y they are in H no less often than after x."""
    after = urn.after
    after_x = urn.after[s, x]
    after_y = urn.after[s, y]
    weight = c.weight
    marked = c.marked
    there, weighed = (d.instantiate("after a draft", g, {s: after[s, z]}) for g in (before, weight))
    gone_x = d.instantiate("x after z", urn.drawn, {y: z, z: x})
    gone_y = d.instantiate("y after z", urn.drawn, {y: z, z: y})
    far = d.smt("z in H is not y", eq(h[z] * w[s, x, y] * m[y, z], 0), urn.same, weight, urn.bit)
    apart = d.instantiate("x", urn.even, {y: x})
    even = urn.even
    same = eq(h[z] * (1 - m[x, z]) * w[after[s, z], x, y], h[z] * (1 - m[x, z]) * w[s, x, y])
    token_facts = (weighed, gone_x, gone_y, far, apart, even, weight, urn.bit, marked, urn.mark)
    weighed = d.smt("z is neither", same, *token_facts)
    swapped_y = eq(F[n, after[after_y, z]], F[n, after[after[s, z], y]])
    swapped_x = eq(F[n, after[after_x, z]], F[n, after[after[s, z], x]])
    swapped_y = d.derive("in either order", swapped_y, urn.order, by="algebra")
    swapped_x = d.derive("in either order", swapped_x, d.instantiate("x", urn.order, {y: x}), by="algebra")
    fair = ge(h[z] * u[s, z] * (1 - m[x, z]) * w[s, x, y] * (F[n, after[after_y, z]] - F[n, after[after_x, z]]), 0)
    z_first = ge(
        h[z] * u[s, z] * (1 - m[x, z]) * w[after[s, z], x, y] * (F[n, after[after_y, z]] - F[n, after[after_x, z]]), 0
    )
    premises = [there, swapped_x, swapped_y, urn.bit, urn.low, marked]
    z_first_fact = d.smt("z first", z_first, *premises)
    fair_ = d.smt("z first, in other words", fair, z_first_fact, weighed)
    draw_rule = d.instantiate("x", urn.drawn, {y: x})
    a, b = (h[z] * u[g, z] * F[n, after[g, z]] for g in (after_y, after_x))
    y_unchanged = eq(h[z] * w[s, x, y] * u[after_y, z], h[z] * w[s, x, y] * u[s, z])
    y_unchanged = d.smt("y is not in H", y_unchanged, urn.drawn, far)
    per_token = d.smt(
        "of each token", ge(w[s, x, y] * ((1 - m[x, z]) * a - b), 0), fair_, y_unchanged, draw_rule, marked
    )
    return d.sum("over the vocabulary", per_token, z)


def _in_all(d: Derivation, urn: Urn, c: Pair, per_token: Fact, steps: tuple[Fact, Fact, Fact]) -> tuple[Fact, Fact]:
    """The next draft, x after y with the others: R F after y is at least as large; and something is left there."""
    fewer, outside, all_ = steps
    after = urn.after
    after_x = urn.after[s, x]
    after_y = urn.after[s, y]
    f = c.f
    weight = c.weight
    some = c.some
    inside = c.inside
    out = c.out
    pos = c.pos
    a = h[z] * u[after_y, z] * F[n, after[after_y, z]]
    low, high = (d.instantiate("after y, and one draft", g, {s: after[after_y, z]}) for g in (f.low, f.high))
    ulow, uhigh = (d.instantiate("after y", g, {s: after_y}) for g in (urn.low, urn.high))
    ends = [d.smt("a probability", g, low, high, ulow, uhigh, urn.bit) for g in (ge(a, 0), le(a, 1))]
    diagonal, one_x = (d.instantiate("x", g, {y: x}) for g in (urn.own, urn.one))
    picked_ = picked(d, (c.marked, diagonal, one_x), a, ends[0], ends[1], x)
    there = d.instantiate("x after y", urn.drawn, {z: x})
    apart = d.smt("x is not y", eq(m[y, x] * w[s, x, y], 0), d.instantiate("x", urn.same, {z: x}), weight, inside)
    swapped = d.instantiate("x", urn.order, {z: x})
    swapped = d.derive("in either order", eq(F[n, after[after_y, x]], F[n, after[after_x, y]]), swapped, by="algebra")
    best = d.smt(
        "what is left is in H no less often",
        ge(w[s, x, y] * (F[n, after[after_x, y]] - F[n + 1, after_x]), 0),
        *(d.instantiate("after x", g, {s: after_x}) for g in (outside, fewer)),
        *(some, out, weight),
    )
    all_y, all_x = (d.instantiate("after it", all_, {s: g}) for g in (after_y, after_x))
    rest_x = d.instantiate("x", urn.rest, {y: x})
    inner = h[x] * u[after_y, x] * F[n, after[after_y, x]]
    first = eq(w[s, x, y] * inner, w[s, x, y] * u[s, x] * F[n, after[after_x, y]])
    first = d.smt("x after y", first, there, apart, swapped, weight, inside)
    last = ge(
        w[s, x, y] * (R[after_y] * F[n + 1, after_y] - R[after_x] * F[n + 1, after_x] - u[s, x] * F[n + 1, after_x]), 0
    )
    premises = [per_token, picked_, first, all_y, all_x, best, pos[0], some]
    last = d.smt("in all", last, *premises)
    next_nonnegative = d.instantiate("one more, after x", f.low, {n: n + 1, s: after_x})
    last = d.smt(
        "by what is left",
        ge(w[s, x, y] * R[after_y] * (F[n + 1, after_y] - F[n + 1, after_x]), 0),
        *(last, rest_x, urn.rest, next_nonnegative, some, *pos),
    )
    rest_nonnegative = d.term("x is left after y", d.instantiate("after y", urn.low, {s: after_y}), z, x)
    size = d.instantiate("after y", urn.size, {s: after_y})
    rest_nonnegative = d.smt(
        "so something is", ge(w[s, x, y] * (R[after_y] - u[s, x]), 0), rest_nonnegative, there, apart, some, size
    )
    return last, rest_nonnegative


def likelier(d: Derivation, urn: Urn, f: Chance) -> tuple[Fact, Fact]:
    """For x in H and y outside: F[n, s + x] ≤ F[n, s + y]; and what w[s, x, y] is, by which it is multiplied."""
    fewer = fewer_inside(d, urn, f)
    step = first_draft(d, urn, f)
    outside = outside_helps(d, urn, f, fewer, step)
    c = _pair(d, urn, f)
    after_x = urn.after[s, x]
    after_y = urn.after[s, y]
    statement = ge(w[s, x, y] * (F[n, after_y] - F[n, after_x]), 0)
    before = d.suppose("one or the other is drawn first", statement)
    last, rest_nonnegative = _in_all(d, urn, c, _each(d, urn, c, before), (fewer, outside, step.all_))
    pair_facts = (last, rest_nonnegative, c.weight, c.some, *c.pos, c.inside, c.out)
    then = d.smt("one draft more", statement.replace({n: n + 1}), *pair_facts)
    firsts = [d.instantiate("after one", f.first, {s: g}) for g in (after_x, after_y)]
    base = d.derive("at first", statement.replace({n: 0}), *firsts)
    return d.induction("a draft outside of H is the better one to lose", statement, n, base, then), c.weight
