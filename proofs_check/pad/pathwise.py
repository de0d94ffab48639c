"""pad.pathwise: no promise for every seed, but what PAD has written is a submartingale of the target's expected utility."""

from __future__ import annotations

from proofs_check.language import Derivation, Proof, Refutation, ge, total, x
from proofs_check.pad._block_values import along_block, at_start, block, grow_in_blocks, kept_mean, parts
from proofs_check.pad._blocks import bind_blocks
from proofs_check.pad._steps_and_values import bind, flagged, h, no_loss, one_step, state
from proofs_check.pad._two_token_texts import with_flags
from simspec.claims.pad.parts import relative_pivots, true_pivots
from simspec.claims.pad.pathwise import PATHWISE, PATHWISE_BLOCK, PATHWISE_CORRECTED
from simspec.claims.pad.utility import RELATIVE


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags that the assumption
    allows; one draft a position.

    The fall allowed, 0, is the least: with every token flagged the expected utility stays as it is.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    after = m.U[h, m.step[state, x]]
    gains = no_loss(d, m, s, RELATIVE)
    step = one_step(d, m, s, after)
    statement = ge(total(s.o[h, state, x] * after, x), m.U[h + 1, state])
    d.qed(d.derive("a step loses nothing", statement, m.earlier, step, gains))


def prove_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags that the assumption
    allows; blocks of any number of drafts, with the target's own token after them.

    The fall allowed, 0, is the least: with every token flagged the expected utility stays as it is.
    """
    m, s = flagged(d, sign=sign, constant=constant)
    b = block(d)
    k = s.k[h, state, x]
    gains = no_loss(d, m, s, RELATIVE)
    mean = kept_mean(d, m, s)
    end = m.utility[state]
    beyond = m.U[h, m.step[state, x]]
    text = "what the target expects at the end of the block"
    R = along_block(d, m, (b, k), "R", end, text, beyond=beyond)
    rule = (b, k, *parts(d, m, s))
    grown = grow_in_blocks(
        d, m, rule, lambda u, v: ge(v[0], u), [R], ([m.finished], (mean, gains), ()), text="a block loses nothing"
    )
    d.qed(at_start(d, grown, context=True))


PROOFS = (
    Refutation(
        PATHWISE,
        lambda: with_flags(true_pivots),
        scope="the first in order of vocabulary, then of the denominator of all masses and chances, of the texts of two "
        "tokens in which the draft errs at the first one only: three tokens and halves; under every coupling PAD fails "
        "where the target succeeds with probability a quarter at least",
        repaired={
            "in expectation, with pivots judged against the replacement": (
                PATHWISE_CORRECTED,
                lambda: with_flags(relative_pivots),
            )
        },
    ),
    Proof(PATHWISE_CORRECTED, prove, drop="the target's law sums to one", bind=bind),
    Proof(PATHWISE_BLOCK, prove_block, drop="the replacement is the normalised residual", bind=bind_blocks),
)
