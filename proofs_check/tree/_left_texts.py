"""Texts by which a tree is left: the entropy of the one that is met is at most the logarithm of their number, and hardly less."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._logarithms import Logs, logs
from proofs_check.language import Derivation, Fact, V, eq, ge, gt, index, le, total, x

__all__ = ["ENDS", "LEAVES", "NODES", "Met", "N", "exits", "from_below", "left", "met", "n", "s", "start"]

s = index("s")
start = index("start")
n, N = sp.symbols("n N", integer=True, nonnegative=True)
low = sp.IndexedBase("low", real=True)
LEAVES = "a subtree is left by the texts of its children, a leaf by one"
NODES = "a subtree has its own node and those below, a leaf none; the tree n nodes and the root"
ENDS = "no text by which the tree is left is likelier than lam, or less likely than p_min lam"


class Met(NamedTuple):
    """A tree of which s are the subtrees: I the nodes that a text meets in it, L the texts by which it is left."""

    lg: Logs
    p: Any
    I: Any  # noqa: E741
    L: Any
    node: Any
    go: Any
    mu: Any
    facts: dict[str, Fact]


def met(d: Derivation, constant: int = 1) -> Met:
    """State what is given of a tree; define the number of nodes that a text meets and the entropy of a token."""
    lg = logs(d)
    p, I_, L, node = (sp.IndexedBase(name, real=True) for name in ("p", "I", "L", "node"))
    mass_is_one = d.domain("p is a law", eq(total(p[x], x), 1))
    some = d.domain("p has no zeros", gt(p[x], 0))
    go = d.map("kid")[s, x]
    marks, count_positive = d.domain(
        "a node is in the tree, or left there", eq(node[s] * (1 - node[s]), 0), ge(L[s], 1)
    )
    leaf, leaves = d.domain(
        LEAVES, eq((1 - node[s]) * (L[s] - 1), 0), eq(node[s] * total(L[go], x), constant * node[s] * L[s])
    )
    none, entropy_step = d.recursion(
        "nodes that a text meets, the root with them",
        eq(I_[0, s], 0),
        eq(I_[n + 1, s], node[s] * (1 + total(p[x] * I_[n, go], x))),
    )
    mu = sp.Symbol("mu", real=True)
    mean = d.define("entropy of a token", mu, -total(p[x] * sp.log(p[x]), x), some)
    facts = {
        **{
            "one": mass_is_one,
            "some": some,
            "marks": marks,
            "least": count_positive,
            "leaf": leaf,
            "leaves": leaves,
            "none": none,
            "more": entropy_step,
        },
        "mean": mean,
        "grown": d.instantiate("of a child", count_positive, {s: go}),
    }
    return Met(lg=lg, p=p, I=I_, L=L, node=node, go=go, mu=mu, facts=facts)


def left(d: Derivation, m: Met) -> Fact:
    """μ I ≤ log L: by induction on the height, Jensen's inequality at each node."""
    f = m.facts
    lg = m.lg
    p = m.p
    L = m.L
    node = m.node
    go = m.go
    open_ = d.smt("it is left somewhere", gt(L[s], 0), f["least"])
    product_positive = d.smt("a positive number", gt(p[x] * L[s], 0), open_, f["some"])
    inner = d.smt("so is a child", gt(L[go], 0), f["grown"])
    tangent = d.instantiate(
        "the tangent of the logarithm", lg.tangent, {lg.v: p[x] * L[s], lg.w: L[go]}, product_positive, inner
    )
    split = d.instantiate("log of a product", lg.product, {lg.v: p[x], lg.w: L[s]}, open_, f["some"])
    above = d.instantiate("at one", lg.tangent, {lg.v: L[s], lg.w: sp.S.One}, open_)
    above = d.smt("log L is not negative", ge(sp.log(L[s]), 0), above, f["least"], open_)
    jensen = ge(
        node[s] * p[x] * L[s] * (sp.log(p[x]) + sp.log(L[s]) - sp.log(L[go])), node[s] * p[x] * L[s] - node[s] * L[go]
    )
    marks = d.smt("a mark is not negative", ge(node[s], 0), f["marks"])
    premises = [tangent, split, marks, open_, inner, f["some"]]
    jensen = d.summed("token by token", jensen, *premises, by="smt")
    law_ = le(m.mu * m.I[n, s], sp.log(L[s]))
    hypothesis = d.suppose("a smaller tree", law_)
    below = d.instantiate("of a child", hypothesis, {s: go}, inner)
    below = d.summed(
        "below the children",
        le(node[s] * p[x] * m.mu * m.I[n, go], node[s] * p[x] * sp.log(L[go])),
        *(below, marks, f["some"], inner),
        by="smt",
    )
    step = [f["more"], f["mean"], f["some"], jensen, below, f["one"], f["leaves"], f["marks"], open_, above]
    return d.inductive("for every tree", law_, n, [f["none"], above, open_], step, by="smt")


def _along(d: Derivation, m: Met, R: Any, reach: Fact, inner: Fact, moves: Fact) -> Fact:
    """The logarithm of how likely a subtree is reached, along a path."""
    f = m.facts
    lg = m.lg
    node = m.node
    go = m.go
    split = d.instantiate("log of a product", lg.product, {lg.v: R[s], lg.w: m.p[x]}, reach, f["some"])
    product = d.smt("the product of both", gt(R[s] * m.p[x], 0), reach, f["some"])
    same = d.instantiate("the tangent", lg.tangent, {lg.v: R[go], lg.w: R[s] * m.p[x]}, inner, product)
    log_facts = (split, same, moves, inner, f["some"], reach, product)
    split = ge(node[s] * (sp.log(R[go]) - sp.log(R[s]) - sp.log(m.p[x])), 0)
    return d.smt("along a path", split, *log_facts, f["marks"])


def levels(d: Derivation, m: Met) -> tuple[Fact, ...]:
    """How high subtrees are: a mark, none without a level, children lower, and all of the tree."""
    if "levels" not in m.facts:
        names = ("marked", "levels", "lower", "whole")
        level_facts = d.domain(
            "low[n, s] is 1 where a subtree has at most n levels",
            eq(low[n, s] * (1 - low[n, s]), 0),
            eq(low[0, s] * m.node[s], 0),
            eq(low[n + 1, s] * m.node[s] * (1 - low[n, m.go]), 0),
            eq(low[N, start], 1),
        )
        m.facts.update(zip(names, level_facts, strict=True))
    return tuple(m.facts[name] for name in ("marked", "levels", "lower", "whole"))


def exits(d: Derivation, m: Met, size: Any) -> Fact:
    """A tree of `size` nodes is left by (size + 1)(V − 1) + 1 texts: each node takes one way out, and opens V."""
    K = sp.IndexedBase("K", real=True)
    none, counts, root = d.domain(
        NODES,
        eq((1 - m.node[s]) * K[s], 0),
        eq(m.node[s] * (1 + total(K[m.go], x)), m.node[s] * K[s]),
        eq(K[start], size + 1),
    )
    mark, ends, lower, tree_within_levels = levels(d, m)
    zeroth = d.instantiate("without a level", mark, {n: 0})
    marks = [m.facts["marks"], mark, lower, d.instantiate("one level more", mark, {n: n + 1})]
    statement = eq(low[n, s] * (m.L[s] - (V - 1) * K[s] - 1), 0)
    below = d.instantiate("of a child", d.suppose("ways out of a smaller tree", statement), {s: m.go})
    per_child = eq(low[n + 1, s] * m.node[s] * (m.L[m.go] - (V - 1) * K[m.go] - 1), 0)
    per_child = d.summed("child by child", per_child, below, *marks, by="smt")
    base = d.smt("a leaf", statement.replace({n: 0}), m.facts["leaf"], none, ends, zeroth, m.facts["marks"])
    step = statement.replace({n: n + 1})
    premises = [per_child, m.facts["leaf"], m.facts["leaves"], none, counts, *marks]
    step = d.smt("a node more", step, *premises)
    for_every_height = d.induction("ways out", statement, n, base, step)
    for_every_height = d.instantiate("from the root", for_every_height, {n: N, s: start})
    return d.smt("of this tree", eq(m.L[start], (size + 1) * (V - 1) + 1), for_every_height, root, tree_within_levels)


def from_below(d: Derivation, m: Met, sign: int = 1, constant: int = 1) -> tuple[Fact, Any, Fact]:
    """μ I ≥ log(p_min L) of the whole tree, p_min, and that the tree is left somewhere."""
    f = m.facts
    lg = m.lg
    L = m.L
    node = m.node
    go = m.go
    mu = m.mu
    R = sp.IndexedBase("R", real=True)
    lam = d.number("lam", positive=True)
    smallest_probability = d.number("p_min", positive=True)
    reach, moves, sure = d.domain(
        "a subtree is reached with the product of its path",
        gt(R[s], 0),
        eq(node[s] * R[go], node[s] * R[s] * m.p[x]),
        eq(R[start], 1),
    )
    high, under = d.domain(
        ENDS, ge((1 - node[s]) * (constant * lam - R[s]), 0), ge((1 - node[s]) * (R[s] - smallest_probability * lam), 0)
    )
    mark, ends, lower, all_ = levels(d, m)
    zeroth = d.instantiate("without a level", mark, {n: 0})
    marks = [f["marks"], mark, lower, d.instantiate("one level more", mark, {n: n + 1})]
    inner = d.instantiate("of a child", reach, {s: go})
    split = _along(d, m, R, reach, inner, moves)
    grows = d.instantiate("the tangent of the logarithm", lg.tangent, {lg.v: lam, lg.w: R[s]}, reach)
    leaf = ge((1 - node[s]) * (sp.log(lam) - sp.log(R[s])), 0)
    leaf = d.smt("where the tree is left", leaf, grows, high, f["marks"], reach)
    law = ge(low[n, s] * (mu * m.I[n, s] - sp.log(R[s]) + sp.log(lam)), 0)
    hypothesis = d.suppose("a smaller tree, as likely", law)
    below = d.instantiate("of a child", hypothesis, {s: go}, inner)
    weight = low[n + 1, s] * node[s]
    per_child = ge(weight * m.p[x] * (mu * m.I[n, go] - sp.log(R[s]) - sp.log(m.p[x]) + sp.log(lam)), 0)
    premises = [below, split, f["some"], reach, inner, *marks]
    per_child = d.summed("child by child", per_child, *premises, by="smt")
    first = d.smt("without a level", law.replace({n: 0}), f["none"], leaf, ends, zeroth, reach)
    then = [f["more"], per_child, leaf, f["mean"], f["one"], f["some"], reach, *marks]
    entropy_bound = d.induction("entropy", law, n, first, d.smt("a level more", law.replace({n: n + 1}), *then))
    count = ge(low[n, s] * (R[s] - L[s] * smallest_probability * lam), 0)
    below = d.instantiate("of a child", d.suppose("texts of a smaller tree", count), {s: go})
    per_child = ge(weight * (R[s] * m.p[x] - L[go] * smallest_probability * lam), 0)
    per_child = d.summed("child by child", per_child, below, moves, *marks, by="smt")
    first = d.smt("without a level", count.replace({n: 0}), under, f["leaf"], ends, zeroth)
    then = [per_child, under, f["leaf"], f["leaves"], f["one"], *marks]
    number = d.induction("how many", count, n, first, d.smt("a level more", count.replace({n: n + 1}), *then))
    at = d.instantiate("the root", reach, {s: start})
    entropy_bound = d.instantiate("from the root", entropy_bound, {n: N, s: start}, at)
    number, exit_count = (
        d.instantiate("from the root", g, h) for g, h in ((number, {n: N, s: start}), (f["least"], {s: start}))
    )
    exit_count = d.smt("left somewhere", gt(L[start], 0), exit_count)
    some = d.smt("a positive number", gt(smallest_probability * L[start], 0), exit_count)
    small = d.smt("and their product", gt(smallest_probability * L[start] * lam, 0), some)
    fits = d.instantiate("at one", lg.tangent, {lg.v: sp.S.One, lg.w: smallest_probability * L[start] * lam}, small)
    parts = d.instantiate("log of a product", lg.product, {lg.v: smallest_probability * L[start], lg.w: lam}, some)
    zero = d.instantiate("at one", lg.tangent, {lg.v: R[start], lg.w: sp.S.One}, at)
    tangent_at_root = d.instantiate("at one", lg.tangent, {lg.v: sp.S.One, lg.w: R[start]}, at)
    zero = d.smt("log 1", eq(sp.log(R[start]), 0), zero, tangent_at_root, sure, at)
    bound = ge(sign * m.I[N, start] * mu, sp.log(smallest_probability * L[start]))
    premises = [entropy_bound, number, fits, parts, zero, sure, all_, at, some, small, exit_count]
    bound = d.smt("of this tree", bound, *premises)
    return bound, smallest_probability, exit_count
