"""`rdk.mean-probability`, with its reading: RDK 6.1, Figure 4."""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, identity, law
from simspec.claims.claim import Printed

__all__ = ["upper_half"]


def _one(draw: Draw) -> Instance:
    return {"p": draw.law(draw.vocab())}


MEAN = identity(
    name="rdk.mean-probability",
    statement=r"The mean of the probabilities of a position clusters near zero: it is $1/V$, at every position of every model",
    reference="RDK 6.1, Figure 4",
    instances=_one,
    lhs=lambda p: p.sum(axis=-1) / p.shape[-1],
    rhs=lambda p: F(1, p.shape[-1]) if p.dtype == object else np.float64(1 / p.shape[-1]),
    note="Probabilities sum to one. The figure's first panel shows the size of the vocabulary, 1/50257, and nothing of GPT-2.",
    printed=Printed(
        place="RDK 6.1",
        text="mean and minimum values cluster near zero",
        read="As a statement about the model, and as a reason why few tokens hold most of the mass.",
    ),
)


def upper_half(p: Array) -> F:
    """1 if the likelier half of the tokens, rounded down, holds more than half of the mass.

    >>> upper_half(law("3/4", "1/4")), upper_half(law("1/2", "1/2"))
    (Fraction(1, 1), Fraction(0, 1))
    """
    return F(int(sum(sorted(p.tolist(), reverse=True)[: len(p) // 2]) > F(1, 2)))


CONCENTRATED = bound(
    name="rdk.mean-probability.concentrated",
    statement="A mean near zero underscores that few tokens hold most of the mass: of two tokens or more the likelier half holds "
    "more than half of it",
    reference="RDK 6.1, read as a reason",
    instances=lambda draw: {"p": draw.law(draw.vocab(2))},
    assumes={"there are two tokens or more": lambda p: p.shape[-1] >= 2},
    lhs=upper_half,
    rhs=lambda p: F(1),
    relation=at_least,
    sources=("exact",),
    against=({"p": law("1/2", "1/2")},),
    outside={"there are two tokens or more": {"p": law(1)}},
    within=({"p": law("1/2", "1/2")},),
    corrected_by=("rdk.mean-probability",),
    note="Left: 1 if they do. The uniform law has the same mean. What the other panels show, a large maximum, does say it.",
)
