"""Two sets of flags: what a change of labels does to the values, by the difference of the laws of a step."""

from __future__ import annotations

from typing import Any, NamedTuple

import sympy as sp

from proofs_check.language import Derivation, Fact, eq, total, x
from proofs_check.pad._block_values import Block, Value, after_draft, along_block, block, parts
from proofs_check.pad._steps_and_values import Models, Rule, flags, h, models, rule, state, worth

__all__ = ["BlockChange", "Change", "Labels", "change", "change_in_blocks", "labels", "moved"]


class Labels(NamedTuple):
    """The rule before and after, and the set F of labels that change."""

    m: Models
    before: Rule
    after: Rule
    F: Any
    label: Fact


class BlockChange(NamedTuple):
    """The change, the values before (W) and after (N) and what the change gains (G), by phases; and the rule after."""

    W: Value
    N: Value
    G: Value
    rule: tuple[Block, Any, Fact, Fact]
    gap: Any
    moved: Fact


class Change(NamedTuple):
    """The rule before and after, the set F of labels that change, and the values before (W) and after (N)."""

    m: Models
    before: Rule
    after: Rule
    F: Any
    label: Fact
    W: Any
    N: Any
    facts: tuple[Fact, Fact, Fact, Fact]


def labels(d: Derivation, adds: bool, sign: int = 1, constant: int = 1) -> Labels:
    """Labels removed (flags and not F) or added (flags or F)."""
    m = models(d)
    f, flag = flags(d)
    F, label = flags(d, "F")
    old = f[h, state, x]
    new = old + F[h, state, x] - old * F[h, state, x] if adds else old * (1 - F[h, state, x])
    before = rule(d, m, old, flag, sign=sign, constant=constant)
    boolean = d.smt("a flag after the change is 0 or 1", eq(new**2, new), flag, label)
    after = rule(d, m, new, boolean, name="2", sign=sign, constant=constant)
    return Labels(m, before, after, F[h, state, x], label)


def change(d: Derivation, adds: bool, sign: int = 1, constant: int = 1) -> Change:
    """Labels that change, and the values of texts written one draft a position."""
    m, before, after, F, label = labels(d, adds, sign, constant)
    W, end, step = worth(d, m, before.o[h, state, x], "W", "what the text of the rule before is worth")
    N, other_end, other_step = worth(d, m, after.o[h, state, x], "N", "what the text of the rule after is worth")
    return Change(m=m, before=before, after=after, F=F, label=label, W=W, N=N, facts=(end, step, other_end, other_step))


def moved(d: Derivation, c: Change, freed: sp.Expr, freed_rule: Fact) -> Fact:
    """One step of the new rule before the old rule's text gains the freed overrides, taken from the replacement.

    Parameters
    ----------
    freed : expression
        mass of token x that is an override after the change and was none before.
    freed_rule : that the overrides after the change are those before it and the freed ones
    """
    r = c.m.r[state, x]
    old_value = c.W[h, c.m.step[state, x]]
    o = c.before.o[h, state, x]
    new_law = c.after.o[h, state, x]
    masses = d.sum("over the vocabulary", freed_rule, x)
    per_token = d.derive(
        "the two laws of a step, token by token",
        eq(new_law * old_value, o * old_value + freed * old_value - total(freed, x) * r * old_value),
        *(c.after.law, c.before.law, masses, freed_rule),
    )
    return d.sum("over the vocabulary", per_token, x)


def change_in_blocks(d: Derivation, c: Labels, freed: sp.Expr, freed_rule: Fact) -> BlockChange:
    """What a change does along blocks: a draft of the new rule before the old rule's text gains the freed overrides.

    Parameters
    ----------
    freed, more : as in `moved`
    """
    m = c.m
    b = block(d)
    old = c.before.k[h, state, x]
    new = c.after.k[h, state, x]
    W = along_block(
        d, m, (b, old), "W", m.utility[state], "what the text of the rule before is worth in a phase of a block"
    )
    N = along_block(
        d, m, (b, new), "N", m.utility[state], "what the text of the rule after is worth in a phase of a block"
    )
    further, anew = after_draft(m, b, W.symbol)
    gap = further - total(m.r[state, x] * anew, x)
    cost = total(freed * gap, x)
    G = along_block(d, m, (b, new), "G", sp.S.Zero, "what the freed overrides gain, along the new path", cost)
    new_accept_rule = d.derive("what the new rule keeps", eq(new, old + freed), c.before.kept, c.after.kept, freed_rule)
    masses = d.sum("over the vocabulary", new_accept_rule, x)
    per_token = d.summed(
        "each before the old rule's text", eq(new * further, old * further + freed * further), new_accept_rule
    )
    replaced = total(m.r[state, x] * anew, x)
    after = total(new * further, x) + (1 - total(new, x)) * replaced
    step = d.derive(
        "a draft of the new rule before the old rule's text", eq(after, W.drafting + cost), masses, per_token
    )
    return BlockChange(W, N, G, (b, new, *parts(d, m, c.after)), gap, step)
