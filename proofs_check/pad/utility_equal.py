"""pad.utility-equal: overrides can gain; where none gains or loses, induction keeps the target's value."""

from __future__ import annotations

from proofs_check.language import Derivation, Fact, Proof, Refutation, eq, total, x
from proofs_check.pad._block_values import along_block, block, grow_in_blocks, kept_mean, parts
from proofs_check.pad._block_values import at_start as at_block_start
from proofs_check.pad._blocks import bind_blocks
from proofs_check.pad._steps_and_values import (
    Models,
    Rule,
    bind_all,
    flagged,
    grow,
    h,
    one_step,
    replaced,
    state,
    worth,
)
from proofs_check.pad._two_token_texts import with_flags
from simspec.claims.pad.parts import true_pivots
from simspec.claims.pad.utility_equal import (
    UNEQUAL,
    UTILITY_EQUAL,
    UTILITY_EQUAL_BLOCK,
    UTILITY_EQUAL_CORRECTED,
    unequal,
)


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags that the assumption
    allows; one draft a position.  An equality, so attained everywhere.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    after = m.U[h, m.step[state, x]]
    none = no_change(d, m, s)
    step = one_step(d, m, s, after)
    step_keeps_value = d.derive(
        "nor does a step", eq(total(s.o[h, state, x] * after, x), total(m.p[state, x] * after, x)), step, none
    )
    W, at_end, before_it = worth(d, m, s.o[h, state, x])
    statement = eq(W[h, state], m.U[h, state])
    base = d.derive("a finished text", statement.replace({h: 0}), at_end, m.finished)
    steps = (before_it, m.earlier, step_keeps_value)
    d.qed(grow(d, m, s.o[h, state, x], s.not_negative, statement, base, *steps, text="at every context"))


def prove_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags that the assumption
    allows; blocks of any number of drafts.  An equality, so attained everywhere.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    b = block(d)
    k = s.k[h, state, x]
    none = no_change(d, m, s)
    mean = kept_mean(d, m, s)
    W = along_block(d, m, (b, k), "W", m.utility[state], "what the rule's text is worth in a phase of a block")
    rule = (b, k, *parts(d, m, s))
    facts = (mean, none)
    for_every_n = grow_in_blocks(
        d, m, rule, lambda u, v: eq(v[0], u), [W], ([m.finished], facts, ()), text="the rule's value is the target's"
    )
    d.qed(at_block_start(d, for_every_n, context=True))


def no_change(d: Derivation, m: Models, s: Rule) -> Fact:
    """Overrides change nothing, where all tokens worth more or less than their replacement are flagged."""
    after = m.U[h, m.step[state, x]]
    excess_worth = after - replaced(m, after)
    same = d.assume(UNEQUAL, eq((1 - s.f) * excess_worth, 0))
    none = d.smt("an override changes nothing", eq(s.g[h, state, x] * excess_worth, 0), s.overrides, same, s.flag)
    return d.sum("over the vocabulary", none, x)


PROOFS = (
    Refutation(
        UTILITY_EQUAL,
        lambda: with_flags(true_pivots),
        scope="the texts of pad.utility-preserved, in the same order: two tokens and thirds, where utility is gained",
        repaired={
            "all that is not worth its replacement is flagged": (UTILITY_EQUAL_CORRECTED, lambda: with_flags(unequal))
        },
    ),
    Proof(UTILITY_EQUAL_CORRECTED, prove, drop="the replacement is the normalised residual", bind=bind_all),
    Proof(UTILITY_EQUAL_BLOCK, prove_block, drop="the replacement is the normalised residual", bind=bind_blocks),
)
