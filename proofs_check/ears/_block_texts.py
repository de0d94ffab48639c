"""Texts written in blocks: after γ kept drafts a token comes straight from the target, and each token has p or EARS's law."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.ears._text_laws import N, Product, Step, Texts, c, empty, n, s
from proofs_check.language import Derivation, Fact, eq, ge, index, le, total, x

__all__ = ["block_texts", "block_values"]

h, block = index("h"), index("block")


def block_texts(
    d: Derivation, w: Step, tx: Texts, m: Product, some: Fact, positive: Fact
) -> tuple[sp.Expr, Fact, Fact]:
    """Chance of a text in blocks from the start of a block; it is at least the agreement; its sum over texts is 1.

    h − 1 drafts of the current block have been kept, and `full` marks the blocks without a further draft.
    """
    B, after, fresh = sp.IndexedBase("B", real=True), d.map("after"), d.map("fresh")
    f = sp.IndexedBase("full", real=True)[h]
    full = d.domain("a block is full or not", eq(f * f, f))
    kept, least = (sp.IndexedBase(name, real=True)[s, x] for name in ("kept", "least"))
    keeps = d.define("mass kept of a token", kept, sp.Min(w.p, w.q) + w.g)
    shares = d.define("mass that both laws give a token", least, sp.Min(w.p, w.o))

    def token(at: sp.Expr, tail: sp.Expr) -> sp.Expr:
        p, o, k = (e.subs(x, at) for e in (w.p, w.o, kept))
        goes, starts = B[n, tx.step[s, at], after[h], tail], B[n, tx.step[s, at], fresh[h], tail]
        return (1 - f) * (k * goes + (o - k) * starts) + f * p * starts

    none, more = d.recursion(
        "chance of a text in blocks: a kept draft, a replacement that starts a block, or the target's token after a full one",
        eq(B[0, s, h, c], 1),
        eq(B[n + 1, s, h, c], token(tx.first[c], tx.rest[c])),
    )
    # at least the agreement
    low = d.smt("min(p, q)", ge(sp.Min(w.p, w.q), 0))
    low = d.smt("kept drafts", ge(kept, 0), keeps, w.some, low)
    rest = d.derive("replacements", ge(w.o - kept, 0), w.law, keeps, w.back)
    tail = {s: tx.step[s, tx.first[c]], c: tx.rest[c]}
    statement = ge(B[n, s, h, c] - m.W[n, s, c], 0)
    there = d.suppose("at least the agreement", statement)
    goes = d.instantiate("after a kept draft", there, {**tail, h: after[h]})
    starts = d.instantiate("in a new block", there, {**tail, h: fresh[h]})
    head = {x: tx.first[c]}
    less = [d.smt("of two", le(least, e), shares) for e in (w.p, w.o)]
    positive = d.derive("what both give", ge(least, 0), shares, positive)
    agreed = d.instantiate("the first token", shares, head)
    less = [d.instantiate("the first token", fact, head) for fact in (*less, positive, low, rest)]
    agree = d.instantiate("the rest of a text", some, tail)
    p, o, k, low_ = (e.subs(head) for e in (w.p, w.o, kept, least))
    a, b = (B[n, tail[s], place, tail[c]] for place in (after[h], fresh[h]))
    M = m.W[n, tail[s], tail[c]]
    facts = (goes, starts, agree, *less)
    parts = [
        d.smt(text, ge(e, 0), *facts)
        for text, e in (
            ("a kept draft", k * (a - M)),
            ("a replacement", (o - k) * (b - M)),
            ("EARS's law", (o - low_) * M),
            ("the target's token", p * (b - M)),
            ("the target's law", (p - low_) * M),
        )
    ]
    one = d.derive("verified", ge(k * a + (o - k) * b - low_ * M, 0), *parts[:3])
    two = d.derive("after a full block", ge(p * b - low_ * M, 0), *parts[3:])
    share = [d.smt(text, ge(e, 0), full) for text, e in (("full", f), ("or not", 1 - f))]
    either_case = [
        d.smt("in this case", ge(e * fact.relation.lhs, 0), flag, fact)
        for e, flag, fact in ((1 - f, share[1], one), (f, share[0], two))
    ]
    both = ge((1 - f) * (k * a + (o - k) * b) + f * p * b - low_ * M, 0)
    either = d.derive("in either case", both, *either_case)
    above = d.inductive(
        "in blocks, whatever the text", statement, n, [none, m.none], [more, m.more, agreed, either], by="smt"
    )
    # mass one
    statement = eq(total(B[n, s, h, c], c, upto=N[n]), 1)
    there = d.suppose("mass one in blocks", statement)
    sums = [d.instantiate("in the next state", there, {s: tx.step[s, x], h: place}) for place in (after[h], fresh[h])]
    again = d.domain(
        "a text of n + 1 tokens is a token and a text of n",
        eq(total(token(tx.first[c], tx.rest[c]), c, upto=N[n + 1]), total(total(token(x, c), c, upto=N[n]), x)),
    )
    heads = d.sum("over the texts", more, c, upto=N[n + 1])
    tails = eq(total(token(x, c), c, upto=N[n]), (1 - f) * w.o + f * w.p)
    tails = d.summed("texts after a token", tails, *sums)
    mass = d.inductive(
        "for every n",
        statement,
        n,
        [d.sum("the empty text", none, c, upto=N[0]), empty(d)],
        [heads, again, tails, w.mass_o, w.mass_p],
    )
    at = {h: block}
    return B[n, s, block, c], d.instantiate("at the start", above, at), d.instantiate("at the start", mass, at)


def block_values(gamma: int) -> dict[str, Any]:
    """What the symbols stand for: texts start with a new block."""
    return {
        **{"after": lambda h: h + 1, "fresh": lambda h: 1, "full": lambda h: int(h == gamma + 1), "block": 1},
        **{"ranges": {"h": range(1, gamma + 2)}},
    }
