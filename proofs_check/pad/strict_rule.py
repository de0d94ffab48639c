"""pad.strict-rule: what is accepted is worth at least the average, and a draw from the target is worth the average."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.language import Derivation, Fact, Proof, ge, le, total, x
from proofs_check.pad._blocks import bind_blocks, blocks_keep
from proofs_check.pad._steps_and_values import Models, bind_all, flags, h, models, never_loses, state
from simspec.claims.pad.strict_rule import STRICT_BLOCK, STRICT_RULE
from simspec.claims.pad.utility import RECALL


def prove(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """Every process of any states, tokens and length; every utility of the last state; all flags that the assumption
    allows; one draft a position.

    The loss allowed, 0, is the least: with every token flagged each token is a draw from the target.
    """
    m, _, o, mean, gain, signs = stricter(d, sign, constant)
    after = m.U[h, m.step[state, x]]
    step_loses_nothing = d.derive(
        "a step loses nothing",
        le(total(m.p[state, x] * after, x), total(o * after, x)),
        *(mean, gain, m.earlier),
    )
    d.qed(never_loses(d, m, o, signs[2], step_loses_nothing))


def prove_block(d: Derivation, sign: int = 1, constant: int = 1) -> None:
    """The same in blocks of any number of drafts, with the target's own token after them.

    The loss allowed, 0, is the least: with every token flagged each token is a draw from the target.
    """
    m, k, _, _, gain, signs = stricter(d, sign, constant)
    after = m.U[h, m.step[state, x]]
    mean = ge(total(k * after, x) + (1 - sign * total(k, x)) * total(m.p[state, x] * after, x), m.U[h + 1, state])
    step_loses_nothing = d.derive("a step loses nothing", mean, gain, m.earlier)
    d.qed(blocks_keep(d, m, k, m.p[state, x], step_loses_nothing, *signs[:2]))


def stricter(d: Derivation, sign: int, constant: int) -> tuple[Models, Any, Any, Fact, Fact, tuple[Fact, Fact, Fact]]:
    """Laws, kept mass, law of a step, its mean, what is gained; that k ≥ 0, that k ≤ q, that the law is not negative."""
    m = models(d)
    f, flag = flags(d)
    k = sp.IndexedBase("k", real=True)
    o = sp.IndexedBase("o", real=True)
    after = m.U[h, m.step[state, x]]
    here = m.U[h + 1, state]
    keeps = d.define(
        "kept: exactly the drafts not flagged", k[h, state, x], (1 - f[h, state, x]) * constant * m.q[state, x]
    )
    emits = d.define(
        "a rejected draft is replaced by a draw from the target",
        o[h, state, x],
        k[h, state, x] + (1 - sign * total(k[h, state, x], x)) * m.p[state, x],
    )
    recall = d.assume(RECALL, ge((1 - f[h, state, x]) * (after - here), 0))
    gain = d.summed(
        "what is kept is worth at least the average", ge(k[h, state, x] * after, k[h, state, x] * here), keeps, recall
    )
    low = d.derive("a kept mass is not negative", ge(k[h, state, x], 0), keeps, flag)
    at_most_draft = d.derive("kept is a part of the draft", le(k[h, state, x], m.q[state, x]), keeps, flag)
    share = d.sum("over the vocabulary", at_most_draft, x)
    not_negative = d.derive("an emitted mass is not negative", ge(o[h, state, x], 0), emits, low, share, m.mass_q)
    mean = d.summed(
        "what comes after, token by token",
        ge(o[h, state, x] * after, k[h, state, x] * after + (1 - total(k[h, state, x], x)) * m.p[state, x] * after),
        emits,
    )
    return m, k[h, state, x], o[h, state, x], mean, gain, (low, at_most_draft, not_negative)


PROOFS = (
    Proof(STRICT_RULE, prove, drop="the draft's law sums to one", bind=bind_all),
    Proof(STRICT_BLOCK, prove_block, drop="the draft's law sums to one", bind=bind_blocks),
)
