"""relaxed.sglang-tv: no token is emitted more often than p/t."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Proof, eq, ge, le, total, x
from proofs_check.relaxed._node import bind as bind_node
from proofs_check.relaxed._node import n, node, size
from simspec.claims.folk.parts import off
from simspec.claims.relaxed.sglang_tv import SGLANG_TV
from simspec.laws import Array

MARKS = "a child is one token, and no token is a child twice"
REST = "R is p without the children, made a law"


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, every law, every number of different candidates in every order, every threshold up to 1.

    Attained as soon as the candidates hold mass t.
    """
    it = node(d)
    p, mass = d.law("p")
    R, mass_R = d.law("R")
    k = sp.IndexedBase("k", nonnegative=True)
    mark_is_one, its = d.domain(MARKS, eq(total(k[n, x], x), 1), eq(k[n, x] * it.m[n], k[n, x] * p[x]))
    mark = d.domain("marks are not negative", ge(k[n, x], 0))
    E = sp.IndexedBase("E", real=True)
    U = sp.IndexedBase("U", real=True)
    none, recursion_step = d.recursion("children so far", eq(U[0, x], 0), eq(U[n + 1, x], U[n, x] + k[n, x]))
    start, on = d.recursion(
        "emitted so far", eq(E[0, x], 0), eq(E[n + 1, x], E[n, x] + k[n, x] * (it.A[n + 1] - it.A[n]))
    )
    next_share = d.instantiate("after the next", it.taken, {n: n + 1})
    gain = le(it.t * (it.A[n + 1] - it.A[n]), it.m[n])
    premises = [it.taken, next_share, it.product, it.next_product, it.on[0], it.some]
    gain = d.smt("a child takes at most m/t", gain, *premises)
    rise = d.smt("and not less than nothing", ge(it.A[n + 1] - it.A[n], 0), it.on[1])
    token_share = d.smt("so of x", le(it.t * k[n, x] * (it.A[n + 1] - it.A[n]), k[n, x] * p[x]), gain, its, mark)
    below = le(it.t * E[n, x], U[n, x] * p[x])
    below = d.inductive("at most p/t of a child", below, n, [start, none], [on, recursion_step, token_share], by="smt")
    nonnegative = d.smt("not negative", ge(k[n, x] * (it.A[n + 1] - it.A[n]), 0), rise, mark)
    nonnegative = d.inductive("nothing negative", ge(E[n, x], 0), n, [start], [on, nonnegative], by="smt")
    sums = d.sum("over the vocabulary", on, x)
    first = d.sum("over the vocabulary", start, x)
    total_emitted = eq(total(E[n, x], x), it.A[n])
    total_emitted = d.inductive(
        "in all what is taken", total_emitted, n, [first, it.first[1]], [sums, mark_is_one], by="smt"
    )
    ones = d.sum("over the vocabulary", its, x)
    grown = d.sum(
        "over the vocabulary",
        d.smt("times p", eq(U[n + 1, x] * p[x], U[n, x] * p[x] + k[n, x] * p[x]), recursion_step),
        x,
    )
    bare = d.sum("over the vocabulary", d.smt("times p", eq(U[0, x] * p[x], 0), none), x)
    children_mass = eq(total(U[n, x] * p[x], x), it.c[n])
    same = d.smt("a child's mass", eq(total(k[n, x] * p[x], x), it.m[n]), ones, mark_is_one)
    children_mass = d.inductive("their mass", children_mass, n, [bare, it.first[0]], [grown, same, it.on[0]], by="smt")
    twice = d.domain("no token is a child twice", le(U[size, x], 1))
    fits = [it.taken, it.product, it.grows, below, nonnegative, total_emitted, children_mass]
    took, product, grows, below, nonnegative, total_emitted, children_mass = (
        d.instantiate("of all children", f, {n: size}) for f in fits
    )
    rest = d.domain(REST, eq(R[x] * (1 - it.c[size]), (1 - U[size, x]) * p[x]))
    token_share = d.smt("at most p", le(U[size, x] * p[x], p[x]), twice, d.derive("sizes", ge(p[x], 0)))
    token_share = d.sum("over the vocabulary", token_share, x)
    mass_at_most_one = d.smt("children have mass 1 at most", le(it.c[size], 1), token_share, children_mass, mass)
    some = d.smt(
        "no fewer coins than mass", ge(it.A[size], it.c[size]), took, product, grows, mass_at_most_one, it.most
    )
    coins_at_most_one = d.smt("nor more than all", le(it.A[size], 1), took)
    out = E[size, x] + sign * (1 - it.A[size]) * R[x]
    again = d.smt(
        "drawn", le((1 - it.A[size]) * R[x], (1 - U[size, x]) * p[x]), rest, some, d.derive("sizes", ge(R[x], 0))
    )
    spare = d.smt("no token twice", ge((1 - U[size, x]) * p[x], 0), twice, d.derive("sizes", ge(p[x], 0)))
    again = d.smt("times t", le(it.t * (1 - it.A[size]) * R[x], (1 - U[size, x]) * p[x]), again, spare, it.most)
    cap = d.smt("emitted at most p/t", le(it.t * out, p[x]), again, below)
    size_ = d.smt("and not negative", ge(out, 0), nonnegative, coins_at_most_one, d.derive("sizes", ge(R[x], 0)))
    over = d.summed("so above p by a share", le(sp.Max(out - p[x], 0), (1 - it.t) * out), cap, size_, it.most, by="smt")
    law = d.smt("it is a law", eq(total(out, x), 1), total_emitted, mass_R)
    apart = d.summed("above or below", eq(sp.Abs(out - p[x]), 2 * sp.Max(out - p[x], 0) - out + p[x]))
    goal = le(constant * total(sp.Abs(out - p[x]), x) / 2, 1 - it.t)
    d.qed(d.smt("in all", goal, over, law, apart, mass))


def bind(p: Array, candidates: Sequence[int], t_acc: Any) -> dict[str, Any]:
    remaining = p
    for s in candidates:
        hot = p * 0
        hot[s] = 1
        remaining = off(remaining, hot)
    used = p * 0
    used[list(candidates)] = 1
    rest = p * (1 - used)
    return {
        **bind_node(p, candidates, t_acc),
        **{"p": p, "R": rest / rest.sum() if rest.sum() else p, "V": len(p)},
        "k": lambda at, token: int(candidates[at] == token - 1),
    }


PROOF = Proof(SGLANG_TV, prove, drop=MARKS, bind=bind)
