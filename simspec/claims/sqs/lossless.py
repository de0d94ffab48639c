"""`sqs.lossless`: SQS 2."""

from __future__ import annotations

from typing import Any

from simspec.claims.sqs.parts import scheme
from simspec.claims.sqs.texts import ELSEWHERE, TOLD, Text, budgeted_texts, one_step
from simspec.claims.texts import discarding, markov, masses, written
from simspec.claims.words import Array, identity, law
from simspec.methods.block import text_law
from simspec.methods.sd import SD
from simspec.methods.step import output_law

BLIND = "the rule does not look at the draft it just made"


def _emitted(
    p: Array,
    q: Array,
    gamma: int,
    length: int,
    k: int,
    resolution: int,
    threshold: Any,
    step_size: Any,
    dropped_target: Any,
    budget: int | None,
    drawn: Array | None,
    peeks: int | None,
) -> Array:
    method = scheme(k, resolution, threshold)
    if peeks is not None:
        return discarding(method, p, q, peeks)
    if length == 0:
        return output_law(method, p, q, drawn)
    text = Text(p, q, k, resolution, threshold, step_size, dropped_target, budget)
    return masses(text_law(SD, text.target, text.sent, length, gamma, text.stop), p.shape[-1], length)


_ONE = {"gamma": 1, "length": 0, "budget": None, "peeks": None}

LOSSLESS = identity(
    name="sqs.lossless",
    statement=r"The tokens emitted by K-SQS and C-SQS follow $p$, with batches of fixed length or ended by a bit budget",
    reference="SQS 2",
    instances=lambda draw: (
        {**budgeted_texts(draw), "drawn": None, "peeks": None} if draw.exact else {**one_step(draw), **_ONE}
    ),
    assumes={TOLD: lambda drawn: drawn is None, BLIND: lambda peeks: peeks is None},
    lhs=_emitted,
    rhs=lambda p, length: written(markov(p), p.shape[-1], length) if length else p,
    outside={
        TOLD: {**ELSEWHERE, "p": law("1/2", "1/2"), **_ONE},
        BLIND: {**ELSEWHERE, "p": law("1/2", "1/2"), "drawn": None, **_ONE, "peeks": 0, "k": 2, "resolution": 4},
    },
    note="Speculative decoding with the draft law q̂, which the target knows. The bits of a law are known before its token is "
    "drawn, so the budget looks at earlier drafts only. Exact: all texts of up to three tokens, laws that depend on the last "
    "one; floats: one step.",
)
