"""relaxed.certificate-strict: the nearest law has the mean of p₁ and p₂ on both tokens."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._truth_values import truth
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from proofs_check.relaxed._certificates import LARGEST, Refused, bind, case_of, hot, refused, weighed
from simspec.claims.relaxed.certificate_strict import CERTIFICATE_STRICT
from simspec.claims.relaxed.parts import rank
from simspec.laws import Array

SECOND = "e is a token of mass p₂, another than a"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every p, and every q that is positive where p is."""
    it = refused(d)
    first_mass = it.first
    two = it.second
    f, is_f = truth(d, "f", two)
    s = sp.Symbol("s", positive=True)
    mean = d.define("the mean of both", s, (first_mass + two) / 2)
    facts = {
        "s": d.derive("positive", gt(s, 0)),
        "high": d.derive("positive", gt(first_mass, 0)),
        "low": is_f[2],
        "off": d.smt("b has no more", eq(f * it.pb, 0), is_f[0], is_f[1], it.sizes[0]),
        "none": is_f[0],
    }
    lower = weighed(d, it, s, first_mass, two, f, facts)
    up = sp.log(first_mass) - sp.log(s)
    down = sp.log(two + f) - sp.log(s)
    line = d.instantiate("p₂ against the mean", it.lg.tangent, {it.lg.v: s, it.lg.w: two + f}, is_f[2])
    down_ = d.smt(
        "p₂ is at most the mean", ge((1 - f) * (sp.log(s) - sp.log(two + f)), 0), line, mean, it.sizes[1], *is_f
    )
    mode_term_bound = d.smt(
        "so b's term is no less than p₂'s", ge(it.pb * down, two * down), down_, it.sizes[0], *is_f, facts["off"]
    )
    rest = it.Qa * (s - first_mass) + it.Qb * (s - two)
    rest = d.smt("the rest is not negative", ge(rest, 0), mean, it.sizes[1], it.sizes[2])
    value = constant * first_mass * up + sign * two * down
    far = d.smt("times s", ge(s * total(it.part[x], x), s * value), lower, mode_term_bound, rest)
    far = d.smt("KL from below", ge(total(it.part[x], x), value), far)
    near = _attained(d, it, s, f, is_f, facts)
    d.qed(
        far,
        d.derive("attained", eq(near.relation.lhs, value), near),
        d.derive("so", eq(-near.relation.lhs, -value), near),
    )


def _attained(d: Derivation, it: Refused, s: Any, f: Any, is_f: list[Fact], facts: dict[str, Fact]) -> Fact:
    """The divergence of the law with the mean on both."""
    p = it.p
    a = it.a
    z = it.z
    first_mass = it.first
    two = it.second
    e = d.weights("e")
    u = sp.IndexedBase("u", real=True)
    divergence_term = sp.IndexedBase("E", real=True)
    marks = d.domain(
        SECOND, eq(e[x] * (1 - e[x]), 0), eq(a[x] * e[x], 0), eq(total(e[x], x), 1), eq(e[x] * p[x], e[x] * two)
    )
    law_definition = d.define("the law", u[x], p[x] + a[x] * (s - first_mass) + e[x] * (s - two))
    up = sp.log(first_mass) - sp.log(s)
    down = sp.log(two + f) - sp.log(s)
    token_marks = [it.marks[0], marks[0], marks[1]]
    low = d.derive("masses are not negative", ge(p[x], 0))

    def at(mark: Fact) -> Any:
        def found(on: list[Fact]) -> Fact:
            premises = [law_definition, mark, *on, facts["s"], *it.is_z, low]
            return d.smt("there", gt(u[x] + z[x], 0), *premises)

        return found

    positive = case_of(d, "positive", token_marks, (a, e), (at(it.marks[5]), at(marks[3]), at(it.marks[5])))
    log_u = sp.IndexedBase("N", real=True)
    logs_ = d.define("log of it", log_u[x], sp.log(u[x] + z[x]), positive)
    adds = d.define("what a token adds", divergence_term[x], p[x] * (sp.IndexedBase("L", real=True)[x] - log_u[x]))
    goal = eq(divergence_term[x], a[x] * first_mass * up + e[x] * two * down)

    def of_a(on: list[Fact]) -> Fact:
        mass = d.smt("its mass", eq(p[x], first_mass), it.marks[5], *on)
        none = d.smt("not 0", eq(z[x], 0), it.is_z[0], mass, facts["high"])
        level = d.smt("the mean", eq(u[x], s), law_definition, mass, *on)
        first = d.derive(
            "log p", eq(it.means[0].relation.lhs, sp.log(first_mass)), it.means[0], mass, none, facts["high"]
        )
        second = d.derive("log u", eq(log_u[x], sp.log(s)), logs_, level, none, facts["s"])
        premises = [adds, first, second, mass, *on, is_f[2], facts["s"]]
        return d.smt("what a adds", goal, *premises)

    def of_e(on: list[Fact]) -> Fact:
        mass = d.smt("its mass", eq(p[x], two), marks[3], *on)
        same = d.smt("0 together", eq(z[x], f), mass, *it.is_z, *is_f)
        level = d.smt("the mean", eq(u[x], s), law_definition, mass, *on)
        first = d.derive("log p", eq(it.means[0].relation.lhs, sp.log(two + f)), it.means[0], mass, same, is_f[2])
        second = d.derive("log u", eq(log_u[x], sp.log(s + f)), logs_, level, same, facts["s"])
        out = d.case("p₂ is 0", le(two, 0))
        none = d.smt("it is none", eq(two, 0), out)
        none_here = d.smt("nor has the token", eq(p[x], 0), mass, none)
        empty = d.derive("it adds nothing", goal, adds, none_here, none, *on, is_f[2], facts["s"])
        some = d.case("p₂ is positive", gt(two, 0))
        zero = d.smt("f is 0", eq(f, 0), is_f[0], some)
        second = d.derive("log u", eq(log_u[x], sp.log(s)), second, zero, facts["s"])
        premises = [adds, first, second, mass, *on, is_f[2], facts["s"]]
        full = d.smt("it adds that", goal, *premises)
        return d.cases("whether p₂ is 0", full, empty)

    def other(on: list[Fact]) -> Fact:
        same = d.smt("nothing changes", eq(u[x], p[x]), law_definition, *on)
        equal = d.derive("equal logarithms", eq(log_u[x], sp.log(p[x] + z[x])), logs_, same, it.is_z[2])
        premises = [adds, equal, it.means[0], *on, is_f[2], facts["s"]]
        return d.smt("it adds nothing", goal, *premises)

    per_token = d.sum("over the vocabulary", case_of(d, "attained", token_marks, (a, e), (of_a, of_e, other)), x)
    return d.derive(
        "in all", eq(total(divergence_term[x], x), first_mass * up + two * down), per_token, it.marks[3], marks[2]
    )


def _values(p: Array, q: Array, b: int) -> dict[str, Any]:
    _, second = rank(p)
    return {**bind(p, q, b), "e": hot(len(p), second), "f": int(p[second] == 0)}


PROOF = Proof(CERTIFICATE_STRICT, prove, drop=LARGEST, bind=_values)
