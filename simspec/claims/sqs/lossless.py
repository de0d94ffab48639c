"""`sqs.lossless`: SQS 2."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.sqs.parts import scheme, table
from simspec.claims.sqs.texts import ELSEWHERE, TOLD, Text, budgeted_texts, one_step
from simspec.claims.words import Array, F, identity, law
from simspec.methods.block import Model, text_law
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
    if peeks is not None:  # a rule that drops the draft it just made when it is this token, for a fresh draw from p
        d = method.propose(q)
        seen = np.arange(p.shape[-1]) == peeks
        kept = np.where(seen, 0, method.keep(p, d))
        return kept + d[peeks] * p + (1 - d[peeks] - kept.sum()) * method.residual(p, d)
    if length == 0:
        return output_law(method, p, q, drawn)
    text = Text(p, q, k, resolution, threshold, step_size, dropped_target, budget)
    emitted = text_law(SD, text.target, text.sent, length, gamma, text.stop)
    return np.array([emitted.get(t, F(0)) for t in np.ndindex(*[p.shape[-1]] * length)], dtype=object)


def _wanted(p: Array, length: int) -> Array:
    if length == 0:
        return p
    model: Model = table(p)
    out = []
    for text in np.ndindex(*[p.shape[-1]] * length):
        mass = F(1)
        for n, token in enumerate(text):
            mass = mass * model(text[:n])[token]
        out.append(mass)
    return np.array(out, dtype=object)


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
    rhs=_wanted,
    outside={
        TOLD: {**ELSEWHERE, "p": law("1/2", "1/2"), **_ONE},
        BLIND: {**ELSEWHERE, "p": law("1/2", "1/2"), "drawn": None, **_ONE, "peeks": 0, "k": 2, "resolution": 4},
    },
    note="Speculative decoding with the draft law q̂, which the target knows. The bits of a law are known before its token is "
    "drawn, so the budget looks at earlier drafts only. Exact: all texts of up to three tokens, laws that depend on the last "
    "one; floats: one step.",
)
