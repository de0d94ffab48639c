"""Text that a middle model emits, verified by the target with the middle model reported, has the target's law.

`cascade.lossless`: Wang et al. 2025 (2510.26527).
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, broken, identity, matrix
from simspec.claims.cascade.parts import first_stage
from simspec.claims.parallel.parts import texts_of_calls
from simspec.claims.texts import markov, written
from simspec.methods.block import Outcome, Prefix
from simspec.methods.stop import told_verifier
from simspec.methods.verifier.verifier import outcomes


def _models(draw: Draw) -> Instance:
    """Target, middle model and draft whose laws depend on the last of two tokens, drafts of a call, a length of text."""
    p, m, q = (np.stack([draw.law(2) for _ in range(3)]) for _ in range(3))
    return {"p": p, "m": m, "q": q, "gamma": draw.integer(0, 2), "length": draw.integer(1, 3)}


def _emitted(p: Array, m: Array, reported: Array, q: Array, gamma: int, length: int) -> Array:
    """Law of the first tokens: in each call m verifies γ drafts of q once, and p all that m emits."""
    target, middle, reported_model, draft = (markov(table) for table in (p, m, reported, q))

    def call(text: Prefix) -> list[Outcome]:
        stage = first_stage(lambda x: middle(text + x), lambda x: draft(text + x), gamma)
        return outcomes(
            told_verifier(), lambda x: target(text + x), lambda x: reported_model(text + x), gamma + 1, stage
        )

    return texts_of_calls(call, p.shape[-1], length)


def _mixed(p: Array, m: Array, q: Array, gamma: int, length: int) -> Array:
    return _emitted(p, m, (m + F(1, 2)) / 2, q, gamma, length)


LOSSLESS = identity(
    name="cascade.lossless",
    statement=r"$\gamma$ drafts of $q$ are verified by $m$, and all that $m$ emits is verified by $p$ with $m$ reported: the "
    r"text has the target's law",
    reference="Wang et al. 2025 (2510.26527), abstract at hand (“preserving the original output distribution”)",
    instances=_models,
    lhs=lambda p, m, q, gamma, length: _emitted(p, m, m, q, gamma, length),
    rhs=lambda p, length: written(markov(p), p.shape[-1], length),
    tight=[
        {
            **{"p": matrix("1/2 1/2", "1 0", "0 1"), "m": matrix("1/2 1/2", "1/2 1/2", "1/2 1/2")},
            **{"q": matrix("1 0", "1/2 1/2", "1/4 3/4"), "gamma": 1, "length": 2},
        }
    ],
    sources=("exact",),
    note="What m emits is drawn from m, token after token; that it ends after a token that is no draft of q tells nothing of "
    "the next one (as in stop.kept). So with any number of models, each of which verifies what the one before it emits.",
    broken=[broken("a mixture with a uniform law is reported", lhs=_mixed)],
)
