"""pad.utility-preserved: judged against the average, pivots lose utility; judged against the replacement, they do not."""

from __future__ import annotations

from fractions import Fraction as F
from functools import partial

import sympy as sp

from proofs_check.language import Derivation, Proof, Refutation, eq, ge, le, total, x, y
from proofs_check.pad._blocks import bind_blocks, blocks_keep
from proofs_check.pad._steps_and_values import (
    bind,
    bind_all,
    flagged,
    h,
    never_loses,
    no_loss,
    one_step,
    replaced,
    state,
)
from proofs_check.pad._two_token_texts import THIRDS, with_flags
from simspec.claims.pad.parts import relative_pivots, true_pivots
from simspec.claims.pad.strict_rule import STRICT_RULE
from simspec.claims.pad.utility import RELATIVE
from simspec.claims.pad.utility_preserved import (
    UTILITY_BLOCK,
    UTILITY_CORRECTED,
    UTILITY_FRESH,
    UTILITY_GUARDED,
    UTILITY_PRESERVED,
    UTILITY_SHARP,
    UTILITY_TIES,
    UTILITY_TOLERANT,
)
from simspec.claims.pad.utility_slack import UTILITY_SLACK_PRINTED
from simspec.laws import Array
from simspec.methods import Process


def prove_corrected(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags that the assumption
    allows; one draft a position.

    The loss allowed, 0, is the least: with every token flagged PAD is speculative decoding and loses nothing.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    after = m.U[h, m.step[state, x]]
    gains = no_loss(d, m, s, RELATIVE)
    step = one_step(d, m, s, after)
    step_loses_nothing = d.derive(
        "a step loses nothing", le(total(m.p[state, x] * after, x), total(s.o[h, state, x] * after, x)), step, gains
    )
    d.qed(never_loses(d, m, s.o[h, state, x], s.not_negative, step_loses_nothing))


def prove_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags that the assumption
    allows; blocks of any number of drafts, with the target's own token after them.

    The loss allowed, 0, is the least: with every token flagged PAD is speculative decoding and loses nothing.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    k = s.k[h, state, x]
    r = m.r[state, x]
    after = m.U[h, m.step[state, x]]
    gains = no_loss(d, m, s, RELATIVE)
    masses = d.sum("over the vocabulary", s.kept, x)
    accepted_worth = d.summed(
        "kept is what the target would write less the residual, and the overrides",
        eq(
            k * after,
            (m.p[state, x] - total(sp.Max(m.p[state, y] - m.q[state, y], 0), y) * r + s.g[h, state, x]) * after,
        ),
        *(s.kept, m.residual),
    )
    mean = ge(total(k * after, x) + (1 - total(k, x)) * replaced(m, after), m.U[h + 1, state])
    step_loses_nothing = d.derive("a step loses nothing", mean, accepted_worth, masses, gains, m.earlier, m.mass_p)
    low = d.derive("a kept mass is not negative", ge(k, 0), s.kept, s.overrides, s.flag)
    at_most_draft = d.derive("and a part of the draft", le(k, m.q[state, x]), s.kept, s.overrides, s.flag)
    d.qed(blocks_keep(d, m, k, r, step_loses_nothing, low, at_most_draft))


def prove_sharp(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags."""
    m, s = flagged(d, sign=sign, constant=constant)
    after = m.U[h, m.step[state, x]]
    rule_mean = total(s.o[h, state, x] * after, x)
    gains = total(s.g[h, state, x] * (after - replaced(m, after)), x)
    step = one_step(d, m, s, after)
    d.qed(d.derive("less what the target expects", eq(rule_mean - m.U[h + 1, state], gains), m.earlier, step))


# --- as printed -----------------------------------------------------------------------------------------------------

TOLERANCE = F(1, 8)
ties = partial(true_pivots, ties=True)
tolerant = partial(true_pivots, epsilon=TOLERANCE)


def both(process: Process) -> Array:
    """Pivots against the average and against the replacement."""
    return true_pivots(process) | relative_pivots(process)


SEARCHED = (
    "the first in order of vocabulary, then of the denominator of all masses and chances, of the texts of two tokens in "
    "which the draft errs at the first one only, with binary utility and the fewest flags of a classifier without error"
)

PROOFS = (
    Refutation(
        UTILITY_PRESERVED,
        lambda: with_flags(true_pivots),
        scope=f"{SEARCHED}: three tokens and halves; with two tokens none loses, up to thirds",
        repaired={
            "pivots are judged against the replacement": (UTILITY_CORRECTED, lambda: with_flags(relative_pivots)),
            "pivots are rejected outright, and replaced by a draw from the target": STRICT_RULE,
        },
    ),
    Refutation(
        UTILITY_TIES,
        lambda: with_flags(ties, THIRDS),
        scope=f"{SEARCHED}: three tokens and thirds; with two tokens none loses, up to thirds",
        repaired={
            "pivots are judged against the replacement": (
                UTILITY_CORRECTED,
                lambda: with_flags(relative_pivots, THIRDS),
            )
        },
    ),
    Refutation(
        UTILITY_FRESH,
        lambda: with_flags(true_pivots),
        scope=f"{SEARCHED}: two tokens and halves",
        repaired={"every pivot is rejected": STRICT_RULE},
    ),
    Refutation(
        UTILITY_GUARDED,
        lambda: with_flags(true_pivots, THIRDS),
        scope=f"{SEARCHED}: three tokens and thirds; both readings of the guardrail lose on it",
        repaired={"pivots are judged against the replacement too": lambda: with_flags(both, THIRDS)},
    ),
    Refutation(
        UTILITY_TOLERANT,
        lambda: with_flags(tolerant, epsilon=TOLERANCE),
        scope=f"{SEARCHED}, with a tolerance of 1/8: three tokens and halves",
        repaired={"an override may lose the acceptance rate besides the tolerance": UTILITY_SLACK_PRINTED},
    ),
    Proof(UTILITY_CORRECTED, prove_corrected, drop="the replacement is the normalised residual", bind=bind_all),
    Proof(UTILITY_BLOCK, prove_block, drop="the replacement is the normalised residual", bind=bind_blocks),
    Proof(UTILITY_SHARP, prove_sharp, drop="the target's law sums to one", bind=bind),
)
