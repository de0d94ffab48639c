r"""Greedy texts beside the reference: is a token that is not the reference's argmax explained by rounding?

Rounding is measured: the same prefixes are scored in two shapes (within a text, and each alone from nothing), by the reference
and by the engine where it scores, which gives the differences D of the gap between two log-probabilities.  For a reference on
this machine, whose kernels are others, D are those between the engine's scores and the reference's.  A divergence has a
margin, the gap between the reference's argmax and the emitted token; it is *numerics* where the margin is at most what rounding
was measured to move, else a *fault*.  Numerics predict a divergence at a token with the probability that a difference is negative
and larger than its top margin.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from simspec.audit.endpoint.categories import category
from simspec.audit.endpoint.records import Question, TopRow

__all__ = [
    "Divergence",
    "Greedy",
    "divergences",
    "explained_margin",
    "gap_differences",
    "judged_greedy",
    "predicted_rate",
]

SAFETY = 2.0
"""Margin over the largest difference that was measured: the engine's kernels are not those of the reference."""


class Divergence(NamedTuple):
    """A token that is not the reference's argmax: which text, where, and how much less likely it is (in nats)."""

    text: int
    place: int
    token: int
    margin: float


class Greedy(NamedTuple):
    """What greedy texts show.

    Attributes
    ----------
    tokens : int; tokens judged
    divergences : tokens that are not the argmax
    faults : those whose margin rounding does not explain
    explained : float; the largest margin that rounding explains
    rate : float; divergences a token that rounding predicts
    measured : int; gaps on which rounding was measured
    questions : the question of each text
    is_between : bool; whether rounding was measured between the engine and the reference, not on each side

    >>> often = Greedy(256, (Divergence(0, 0, 3, 0.1),) * 6, (), 0.5, 0.34 / 256, 64)
    >>> f"{often.chance:.1g}"
    '2e-06'
    """

    tokens: int
    divergences: tuple[Divergence, ...]
    faults: tuple[Divergence, ...]
    explained: float
    rate: float
    measured: int
    questions: tuple[Question, ...] = ()
    is_between: bool = False

    @property
    def chance(self) -> float:
        """Probability of as many divergences or more, were each token one with the predicted rate: about Poisson's."""
        return _poisson_tail(len(self.divergences), self.rate * self.tokens)

    def plain(self) -> dict[str, Any]:
        """As a dictionary for JSON."""
        return {
            "tokens": self.tokens,
            "divergences": [divergence._asdict() for divergence in self.divergences],
            "faults": len(self.faults),
            "explained_margin": self.explained,
            "predicted_rate": self.rate,
            "chance_of_as_many": self.chance,
            "measured": self.measured,
            "measured_between_engine_and_reference": self.is_between,
        }


def _poisson_tail(least: int, mean: float) -> float:
    """Probability that a Poisson number of this mean is `least` or more.

    >>> _poisson_tail(0, 0.0), _poisson_tail(1, 0.0), round(_poisson_tail(1, 0.5), 4)
    (1.0, 0.0, 0.3935)
    """
    if not least:
        return 1.0
    if not mean:
        return 0.0
    # the sum of what is above, not one less what is below: small probabilities would be lost
    term = math.exp(least * math.log(mean) - mean - math.lgamma(least + 1))
    total = 0.0
    number = least
    while term > total * 1e-16:
        total += term
        number += 1
        term *= mean / number
    return min(total, 1.0)


def divergences(texts: Sequence[tuple[Sequence[int], Sequence[TopRow]]]) -> list[Divergence]:
    """Tokens that are not the argmax, each judged at the prefix that the engine had itself.

    A token outside of the row has the margin to the row's last entry, at least.

    >>> divergences([([3, 5], [((3, -0.1), (5, -2.5)), ((3, -0.5), (5, -1.0))])])
    [Divergence(text=0, place=1, token=5, margin=0.5)]
    """
    diverging = []
    for number, (tokens, rows) in enumerate(texts):
        for place, (token, row) in enumerate(zip(tokens, rows, strict=True)):
            rank = category(row, token)
            if rank:
                diverging.append(Divergence(number, place, token, row[0][1] - row[min(rank, len(row) - 1)][1]))
    return diverging


def gap_differences(first: Sequence[TopRow], second: Sequence[TopRow]) -> list[float]:
    """How much the gap between the two most likely tokens of `first` changes in `second`, where both have them.

    >>> gap_differences([((3, -0.5), (5, -1.0))], [((3, -0.625), (5, -1.0))])
    [-0.125]
    """
    differences = []
    for row, again in zip(first, second, strict=True):
        values = dict(again)
        if len(row) > 1 and row[0][0] in values and row[1][0] in values:
            gap = row[0][1] - row[1][1]
            differences.append(values[row[0][0]] - values[row[1][0]] - gap)
    return differences


def explained_margin(differences: Sequence[float]) -> float:
    """The largest margin that rounding explains: twice the largest difference; 0 where none was measured."""
    return SAFETY * max((abs(value) for value in differences), default=0.0)


def predicted_rate(rows: Sequence[TopRow], differences: Sequence[float]) -> float:
    """Divergences a token that rounding predicts: the mean chance that a difference turns a top margin.

    >>> predicted_rate([((3, -0.5), (5, -0.6)), ((3, -0.5), (5, -9.0))], [0.2, -0.2, 0.0, 0.0])
    0.125
    """
    drops = -np.asarray(differences, dtype=float)
    margins = np.array([row[0][1] - row[1][1] for row in rows if len(row) > 1])
    if not len(drops) or not len(margins):
        return 0.0
    return float((drops[None, :] > margins[:, None]).mean(axis=1).sum() / len(rows))


def judged_greedy(texts: Sequence[tuple[Sequence[int], Sequence[TopRow]]], differences: Sequence[float]) -> Greedy:
    """All of it together."""
    diverging = divergences(texts)
    limit = explained_margin(differences)
    rows = [row for _, text_rows in texts for row in text_rows]
    return Greedy(
        tokens=len(rows),
        divergences=tuple(diverging),
        faults=tuple(d for d in diverging if d.margin > limit),
        explained=limit,
        rate=predicted_rate(rows, differences),
        measured=len(differences),
    )
