"""A mixture of drafters accepts at least the average of what they accept.

`tasc.mixture-average`, with its sharper form: TASC, App. C.5.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, identity, law
from simspec.claims.claim import Printed
from simspec.laws import Scalar, overlap


def _mixture(draw: Draw) -> Instance:
    vocab = draw.vocab()
    p, c = draw.pair(vocab)
    return {"p": p, "c": c, "r": draw.law(vocab), "mix": draw.number(0, 1)}


def _mixed_rate(p: Array, c: Array, r: Array, mix: Scalar) -> Any:
    return overlap(p, mix * c + (1 - mix) * r)


def _mean_rate(p: Array, c: Array, r: Array, mix: Scalar) -> Any:
    return mix * overlap(p, c) + (1 - mix) * overlap(p, r)


BETWEEN = "0 ≤ λ ≤ 1"

MIXTURE = bound(
    name="tasc.mixture-average",
    statement=r"$\sum \min(p, \lambda c + (1 - \lambda) r) \ge \lambda \sum \min(p, c) + (1 - \lambda) \sum \min(p, r)$: "
    r"a mixture of drafters accepts at least the average of what they accept",
    reference="TASC, App. C.5",
    instances=_mixture,
    assumes={BETWEEN: lambda mix: 0 <= mix <= 1},
    lhs=_mixed_rate,
    rhs=_mean_rate,
    relation=at_least,
    tight=({"p": law("1/2", "1/2"), "c": law(1, 0), "r": law(1, 0), "mix": F(1, 2)},),
    outside={
        BETWEEN: {"p": law("1/2", "1/2", 0), "c": law("1/2", "1/4", "1/4"), "r": law(0, "1/2", "1/2"), "mix": F(2)}
    },
    corrected_by=("tasc.mixture-average-sharp",),
    note="min(p, ·) is concave. The average is not the better of the two: a mixture with a bad drafter can accept less "
    "than the good one alone.",
    printed=Printed(
        place="TASC C.5",
        text="each distribution proposes a next token with relatively high probability in distinct cases, "
        "resulting in more accepted token overall",
        read="A mixture accepts at least the average of what its parts accept.",
    ),
    broken=[broken("the larger of the two overlaps", rhs=lambda p, c, r: np.maximum(overlap(p, c), overlap(p, r)))],
)


def _both_ways(p: Array, c: Array, r: Array, mix: Scalar) -> Any:
    over = mix * np.maximum(c - p, 0) + (1 - mix) * np.maximum(r - p, 0)
    under = mix * np.maximum(p - c, 0) + (1 - mix) * np.maximum(p - r, 0)
    return np.minimum(over, under).sum(axis=-1)


MIXTURE_SHARP = identity(
    name="tasc.mixture-average-sharp",
    statement=r"What mixing gains over the average is $\sum_x \min\{\lambda (c - p)_+ + (1-\lambda)(r - p)_+,\; \lambda "
    r"(p - c)_+ + (1-\lambda)(p - r)_+\}$: tokens of which one drafter proposes too much and the other too little",
    reference="own statement, sharpening TASC, App. C.5",
    instances=_mixture,
    lhs=lambda p, c, r, mix: _mixed_rate(p, c, r, mix) - _mean_rate(p, c, r, mix),
    rhs=_both_ways,
    note="Per token, with a the mean surplus and b the mean lack, min(0, a − b) + b = min(a, b). There is no gain when "
    "on every token both propose at least, or both at most, what the target wants; two spiked drafters that are right in "
    "different contexts gain nothing within a context. The identity holds for every real λ.",
    broken=[broken("zero", rhs=lambda p, c, r, mix: 0)],
)
