"""block.gain-*: along every draft the block keeps what its tokens keep, and what a later ratio above one makes up for."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.block._paths import Paths, along, n, size, walked
from proofs_check.block._tree import TEST, c, kept, root, tree, values
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, total, x
from simspec.claims.block.gain import GAIN_LEAST, GAIN_MOST, GAIN_TWO, GAIN_WHEN
from simspec.claims.block.parts import paths
from simspec.laws import Array

ALONE = "one by one they are kept with the product of min(1, p/q)"
FLAG = "b is 1 where a ratio above one follows what is kept sometimes, else 0"
SIGNS = "each flag is 1 where the number is positive, else 0"


def _gained(d: Derivation, t: Paths, sign: int = 1) -> tuple[Any, Fact, Fact]:
    """G[n, x]: the sum of r − t over the first n drafts."""
    G = sp.IndexedBase("G", real=True)
    return G, *d.recursion("gained", eq(G[0, x], 0), eq(G[n + 1, x], G[n, x] + t.r[n + 1, x] - sign * t.t[n + 1, x]))


def least(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All laws in every context, every number of drafts, from E[τ] = Σ E_Q[r_i] and Σ E_Q[t_i].

    Attained by two drafts, whatever the laws.
    """
    t = walked(d)
    _, _, above, _, _, some = t.ranges
    G, none, next_gain = _gained(d, t, sign)
    S = sp.IndexedBase("S", real=True)
    lifted = sp.Min(1, t.t[n, x] * t.rho[n, x])
    zero, on = d.recursion("made up for", eq(S[0, x], 0), eq(S[n + 1, x], S[n, x] + constant * lifted - t.t[n + 1, x]))
    per_draft = d.smt("at each draft", ge(t.r[n + 1, x], lifted), t.block[1], above, some)
    for_every_n = d.inductive(
        "for every number", ge(G[n, x], S[n, x]), n, [none, zero], [next_gain, on, per_draft], by="smt"
    )
    for_every_n = d.instantiate("for all drafts", for_every_n, {n: size})
    per_draft = d.smt("weighed", ge(t.w[x] * G[size, x], t.w[x] * S[size, x]), for_every_n)
    d.qed(d.sum("over the drafts", per_draft, x))


class _Above:
    """The gain of n drafts after c and its bound, on the tree: G[n, c] ≤ X[n, c]."""

    def __init__(self, d: Derivation, sign: int, constant: int) -> None:
        """Derive G ≤ X by induction on the number of drafts, from the gain and the slack of each token."""
        self.t = t = tree(d)
        k = kept(d, t)
        self.alone, self.G, self.X = (sp.IndexedBase(name, real=True) for name in ("alone", "G", "X"))
        after = t.child[c, x]
        alone = self.alone
        self.one = d.domain(ALONE, eq(t.q[c, x] * alone[after], constant * alone[c] * sp.Min(t.p[c, x], t.q[c, x])))
        some, alone_at_most_one = d.domain("a probability too", ge(alone[c], 0), le(alone[c], 1))
        none, alone_step = d.recursion(
            "gained after c",
            eq(self.G[0, c], 0),
            eq(self.G[n + 1, c], total(t.q[c, x] * (k.A[n, after] - alone[after] + sign * self.G[n, after]), x)),
        )
        slack = t.r[c] * (1 - alone[c])
        self.start, self.grows = d.recursion(
            "its bound", eq(self.X[0, c], 0), eq(self.X[n + 1, c], slack + total(t.q[c, x] * self.X[n, after], x))
        )
        reach = d.instantiate("kept after a token", k.reach, {c: after})
        masses = [d.derive("a mass", ge(law[c, x], 0)) for law in (t.p, t.q)]
        low = sp.Min(t.q[c, x], t.r[c] * t.p[c, x])
        high = alone[c] * sp.Min(t.p[c, x], t.q[c, x])
        per_token = d.smt(
            "at each token", le(low - high, slack * t.p[c, x]), t.least, t.most, some, alone_at_most_one, *masses
        )
        per_token = d.smt(
            "gained at it",
            le(t.q[c, x] * (k.A[n, after] - alone[after]), slack * t.p[c, x]),
            per_token,
            reach,
            t.step,
            self.one,
        )
        per_token = d.sum("over the tokens", per_token, x)
        statement = le(self.G[n, c], self.X[n, c])
        before = d.suppose("gained at most", statement)
        there = d.instantiate("after a token", before, {c: after})
        later = d.smt("weighed", le(t.q[c, x] * self.G[n, after], t.q[c, x] * self.X[n, after]), there, masses[1])
        later = d.sum("over the tokens after it", later, x)
        using = [alone_step, self.grows, per_token, later, t.mass_p, before]
        self.every = d.inductive("for every number of drafts", statement, n, [none, self.start], using, by="smt")


def most(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts.

    Attained where each draft after the first has the ratio 0 or 1/r.
    """
    of = _Above(d, sign, constant)
    d.qed(d.instantiate("from the beginning", of.every, {c: root, n: size}))


def two(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws of the first token and of the second in every context.

    Attained for every α where first drafts have the ratio α and second ones 0 or 1/α; 1/4 is the largest value of the bound.
    """
    of = _Above(d, sign, constant)
    t = of.t
    at = of.t.child[root, x]
    begin, first = d.domain("the empty prefix is always kept", eq(t.r[root], 1), eq(of.alone[root], 1))
    k = sp.Min(t.p[root, x], t.q[root, x])
    alpha = total(k, x)
    bound = d.instantiate("of two drafts", of.every, {c: root, n: 2})
    outer = d.instantiate("its bound for two", of.grows, {n: 1, c: root})
    inner = d.instantiate("its bound for one", of.grows, {n: 0})
    empty = d.instantiate("its bound for none", of.start, {c: t.child[c, x]})
    empty = d.summed("weighed, nothing", eq(t.q[c, x] * of.X[0, t.child[c, x]], 0), empty)
    inner = d.derive("room after one draft", eq(of.X[1, c], t.r[c] * (1 - of.alone[c])), inner, empty)
    inner = d.instantiate("after the first", inner, {c: at})
    block = d.instantiate("kept by the block", t.step, {c: root})
    token = d.instantiate("kept alone", of.one, {c: root})
    mass, total_ = (
        d.instantiate("before any token", f, {c: root}) for f in (d.derive("a mass", ge(t.q[c, x], 0)), t.mass_q)
    )
    both_drafts = d.smt(
        "the first is kept alike", eq(t.q[root, x] * t.r[at], t.q[root, x] * of.alone[at]), block, token, begin, first
    )
    low = le(t.q[root, x] * of.X[1, at], k - 2 * alpha * k + alpha**2 * t.q[root, x])
    square = d.smt("a square is not negative", ge(t.q[root, x] * (of.alone[at] - alpha) ** 2, 0), mass)
    token = d.derive("alone", eq(t.q[root, x] * of.alone[at], k), token, first)
    per_draft = d.smt("of each first draft", low, square, both_drafts, token, inner)
    per_draft = d.sum("over the first drafts", per_draft, x)
    goal = le(of.G[2, root], alpha * (1 - alpha))
    premises = [bound, outer, per_draft, total_, begin, first]
    d.qed(d.smt("of two drafts, in all", goal, *premises))


def when(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """All laws in every context, every number of drafts, from E[τ] = Σ E_Q[r_i] and Σ E_Q[t_i]."""
    t = walked(d)
    low, high, above, r_at_most_one, _, some = t.ranges
    G, none, next_gain = _gained(d, t, sign)
    b = sp.IndexedBase("b", real=True)
    e = sp.IndexedBase("e", real=True)
    lift = t.t[n, x] * (1 - t.t[n, x]) * sp.Max(t.rho[n, x] - 1, 0)
    flag = d.domain(FLAG, eq(b[n, x] * (1 - b[n, x]), 0), eq((1 - b[n, x]) * lift, 0), gt(lift + 1 - b[n, x], 0))
    no, yes = d.recursion("so far some", eq(e[0, x], 0), eq(e[n + 1, x], 1 - (1 - e[n, x]) * (1 - b[n, x])))
    bit = d.inductive("yes or no", eq(e[n, x] * (1 - e[n, x]), 0), n, [no], [yes, flag[0]], by="smt")
    facts = [t.block[1], t.token[1], low, high, above, r_at_most_one, some]
    gained = sp.Min(1, t.t[n, x] * t.rho[n, x]) - t.t[n, x] * sp.Min(1, t.rho[n, x])
    up = d.smt("where b is 1 something is made up for", gt(gained + 1 - b[n, x], 0), *flag, low, high, some)
    flat = d.smt("elsewhere nothing", eq((1 - b[n, x]) * gained, 0), *flag, low, high, some)
    same = eq((1 - e[n, x]) * (t.r[n, x] - t.t[n, x]), 0)
    same = d.inductive(
        "where none came, as one by one",
        same,
        n,
        [t.block[0], t.token[0]],
        [*facts[:2], yes, flag[0], flat, bit],
        by="smt",
    )
    later = d.instantiate("a draft later", same, {n: n + 1})
    zero = d.inductive(
        "so nothing gained", eq((1 - e[n, x]) * G[n, x], 0), n, [none], [next_gain, later, yes, bit, flag[0]], by="smt"
    )
    ahead = d.instantiate("never below", above, {n: n + 1})
    grown = d.inductive("nothing lost", ge(G[n, x], 0), n, [none], [next_gain, ahead], by="smt")
    step = d.smt("made up for by the block", ge(t.r[n + 1, x] - t.t[n + 1, x], gained), *facts)
    sure = d.inductive(
        "where one came, some gained", gt(G[n, x] + 1 - e[n, x], 0), n, [none, no],
        [next_gain, yes, step, up, grown, ahead, bit, flag[0]], by="smt",
    )  # fmt: skip
    top = d.smt(
        "at most one more",
        le(t.r[n + 1, x] - t.t[n + 1, x], 1),
        *(d.instantiate("then", f, {n: n + 1}) for f in (r_at_most_one, low)),
    )
    count = d.inductive("at most one of each", le(G[n, x], n), n, [none], [next_gain, top], by="smt")
    ends = [d.instantiate("at the end", f, {n: size}) for f in (bit, zero, grown, sure, count)]
    _compared(d, t, G, e, ends, constant)


def _compared(d: Derivation, t: Paths, G: sp.IndexedBase, e: sp.IndexedBase, ends: list[Fact], constant: int) -> None:
    """The mean of G is positive exactly where that of e is."""
    gain = total(t.w[x] * G[size, x], x)
    chance = total(t.w[x] * e[size, x], x)
    bit, zero, grown, sure, count = ends
    f, h = sp.symbols("f h", real=True)
    signs = d.domain(
        SIGNS, eq((1 - f) * gain, 0), gt(gain + 1 - f, 0), eq(f * (1 - f), 0),
        eq((1 - h) * chance, 0), gt(chance + 1 - h, 0), eq(h * (1 - h), 0),
    )  # fmt: skip
    goal = eq(f, constant * h)
    positive = d.smt("of each draft", ge(t.w[x] * G[size, x], 0), grown)
    possible = d.smt("and its chance", ge(t.w[x] * e[size, x], 0), bit)
    possible = d.sum("all chances", possible, x)
    none = d.case("no gain", le(gain, 0))
    single = d.term("one of all", positive, x)
    nothing = d.smt("then none at any draft", le(t.w[x] * G[size, x], 0), single, none)
    never = d.smt("so no draft with one", eq(t.w[x] * e[size, x], 0), nothing, sure, bit)
    never = d.sum("over the drafts", never, x)
    without = d.derive("both are 0", goal, none, never, *signs, d.sum("no loss", positive, x), by="smt")
    some = d.case("some gain", gt(gain, 0))
    per_draft = d.smt("gained where one came", le(t.w[x] * G[size, x], size * t.w[x] * e[size, x]), zero, count, bit)
    per_draft = d.sum("gained over the drafts", per_draft, x)
    with_ = d.derive("both are 1", goal, some, per_draft, possible, *signs, by="smt")
    d.qed(d.cases("in either case", with_, without))


def _flags(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    bindings = along(p, q, gamma)
    all_paths = list(paths(p, q, gamma))

    def lifts(at: int, k: int) -> int:
        path = all_paths[k - 1]
        return int(at < gamma and 0 < path.token[at] < 1 < path.steps[at])

    gain = sum(path.weight * (sum(path.block) - sum(path.token)) for path in all_paths)
    chance = any(lifts(at, k) for k in range(1, len(all_paths) + 1) for at in range(gamma))
    return {**bindings, "b": lifts, "f": int(gain > 0), "h": int(chance)}


def _alone(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    bindings = values(p, q, gamma)
    alone = [1 + 0 * bindings["r"][0]] + [None] * (len(bindings["r"]) - 1)
    for at, row in enumerate(bindings["child"]):
        for y, after in enumerate(row):
            if after - 1 > at:
                a = bindings["p"][at][y]
                b = bindings["q"][at][y]
                alone[after - 1] = alone[at] * (min(a, b) / b if b else 1)
    return {**bindings, "alone": alone}


PROOFS = (
    Proof(GAIN_WHEN, when, drop=FLAG, bind=_flags),
    Proof(GAIN_LEAST, least, drop="w is nowhere negative", bind=along),
    Proof(GAIN_MOST, most, drop=TEST, bind=_alone),
    Proof(GAIN_TWO, two, drop=ALONE, bind=_alone),
)
