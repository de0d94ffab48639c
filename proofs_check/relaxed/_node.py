"""A node with children tried in an order: c is the mass of those tried, A = min(1, c/t) the share of coins that took one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, ge, le
from simspec.laws import Array

__all__ = ["SURE", "Node", "bind", "n", "node", "size"]

n = sp.Symbol("n", integer=True, nonnegative=True)
size = sp.Symbol("size", integer=True, nonnegative=True)
SURE = "S is 1 only for a child of mass 1, which is taken for sure"


class Node(NamedTuple):
    """Masses m of the children, c, A and the threshold t; that A = min(1, c/t), with G = c/t."""

    m: Any
    c: Any
    A: Any
    t: Any
    G: Any
    some: Fact
    most: Fact
    first: list[Fact]
    on: list[Fact]
    product: Fact
    next_product: Fact
    taken: Fact
    grows: Fact


def node(d: Derivation, sign: int = 1, constant: sp.Expr | int = 1) -> Node:
    """One coin u for all children: child n is taken by u below F, if no earlier one is."""
    t = d.number("t", positive=True)
    t_at_most_one = d.domain("t is at most 1", le(t, 1))
    m, F, c, A, G, S = (sp.IndexedBase(name, real=True) for name in ("m", "F", "c", "A", "G", "S"))
    some = d.domain("masses are not negative", ge(m[n], 0))
    bit, sure = d.domain(SURE, eq(S[n] * (1 - S[n]), 0), ge(S[n] * (m[n] - 1), 0))
    none, recursion_step = d.recursion("mass of the children tried", eq(c[0], 0), eq(c[n + 1], c[n] + m[n]))
    share_definition = d.define("over the threshold", G[n], c[n] / t)
    product = d.smt("that is", eq(G[n] * t, c[n]), share_definition)
    after = d.instantiate("after the next child", product, {n: n + 1})
    grows = d.inductive("no sum is negative", ge(c[n], 0), n, [none], [recursion_step, some], by="smt")
    rule = eq(F[n], S[n] + (1 - S[n]) * sp.Min(1, constant * G[n + 1]))
    coins = d.domain("F is min(1, c/t) with the child's own mass, 1 for a sure child", rule)
    start, on = d.recursion("taken so far", eq(A[0], 0), eq(A[n + 1], sp.Max(A[n], F[n])))
    goal = eq(A[n], sp.Min(1, sign * G[n]))
    first = d.instantiate("at first", product, {n: sp.Integer(0)})
    steps = [on, coins, product, after, recursion_step, some, bit, sure, grows, t_at_most_one]
    base = d.smt("nothing at first", eq(A[0], sp.Min(1, sign * G[0])), start, first, none)
    before = d.suppose("taken so far is min(1, c/t)", goal)
    then = d.smt("and after the next", goal.replace({n: n + 1}), before, *steps)
    for_every_n = d.induction("for every number of children", goal, n, base, then)
    return Node(
        m=m,
        c=c,
        A=A,
        t=t,
        G=G,
        some=some,
        most=t_at_most_one,
        first=[none, start],
        on=[recursion_step, on],
        product=product,
        next_product=after,
        taken=for_every_n,
        grows=grows,
    )


def bind(p: Array, candidates: Sequence[int], t_acc: Any) -> dict[str, Any]:
    """What the names stand for."""
    masses = [p[s] for s in candidates]
    sums = [sum(masses[: k + 1]) for k in range(len(masses))]
    return {
        **{"t": t_acc, "size": len(candidates), "m": lambda at: masses[at], "S": lambda at: int(masses[at] == 1)},
        "F": lambda at: 1 if masses[at] == 1 else min(1, sums[at] / t_acc),
        "ranges": {"n": range(len(candidates))},
    }
