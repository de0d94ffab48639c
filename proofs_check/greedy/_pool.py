"""KL(p‖u) ≥ Σ_A p log(p/c) for a level c and a set A of tokens, wherever u has no more of A's tokens above c than below it."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._logarithms import Logs
from proofs_check.language import Derivation, Fact, eq, ge, gt, le, total, x

__all__ = ["Pool", "levelled", "pool", "pooled"]

LEVEL = "c is the mean of p over the tokens of A (where g is 1)"


class Pool(NamedTuple):
    """The set A as bits g, its level c, the logarithms that a token of it is worth, and what is known of them."""

    g: Any
    c: Any
    worth: Any
    bit: Fact
    mean: Fact
    size: Fact


def pool(d: Derivation, p: Any, z: Any) -> Pool:
    """Names for A and c; worth is log p − log c."""
    g = d.weights("g")
    c = d.number("c", positive=True)
    bit, mean = d.domain(LEVEL, eq(g[x] * (1 - g[x]), 0), eq(total(g[x] * p[x], x), c * total(g[x], x)))
    return Pool(g, c, sp.log(p[x] + z[x]) - sp.log(c), bit, mean, d.derive("a level is positive", gt(c, 0)))


def pooled(d: Derivation, lg: Logs, it: Pool, p: Any, u: Any, z: Any, facts: dict[str, Any]) -> Fact:
    """Σ p (log p − log u) ≥ Σ g p (log p − log c).

    `facts`: what z means (`z`), u + z > 0 (`positive`), u ≥ 0 (`some`), both masses are equal (`mass`), and
    Σ g u (c − p) ≥ 0 (`tilt`).
    """
    P = p[x] + z[x]
    R = u + z[x]
    term = p[x] * (sp.log(P) - sp.log(R))
    sizes = [*facts["z"], facts["positive"], facts["some"], it.size]
    plain = d.instantiate("the tangent at u", lg.tangent, {lg.v: P, lg.w: R}, facts["z"][2], facts["positive"])
    cut = d.instantiate("the tangent at u", lg.tangent, {lg.v: it.c, lg.w: R}, it.size, facts["positive"])
    cut = d.smt("times p", ge(p[x] * it.c * (sp.log(it.c) - sp.log(R)), p[x] * it.c - p[x] * R), cut, *sizes)
    cut = d.smt("over c", ge(it.c * term, it.c * p[x] * it.worth + p[x] * it.c - p[x] * u), cut, *sizes)
    goal = ge(it.c * term, it.c * it.g[x] * p[x] * it.worth + it.c * p[x] - u * (it.c + it.g[x] * (p[x] - it.c)))
    inside = d.case("in A", gt(it.g[x], 0))
    on = d.smt("g is 1", eq(it.g[x], 1), inside, it.bit)
    case_inside = d.smt("of this token", goal, on, cut, *sizes)
    outside = d.case("not in A", le(it.g[x], 0))
    off = d.smt("g is 0", eq(it.g[x], 0), outside, d.derive("bits are not negative", ge(it.g[x], 0)))
    alone = d.smt("KL of this token", ge(term, p[x] - u), plain, *sizes)
    case_outside = d.smt("of this token", goal, off, alone, *sizes)
    sums = d.sum("over the vocabulary", d.cases("whether it is in A", case_inside, case_outside), x)
    value = total(it.g[x] * p[x] * it.worth, x)
    far = d.smt("times c", ge(it.c * total(term, x), it.c * value), sums, facts["tilt"], facts["mass"], *sizes)
    return d.smt("KL from below", ge(total(term, x), value), far, *sizes)


def levelled(d: Derivation, it: Pool, p: Any, z: Any, is_z: list[Fact]) -> tuple[Any, Fact]:
    """Σ p (log p − log u) of u, which is c on A and p elsewhere, and that it is Σ g p (log p − log c)."""
    u, term = (sp.IndexedBase(name, real=True) for name in ("u_c", "E"))
    P = p[x] + z[x]
    rule = d.define("p with the level on A", u[x], p[x] + it.g[x] * (it.c - p[x]))
    positive = d.smt("positive where p is", gt(u[x] + z[x], 0), rule, it.bit, *is_z, it.size)
    means = d.define("what a token adds", term[x], p[x] * (sp.log(P) - sp.log(u[x] + z[x])), is_z[2], positive)
    sizes = [is_z[2], positive, it.size]
    goal = eq(term[x], it.g[x] * p[x] * it.worth)
    nothing = d.case("p is 0", le(p[x], 0))
    mass_nonnegative = d.derive("a mass", ge(p[x], 0))
    empty = d.smt("it adds nothing", goal, means, nothing, mass_nonnegative, *sizes)
    some = d.case("p is positive", gt(p[x], 0))
    no_z = d.smt("z is 0", eq(z[x], 0), is_z[0], some)
    inside = d.case("levelled", gt(it.g[x], 0))
    on = d.smt("g is 1", eq(it.g[x], 1), inside, it.bit)
    level = d.smt("its level", eq(u[x], it.c), rule, on)
    log = d.derive("its logarithm", eq(sp.log(u[x] + z[x]), sp.log(it.c)), level, no_z, it.size, positive)
    full = d.smt("what it adds", goal, means, log, on, *sizes)
    outside = d.case("not levelled", le(it.g[x], 0))
    off = d.smt("g is 0", eq(it.g[x], 0), outside, d.derive("bits are not negative", ge(it.g[x], 0)))
    same = d.smt("nothing changes", eq(u[x], p[x]), rule, off)
    log = d.derive("its logarithm", eq(sp.log(u[x] + z[x]), sp.log(P)), same, positive, is_z[2])
    rest = d.smt("it adds nothing", goal, means, log, off, *sizes)
    token = d.cases("whether p is 0", d.cases("whether it is in A", full, rest), empty)
    return total(term[x], x), d.sum("over the vocabulary", token, x)
