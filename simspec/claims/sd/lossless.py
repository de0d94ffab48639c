"""`sd.lossless`: RDK 2; Leviathan et al. 2023, Appendix A.1."""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, identity, law
from simspec.claims.claim import Printed
from simspec.claims.texts import discarding, masses, written
from simspec.methods import SD, Method, output_law, text_law
from simspec.methods.block import Prefix


def _tables(draw: Draw) -> Instance:
    """Exact: a target and a draft over two tokens whose laws depend on the last two tokens, and how they are run.

    Floats: one step at full vocabulary size (length 1, γ = 1).
    """
    if not draw.exact:
        p, q = draw.pair(draw.vocab())
        return {"p": p, "q": q, "gamma": 1, "length": 1, "halts": None, "peeks": None}
    contexts = 3
    p, q = (np.stack([np.stack([draw.law(2) for _ in range(contexts)]) for _ in range(contexts)]) for _ in range(2))
    halts = np.array([[bool(draw.integer(0, 1)) for _ in range(contexts)] for _ in range(contexts)])
    return {"p": p, "q": q, "gamma": draw.integer(0, 3), "length": draw.integer(1, 3), "halts": halts, "peeks": None}


def _model(table: Array) -> Any:
    """Second-order Markov model from a table indexed by the last two tokens; row 0 stands for 'before the text'."""

    def model(prefix: Prefix) -> Array:
        padded = (-1, -1, *prefix)
        return table[padded[-2] + 1, padded[-1] + 1]

    return model


def _emitted(
    p: Array, q: Array, gamma: int, length: int, halts: Array | None, peeks: int | None, method: Method = SD
) -> Array:
    if peeks is not None:
        return discarding(SD, p, q, peeks)
    if halts is None:
        return output_law(method, p, q)

    def stop(prefix: Prefix, drafts: Prefix) -> bool:
        padded = (-1, -1, *drafts)
        return bool(drafts and halts[padded[-2] + 1, padded[-1] + 1])

    return masses(text_law(method, _model(p), _model(q), length, gamma, stop), p.shape[-1], length)


LOSSLESS = identity(
    name="sd.lossless",
    statement=r"The emitted token's law is $p$, and the first $T$ tokens of the concatenated output have the target's "
    r"law, for any rule that stops drafting looking only at earlier drafts",
    reference="RDK 2; Leviathan et al. 2023, Appendix A.1",
    instances=_tables,
    assumes={"the rule does not look at the draft it just made": lambda peeks: peeks is None},
    lhs=_emitted,
    rhs=lambda p, length, halts: p if halts is None else written(_model(p), p.shape[-1], length),
    outside={
        "the rule does not look at the draft it just made": {
            **{"p": law("1/2", "1/2"), "q": law("1/4", "3/4"), "peeks": 0},
            **{"gamma": 1, "length": 1, "halts": None},
        }
    },
    note="Exact: every draft and every coin of blocks is enumerated, with laws that depend on the last two tokens, γ ≤ 3, "
    "T ≤ 3, and a stopping rule drawn at random. Floats: one step at full vocabulary sizes. A rule that drops a draft "
    "because of the draft's own value moves its mass and is biased.",
    printed=Printed(
        place="PAD 2",
        text="ensuring the overall sampling distribution equals …",
        read="Of one token, and of any text, under any rule that ends a block without looking ahead.",
        restored="the acceptance probability, the law of the replacement, and the law that is equalled: $p$",
    ),
)
