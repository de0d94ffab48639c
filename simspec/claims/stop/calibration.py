"""A confidence that is wrong by little costs little speed, and never the law.

`stop.calibration`: arXiv 2607.05147, of which only the title was at hand; statement restored.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from simspec.claims.authoring import Array, Draw, F, Instance, at_least, bound, broken, law
from simspec.claims.stop.schedule_best import OWN, contexts
from simspec.methods.stop.schedules import schedule_speed, threshold_lengths

__all__ = ["CLOSE", "misjudged", "predicted_lengths"]

CLOSE = "no predicted product is off by more than ε"


def _predictions(draw: Draw) -> Instance:
    """Contexts and a schedule, products of wrong predictions, and a bound of their error that may be larger than it is."""
    instance = contexts(draw)
    products = instance["products"]
    predicted = np.array([[draw.number(0, 1) for _ in row] for row in products], dtype=object).cumprod(axis=1)
    share = draw.number(0, 1)
    predicted = (1 - share) * products + share * predicted
    return {**instance, "predicted": predicted, "epsilon": abs(predicted - products).max() + draw.number(0, F(1, 8))}


def _is_close(products: Array, predicted: Array, epsilon: F) -> bool:
    error: Any = abs(predicted - products)
    return bool((error <= epsilon).all())


def predicted_lengths(w: Array, products: Array, predicted: Array, lengths: list[int], cost: F) -> list[int]:
    """The threshold on the predictions, at b times the speed of a schedule."""
    return threshold_lengths(predicted, cost * schedule_speed(w, products, lengths, cost))


def misjudged(w: Array, products: Array, predicted: Array, lengths: list[int], cost: F) -> Any:
    """Mean number of drafts that predictions and true products put on different sides of the threshold."""
    level = cost * schedule_speed(w, products, lengths, cost)
    wrong = (predicted >= level) != (products >= level)
    return sum(mass * int(row.sum()) for mass, row in zip(w, wrong, strict=True))


def _by_prediction(w: Array, products: Array, predicted: Array, lengths: list[int], cost: F) -> Any:
    return schedule_speed(w, products, predicted_lengths(w, products, predicted, lengths, cost), cost)


def _at_most(w: Array, products: Array, predicted: Array, lengths: list[int], cost: F, epsilon: F, share: F) -> Any:
    verified = predicted_lengths(w, products, predicted, lengths, cost)
    time = 1 + cost * sum(mass * length for mass, length in zip(w, verified, strict=True))
    lost = epsilon * misjudged(w, products, predicted, lengths, cost) / time
    return schedule_speed(w, products, lengths, cost) - share * lost


def _whole(w: Array, products: Array, predicted: Array, lengths: list[int], cost: F, epsilon: F) -> Any:
    return _at_most(w, products, predicted, lengths, cost, epsilon, F(1))


def _half(w: Array, products: Array, predicted: Array, lengths: list[int], cost: F, epsilon: F) -> Any:
    return _at_most(w, products, predicted, lengths, cost, epsilon, F(1, 2))


ONE = {
    **{"w": law(1), "products": np.array([[F(1, 4)]]), "predicted": np.array([[F(1, 2)]]), "lengths": [0]},
    **{"cost": F(1, 2), "epsilon": F(1, 4)},
}
"""A draft that seems worth its cost, 1/2, and is accepted with 1/4: 5/6 in place of 1."""

CALIBRATION = bound(
    name="stop.calibration",
    statement=r"Confidences whose products are off by at most $\varepsilon$ cost at most $\varepsilon M/\hat C$ of the speed "
    r"$S$ of any schedule, at the threshold $b S$: $M$ the mean number of drafts that they misjudge, at most $\gamma$, "
    r"$\hat C \ge 1$ the mean time of a pass; never the law",
    reference=OWN,
    instances=_predictions,
    assumes={CLOSE: _is_close},
    lhs=_by_prediction,
    relation=at_least,
    rhs=_whole,
    tight=[ONE],
    outside={CLOSE: {**ONE, "epsilon": F(1, 8)}},
    sources=("exact",),
    note="Of the best schedule too, so that γ ε is the most that calibration to within ε can lose. The law is the target's for "
    "any confidence at all (stop.schedule.before).",
    broken=[broken("half of it", rhs=_half)],
)
