"""The speed-up rises and then falls with the number of drafts.

`cost.unimodal`: practice.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken
from simspec.laws import Scalar
from simspec.methods import speedup

__all__ = ["rises"]


def rises(alpha: Scalar, cost: Scalar, most: int) -> Array:
    """For γ = 0, …, most: 1 where S(γ + 1) > S(γ), else 0.

    >>> rises(F(1, 2), F(1, 4), 3).tolist()
    [1, 0, 0, 0]
    """
    speeds = [speedup(alpha, gamma, cost) for gamma in range(most + 2)]
    return np.array([int(after > before) for before, after in pairwise(speeds)], dtype=object)


def _ordered(draw: Draw) -> Instance:
    alpha, higher = sorted((draw.number(0, 1), draw.number(0, 1)))
    cost, dearer = sorted((draw.number(0, 1), draw.number(0, 1)))
    return {"alpha": alpha, "more": higher, "cost": cost, "dearer": dearer, "most": draw.integer(1, 5)}


def _sooner(alpha: Scalar, more: Scalar, cost: Scalar, dearer: Scalar, most: int) -> Array:
    gains = rises(alpha, cost, most)
    return np.stack([gains[:-1], rises(more, cost, most)[:-1], gains[:-1]])


def _later(alpha: Scalar, more: Scalar, cost: Scalar, dearer: Scalar, most: int) -> Array:
    gains = rises(alpha, cost, most)
    return np.stack([gains[1:], gains[:-1], rises(alpha, dearer, most)[:-1]])


UNIMODAL = bound(
    name="cost.unimodal",
    statement=r"$S$ is unimodal in $\gamma$: where $S(\gamma + 1) \le S(\gamma)$, so it is for every larger $\gamma$. The best "
    r"$\gamma$, which is then how often $S$ rises, does not fall with $\alpha$ nor rise with $c$",
    reference="practice, on Leviathan et al. 2023, Theorem 3.8",
    instances=_ordered,
    lhs=_sooner,
    rhs=_later,
    relation=at_least,
    sources=("exact",),
    tight=({"alpha": F(1, 2), "more": F(1, 2), "cost": F(1, 4), "dearer": F(1, 4), "most": 3},),
    note="One more draft pays exactly while α^(γ+1) (γc + 1) exceeds c (1 + α + … + α^γ); the difference falls with γ. Of equal "
    "speeds the fewest drafts count as best; with free drafts, or α = 1 and c < 1, no γ is best, and any limit on γ is.",
    broken=[
        broken(
            "the sequence is shifted by one",
            lhs=lambda alpha, more, cost, dearer, most: np.stack([rises(alpha, dearer, most)[1:]] * 3),
        )
    ],
)
