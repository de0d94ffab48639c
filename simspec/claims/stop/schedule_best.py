"""The best schedule verifies the drafts whose product of predicted acceptances is at least a threshold.

`stop.schedule-best`: arXiv 2607.05147, of which only the title was at hand; statement restored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, law, matrix
from simspec.methods.stop.schedules import schedule_speed, threshold_lengths

__all__ = ["OWN", "contexts"]

OWN = "own statement, on Leviathan et al. 2023 (cost model), with arXiv 2607.05147 in mind (text not at hand)"


def contexts(draw: Draw) -> Instance:
    """Contexts with their probabilities, products of predicted acceptances, a schedule, and the cost of a verified draft."""
    number = draw.integer(1, 3)
    gamma = draw.integer(1, 3)
    accepted = np.array([[draw.number(0, 1) for _ in range(gamma)] for _ in range(number)], dtype=object)
    lengths = [draw.integer(0, gamma) for _ in range(number)]
    return {"w": draw.law(number), "products": accepted.cumprod(axis=1), "lengths": lengths, "cost": draw.number(0, 1)}


def _at_threshold(w: Array, products: Array, lengths: list[int], cost: F) -> Any:
    """Speed of the threshold at b times the speed of a schedule."""
    level = cost * schedule_speed(w, products, lengths, cost)
    return schedule_speed(w, products, threshold_lengths(products, level), cost)


def _at_cost(w: Array, products: Array, cost: F) -> Any:
    """Speed of the threshold at half of b."""
    return schedule_speed(w, products, threshold_lengths(products, cost / 2), cost)


HALVES = {"w": law("1/2", "1/2"), "products": matrix("1/2 1/4", "1 1/2"), "lengths": [1, 2], "cost": F(1, 4)}

SCHEDULE_BEST = bound(
    name="stop.schedule-best",
    statement=r"At a cost $b$ for each verified draft the best schedule is a threshold on the product of predicted acceptances: "
    r"of any schedule of speed $S$ the threshold at $b S$ is at least as fast",
    reference=OWN,
    instances=contexts,
    lhs=_at_threshold,
    relation=at_least,
    rhs=lambda w, products, lengths, cost: schedule_speed(w, products, lengths, cost),
    tight=[HALVES],
    sources=("exact",),
    note="Speed is mean tokens of a pass over its mean time, 1 + b L; predictions are right, given what is known before the "
    "draft is seen. The best threshold is b times the best speed, the same in all contexts; at equality either way is as fast.",
    broken=[broken("a threshold at half of the cost", lhs=_at_cost)],
)
