"""Block acceptance with the residual of token verification is lossless.

`block.token-residual`, with its correction: vllm-ascend #7807, #7808.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, exact, identity, matrix
from simspec.claims.block.parts import EARLY, contexts, emitted, ended, law_under, target_law
from simspec.methods.block.verification import block_verifier

ONE_MORE = "at most one token is likelier under the target, after every text"


def _three(draw: Draw) -> Instance:
    p, q = (np.stack([draw.law(3) for _ in range(4)]) for _ in "pq")
    return {"p": p, "q": q, "gamma": 2}


def _one_more(draw: Draw) -> Instance:
    """Any draft laws; the target gives every token but one no more than they do."""
    instance = contexts(draw)
    q = instance["q"]
    p = []
    for row in q:
        lowered = exact([mass * draw.number(0, 1) for mass in row])
        top = draw.integer(0, len(row) - 1)
        lowered[top] += 1 - lowered.sum()
        p.append(lowered)
    return {**instance, "p": np.stack(p)}


def _law(p: Array, q: Array, gamma: int) -> Array:
    return emitted(ended(block_verifier(token_residual=True), p, q, gamma), p, gamma + 1)


TOKEN_RESIDUAL = identity(
    name="block.token-residual",
    statement=r"Block acceptance with the residual of token verification, $\mathrm{norm}((P - Q)_+)$ at $x^\tau$, is lossless",
    reference="vllm-ascend #7807, #7808",
    instances=_three,
    lhs=_law,
    rhs=lambda p, gamma: target_law(p, gamma + 1),
    sources=("exact",),
    corrected_by=("block.token-residual-corrected",),
    within=(
        {
            "p": matrix("1/4 1/2 1/4", "3/8 3/8 1/4", "3/10 3/10 2/5", "4/9 1/3 2/9"),
            "q": matrix("1/4 3/8 3/8", "2/3 1/6 1/6", "3/10 2/5 3/10", "3/5 1/5 1/5"),
            "gamma": 2,
        },
    ),
    note="A prefix that is kept with r < 1 owes the rest of r P, not of P: tokens that the target likes a little more than the "
    "draft are drawn too often. With two tokens both residuals are the same, so tests on two tokens do not see it.",
)

TOKEN_RESIDUAL_CORRECTED = identity(
    name="block.token-residual-corrected",
    statement=r"Block acceptance with the residual of token verification, $\mathrm{norm}((P - Q)_+)$ at $x^\tau$, is "
    r"lossless where after every text at most one token has $P > Q$, as with two tokens",
    reference="correction of vllm-ascend #7807, #7808",
    instances=_one_more,
    assumes={ONE_MORE: lambda p, q: bool(((p > q).sum(axis=-1) <= 1).all())},
    lhs=_law,
    rhs=lambda p, gamma: target_law(p, gamma + 1),
    sources=("exact",),
    outside={
        ONE_MORE: {
            **{"p": matrix(*["1/4 3/8 3/8"] * 4), "q": matrix(*["3/4 1/4 0"] * 4)},
            **{"gamma": 2},
        }
    },
    note="Then both residuals are that one token.",
    broken=[broken("a verifier that stops at the first refusal", lhs=law_under(EARLY))],
)
