"""block.cumprod: a product of two uniforms is below a more often than one is; lossless where no product is between 0 and 1.

A prefix has mass P under the target and Q under the draft model; token verification drafts and keeps it with mass M, the rule
with mass S, and J is the mass of the texts that are emitted and begin with it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction as F
from math import prod
from typing import Any

import sympy as sp

from proofs_check.block._laws import by_size
from proofs_check.block._tree import c, nodes
from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, ge, gt, index, le, total, x
from simspec.claims.balls import ball
from simspec.claims.block.cumprod import CUMPROD, CUMPROD_CORRECTED, RULE
from simspec.claims.folk.parts import rest_of_p
from simspec.claims.texts import markov
from simspec.laws import Array
from simspec.methods.verifier.verifier import one_path

LEVELS = "a prefix has no token, one, or more"
MASSES = "after γ drafts nothing is drafted"
JOINT = "P and Q are the joint laws of a prefix"
TOKEN = "token verification keeps each draft with min(1, p/q)"
AT_LEAST = "what token verification keeps is kept, and nothing else of ratio 0"
DRAFTED = "no more is kept than is drafted"
NESTED = "who keeps a longer prefix keeps this one"
TWO = "of two drafts or more: two uniforms have a product of at most a where one of them is at most a"
FIRST = "of one draft: its own test passes, or that of a longer prefix"
SECOND = "of one draft: the test of the second may pass where the first one's fails"
REST = "after a prefix a token is drawn from (p − q)₊ over its sum"
EMITTED = (
    "a text is emitted by what is kept of it, by a token drawn after that, or begins so and goes on as the target does"
)
FLAGS = "each flag is 1 where all prefixes are as it says, else 0"
LAWFUL = "f is 1 where J = P, and otherwise they differ first at a token after b"
SHARP = "g is 1 where M is 0 or Q of two drafts or more, and otherwise not so first at a token after a"
a = index("a")
b = index("b")


class _Prefixes:
    """Names of the tree of prefixes, and what is given of them."""

    def __init__(self, d: Derivation, sign: int) -> None:
        """Give the laws, what token verification keeps, and what the rule keeps and emits."""
        self.p, self.q, self.r = (d.weights(name, c, x) for name in "pqr")
        self.P, self.Q, self.M, self.S, self.J = (d.weights(name, c) for name in "PQMSJ")
        self.B, self.open, self.empty, self.single, self.longer = (
            sp.IndexedBase(name, real=True) for name in ("B", "open", "z0", "z1", "z2")
        )
        self.child = d.map("child")
        self.after = self.child[c, x]
        self.low = sp.Min(self.p[c, x], self.q[c, x])
        self.over = sp.Max(self.p[c, x] - self.q[c, x], 0)
        self.give_laws(d)
        self.give_kept(d)
        self.give_emitted(d, sign)

    def give_laws(self, d: Derivation) -> None:
        """What a prefix is, its mass under both models, and what token verification drafts and keeps of it."""
        P, Q, M = (base[c] for base in (self.P, self.Q, self.M))
        p = self.p[c, x]
        q = self.q[c, x]
        after = self.after
        empty, single, longer = (flag[c] for flag in (self.empty, self.single, self.longer))
        self.length, self.empty_bit, self.single_bit, self.longer_bit, _, self.grows = d.domain(
            LEVELS, eq(empty + single + longer, 1), *(eq(flag * (1 - flag), 0) for flag in (empty, single, longer)),
            eq(self.single[after], empty), eq(self.longer[after], single + longer),
        )  # fmt: skip
        self.mass_p, _ = d.domain(MASSES, eq(total(p, x), self.open[c]), eq(total(q, x), self.open[c]))
        self.joint_p, self.joint_q = d.domain(JOINT, eq(self.P[after], P * p), eq(self.Q[after], Q * q))
        self.token, self.first_token = d.domain(
            TOKEN, eq(self.M[after], M * self.low), eq(single * (M - sp.Min(P, Q)), 0)
        )

    def give_kept(self, d: Derivation) -> None:
        """What the rule drafts and keeps of a prefix, from events on its uniforms."""
        Q, M, S = (base[c] for base in (self.Q, self.M, self.S))
        kept_after = total(self.S[self.after], x)
        self.share, at_least, self.begins = d.domain(
            AT_LEAST, eq(S, M * self.B[c]), ge(self.B[c], 1), eq(self.empty[c] * (S - M), 0)
        )
        self.drafted = d.domain(DRAFTED, le(S, Q))
        self.nested = d.domain(NESTED, ge(S, kept_after))
        self.two = d.domain(TWO, ge(self.longer[c] * (S * Q - M * (2 * Q - M)), 0))
        self.first = d.domain(FIRST, ge(self.single[c] * (M + kept_after - S), 0))
        second = (Q - M) * total(self.M[self.after], x)
        self.second = d.domain(SECOND, ge(self.single[c] * (S * Q - M * Q - second), 0))
        self.bounded = d.derive(
            "token verification keeps no more than is drafted", le(M, Q), self.share, at_least, self.drafted, by="smt"
        )
        self.range = (self.share, at_least, self.drafted, self.bounded)

    def give_emitted(self, d: Derivation, sign: int) -> None:
        """What it emits, from what it keeps."""
        S = self.S[c]
        J = self.J[c]
        r = self.r[c, x]
        after = self.after
        self.residual, self.closed = d.domain(
            REST, eq(r * total(self.over, x), self.over), eq(r * (1 - self.open[c]), 0)
        )
        resampled = (S - total(self.S[after], x)) * r
        self.emits, self.emits_kept = d.domain(
            EMITTED, eq(self.J[after], self.S[after] + sign * resampled + self.p[c, x] * (J - S)), ge(J, S)
        )


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every vocabulary size, all laws in every context, every number of drafts; all texts of γ tokens."""
    t = _Prefixes(d, sign)
    f = sp.Symbol("f", real=True)
    g = sp.Symbol("g", real=True)
    u = d.map("u")
    v = d.map("v")
    text = t.child[b, u[b]]
    prefix = t.child[a, v[a]]
    f_bit, g_bit = d.domain(FLAGS, eq(f * (1 - f), 0), eq(g * (1 - g), 0))
    lawful, differs, lawful_before = d.domain(
        LAWFUL, eq(f * (t.J[c] - t.P[c]), 0), gt(f + sp.Abs(t.J[text] - t.P[text]), 0), eq(t.J[b], t.P[b])
    )
    sharp, between, sharp_before = d.domain(
        SHARP,
        eq(g * t.longer[c] * t.M[c] * (t.Q[c] - t.M[c]), 0),
        gt(g + t.longer[prefix] * t.M[prefix] * (t.Q[prefix] - t.M[prefix]), 0),
        eq(t.longer[a] * t.M[a] * (t.Q[a] - t.M[a]), 0),
    )
    same = _same(d, t, g, sharp, g_bit)
    sufficient = d.instantiate("at the first text that differs", _goes_on(d, t, g, same), {c: b, x: u[b]})
    sufficient = d.smt(
        "so it is lossless where g is 1", eq(g * (1 - f), 0), sufficient, differs, lawful_before, f_bit, g_bit
    )
    necessary = _necessary(d, t, f, v[a], (lawful, f_bit, sharp_before))
    necessary = d.smt("so g is 1 where it is lossless", eq(f * (1 - g), 0), necessary, between, f_bit, g_bit)
    d.qed(d.derive("together", eq(f, constant * g), sufficient, necessary, by="smt"))


def _same(d: Derivation, t: _Prefixes, g: sp.Symbol, sharp: Fact, g_bit: Fact) -> Fact:
    """Where g is 1 the rule drafts and keeps each prefix as often as token verification: g (S − M) = 0."""
    S, M, single, longer = (base[c] for base in (t.S, t.M, t.single, t.longer))
    deep = d.smt("of two drafts or more as token verification", eq(g * longer * (S - M), 0), sharp, *t.range)
    second_kept = d.sum("whatever comes second", _second_of_none(d, t, g, sharp, g_bit), x)
    facts = (second_kept, t.first, t.single_bit, g_bit, *t.range)
    first = d.smt("of one draft as token verification", eq(g * single * (S - M), 0), *facts)
    return d.smt("so everywhere", eq(g * (S - M), 0), deep, first, t.begins, t.length)


def _second_of_none(d: Derivation, t: _Prefixes, g: sp.Symbol, sharp: Fact, g_bit: Fact) -> Fact:
    """Where g is 1, nothing is kept after a first draft that is refused at times: g z1 (Q − M) S = 0 at its tokens."""
    M, Q, single = (base[c] for base in (t.M, t.Q, t.single))
    after = t.after
    sharp_after = d.instantiate("after a token", sharp, {c: after})
    share_after = d.instantiate("kept after a token", t.share, {c: after})
    bits = (t.length, t.empty_bit, t.single_bit, t.longer_bit)
    exclusive = d.smt("one draft is not two", eq(single * t.longer[c], 0), *bits)
    gap_after = t.M[after] * (t.Q[after] - t.M[after])
    sharp_after = d.derive(
        "of a second draft", eq(g * single * gap_after, 0), sharp_after, exclusive, t.single_bit, t.grows, by="smt"
    )
    gap = t.M[after] * (Q - M) * t.low
    wider = d.smt("what is between after the token", ge(gap_after, gap), t.token, t.joint_q, t.bounded)
    gap_is_none = d.smt(
        "is no less than what was between before", le(g * single * gap, 0), wider, sharp_after, g_bit, t.single_bit
    )
    gap_is_none = d.smt("so nothing was", eq(g * single * gap, 0), gap_is_none, g_bit, t.single_bit, t.bounded)
    refused = (Q - M) * t.M[after]
    square = d.derive("times M", eq(g * single * (Q - M) * t.M[after] ** 2, 0), gap_is_none, t.token, by="smt")
    square = d.derive("times what is refused", eq(g * single * refused**2, 0), square, by="smt")
    square = d.derive("as a square", eq((g * single * refused) ** 2, 0), square, by="smt")
    tokens = d.smt("so token verification keeps nothing there", eq(g * single * refused, 0), square)
    goal = eq(g * single * (Q - M) * t.S[after], 0)
    return d.derive("and the rule does not", goal, tokens, share_after, by="smt")


def _goes_on(d: Derivation, t: _Prefixes, g: sp.Symbol, same: Fact) -> Fact:
    """Where g is 1, a text and its first tokens have the target's law together: g (J − P) = g p (J − P) one token before."""
    M = t.M[c]
    S = t.S[c]
    r = t.r[c, x]
    after = t.after
    over = total(t.over, x)
    tokens_after = total(t.M[after], x)
    same_after = d.instantiate("after a token too", same, {c: after})
    row = d.sum("over the tokens", same_after, x)
    tokens = d.sum("what token verification keeps", t.token, x)
    overlap = d.derive("a token is kept or beyond the draft", eq(t.low, t.p[c, x] - t.over))
    overlaps = d.sum("all tokens", overlap, x)
    beyond = eq(M * t.open[c] - tokens_after, M * over)
    beyond = d.derive("what is refused is beyond the draft", beyond, tokens, overlaps, t.mass_p)
    resampled = d.derive("and drawn again", eq(M * over * r, M * t.over), t.residual, by="smt")
    goal = eq((M - tokens_after) * r, M * t.over)
    resampled = d.derive("after this prefix", goal, resampled, beyond, t.closed, by="smt")
    goal = eq(g * (S - total(t.S[after], x)) * r, g * M * t.over)
    resampled = d.derive("by the rule, too", goal, same, row, resampled, by="smt")
    goal = eq(g * t.S[after], g * M * (t.p[c, x] - t.over))
    accepted = d.derive("kept after a token as M", goal, same_after, t.token, overlap)
    goal = eq(g * (t.J[after] - t.P[after]), g * t.p[c, x] * (t.J[c] - t.P[c]))
    return d.smt("the law goes on", goal, resampled, accepted, same, t.emits, t.joint_p)


def _necessary(d: Derivation, t: _Prefixes, f: sp.Symbol, token_a: Any, facts: tuple[Fact, Fact, Fact]) -> Fact:
    """Where f is 1, M is 0 or Q after a, of two drafts or more, as it is at a, or a is one draft."""
    lawful, f_bit, sharp_before = facts
    M, Q, S, single = (base[c] for base in (t.M, t.Q, t.S, t.single))
    after = t.after
    lawful_after = d.instantiate("lawful after a token", lawful, {c: after})
    law_facts = (lawful, lawful_after, t.emits, t.nested, t.joint_p, f_bit)
    bound = le(f * t.S[after], f * t.p[c, x] * S)
    bound = d.smt("a token is kept no oftener than the target says it", bound, *law_facts)
    bound = d.smt("after what is drafted", le(f * t.S[after], f * t.p[c, x] * Q), bound, t.drafted, f_bit)
    row_facts = (lawful, t.emits_kept, t.second, t.first_token, t.bounded, t.single_bit, f_bit)
    row = le(f * single * (Q - M) * total(t.M[after], x), 0)
    row = d.smt("after a first draft that is refused at times none is kept", row, *row_facts)
    term = d.term("one of them", d.derive("a mass", ge(t.M[after], 0)), x)
    term_facts = (row, term, t.bounded, t.single_bit, f_bit)
    second = d.smt("nor any token after it", eq(f * single * (Q - M) * t.M[after], 0), *term_facts)
    two = d.instantiate("two uniforms after a token", t.two, {c: after})
    bounded = d.instantiate("token verification after a token", t.bounded, {c: after})
    bit = d.instantiate("a flag", t.longer_bit, {c: after})
    general = (bound, second, two, bounded, bit, t.token, t.joint_q, t.grows)
    at_a = [d.instantiate("at a", fact, {c: a, x: token_a}) for fact in general]
    bound, second, two, bounded, bit, token, joint, grows = at_a
    w = t.child[a, token_a]
    goal = eq(f * t.longer[w] * (t.Q[a] - t.M[a]) * t.M[w], 0)
    always = (second, sharp_before, token, grows)
    second = d.derive("the prefix before is always kept, or none after it", goal, *always, by="smt")
    goal = eq(f * t.longer[w] * t.M[w] * (t.Q[w] - t.M[w]), 0)
    at_child = (bounded, bit, token, joint)
    return d.smt("so none is between", goal, second, bound, two, *at_child, f_bit)


def _masses(p: Array, q: Array, gamma: int) -> tuple[dict[tuple[int, ...], Any], dict[tuple[int, ...], Any]]:
    """Of each prefix of γ tokens at most, the mass with which the rule drafts and keeps it, and with which it emits it."""
    target = markov(p)
    draft = markov(q)
    prefixes = nodes(p.shape[-1], gamma)
    accepted = {prefix: ball(0) for prefix in prefixes}
    emitted = {prefix: ball(0) for prefix in prefixes}
    for weight, drafts in one_path(draft, gamma):
        for o in RULE(target, draft, drafts):
            mass = o.probability * ball(weight)
            for prefix in prefixes:
                if o.accepted >= len(prefix) and drafts[: len(prefix)] == prefix:
                    accepted[prefix] += mass
                if o.tokens[: len(prefix)] == prefix[: len(o.tokens)]:
                    later = [target(prefix[:at])[prefix[at]] for at in range(len(o.tokens), len(prefix))]
                    emitted[prefix] += mass * ball(prod(later, start=F(1)))
    return accepted, emitted


def _first(prefixes: list[tuple[int, ...]], is_wrong: Callable[[tuple[int, ...]], bool]) -> tuple[int, int]:
    """The number of a prefix, and a token, after which something is wrong first; of no wrong one, the empty text's."""
    for prefix in prefixes[1:]:
        if is_wrong(prefix):
            return prefixes.index(prefix[:-1]) + 1, prefix[-1] + 1
    return 1, 1


def _values(p: Array, q: Array, gamma: int) -> dict[str, Any]:
    """The tree, with a last prefix of no mass, where what follows γ drafts leads."""
    vocab = p.shape[-1]
    target = markov(p)
    draft = markov(q)
    prefixes = nodes(vocab, gamma)
    number = {prefix: at for at, prefix in enumerate(prefixes, 1)}
    nowhere = len(prefixes) + 1
    accepted, emitted = _masses(p, q, gamma)
    P: dict[tuple[int, ...], Any] = {(): F(1)}
    Q: dict[tuple[int, ...], Any] = {(): F(1)}
    M: dict[tuple[int, ...], Any] = {(): F(1)}
    for prefix in prefixes[1:]:
        before = prefix[:-1]
        token = prefix[-1]
        P[prefix] = P[before] * target(before)[token]
        Q[prefix] = Q[before] * draft(before)[token]
        M[prefix] = M[before] * min(target(before)[token], draft(before)[token])
    zero: Any = [F(0)] * vocab
    is_open = [len(prefix) < gamma for prefix in prefixes]
    rows = [
        (target(x), draft(x)) if is_drafted else (zero, zero) for x, is_drafted in zip(prefixes, is_open, strict=True)
    ]
    b, u = _first(prefixes, lambda x: emitted[x] > ball(P[x]) or emitted[x] < ball(P[x]))
    a, v = _first(prefixes, lambda x: len(x) > 1 and 0 < M[x] < Q[x])
    lossless, is_sharp = CUMPROD_CORRECTED.sides({"p": p, "q": q, "gamma": gamma})
    return {
        **{"V": vocab, "f": lossless, "g": is_sharp},
        **{"p": [*(row for row, _ in rows), zero], "q": [*(row for _, row in rows), zero]},
        **{
            "r": [
                *(rest_of_p(*row) if is_drafted else zero for row, is_drafted in zip(rows, is_open, strict=True)),
                zero,
            ]
        },
        **{
            name: [*(of[x] for x in prefixes), 0 * of[()]]
            for name, of in zip("PQMSJ", (P, Q, M, accepted, emitted), strict=True)
        },
        **{"B": [*(accepted[x] / ball(M[x]) if M[x] else ball(1) for x in prefixes), ball(1)]},
        **{"open": [*map(int, is_open), 0]},
        **{f"z{n}": [*(int(min(len(x), 2) == n) for x in prefixes), int(n == 2)] for n in range(3)},
        **{"child": [*([number.get((*x, y), nowhere) for y in range(vocab)] for x in prefixes), [nowhere] * vocab]},
        **{"u": lambda at: u, "v": lambda at: v},
        "ranges": {"c": range(1, nowhere + 1), "a": [a], "b": [b]},
    }


PROOFS = (
    Refutation(
        CUMPROD,
        by_size,
        scope="the first by the denominator of the laws over two tokens, two drafts; the probabilities are balls",
        repaired={"one draft": lambda: by_size(gamma=1)},
    ),
    Proof(CUMPROD_CORRECTED, prove, drop=TWO, bind=_values),
)
