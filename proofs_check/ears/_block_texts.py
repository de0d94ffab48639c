"""Texts written in blocks: after γ kept drafts a token comes straight from the target, and each token has p or EARS's law."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.ears._text_laws import N, Product, Step, Texts, c, n, regrouped, s
from proofs_check.language import Derivation, Fact, eq, ge, index, le, total, x

__all__ = ["block_texts", "block_values"]

h = index("h")
block = index("block")


class Blocks(NamedTuple):
    """Texts in blocks, with the step and the texts that they are made of."""

    w: Step
    tx: Texts
    B: Any
    """Chance of a text in blocks."""
    after: Any
    fresh: Any
    """Places in a block after a kept draft, and after any other token."""
    full: Any
    is_full: Fact
    """full is 0 or 1."""
    kept: Any
    keeps: Fact
    """kept = min(p, q) + g."""
    least: Any
    shares: Fact
    """least = min(p, o)."""

    def token(self, at: sp.Expr, tail: sp.Expr) -> sp.Expr:
        """Chance of the token `at` and then of the text `tail`: verified, or the target's own after a full block."""
        p, o, k = (e.subs(x, at) for e in (self.w.p, self.w.o, self.kept))
        goes, starts = (self.B[n, self.tx.step[s, at], place[h], tail] for place in (self.after, self.fresh))
        return (1 - self.full) * (k * goes + (o - k) * starts) + self.full * p * starts


def block_texts(
    d: Derivation, w: Step, tx: Texts, m: Product, some: Fact, positive: Fact
) -> tuple[sp.Expr, Fact, Fact]:
    """Chance of a text in blocks from the start of a block; it is at least the agreement; its sum over texts is 1.

    h − 1 drafts of the current block have been kept, and `full` marks the blocks without a further draft.
    """
    B = sp.IndexedBase("B", real=True)
    after = d.map("after")
    fresh = d.map("fresh")
    f = sp.IndexedBase("full", real=True)[h]
    full = d.domain("a block is full or not", eq(f * f, f))
    kept_mass, smaller_mass = (sp.IndexedBase(name, real=True)[s, x] for name in ("kept", "least"))
    keeps = d.define("mass kept of a token", kept_mass, sp.Min(w.p, w.q) + w.g)
    shares = d.define("mass that both laws give a token", smaller_mass, sp.Min(w.p, w.o))
    blocks = Blocks(
        w=w,
        tx=tx,
        B=B,
        after=after,
        fresh=fresh,
        full=f,
        is_full=full,
        kept=kept_mass,
        keeps=keeps,
        least=smaller_mass,
        shares=shares,
    )
    rule = d.recursion(
        "chance of a text in blocks: a kept draft, a replacement that starts a block, or the target's token after a full one",
        eq(B[0, s, h, c], 1),
        eq(B[n + 1, s, h, c], blocks.token(tx.first[c], tx.rest[c])),
    )
    above = _at_least(d, blocks, rule, m, some, positive)
    mass = _mass_one(d, blocks, rule)
    at = {h: block}
    return B[n, s, block, c], d.instantiate("at the start", above, at), d.instantiate("at the start", mass, at)


def _at_least(d: Derivation, t: Blocks, rule: tuple[Fact, Fact], m: Product, some: Fact, positive: Fact) -> Fact:
    """A text in blocks is at least as likely as both laws agree along it."""
    low = d.smt("min(p, q)", ge(sp.Min(t.w.p, t.w.q), 0))
    low = d.smt("kept drafts", ge(t.kept, 0), t.keeps, t.w.some, low)
    rest = d.derive("replacements", ge(t.w.o - t.kept, 0), t.w.law, t.keeps, t.w.back)
    head = {x: t.tx.first[c]}
    tail = {s: t.tx.step[s, t.tx.first[c]], c: t.tx.rest[c]}
    statement = ge(t.B[n, s, h, c] - m.W[n, s, c], 0)
    there = d.suppose("at least the agreement", statement)
    goes = d.instantiate("after a kept draft", there, {**tail, h: t.after[h]})
    starts = d.instantiate("in a new block", there, {**tail, h: t.fresh[h]})
    nonnegatives = [d.smt("of two", le(t.least, e), t.shares) for e in (t.w.p, t.w.o)]
    positive = d.derive("what both give", ge(t.least, 0), t.shares, positive)
    agreed = d.instantiate("the first token", t.shares, head)
    nonnegatives = [d.instantiate("the first token", fact, head) for fact in (*nonnegatives, positive, low, rest)]
    agree = d.instantiate("the rest of a text", some, tail)
    p, o, k, smaller_mass = (e.subs(head) for e in (t.w.p, t.w.o, t.kept, t.least))
    a, b = (t.B[n, tail[s], place, tail[c]] for place in (t.after[h], t.fresh[h]))
    M = m.W[n, tail[s], tail[c]]
    parts = [
        d.smt(text, ge(e, 0), goes, starts, agree, *nonnegatives)
        for text, e in (
            ("a kept draft", k * (a - M)),
            ("a replacement", (o - k) * (b - M)),
            ("EARS's law", (o - smaller_mass) * M),
            ("the target's token", p * (b - M)),
            ("the target's law", (p - smaller_mass) * M),
        )
    ]
    verified = d.derive("verified", ge(k * a + (o - k) * b - smaller_mass * M, 0), *parts[:3])
    two = d.derive("after a full block", ge(p * b - smaller_mass * M, 0), *parts[3:])
    f = t.full
    share = [d.smt(text, ge(e, 0), t.is_full) for text, e in (("full", f), ("or not", 1 - f))]
    either_case = [
        d.smt("in this case", ge(e * fact.relation.lhs, 0), flag, fact)
        for e, flag, fact in ((1 - f, share[1], verified), (f, share[0], two))
    ]
    in_either = ge((1 - f) * (k * a + (o - k) * b) + f * p * b - smaller_mass * M, 0)
    either = d.derive("in either case", in_either, *either_case)
    none, block_step = rule
    return d.inductive(
        "in blocks, whatever the text", statement, n, [none, m.none], [block_step, m.more, agreed, either], by="smt"
    )


def _mass_one(d: Derivation, t: Blocks, rule: tuple[Fact, Fact]) -> Fact:
    """The chances of all texts in blocks sum to one."""
    none, text_step = rule
    statement = eq(total(t.B[n, s, h, c], c, upto=N[n]), 1)
    there = d.suppose("mass one in blocks", statement)
    places = (t.after[h], t.fresh[h])
    sums = [d.instantiate("in the next state", there, {s: t.tx.step[s, x], h: place}) for place in places]
    again = regrouped(d, t.token, t.tx)
    heads = d.sum("over the texts", text_step, c, upto=N[n + 1])
    tails = eq(total(t.token(x, c), c, upto=N[n]), (1 - t.full) * t.w.o + t.full * t.w.p)
    tails = d.summed("texts after a token", tails, *sums)
    nothing = [d.sum("the empty text", none, c, upto=N[0]), t.tx.empty]
    return d.inductive("for every n", statement, n, nothing, [heads, again, tails, t.w.mass_o, t.w.mass_p])


def block_values(gamma: int) -> dict[str, Any]:
    """What the symbols stand for: texts start with a new block."""
    return {
        **{
            "after": lambda h: min(h + 1, gamma + 1),
            "fresh": lambda h: 1,
            "full": lambda h: int(h == gamma + 1),
            "block": 1,
        },
        **{"ranges": {"h": range(1, gamma + 2)}},
    }
