r"""Schedules: how many of the drafts are verified, where each one that is verified costs time.

In a context k the first i drafts are all accepted with probability :math:`\Pi_{k,i}`, the product of the predicted acceptances
of the drafts up to i, each from what is known before draft i is seen.  A schedule verifies the first L_k drafts; a pass of the
target costs 1, and each verified draft b more.  Drafting is paid for already.  Such a schedule is lossless (claim
``stop.schedule.before``); one that looks at the draft that it drops is not.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from simspec.laws import Array

__all__ = ["best_schedule", "schedule_speed", "schedule_tokens", "threshold_lengths"]


def schedule_tokens(weights: Array, products: Array, lengths: Sequence[int]) -> Any:
    r"""Mean tokens of a pass, :math:`\sum_k w_k (1 + \sum_{i \le L_k} \Pi_{k,i})`.

    >>> float(schedule_tokens(np.array([0.5, 0.5]), np.array([[0.5, 0.25], [1.0, 0.5]]), [0, 2]))
    1.75
    """
    return sum(w * (1 + sum(row[:length])) for w, row, length in zip(weights, products, lengths, strict=True))


def schedule_speed(weights: Array, products: Array, lengths: Sequence[int], cost: Any) -> Any:
    """Mean tokens of a pass over its mean time, 1 + b times the mean number of verified drafts.

    Parameters
    ----------
    weights : probabilities (K,) of contexts
    products : (K, γ); rows do not rise
    lengths : numbers L_k of verified drafts, 0 to γ
    cost : b, time that one verified draft adds to a pass / time of a pass

    >>> float(schedule_speed(np.array([0.5, 0.5]), np.array([[0.5, 0.25], [1.0, 0.5]]), [0, 2], 0.25))
    1.4
    """
    if not cost >= 0:
        raise ValueError(f"cost: {cost}; expected a time / time of a pass, not negative")
    time = sum(w * (1 + cost * length) for w, length in zip(weights, lengths, strict=True))
    return schedule_tokens(weights, products, lengths) / time


def threshold_lengths(products: Array, level: Any) -> list[int]:
    """How many first products of each context are at least a level.

    >>> threshold_lengths(np.array([[0.5, 0.25], [1.0, 0.5]]), 0.5)
    [1, 2]
    """
    lengths = []
    for row in products:
        below = np.flatnonzero([mass < level for mass in row])
        lengths.append(int(below[0]) if len(below) else len(row))
    return lengths


def best_schedule(weights: Array, products: Array, cost: Any) -> tuple[list[int], Any]:
    """The fastest schedule and its speed: the threshold at b times that speed (claim ``stop.schedule-best``).

    Begins with no draft and takes the threshold at b times the speed of the last schedule until none is faster; each step is
    faster than the one before, and the speed with no draft is 1.

    >>> lengths, speed = best_schedule(np.array([0.5, 0.5]), np.array([[0.5, 0.25], [1.0, 0.5]]), 0.25)
    >>> lengths, round(float(speed), 6)
    ([1, 2], 1.454545)
    """
    lengths = [0] * len(products)
    speed = schedule_speed(weights, products, lengths, cost)
    while True:
        longer = threshold_lengths(products, cost * speed)
        faster = schedule_speed(weights, products, longer, cost)
        if not faster > speed:
            return lengths, speed
        lengths = longer
        speed = faster
