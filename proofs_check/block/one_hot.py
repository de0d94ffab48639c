"""block.one-hot: along the one text that is certain, the block and its tokens are multiplied by the same ratios."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy as sp

from proofs_check.block._tree import TEST, Tree, c, kept, n, nodes, size, tree
from proofs_check.block.lossless import drawn_from, with_texts
from proofs_check.language import Derivation, Fact, Proof, eq, ge, gt, le, lt, total, x, y
from simspec.claims.block.one_hot import ONE_HOT_DRAFT, ONE_HOT_TARGET, certain
from simspec.laws import Array

ALONG = "the text goes on with its token"


class _Text:
    """The text that is certain: node[n] after n tokens, hot its next token; Q of it, and T of it kept one by one."""

    def __init__(self, d: Derivation, t: Tree, constant: int) -> None:
        """Name the certain text, its masses Q and T, and derive the step of r along it."""
        self.node, self.hot = d.map("node"), d.weights("hot", n, x)
        self.Q, self.T = sp.IndexedBase("Q", real=True), sp.IndexedBase("T", real=True)
        at = self.node[n]
        hot = self.hot[n, x]
        self.bit, self.one = d.domain("hot marks one token", eq(hot * (1 - hot), 0), eq(total(hot, x), 1))
        link = d.domain(ALONG, eq(hot * t.r[t.child[at, x]], hot * t.r[self.node[n + 1]]))
        self.p, self.q, self.r = t.p[at, x], t.q[at, x], t.r[at]
        drafted = total(hot * self.q, x)
        alone = total(hot * sp.Min(self.p, self.q), x)
        self.drafts = d.recursion("drafted", eq(self.Q[0], 1), eq(self.Q[n + 1], self.Q[n] * drafted))
        self.alone = d.recursion("kept one by one", eq(self.T[0], 1), eq(self.T[n + 1], self.T[n] * constant * alone))
        step = d.instantiate("on the text", t.step, {c: at})
        step = d.smt(
            "of its token", eq(hot * self.q * t.r[self.node[n + 1]], hot * sp.Min(self.q, self.r * self.p)), step, link
        )
        self.step = d.sum("over the tokens", step, x)
        self.least, self.most = (d.instantiate("r on the text", f, {c: at}) for f in (t.least, t.most))
        self.small = [
            self.masses(d, law, mass, name) for law, mass, name in ((t.p, t.mass_p, "p"), (t.q, t.mass_q, "q"))
        ]
        self.begin = d.domain("the empty prefix is always kept", eq(t.r[self.node[0]], 1))

    def masses(self, d: Derivation, law: sp.IndexedBase, mass: Fact, name: str) -> list[Fact]:
        """No mass is negative or above one."""
        some = d.derive(f"a mass of {name}", ge(law[c, x], 0))
        single_term = d.term("one of all", some, x, y)
        single_term = d.derive("at most all", le(law[c, y], 1), single_term, mass)
        at = self.node[n]
        return [d.instantiate("on the text", single_term, {c: at, y: x}), d.instantiate("also there", some, {c: at})]


def _ends(d: Derivation, t: Tree, s: _Text, over: Fact, same: Fact, sign: int) -> None:
    """What is emitted after each prefix of the text, from Q over = T (p − q)₊ and Q r = T."""
    e, residual = drawn_from(d, t)
    k = kept(d, t)
    at = s.node[n]
    stays = t.h[c] * (1 - sp.Add(k.ahead.relation.lhs))
    here = d.smt("c is kept, and no more", eq(stays, t.Z[c]), k.ahead, t.tested)
    resampled = d.derive("the token in its place", eq(stays * e[c, x], t.over), here, residual, by="smt")
    resampled = d.instantiate("on the text, with drafts to follow", resampled, {c: at})
    f = sp.IndexedBase("f", real=True)
    beyond = sp.Max(t.p[c, x] - t.q[c, x], 0)
    again = d.domain("one by one a token of (p − q)₊ over its sum", eq(f[c, x] * total(beyond, x), beyond))
    low = sp.Min(t.p[c, x], t.q[c, x])
    parts = d.sum("over all tokens", d.derive("kept, and beyond", eq(low, t.p[c, x] - beyond)), x)
    refused = d.derive("refused", eq(1 - total(low, x), total(beyond, x)), parts, t.mass_p)
    token_by_token = d.derive("refused, and drawn again", eq((1 - total(low, x)) * f[c, x], beyond), refused, again)
    token_by_token = d.instantiate("on the text, one by one", token_by_token, {c: at})
    goal = eq(sign * s.Q[n] * resampled.relation.lhs, s.T[n] * token_by_token.relation.lhs)
    per_prefix = d.derive("after n tokens", goal, resampled, token_by_token, over, by="smt")
    full_length = d.instantiate("after all", same, {n: size})
    last = t.p[s.node[size], x]
    d.qed(
        per_prefix,
        d.derive("the whole text", eq(s.Q[size] * t.r[s.node[size]] * last, s.T[size] * last), full_length, by="smt"),
    )


def draft(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all target laws in every context, all certain drafts, every number of them."""
    t = tree(d)
    s = _Text(d, t, constant)
    sure = d.domain("the draft is certain", eq(s.q, s.hot[n, x]))
    p_small, _ = s.small
    drafted_surely = d.smt("the draft", eq(s.hot[n, x] * s.q, s.hot[n, x]), sure, s.bit)
    drafted_surely = d.sum("drafted for sure", drafted_surely, x)
    alone_accepted = d.smt("kept alone", eq(s.hot[n, x] * sp.Min(s.p, s.q), s.hot[n, x] * s.p), sure, s.bit, *p_small)
    alone_accepted = d.sum("kept alone, over the tokens", alone_accepted, x)
    block = d.smt(
        "kept by the block",
        eq(s.hot[n, x] * sp.Min(s.q, s.r * s.p), s.r * (s.hot[n, x] * s.p)),
        *(sure, s.bit, s.least, s.most, *p_small),
    )
    block = d.sum("kept by the block, over the tokens", block, x)
    statement = eq(s.Q[n] * t.r[s.node[n]], s.T[n])
    using = [s.step, drafted_surely, s.one, alone_accepted, block, s.drafts[1], s.alone[1]]
    same = d.inductive("kept alike", statement, n, [s.drafts[0], s.alone[0], s.begin], using, by="smt")
    goal = eq(sp.Max(s.r * s.p - s.q, 0), s.r * sp.Max(s.p - s.q, 0))
    over = d.smt("beyond the draft", goal, sure, s.bit, s.least, s.most, *p_small)
    over = d.smt("and weighed", eq(s.Q[n] * sp.Max(s.r * s.p - s.q, 0), s.T[n] * sp.Max(s.p - s.q, 0)), over, same)
    _ends(d, t, s, over, same, sign)


def target(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all certain targets, all draft laws in every context, every number of drafts."""
    t = tree(d)
    s = _Text(d, t, constant)
    sure = d.domain("the target is certain", eq(s.p, s.hot[n, x]))
    _, q_small = s.small
    alone_accepted = d.smt("kept alone", eq(s.hot[n, x] * sp.Min(s.p, s.q), s.hot[n, x] * s.q), sure, s.bit, *q_small)
    alone_accepted = d.sum("kept alone, over the tokens", alone_accepted, x)
    alike = d.inductive(
        "drafted is kept",
        eq(s.T[n], s.Q[n]),
        n,
        [s.drafts[0], s.alone[0]],
        [s.drafts[1], s.alone[1], alone_accepted],
        by="smt",
    )
    always = eq(s.Q[n] * (1 - t.r[s.node[n]]), 0)
    before = d.suppose("nothing drafted is lost", always)
    goal = eq(s.Q[n] * s.hot[n, x] * sp.Min(s.q, s.r * s.p), s.Q[n] * (s.hot[n, x] * s.q))
    other = d.case("not the target's token", le(s.hot[n, x], 0))
    hot_nonnegative = d.derive("a mark", ge(s.hot[n, x], 0))
    no_mark = d.smt("no mark", eq(s.hot[n, x], 0), other, hot_nonnegative)
    elsewhere = d.derive("nothing on either side", goal, no_mark)
    token = d.case("the target's token", gt(s.hot[n, x], 0))
    mark = d.smt("its mark", eq(s.hot[n, x], 1), s.bit, token)
    whole = d.smt("its mass", eq(s.p, 1), sure, mark)
    enough = d.case("what is left is more than q", ge(s.r, s.q))
    smaller = d.smt("the smaller", eq(sp.Min(s.q, s.r * s.p), s.q), whole, enough)
    kept = d.derive("the same", goal, smaller)
    less = d.case("what is left is less than q", lt(s.r, s.q))
    gap = d.smt("so something is lost", gt(1 - s.r, 0), less, *q_small)
    never = d.smt("nothing is drafted", eq(s.Q[n], 0), before, gap)
    unreached = d.derive("nothing on either side", goal, never)
    there = d.cases("what is left", kept, unreached)
    block = d.sum("kept by the block, over the tokens", d.cases("which token", elsewhere, there), x)
    always = d.inductive("always", always, n, [s.begin, s.drafts[0]], [s.step, block, s.drafts[1], before], by="smt")
    same = d.smt("kept alike", eq(s.Q[n] * t.r[s.node[n]], s.T[n]), always, alike)
    over = d.smt(
        "beyond the draft",
        eq(s.Q[n] * sp.Max(s.r * s.p - s.q, 0), s.T[n] * sp.Max(s.p - s.q, 0)),
        *(always, alike),
    )
    _ends(d, t, s, over, same, sign)


def _values(of: str) -> Callable[..., dict[str, Any]]:
    """The function that binds the symbols of the claim; `of` says which law is certain, the draft's q or the target's p."""

    def bind(p: Array, q: Array, gamma: int) -> dict[str, Any]:
        """Values of the symbols in an instance: the texts, and which of them is certain."""
        bindings = with_texts(p, q, gamma)
        prefixes = nodes(p.shape[-1], gamma)
        text = certain(p if of == "p" else q, gamma)
        beyond = [
            [max(a - b, 0) for a, b in zip(*laws, strict=True)]
            for laws in zip(bindings["p"], bindings["q"], strict=True)
        ]
        f = [[m / sum(row) for m in row] if sum(row) else row for row in beyond]
        ranges = {k: v for k, v in bindings["ranges"].items() if k == "c"}
        return {
            **{k: bindings[k] for k in ("p", "q", "r", "h", "child", "V", "size", "e")},
            **{"f": f, "node": lambda at: prefixes.index(text[:at]) + 1},
            **{"hot": lambda at, k: int(text[at] == k - 1)},
            "ranges": {**ranges, "n": range(gamma)},
        }

    return bind


PROOFS = (
    Proof(ONE_HOT_DRAFT, draft, drop=TEST, bind=_values("q")),
    Proof(ONE_HOT_TARGET, target, drop=TEST, bind=_values("p")),
)
