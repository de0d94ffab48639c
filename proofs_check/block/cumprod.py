"""block.cumprod: a product of two uniforms is below a more often than one is; lossless where no product is between 0 and 1.

A prefix has mass P under the target and Q under the draft model; token verification drafts and keeps it with mass M, the rule
with mass S, and J is the mass of the texts that are emitted and begin with it.
"""

from __future__ import annotations

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
NO_MORE = "no more is kept than is drafted"
LONGER = "who keeps a longer prefix keeps this one"
TWO = "of two drafts or more: two uniforms have a product of at most a where one of them is at most a"
FIRST = "of one draft: its own test passes, or that of a longer prefix"
NEXT = "of one draft: the test of the second may pass where the first one's fails"
REST = "after a prefix a token is drawn from (p − q)₊ over its sum"
EMITTED = (
    "a text is emitted by what is kept of it, by a token drawn after that, or begins so and goes on as the target does"
)
FLAGS = "each flag is 1 where all prefixes are as it says, else 0"
LAWFUL = "f is 1 where J = P, and otherwise they differ first at a token after b"
SHARP = "g is 1 where M is 0 or Q of two drafts or more, and otherwise not so first at a token after a"
a, b = index("a"), index("b")


class _Prefixes:
    """Names of the tree of prefixes, and what is given of them."""

    def __init__(self, d: Derivation, sign: int) -> None:
        """Give the laws, what token verification keeps, and what the rule keeps and emits."""
        self.p, self.q, self.r = (d.weights(name, c, x) for name in "pqr")
        self.P, self.Q, self.M, self.S, self.J = (d.weights(name, c) for name in "PQMSJ")
        self.B, self.open, *self.level = (sp.IndexedBase(name, real=True) for name in ("B", "open", "z0", "z1", "z2"))
        self.child = d.map("child")
        p, q, P, Q, M, S, J = (base for base in (self.p, self.q, self.P, self.Q, self.M, self.S, self.J))
        none, one, more = (flag[c] for flag in self.level)
        after = self.child[c, x]
        self.after = after
        self.low, self.over = sp.Min(p[c, x], q[c, x]), sp.Max(p[c, x] - q[c, x], 0)
        self.levels = d.domain(
            LEVELS, eq(none + one + more, 1), *(eq(flag * (1 - flag), 0) for flag in (none, one, more)),
            eq(self.level[1][after], none), eq(self.level[2][after], one + more),
        )  # fmt: skip
        self.mass_p, self.mass_q = d.domain(
            MASSES, eq(total(p[c, x], x), self.open[c]), eq(total(q[c, x], x), self.open[c])
        )
        self.joint_p, self.joint_q = d.domain(JOINT, eq(P[after], P[c] * p[c, x]), eq(Q[after], Q[c] * q[c, x]))
        self.token, self.of_one = d.domain(
            TOKEN, eq(M[after], M[c] * self.low), eq(one * (M[c] - sp.Min(P[c], Q[c])), 0)
        )
        self.oftener, self.at_least, self.of_none = d.domain(
            AT_LEAST, eq(S[c], M[c] * self.B[c]), ge(self.B[c], 1), eq(none * (S[c] - M[c]), 0)
        )
        self.no_more = d.domain(NO_MORE, le(S[c], Q[c]))
        self.longer = d.domain(LONGER, ge(S[c], total(S[after], x)))
        self.two = d.domain(TWO, ge(more * (S[c] * Q[c] - M[c] * (2 * Q[c] - M[c])), 0))
        self.first = d.domain(FIRST, ge(one * (M[c] + total(S[after], x) - S[c]), 0))
        self.next = d.domain(NEXT, ge(one * (S[c] * Q[c] - M[c] * Q[c] - (Q[c] - M[c]) * total(M[after], x)), 0))
        self.rest, self.none_after = d.domain(
            REST, eq(self.r[c, x] * total(self.over, x), self.over), eq(self.r[c, x] * (1 - self.open[c]), 0)
        )
        again = (S[c] - total(S[after], x)) * self.r[c, x]
        self.emitted, self.kept = d.domain(
            EMITTED, eq(J[after], S[after] + sign * again + p[c, x] * (J[c] - S[c])), ge(J[c], S[c])
        )
        self.most = d.derive(
            "token verification keeps no more", le(M[c], Q[c]), self.oftener, self.at_least, self.no_more, by="smt"
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
    more = t.level[2]
    bits = d.domain(FLAGS, eq(f * (1 - f), 0), eq(g * (1 - g), 0))
    lawful, differs, lawful_before = d.domain(
        LAWFUL, eq(f * (t.J[c] - t.P[c]), 0), gt(f + sp.Abs(t.J[text] - t.P[text]), 0), eq(t.J[b], t.P[b])
    )
    sharp, between, sharp_before = d.domain(
        SHARP,
        eq(g * more[c] * t.M[c] * (t.Q[c] - t.M[c]), 0),
        gt(g + more[prefix] * t.M[prefix] * (t.Q[prefix] - t.M[prefix]), 0),
        eq(more[a] * t.M[a] * (t.Q[a] - t.M[a]), 0),
    )
    sufficient = _sufficient(d, t, g, sharp, bits)
    sufficient = d.instantiate("at the first text that differs", sufficient, {c: b, x: u[b]})
    one_way = d.smt("so it is lossless where g is 1", eq(g * (1 - f), 0), sufficient, differs, lawful_before, *bits)
    necessary = _necessary(d, t, f, v[a], lawful, bits, sharp_before)
    other_way = d.smt("so g is 1 where it is lossless", eq(f * (1 - g), 0), necessary, between, *bits)
    d.qed(d.derive("together", eq(f, constant * g), one_way, other_way, by="smt"))


def _sufficient(d: Derivation, t: _Prefixes, g: Any, sharp: Fact, bits: Any) -> Fact:
    """Where g is 1, S = M everywhere, and J = P goes on from a prefix to the next."""
    one, more = (flag[c] for flag in t.level[1:])
    S, M, Q, after = t.S, t.M, t.Q, t.after
    deep = d.smt(
        "of two drafts or more as token verification", eq(g * more * (S[c] - M[c]), 0),
        sharp, t.oftener, t.at_least, t.no_more, t.most,
    )  # fmt: skip
    sharp_there = d.instantiate("after a token", sharp, {c: after})
    oftener_there = d.instantiate("kept after a token", t.oftener, {c: after})
    there = M[after] * (Q[after] - M[after])
    no_other = d.smt("one draft is no more", eq(one * more, 0), *t.levels[:4])
    sharp_there = d.derive(
        "of a second draft", eq(g * one * there, 0), sharp_there, no_other, t.levels[2], t.levels[5], by="smt"
    )
    apart = d.smt("what is between there", ge(there, M[after] * (Q[c] - M[c]) * t.low), t.token, t.joint_q, t.most)
    apart = d.smt(
        "is no less than what was between before",
        le(g * one * M[after] * (Q[c] - M[c]) * t.low, 0), apart, sharp_there, bits[1], t.levels[2],
    )  # fmt: skip
    apart = d.smt(
        "so nothing was", eq(g * one * M[after] * (Q[c] - M[c]) * t.low, 0), apart, bits[1], t.levels[2], t.most
    )
    apart = d.derive("times M", eq(g * one * (Q[c] - M[c]) * M[after] ** 2, 0), apart, t.token, by="smt")
    kept = (Q[c] - M[c]) * M[after]
    apart = d.derive("times what is refused", eq(g * one * kept**2, 0), apart, by="smt")
    apart = d.derive("as a square", eq((g * one * kept) ** 2, 0), apart, by="smt")
    nothing = d.smt("after a first draft that is refused at times nothing is kept", eq(g * one * kept, 0), apart)
    nothing = d.derive(
        "by the rule neither", eq(g * one * (Q[c] - M[c]) * S[after], 0), nothing, oftener_there, by="smt"
    )
    nothing = d.sum("whatever comes second", nothing, x)
    single = d.smt(
        "of one draft as token verification", eq(g * one * (S[c] - M[c]), 0),
        nothing, t.first, t.oftener, t.at_least, t.no_more, t.most, t.levels[2], bits[1],
    )  # fmt: skip
    same = d.smt("so everywhere", eq(g * (S[c] - M[c]), 0), deep, single, t.of_none, t.levels[0])
    same_there = d.instantiate("after a token too", same, {c: after})
    kept_there = d.sum("over the tokens", same_there, x)
    tokens = d.sum("what token verification keeps", t.token, x)
    part = d.derive("a token is kept or beyond the draft", eq(t.low, t.p[c, x] - t.over))
    parts = d.sum("all tokens", part, x)
    beyond = d.derive(
        "what is refused is beyond the draft", eq(M[c] * t.open[c] - total(M[after], x), M[c] * total(t.over, x)),
        tokens, parts, t.mass_p,
    )  # fmt: skip
    drawn = d.derive("and drawn again", eq(M[c] * total(t.over, x) * t.r[c, x], M[c] * t.over), t.rest, by="smt")
    drawn = d.derive(
        "after this prefix",
        eq((M[c] - total(M[after], x)) * t.r[c, x], M[c] * t.over),
        drawn,
        beyond,
        t.none_after,
        by="smt",
    )
    refused = eq(g * (S[c] - total(S[after], x)) * t.r[c, x], g * M[c] * t.over)
    refused = d.derive("by the rule, too", refused, same, kept_there, drawn, by="smt")
    there = d.derive(
        "kept after a token as M", eq(g * S[after], g * M[c] * (t.p[c, x] - t.over)), same_there, t.token, part
    )
    goal = eq(g * (t.J[after] - t.P[after]), g * t.p[c, x] * (t.J[c] - t.P[c]))
    return d.smt("the law goes on", goal, refused, there, same, t.emitted, t.joint_p)


def _necessary(d: Derivation, t: _Prefixes, f: Any, token_a: Any, lawful: Fact, bits: Any, before: Fact) -> Fact:
    """Where f is 1, M is 0 or Q after a, of two drafts or more, as it is at a or a is one draft."""
    one = t.level[1][c]
    S, M, Q, after = t.S, t.M, t.Q, t.after
    lawful_there = d.instantiate("lawful after a token", lawful, {c: after})
    no_more = d.smt(
        "no more of a token is kept than the target says", le(f * S[after], f * t.p[c, x] * S[c]),
        lawful, lawful_there, t.emitted, t.longer, t.joint_p, bits[0],
    )  # fmt: skip
    no_more = d.smt("than it says of the drafts", le(f * S[after], f * t.p[c, x] * Q[c]), no_more, t.no_more, bits[0])
    row = total(M[after], x)
    second = d.smt(
        "after a first draft that is refused at times none is kept", le(f * one * (Q[c] - M[c]) * row, 0),
        lawful, t.kept, t.next, t.of_one, t.most, t.levels[2], bits[0],
    )  # fmt: skip
    term = d.term("one of them", d.derive("a mass", ge(M[after], 0)), x)
    second = d.smt(
        "nor any token after it", eq(f * one * (Q[c] - M[c]) * M[after], 0), second, term, t.most, t.levels[2], bits[0]
    )
    two = d.instantiate("two uniforms after a token", t.two, {c: after})
    most = d.instantiate("token verification after a token", t.most, {c: after})
    flag = d.instantiate("a flag", t.levels[3], {c: after})
    at_a = {c: a, x: token_a}
    facts = [no_more, second, two, most, flag, t.token, t.joint_q, t.levels[5]]
    no_more, second, two, most, flag, token, joint, level = (d.instantiate("at a", fact, at_a) for fact in facts)
    w = t.child[a, token_a]
    second = d.derive(
        "the prefix before is kept always, or none after it",
        eq(f * t.level[2][w] * (Q[a] - M[a]) * M[w], 0), second, before, token, level, by="smt",
    )  # fmt: skip
    return d.smt(
        "so none is between",
        eq(f * t.level[2][w] * M[w] * (Q[w] - M[w]), 0),
        second,
        no_more,
        two,
        most,
        flag,
        token,
        joint,
        bits[0],
    )


def _masses(p: Array, q: Array, gamma: int) -> tuple[dict[tuple[int, ...], Any], dict[tuple[int, ...], Any]]:
    """Of each prefix of γ tokens at most, the mass with which the rule drafts and keeps it, and with which it emits it."""
    target = markov(p)
    draft = markov(q)
    prefixes = nodes(p.shape[-1], gamma)
    kept = {prefix: ball(0) for prefix in prefixes}
    emitted = {prefix: ball(0) for prefix in prefixes}
    for weight, drafts in one_path(draft, gamma):
        for o in RULE(target, draft, drafts):
            mass = o.probability * ball(weight)
            for prefix in prefixes:
                if o.accepted >= len(prefix) and drafts[: len(prefix)] == prefix:
                    kept[prefix] += mass
                if o.tokens[: len(prefix)] == prefix[: len(o.tokens)]:
                    later = [target(prefix[:at])[prefix[at]] for at in range(len(o.tokens), len(prefix))]
                    emitted[prefix] += mass * ball(prod(later, start=F(1)))
    return kept, emitted


def _first(prefixes: list[tuple[int, ...]], is_wrong: Any) -> tuple[int, int]:
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
    kept, emitted = _masses(p, q, gamma)
    P = {(): F(1)}
    Q = {(): F(1)}
    M = {(): F(1)}
    for prefix in prefixes[1:]:
        before, token = prefix[:-1], prefix[-1]
        P[prefix] = P[before] * target(before)[token]
        Q[prefix] = Q[before] * draft(before)[token]
        M[prefix] = M[before] * min(target(before)[token], draft(before)[token])
    zero = [F(0)] * vocab
    is_open = [len(prefix) < gamma for prefix in prefixes]
    rows = [
        (target(x), draft(x)) if is_drafted else (zero, zero) for x, is_drafted in zip(prefixes, is_open, strict=True)
    ]
    b, u = _first(prefixes, lambda x: emitted[x] > ball(P[x]) or emitted[x] < ball(P[x]))
    a, v = _first(prefixes, lambda x: len(x) > 1 and 0 < M[x] < Q[x])
    instance = {"p": p, "q": q, "gamma": gamma}
    return {
        **{"V": vocab, "f": CUMPROD_CORRECTED.lhs(**instance), "g": CUMPROD_CORRECTED.rhs(**instance)},
        **{"p": [*(row for row, _ in rows), zero], "q": [*(row for _, row in rows), zero]},
        **{
            "r": [
                *(rest_of_p(*row) if is_drafted else zero for row, is_drafted in zip(rows, is_open, strict=True)),
                zero,
            ]
        },
        **{
            name: [*(of[x] for x in prefixes), 0 * of[()]]
            for name, of in zip("PQMSJ", (P, Q, M, kept, emitted), strict=True)
        },
        **{"B": [*(kept[x] / ball(M[x]) if M[x] else ball(1) for x in prefixes), ball(1)]},
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
