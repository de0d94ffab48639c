"""K-SQS and C-SQS emit the target's distribution, for batches of fixed length or with a bit budget.

`sqs.lossless`: SQS 2.
"""

from __future__ import annotations

from typing import Any

from simspec.claims.authoring import Array, Broken, Draw, broken, identity, law
from simspec.claims.claim import Printed
from simspec.claims.sqs.parts import scheme
from simspec.claims.sqs.texts import ELSEWHERE, TOLD, budgeted_texts, one_step, text_of
from simspec.claims.texts import discarding, markov, masses, written
from simspec.methods.block import text_law
from simspec.methods.method import output_law
from simspec.methods.sd import SD

BLIND = "the rule does not look at the draft it just made"


def _emitted(length: int, gamma: int, peeks: int | None, drawn: Array | None, **text: Any) -> Array:
    p = text["p"]
    q = text["q"]
    method = scheme(text["k"], text["resolution"], text["threshold"])
    if peeks is not None:  # a rule that drops the draft it just made when it is this token, for a fresh draw from p
        return discarding(method, p, q, peeks)
    if length == 0:
        return output_law(method, p, q, drawn)
    model = text_of(text)
    return masses(text_law(SD, model.target, model.sent, length, gamma, model.stop), p.shape[-1], length)


_ONE = {"gamma": 1, "length": 0, "budget": None, "peeks": None}


def _plain_step(draw: Draw) -> dict[str, Any]:
    step = {"p": draw.law(2), "q": draw.law(2), "k": 2, "resolution": draw.integer(1, 4), "drawn": None}
    return {
        **step,
        "threshold": None,
        "step_size": None,
        "dropped_target": None,
        "gamma": 1,
        "length": 0,
        "budget": None,
    }


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
    printed=Printed(
        place="SQS 2",
        text="the resulting protocol also guarantees that the accepted tokens have the same distribution as "
        "for the LLM in the cloud",
        read="Of all emitted tokens, with blocks of fixed length or ended by a budget of bits.",
    ),
    broken=[
        Broken("the draft in place of the target", lambda claim: {"rhs": lambda q, length: claim.rhs(q, length)}),
        broken(
            "a drafter that peeks at the target",
            assumes={},
            instances=lambda draw: {**_plain_step(draw), "peeks": draw.integer(0, 1)},
        ),
    ],
)
