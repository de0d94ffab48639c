"""The mean of a position's probabilities is 1/V of every law: a tautology under a sentence about a model.

`rdk.mean-probability`, and an own reading of it as a reason: RDK 6.1, Figure 4.  Neither decides anything about a model.
"""

from __future__ import annotations

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, identity, law, shifted
from simspec.claims.claim import Printed

__all__ = ["upper_half"]


def _one(draw: Draw) -> Instance:
    return {"p": draw.law(draw.vocab())}


MEAN = identity(
    name="rdk.mean-probability",
    statement=r"A tautology: the mean of the probabilities of a position is $1/V$, at every position of every model",
    reference="own statement, on RDK 6.1, Figure 4",
    instances=_one,
    lhs=lambda p: p.sum(axis=-1) / p.shape[-1],
    rhs=lambda p: F(1, p.shape[-1]) if p.dtype == object else np.float64(1 / p.shape[-1]),
    note="Probabilities sum to one. The figure's first panel shows the size of the vocabulary, 1/50257, and nothing of "
    "GPT-2.",
    printed=Printed(
        place="RDK 6.1",
        text="mean and minimum values cluster near zero",
        read="Of the mean alone, where it says nothing of the model: every law has the mean 1/V. No verdict about the "
        "paper.",
    ),
    broken=[shifted(F(1, 100))],
)


def upper_half(p: Array) -> F:
    """1 if the likelier half of the tokens, rounded down, holds more than half of the mass.

    >>> upper_half(law("3/4", "1/4")), upper_half(law("1/2", "1/2"))
    (Fraction(1, 1), Fraction(0, 1))
    """
    return F(int(sum(sorted(p.tolist(), reverse=True)[: len(p) // 2]) > F(1, 2)))


CONCENTRATED = bound(
    name="rdk.mean-probability.concentrated",
    statement="Because the mean of the probabilities is near zero, few tokens hold most of the mass: of two tokens or "
    "more the "
    "likelier half holds more than half of it",
    reference="own statement, a reading of RDK 6.1 as a reason, which the paper does not give",
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
