"""tree.power-law: of D levels with K^b ≥ D² the full tree accepts D − 1, and has at most about (4 D^(2/b))^D nodes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._logarithms import SOME, Logs, logs
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le
from simspec.claims.tree.power_law import POWER_LAW, least_arity

n, D = sp.symbols("n D", integer=True, nonnegative=True)
BETWEEN = "n is between the nodes of the full trees of D and of D + 1 levels"
LEAST = "K is the least number with K^b ≥ D², ε = K^(−b); K′ for a level more"
b, eps, nodes, K, K2 = sp.symbols("b eps nodes K K_next", positive=True)
W, G, G2, P, Q = (sp.IndexedBase(name, real=True) for name in ("W", "G", "G_next", "P", "Q"))


def _accepted(d: Derivation, deep: Fact, power_bound: Fact, sign: int) -> Fact:
    """E[τ] ≥ D − 1: by induction it is at least D (1 − D ε)."""
    none, level_step = d.recursion("accepted in n levels", eq(W[0], 0), eq(W[n + 1], (1 - eps) * (1 + W[n])))
    small = d.smt("ε is at most one", le(eps, 1), power_bound, deep)
    bound = ge(W[n], n * (1 - sign * n * eps))
    step = d.smt("one level more", bound.replace({n: n + 1}), d.suppose("with a level less", bound), level_step, small)
    first = d.derive("without a level", bound.replace({n: 0}), none)
    for_every_n = d.instantiate("of all", d.induction("for every number of levels", bound, n, first, step), {n: D})
    return d.smt("with K^b ≥ D²", ge(W[D], D - 1), for_every_n, power_bound, deep)


class Powers(NamedTuple):
    """Powers of a number of two or more: they grow, and their logarithms."""

    first: Fact
    then: Fact
    grow: Fact
    log: Fact


def _powers(d: Derivation, lg: Logs, name: Any, base: Any, two: Fact) -> Powers:
    first, then = d.recursion(f"powers of {base}", eq(name[0], 1), eq(name[n + 1], name[n] * base))
    grow = d.inductive(f"powers of {base}", ge(name[n], n + 1), n, [first], [then, two], by="smt")
    some = d.smt("positive", gt(name[n], 0), grow)
    next_ = d.instantiate("the next", some, {n: n + 1})
    split = d.instantiate("log of a product", lg.product, {lg.v: name[n], lg.w: base}, some, two)
    split = d.derive("of the next", eq(sp.log(name[n + 1]), sp.log(name[n]) + sp.log(base)), then, split, some, next_)
    statement = eq(sp.log(name[n]), n * sp.log(base))
    begin = d.derive("at first", statement.replace({n: 0}), first)
    step = d.smt("a factor more", statement.replace({n: n + 1}), split, d.suppose(f"log {name[n]}", statement), next_)
    return Powers(first, then, grow, d.induction("the logarithm of a power", statement, n, begin, step))


def _fewest(d: Derivation, lg: Logs, deep: Fact, two: Fact) -> Fact:
    """log n ≥ D log 2: the full tree of D levels has 2^D nodes or more."""
    of = _powers(d, lg, P, sp.Integer(2), d.derive("two", ge(sp.Integer(2), 2)))
    none, level_step = d.recursion("nodes of n levels", eq(G[0], 0), eq(G[n + 1], K * (1 + G[n])))
    low = d.domain(BETWEEN, ge(nodes, G[D]))
    bound = ge(G[n], 2 * P[n] - 2)
    step_facts = (d.suppose("nodes of n levels", bound), level_step, of.then, of.grow, two)
    step = d.smt("one level more", bound.replace({n: n + 1}), *step_facts)
    first = d.smt("without a level", bound.replace({n: 0}), none, of.first)
    for_every_n = d.induction("for every number of levels", bound, n, first, step)
    for_every_n, grow, log_ = (d.instantiate("of D levels", f, {n: D}) for f in (for_every_n, of.grow, of.log))
    some = d.smt("some", gt(P[D], 0), grow)
    enough = d.smt("so many nodes", ge(nodes, P[D]), for_every_n, grow, low, deep)
    tangent = d.instantiate("the tangent of the logarithm", lg.tangent, {lg.v: nodes, lg.w: P[D]}, some)
    return d.smt("so large a logarithm", ge(sp.log(nodes), D * sp.log(2)), tangent, enough, log_, some)


def _most(d: Derivation, lg: Logs, two: Fact) -> Fact:
    """log n ≤ log 2 + (D + 1) log K′: the full tree of D + 1 levels has at most 2 K′^(D+1) nodes."""
    of = _powers(d, lg, Q, K2, two)
    none, level_step = d.recursion("nodes of n levels, K′", eq(G2[0], 0), eq(G2[n + 1], K2 * (1 + G2[n])))
    high = d.domain(BETWEEN, le(nodes, G2[D + 1]))
    bound = le(G2[n], 2 * Q[n] - 2)
    step_facts = (d.suppose("nodes of n levels, K′", bound), level_step, of.then, of.grow, two)
    step = d.smt("one level more", bound.replace({n: n + 1}), *step_facts)
    first = d.smt("without a level", bound.replace({n: 0}), none, of.first)
    for_every_n = d.induction("for every number of levels", bound, n, first, step)
    for_every_n, grow, log_ = (d.instantiate("of D + 1 levels", f, {n: D + 1}) for f in (for_every_n, of.grow, of.log))
    some = d.smt("some", gt(2 * Q[D + 1], 0), grow)
    half = d.smt("some", gt(Q[D + 1], 0), grow)
    node_bound = d.smt("so few nodes", le(nodes, 2 * Q[D + 1]), for_every_n, high)
    tangent = d.instantiate("the tangent of the logarithm", lg.tangent, {lg.v: 2 * Q[D + 1], lg.w: nodes}, some)
    split = d.instantiate("log of a product", lg.product, {lg.v: sp.Integer(2), lg.w: Q[D + 1]}, half)
    bound = le(sp.log(nodes), sp.log(2) + (D + 1) * sp.log(K2))
    premises = [tangent, split, node_bound, log_, some, half]
    return d.smt("so small a logarithm", bound, *premises)


def _twice(d: Derivation, lg: Logs, deep: Fact, long: Fact) -> tuple[Fact, ...]:
    """log log n ≥ log D − 11/30, and what else is known of the logarithms."""
    some = d.smt("positive", gt(D, 0), deep)
    two = d.numeric("log 2", gt(sp.log(2), sp.Rational(69, 100)))
    base = d.smt("positive", gt(D * sp.log(2), 0), some, two)
    top = d.smt("positive", gt(sp.log(nodes), 0), long, base)
    tangent = d.instantiate("the tangent", lg.tangent, {lg.v: sp.log(nodes), lg.w: D * sp.log(2)}, top, base)
    split = d.instantiate("log of a product", lg.product, {lg.v: D, lg.w: sp.log(2)}, some, two)
    small = d.numeric("log log 2", ge(sp.log(sp.log(2)), -sp.Rational(11, 30)))
    bound = ge(sp.log(sp.log(nodes)), sp.log(D) - sp.Rational(11, 30))
    premises = [tangent, split, small, long, top, base, some]
    twice = d.smt("the logarithm of it", bound, *premises)
    next_ = d.instantiate("the tangent", lg.tangent, {lg.v: D, lg.w: D + 1}, some)
    six = d.instantiate("the tangent", lg.tangent, {lg.v: D, lg.w: sp.Integer(6)}, some)
    six = d.smt("log D", ge(sp.log(D), sp.log(6)), six, deep, some)
    six = d.smt(
        "log D", ge(sp.log(D), sp.Rational(179, 100)), six, d.numeric("log 6", gt(sp.log(6), sp.Rational(179, 100)))
    )
    return twice, next_, six, top, some


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every real b > 0 and every number n of nodes from the full tree of D levels to that of D + 1, with c = 1/8.

    D is 6 or more, with D² ≥ 2^b, and K the least number with K^b ≥ D²; of the best tree no more is used than that it
    accepts what the full tree does.
    """
    lg = logs(d)
    for name in ("b", "eps", "nodes", "K", "K_next"):
        d.number(name, positive=True)
    deep, wide = d.domain("D is 6 or more, and D² at least 2^b", ge(D, 6), le(b * sp.log(2), 2 * sp.log(D)))
    power_bound, two, two_next, next_ = d.domain(
        LEAST,
        le(eps * D**2, 1),
        ge(K, 2),
        ge(K2, 2),
        le(b * sp.log(K2 - 1), 2 * sp.log(D + 1)),
    )
    accepted = _accepted(d, deep, power_bound, sign)
    long = _fewest(d, lg, deep, two)
    short = _most(d, lg, two_next)
    twice, level, six, top, some = _twice(d, lg, deep, long)
    positive = d.smt("positive", gt(K2 - 1, 0), two_next)
    double = d.smt("positive", gt(2 * (K2 - 1), 0), two_next)
    near = d.instantiate("the tangent", lg.tangent, {lg.v: 2 * (K2 - 1), lg.w: K2}, double)
    split = d.instantiate("log of a product", lg.product, {lg.v: sp.Integer(2), lg.w: K2 - 1}, positive)
    near = d.smt(
        "K′ is at most twice K′ − 1", le(sp.log(K2), sp.log(2) + sp.log(K2 - 1)), near, split, two_next, double
    )
    level = d.smt("a level more", le(D * sp.log(D + 1), D * sp.log(D) + 1), level, some)
    size = le(b * sp.log(nodes), (D + 2) * b * sp.log(2) + 2 * (D + 1) * sp.log(D + 1))
    size = d.smt("so few nodes", size, short, near, next_, deep, positive)
    size = d.smt(
        "by log D", le(D * b * sp.log(nodes), D * (4 * D + 6) * sp.log(D) + 2 * (D + 1)), size, wide, level, deep
    )
    lll = sp.log(sp.log(nodes))
    log_bound = ge(8 * (D - 1) * lll, constant * b * sp.log(nodes))
    log_bound = d.smt("there is room", log_bound, size, twice, six, deep, some)
    positive_log = d.smt("positive", gt(lll, 0), twice, six, top)
    d.qed(d.smt("so much", ge(W[D], b / 8 * sp.log(nodes) / lll), log_bound, positive_log, accepted, top))


def _values(levels: int, power: int, nodes: int) -> dict[str, Any]:
    arity = least_arity(levels, power)
    return {
        **{"D": levels, "b": power, "K": arity, "K_next": least_arity(levels + 1, power), "nodes": nodes, "V": 1},
        **{"eps": Fraction(1, arity**power), **SOME, "ranges": {"n": range(levels + 2)}},
    }


PROOF = Proof(
    POWER_LAW,
    prove,
    drop=LEAST,
    bind=_values,
    change={"constant": 8},
    sharp="not sought: the order is that of the paper",
)
