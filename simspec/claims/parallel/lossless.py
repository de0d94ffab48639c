"""A drafter that draws each position from a law of its own leaves the text to the target, if the verifier gets these laws.

`parallel.lossless`: own statement.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, Instance, broken, identity, matrix
from simspec.claims.parallel.parts import SOURCE, texts_of_calls
from simspec.claims.texts import markov, written
from simspec.methods.block import Outcome, Prefix
from simspec.methods.stop import told_verifier, whole
from simspec.methods.stop.drafting import ReportedLaw
from simspec.methods.verifier.verifier import by_rows, outcomes

__all__ = ["emitted"]


def _models(draw: Draw) -> Instance:
    """A target whose laws depend on the last of two tokens, a draft law for each of γ positions, and a length of text."""
    gamma = draw.integer(1, 2)
    p = np.stack([draw.law(2) for _ in range(3)])
    return {"p": p, "q": np.stack([draw.law(2) for _ in range(gamma)]), "length": draw.integer(1, 3)}


def emitted(p: Array, q: Array, length: int, reported: ReportedLaw = whole) -> Array:
    """Law of the first tokens: each call drafts position i from row i of q, whatever was drafted before."""
    verifier = told_verifier(reported)
    target = markov(p)

    def call(text: Prefix) -> list[Outcome]:
        return outcomes(verifier, lambda drafts: target(text + drafts), by_rows(q), len(q))

    return texts_of_calls(call, p.shape[-1], length)


def _by_first(p: Array, q: Array, length: int) -> Array:
    """The verifier takes every position to be drawn from the mean of the first and the last law."""
    return emitted(p, q, length, lambda law, path: (q[-1] + q[0]) / 2)


LOSSLESS = identity(
    name="parallel.lossless",
    statement=r"Positions drawn independently from laws $q_1 \dots q_\gamma$, verified token by token with $q_i$ reported at "
    r"position $i$: the text has the target's law",
    reference=SOURCE,
    instances=_models,
    lhs=emitted,
    rhs=lambda p, length: written(markov(p), p.shape[-1], length),
    tight=[{"p": matrix("1/2 1/2", "1 0", "0 1"), "q": matrix("1/2 1/2", "1/2 1/2"), "length": 2}],
    sources=("exact",),
    note="It is sd.lossless for a draft that ignores its own tokens: given the kept ones, the next draft has law q_i.",
    broken=[broken("the mean of two positions’ laws is reported", lhs=_by_first)],
)
