"""Values along blocks of drafts: what follows a kept draft, a replacement and the target's own token; induction over both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, Relation, eq, ge, index, le, total, x, y
from proofs_check.pad._steps_and_values import Models, Rule, h, replaced, state

__all__ = ["Block", "Value", "after_draft", "along_block", "at_start", "block", "grow_in_blocks", "kept_mean", "parts"]

phase = index("phase")
first = index("first")
start = index("start")


class Block(NamedTuple):
    """The phase after a kept draft, that of a new block, and whether all drafts are kept."""

    onward: Any
    back: Any
    full: Any
    flag: Fact


class Value(NamedTuple):
    """A quantity in a phase of a block: its symbol, what it is while drafts are left, and where none is; its recursion."""

    symbol: Any
    drafting: Any
    own: Any
    end: Fact
    before: Fact

    @property
    def here(self) -> Any:
        """With h tokens to write."""
        return self.symbol[h, phase, state]


def block(d: Derivation) -> Block:
    """How phases of a block follow each other."""
    full = sp.IndexedBase("full", real=True)
    flag = d.domain("full is 1 where all drafts of the block are kept, else 0", eq(full[phase] ** 2, full[phase]))
    return Block(d.map("onward"), d.map("back"), full[phase], flag)


def after_draft(m: Models, b: Block, symbol: sp.IndexedBase) -> tuple[Any, Any]:
    """A quantity one draft further in the block, and in a new block, after token x."""
    there = m.step[state, x]
    return symbol[h, b.onward[phase], there], symbol[h, b.back[phase], there]


def along_block(
    d: Derivation,
    m: Models,
    drafts: tuple[Block, Any],
    name: str,
    end: sp.Expr,
    text: str,
    cost: sp.Expr | int = 0,
    beyond: sp.Expr | int = 0,
) -> Value:
    """A quantity by its first token: the cost of a verified draft, and what comes after.

    `drafts` are the block and the kept mass of a draft.  What comes after the block is the same quantity, unless
    `beyond` says what else.
    """
    (b, k) = drafts
    symbol = sp.IndexedBase(name, real=True)
    further, anew = after_draft(m, b, symbol)
    anew = beyond or anew
    drafting = cost + total(k * further, x) + (1 - total(k, x)) * total(m.r[state, x] * anew, x)
    own_token_mean = total(m.p[state, x] * anew, x)
    facts = d.recursion(
        text,
        eq(symbol[0, phase, state], end),
        eq(symbol[h + 1, phase, state], b.full * own_token_mean + (1 - b.full) * drafting),
    )
    return Value(symbol, drafting, own_token_mean, *facts)


def parts(d: Derivation, m: Models, s: Rule) -> tuple[Fact, Fact]:
    """That a kept mass is not negative, and a part of the draft."""
    k = s.k[h, state, x]
    low = d.derive("a kept mass is not negative", ge(k, 0), s.kept, s.overrides, s.flag)
    return low, d.derive("and a part of the draft", le(k, m.q[state, x]), s.kept, s.overrides, s.flag)


def kept_mean(d: Derivation, m: Models, s: Rule) -> Fact:
    """A draft, before the target's text: Σ k·U' + (1 − Σk) Σ r·U' = U + Σ g·(U' − Σ r·U')."""
    k = s.k[h, state, x]
    g = s.g[h, state, x]
    after = m.U[h, m.step[state, x]]
    masses = d.sum("over the vocabulary", s.kept, x)
    lacking = total(sp.Max(m.p[state, y] - m.q[state, y], 0), y)
    accepted_terms = d.summed(
        "kept is what the target would write less the residual, and the overrides",
        eq(k * after, (m.p[state, x] - lacking * m.r[state, x] + g) * after),
        *(s.kept, m.residual),
    )
    rest = (1 - total(k, x)) * replaced(m, after)
    gain = total(g * after, x) - total(g, x) * replaced(m, after)
    mean = eq(total(k * after, x) + rest, m.U[h + 1, state] + gain)
    return d.derive("a draft, before the target's text", mean, accepted_terms, masses, m.earlier, m.mass_p)


def grow_in_blocks(
    d: Derivation,
    m: Models,
    rule: tuple[Block, Any, Fact, Fact],
    form: Callable[[Any, Sequence[Any]], Relation],
    values: Sequence[Value],
    facts: tuple[Sequence[Fact], Sequence[Fact], Sequence[Fact]],
    text: str,
) -> Fact:
    """Backward induction in every phase of a block.

    Parameters
    ----------
    rule : the block, the kept mass k, that k ≥ 0 and that k ≤ q
    form : the target's value and those of `values` to the statement, which is linear in them
    facts : what finishes a text, beside the ends of the values; what is known of a step while drafts are left, and where
        none is
    """
    (b, k, low, within_draft) = rule
    (base, drafts, own_token_facts) = facts
    statement = form(m.U[h, state], [v.here for v in values])
    finished_text = d.derive(f"{text}: a finished text", statement.replace({h: 0}), *(v.end for v in values), *base)
    so_far = d.suppose(f"{text}: with h tokens to write, in any phase", statement)
    there = m.step[state, x]
    keeps = d.instantiate("after a kept draft", so_far, {phase: b.onward[phase], state: there})
    anew = d.instantiate("in a new block", so_far, {phase: b.back[phase], state: there})
    law = d.derive("the target's masses are not negative", ge(m.p[state, x], 0))
    fresh = d.derive("nor are the replacement's", ge(m.r[state, x], 0))

    def weighed(name: str, mass: sp.Expr, fact: Fact, sign: Fact) -> Fact:
        sides = (sp.expand(mass * side) for side in (fact.relation.lhs, fact.relation.rhs))
        return d.summed(name, Relation(next(sides), fact.relation.op, next(sides)), fact, sign)

    accepted_drafts = weighed("kept drafts", k, keeps, low)
    two = weighed("replacements", m.r[state, x], anew, fresh)
    three = weighed("the target's own token", m.p[state, x], anew, law)
    some = d.sum("over the drafts", within_draft, x)
    rest = 1 - total(k, x)
    some = d.derive("rejections are not negative", ge(rest, 0), some, m.mass_q)
    two = d.derive(
        "as often as there are any",
        Relation(rest * two.relation.lhs, two.relation.op, rest * two.relation.rhs),
        *(two, some),
    )
    drafting_statement = form(m.U[h + 1, state], [v.drafting for v in values])
    left_fact = d.derive("while drafts are left", drafting_statement, accepted_drafts, two, *drafts)
    last = form(m.U[h + 1, state], [v.own for v in values])
    own_fact = d.derive("when none is", last, three, m.earlier, *own_token_facts)
    next_token = d.derive(
        f"{text}: one token more",
        statement.replace({h: h + 1}),
        *(*(v.before for v in values), b.flag, left_fact, own_fact),
    )
    return d.induction(f"{text}: in every phase at every context", statement, h, finished_text, next_token)


def at_start(d: Derivation, fact: Fact, context: bool = False) -> Fact:
    """A statement about every phase, at the start of a block; of a text of T tokens, or (`context`) at every context."""
    if context:
        return d.instantiate("at the start of a block", fact, {phase: first})
    T = sp.Symbol("T", integer=True, nonnegative=True)
    return d.instantiate("at the start of the text", fact, {h: T, phase: first, state: start})
