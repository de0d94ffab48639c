"""Tokens drawn without replacement, as an algebra: states of the urn, and the probability that n draws are all in a set H.

A state s is the set of tokens drawn so far; u[s, z] is what is left of q there, R[s] its sum, rho[s] one over that, and none[s]
is 1 where no token is left.  m[y, z] is 1 where y and z are one token.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, index, le, total, x, y, z

__all__ = [
    "Chance",
    "F",
    "K",
    "R",
    "Urn",
    "chance",
    "h",
    "m",
    "n",
    "none",
    "of_token",
    "picked",
    "rho",
    "s",
    "start",
    "u",
    "urn_of",
]

s = index("s")
start = index("start")
n, K = sp.symbols("n K", integer=True, nonnegative=True)
u, rho, none, m, h, F, R = (sp.IndexedBase(name, real=True) for name in ("u", "rho", "none", "m", "h", "F", "R"))


class Urn(NamedTuple):
    """Tokens that are drawn without replacement: what is given of them, and of H."""

    after: Any
    bit: Fact
    mark: Fact
    own: Fact
    one: Fact
    even: Fact
    same: Fact
    """A token of H is no other token outside of it."""
    drawn: Fact
    kind: Fact
    low: Fact
    high: Fact
    order: Fact
    mass: Fact
    least: Fact
    flag: Fact
    idle: Fact
    size: Fact
    """R is what is left in all."""
    norm: Fact
    rest: Fact
    """What is left after a draft is what was, without it."""


def urn_of(d: Derivation, q: Any, mass_q: Fact, constant: int) -> Urn:
    """What is given of an urn, and what follows at once."""
    after = d.map("after")
    bit = d.domain("H is a set", eq(h[z] * (1 - h[z]), 0))
    mark, diagonal, mark_sum, even = d.domain(
        "m marks one token",
        eq(m[y, z] * (1 - m[y, z]), 0),
        eq(m[y, y], 1),
        eq(total(m[y, z], z), 1),
        eq(m[y, z], m[z, y]),
    )
    low, draw_rule, kind = d.domain(
        "a token has its mass until it is drawn",
        ge(u[s, z], 0),
        eq(u[after[s, y], z], u[s, z] * (1 - constant * m[y, z])),
        eq(u[s, z] * (q[z] - u[s, z]), 0),
    )
    order = d.domain("two drafts leave the same in either order", eq(after[after[s, y], z], after[after[s, z], y]))
    mass, rate_nonnegative, flag, idle = d.domain(
        "the next draft has the law u/R, or no token is left",
        eq(rho[s] * total(u[s, z], z), 1 - none[s]),
        ge(rho[s], 0),
        eq(none[s] * (1 - none[s]), 0),
        eq(none[s] * u[s, z], 0),
    )
    mass_at_most_one = d.derive("a mass", ge(q[z], 0))
    mass_at_most_one = d.smt("no mass is above one", le(q[z], 1), d.term("one of all", mass_at_most_one, z), mass_q)
    high = d.smt("nor what is left of it", le(u[s, z], 1), mass_at_most_one, kind)
    flag_at_most_one = d.smt("a bit is at most one", ge(1, h[z]), bit)
    some = d.smt("and not negative", ge(h[z], 0), bit)
    inside = picked(d, (mark, diagonal, mark_sum), h[z], some, flag_at_most_one)
    per_token = d.term("one of all", d.smt("a bit", ge(m[y, z] * h[z], 0), mark, some), z, x)
    same = d.instantiate("another", per_token, {x: z})
    same = d.smt(
        "H tells tokens apart", eq(m[y, z] * h[z] * (1 - h[y]), 0), same, inside, of_token(d, y, bit), bit, mark
    )
    rest = picked(d, (mark, diagonal, mark_sum), u[s, z], low, high)
    gone = d.sum("over the vocabulary", d.derive("of each token", draw_rule.relation, draw_rule), z)
    size = d.define("what is left in all", R[s], total(u[s, z], z))
    sizes = (size, d.instantiate("after a draft", size, {s: after[s, y]}))
    rest = d.smt("what is left", eq(R[after[s, y]], R[s] - u[s, y]), rest, gone, *sizes)
    norm = d.smt("by its name", eq(rho[s] * R[s], 1 - none[s]), mass, size)
    return Urn(
        after=after,
        bit=bit,
        mark=mark,
        own=diagonal,
        one=mark_sum,
        even=even,
        same=same,
        drawn=draw_rule,
        kind=kind,
        low=low,
        high=high,
        order=order,
        mass=mass,
        least=rate_nonnegative,
        flag=flag,
        idle=idle,
        size=size,
        norm=norm,
        rest=rest,
    )


def picked(d: Derivation, marks: tuple[Fact, Fact, Fact], c: Any, low: Fact, high: Fact, at: Any = y) -> Fact:
    """Σ m[y, z] c[z] = c[y], for 0 ≤ c ≤ 1: one of non-negative terms, and of what is missing to one."""
    mark, diagonal, mark_sum = marks
    below = d.term("at least one term", d.smt("a term", ge(m[at, z] * c, 0), mark, low), z, at)
    above = d.term("of what is missing", d.smt("to one", ge(m[at, z] * (1 - c), 0), mark, high), z, at)
    return d.smt("so one term", eq(total(m[at, z] * c, z), c.subs(z, at)), below, above, diagonal, mark_sum)


class Chance(NamedTuple):
    """The probability W[n, s, …] that n drafts are in a set, between 0 and 1."""

    first: Fact
    then: Fact
    low: Fact
    high: Fact


def chance(
    d: Derivation, urn: Urn, text: str, of: Callable[[Any, Any], Any], mark: Any, bits: tuple[Fact, ...]
) -> Chance:
    """Its recursion, and that it is a probability."""
    here = of(n, s)
    there = of(n, urn.after[s, z])
    first, then = d.recursion(
        text, eq(of(0, s), 1), eq(of(n + 1, s), rho[s] * total(mark * u[s, z] * there, z) + none[s] * here)
    )
    inside = d.smt("a token is in it or not", eq(mark * (1 - mark), 0), *bits)
    lower, upper = (d.smt("that is", r, inside) for r in (ge(mark, 0), le(mark, 1)))
    move = {s: urn.after[s, z]}
    before = d.suppose(f"{text}: not negative", ge(here, 0))
    per_draft = d.smt("a draft", ge(mark * u[s, z] * there, 0), d.instantiate("then", before, move), lower, urn.low)
    per_draft = d.sum("any draft", per_draft, z)
    low = d.inductive("not negative", ge(here, 0), n, [first], [then, per_draft, before, urn.least, urn.flag], by="smt")
    before = d.suppose(f"{text}: at most one", le(here, 1))
    facts = (d.instantiate("then", before, move), d.instantiate("then", low, move), lower, upper, urn.low)
    per_draft = d.sum("any draft", d.smt("a draft", le(mark * u[s, z] * there, u[s, z]), *facts), z)
    per_draft = d.smt(
        "with its law", le(rho[s] * total(mark * u[s, z] * there, z), rho[s] * total(u[s, z], z)), per_draft, urn.least
    )
    high = d.inductive("at most one", le(here, 1), n, [first], [then, per_draft, before, urn.mass, urn.flag], by="smt")
    return Chance(first, then, low, high)


def of_token(d: Derivation, token: Any, fact: Fact) -> Fact:
    """What is given of every z, at another token."""
    return d.instantiate(f"of {token}", fact, {z: token})
