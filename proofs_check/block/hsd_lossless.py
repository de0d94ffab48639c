"""block.hsd-lossless: the naive rule keeps each prefix with the overlap of the joint laws; the capped one is the block."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._capped import BRANCH, capped, with_ratios
from proofs_check.block._tree import c, n, nodes, root, size
from proofs_check.block.lossless import drawn_from, texts, with_texts
from proofs_check.language import Derivation, Fact, Proof, eq, index, total, x
from simspec.claims.block.hsd_lossless import CAPPED, NAIVE
from simspec.claims.texts import markov
from simspec.laws import Array

w = index("w")
JOINT = "P and Q are the joint laws of a prefix"
WHOLE = "the whole draft is accepted with min(1, P/Q)"
ACCEPT = "a prefix is accepted with D(p, q) over the larger of D(p, q) and D(q, p)"
REST = "the branch draws from (P − Q)₊ over its sum"


class _Joint:
    """Names of the tree of joint laws, and what is known of them."""

    def __init__(self, d: Derivation, constant: int) -> None:
        """Name the laws of the tree and derive D(p, q) and D(q, p): each is a mass less the overlap."""
        self.p, self.q, self.P, self.Q = (
            d.weights(name, *at) for name, at in zip("pqPQ", ((c, x), (c, x), (c,), (c,)), strict=True)
        )
        self.child, self.open = d.map("child"), sp.IndexedBase("open", real=True)
        after = self.child[c, x]
        self.bit, self.mass_p, self.mass_q = d.domain(
            "after γ drafts nothing is drafted",
            eq(self.open[c] * (1 - self.open[c]), 0),
            eq(total(self.p[c, x], x), self.open[c]),
            eq(total(self.q[c, x], x), self.open[c]),
        )
        self.joint_p, self.joint_q = d.domain(
            JOINT, eq(self.P[after], self.P[c] * self.p[c, x]), eq(self.Q[after], self.Q[c] * self.q[c, x])
        )
        self.accept, whole_accept = (sp.IndexedBase(name, real=True) for name in ("accept", "whole"))
        self.whole = whole_accept
        self.last = d.domain(WHOLE, eq(self.Q[c] * whole_accept[c], sp.Min(self.P[c], self.Q[c])))
        a = self.P[c] * self.p[c, x]
        b = self.Q[c] * self.q[c, x]
        self.low, self.over, self.under = sp.Min(a, b), sp.Max(a - b, 0), sp.Max(b - a, 0)
        positive_gap = total(self.over, x)
        negative_gap = total(self.under, x)
        self.more = positive_gap
        self.test = d.domain(ACCEPT, eq(self.accept[c] * sp.Max(positive_gap, negative_gap), constant * positive_gap))
        a_side = d.sum("over the tokens", d.derive("P beside the overlap", eq(self.over, a - self.low)), x)
        b_side = d.sum("over the tokens too", d.derive("Q beside the overlap", eq(self.under, b - self.low)), x)
        self.sides = (
            d.derive("D(p, q)", eq(positive_gap, self.P[c] * self.open[c] - total(self.low, x)), a_side, self.mass_p),
            d.derive("D(q, p)", eq(negative_gap, self.Q[c] * self.open[c] - total(self.low, x)), b_side, self.mass_q),
        )


def _kept(d: Derivation, t: _Joint) -> tuple[Any, Fact, Fact]:
    """K[n, c]: c is drafted, and it or a longer prefix kept; that K = min(P, Q); what the branch at c is left."""
    K = sp.IndexedBase("K", real=True)
    longer = total(K[n, t.child[c, x]], x)
    branch_here = (t.Q[c] - longer) * t.accept[c]
    last, recursion_step = d.recursion(
        "mass of a prefix that is drafted, and kept or a longer one is",
        eq(K[0, c], t.Q[c] * t.whole[c]),
        eq(K[n + 1, c], t.open[c] * (longer + branch_here) + (1 - t.open[c]) * t.Q[c] * t.whole[c]),
    )
    statement = eq(K[n, c], sp.Min(t.P[c], t.Q[c]))
    before = d.suppose("kept with the overlap", statement)
    ahead = _ahead(d, t, K, before)
    then = _step(d, t, longer, ahead)
    first = d.derive("at the last draft", statement.replace({n: 0}), last, t.last)
    after = d.smt("one draft more", statement.replace({n: n + 1}), recursion_step, then, t.bit, t.last)
    for_every_n = d.induction("for every number of drafts", statement, n, first, after)
    ahead = _ahead(d, t, K, for_every_n)
    unresampled = eq(t.open[c] * (branch_here + sp.Max(t.P[c] - t.Q[c], 0)), t.open[c] * t.more)
    resampled = d.smt("what is resampled at c or above", unresampled, ahead, t.test, *t.sides, t.bit)
    return branch_here, for_every_n, resampled


def _ahead(d: Derivation, t: _Joint, K: sp.IndexedBase, before: Fact) -> Fact:
    there = d.instantiate("after a token", before, {c: t.child[c, x]})
    per_token = d.derive("a longer prefix", eq(K[n, t.child[c, x]], t.low), there, t.joint_p, t.joint_q)
    return d.sum("over the next draft", per_token, x)


def _step(d: Derivation, t: _Joint, longer: sp.Expr, ahead: Fact) -> Fact:
    goal = eq(t.open[c] * (longer + (t.Q[c] - longer) * t.accept[c]), t.open[c] * sp.Min(t.P[c], t.Q[c]))
    return d.smt("where drafts follow", goal, ahead, t.test, *t.sides, t.bit)


class _Words:
    """Laws of the text w after c: U the target's, B the branch's, L with c or a longer prefix kept; and how they go on."""

    def __init__(self, d: Derivation, t: _Joint, mass: sp.Expr, sign: int) -> None:
        """Define the laws U, B and L of a text by recursion on its drafts."""
        L, B, U, e, g, branch_mass, beyond = (
            sp.IndexedBase(name, real=True) for name in ("L", "B", "U", "e", "g", "own", "beyond")
        )
        self.L, self.B, self.U, self.own, self.beyond = L, B, U, branch_mass, beyond
        token = d.map("token")
        rest = d.map("rest")
        self.token, self.rest = token[w], rest[w]
        self.after = t.child[c, self.token]
        self.e, end, shut = e[c, self.token], g[c, self.token], 1 - t.open[c]
        self.here = d.define("what the branch at c is left", branch_mass[n, c], mass)
        self.extra = d.define("what the target has beyond the drafts of c", beyond[c], sp.Max(t.P[c] - t.Q[c], 0))
        self.drawn = d.domain(REST, eq(e[c, x] * t.more, t.over))
        self.later = [X[n, self.after, self.rest] for X in (L, B, U)]
        longer, b, u = self.later
        text_step = d.recursion(
            "the target's law of a text",
            eq(U[0, c, w], end),
            eq(U[n + 1, c, w], t.open[c] * t.p[c, self.token] * u + shut * end),
        )
        branch = d.recursion(
            "the branch's law of a text, then the target's",
            eq(B[0, c, w], end),
            eq(B[n + 1, c, w], t.open[c] * self.e * b + shut * end),
        )
        complete = t.Q[c] * t.whole[c] * end
        drafted = d.recursion(
            "c is drafted and kept, or a longer prefix, and the text follows",
            eq(L[0, c, w], complete),
            eq(
                L[n + 1, c, w],
                sp.expand(t.open[c] * (longer + sign * branch_mass[n, c] * self.e * b) + shut * complete),
            ),
        )
        self.first = [drafted[0], branch[0], text_step[0]]
        self.then = [drafted[1], branch[1], text_step[1]]


def naive(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts; all texts of γ + 1 tokens."""
    t = _Joint(d, constant)
    mass, _, resampled_mass = _kept(d, t)
    v = _Words(d, t, mass, sign)
    branch = v.own[n, c]
    beyond = v.beyond[c]
    statement = eq(v.L[n, c, w] + beyond * v.B[n, c, w], t.P[c] * v.U[n, c, w])
    before = d.suppose("texts with n more drafts", statement)
    there = d.instantiate("after the text's token", before, {c: v.after, w: v.rest})
    p_there, q_there = (d.instantiate("its joint law", f, {x: v.token}) for f in (t.joint_p, t.joint_q))
    extra_there = d.instantiate("what the target has beyond there", v.extra, {c: v.after})
    resampled = d.instantiate("the text's token in a branch", v.drawn, {x: v.token})
    named = eq(t.open[c] * (branch + beyond), t.open[c] * t.more)
    resampled_mass = d.derive("by its name", named, resampled_mass, v.here, v.extra, by="smt")
    gone = d.smt(
        "what comes through c, and is drawn there",
        eq(t.open[c] * (branch + beyond) * v.e, t.open[c] * v.beyond[v.after]),
        *(resampled_mass, resampled, p_there, q_there, extra_there),
    )
    ends = d.smt("after γ drafts", eq(t.Q[c] * t.whole[c], t.P[c] - beyond), t.last, v.extra)
    first = d.derive("at the last draft", statement.replace({n: 0}), *v.first, ends, by="smt")
    longer, b, u = v.later
    through = eq(t.open[c] * (branch + beyond) * v.e * b, t.open[c] * v.beyond[v.after] * b)
    through = d.derive("and goes on", through, gone, by="smt")
    goal = eq(t.open[c] * longer, t.open[c] * (t.P[c] * t.p[c, v.token] * u - v.beyond[v.after] * b))
    drafted = d.derive("what was drafted, without it", goal, there, p_there, by="smt")
    goal = eq(t.open[c] * longer, t.open[c] * t.P[c] * t.p[c, v.token] * u - t.open[c] * (branch + beyond) * v.e * b)
    drafted = d.derive("what was drafted", goal, through, drafted, by="smt")
    then = d.derive("one draft more", statement.replace({n: n + 1}), *v.then, drafted, ends, by="algebra")
    for_every_n = d.induction("for every number of drafts, each text", statement, n, first, then)
    begin = d.domain("before the text both laws are one", eq(t.P[root], 1), eq(t.Q[root], 1))
    for_every_n = d.instantiate("from the beginning", for_every_n, {c: root, n: size})
    none = d.instantiate("beyond nothing", v.extra, {c: root})
    goal = eq(v.L[size, root, w], v.U[size, root, w])
    d.qed(d.derive("the law of γ + 1 tokens", goal, for_every_n, none, *begin, by="smt"))


def _joint_values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    """The tree with a last node of no mass, where what follows γ drafts leads."""
    bindings = with_texts(p, q, gamma)
    prefixes = nodes(bindings["V"], gamma)
    vocab = bindings["V"]
    target = markov(p)
    draft = markov(q)
    zero = [0 * bindings["r"][0]] * vocab
    rows = [(target(x), draft(x)) if len(x) < gamma else (zero, zero) for x in prefixes] + [(zero, zero)]
    P = [bindings["r"][0]]
    Q = [bindings["r"][0]]
    for prefix in prefixes[1:]:
        at = prefixes.index(prefix[:-1])
        P.append(P[at] * rows[at][0][prefix[-1]])
        Q.append(Q[at] * rows[at][1][prefix[-1]])
    P = [*P, zero[0]]
    Q = [*Q, zero[0]]
    gaps = [[a * s - b * t for s, t in zip(*laws, strict=True)] for a, b, laws in zip(P, Q, rows, strict=True)]
    positive_gaps = [sum(max(g, 0) for g in row) for row in gaps]
    negative_gaps = [sum(max(-g, 0) for g in row) for row in gaps]
    dead = len(prefixes) + 1
    return {
        **{"p": [a for a, _ in rows], "q": [b for _, b in rows], "P": P, "Q": Q, "V": vocab, "size": gamma},
        **{"g": [*(target(x) for x in prefixes), zero], "open": [int(len(x) < gamma) for x in prefixes] + [0]},
        **{
            "child": [
                *([dead if k == at else k for k in row] for at, row in enumerate(bindings["child"], 1)),
                [dead] * vocab,
            ]
        },
        **{"whole": [min(a, b) / b if b else b for a, b in zip(P, Q, strict=True)]},
        **{
            "accept": [a / max(a, b) if max(a, b) else a * 0 for a, b in zip(positive_gaps, negative_gaps, strict=True)]
        },
        **{"e": [[max(g, 0) / m for g in row] if m else zero for row, m in zip(gaps, positive_gaps, strict=True)]},
        **{"token": bindings["token"], "rest": bindings["rest"]},
        "ranges": {**bindings["ranges"], "c": range(1, dead + 1)},
    }


def capped_lossless(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts; all texts of γ + 1 tokens."""
    t = capped(d, constant)
    texts(d, t, *drawn_from(d, t), sign)


def _capped_values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    return with_ratios(p, q, gamma, with_texts(p, q, gamma))


PROOFS = (
    Proof(NAIVE, naive, drop=REST, bind=_joint_values),
    Proof(CAPPED, capped_lossless, drop=BRANCH, bind=_capped_values),
)
