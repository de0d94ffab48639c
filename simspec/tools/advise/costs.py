r"""Intervals of costs from the steps that were timed, and speeds that carry them.

A time is the median of its repetitions.  Its interval is between two of them, counted from both ends: the number of repetitions
below the true median is binomial, so this holds whatever the law of the times, outliers included, as long as repetitions are
independent.  A quotient of two times takes the distances to their ends on a logarithmic scale, where they add up as squares.

What is not here: times that drift during the measurement, and how a machine differs from another.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import comb

from simspec.engine.estimates.intervals import Interval

__all__ = [
    "a_token_more",
    "cost_interval",
    "fewest_repetitions",
    "median_interval",
    "quotient",
    "speed_with_time",
    "verify_interval",
]


def fewest_repetitions(level: float = 0.95) -> int:
    """Repetitions below which a median has no interval: all of them are on one side of it too often.

    >>> fewest_repetitions(0.95), fewest_repetitions(0.99)
    (6, 8)
    """
    number = 1
    while 2 / 2**number > 1 - level + 1e-12:
        number += 1
    return number


def median_interval(samples: Sequence[float], level: float = 0.95) -> Interval:
    r"""Median of repetitions, and the interval between the k-th smallest and the k-th largest, :math:`P(B < k) \le (1 - L)/2`.

    B is the number of repetitions below the true median, binomial with probability 1/2.  Of nine the second is the first
    that may be taken: B < 2 has probability 10/512.

    Raises ValueError for no repetition, or one that is no positive finite number.

    >>> median_interval([9.0, 1, 2, 3, 4, 5, 6, 7, 8])
    Interval(estimate=5.0, low=2.0, high=8.0, level=0.95)
    >>> median_interval([1.0, 2, 4]).low
    nan
    """
    ordered = sorted(map(float, samples))
    if not ordered or not all(0 < sample < math.inf for sample in ordered):
        raise ValueError(f"samples: {list(samples)[:5]}; expected times, at least one, positive and finite")
    number = len(ordered)
    estimate = (ordered[(number - 1) // 2] + ordered[number // 2]) / 2
    below = 0
    rank = 0
    while (below + comb(number, rank)) / 2**number <= (1 - level) / 2 + 1e-12:
        below += comb(number, rank)
        rank += 1
    if rank == 0:
        return Interval(estimate, math.nan, math.nan, level)
    return Interval(estimate, ordered[rank - 1], ordered[number - rank], level)


def quotient(above: Interval, below: Interval) -> Interval:
    """A positive quantity over another, whose errors are independent.

    >>> quotient(Interval(2.0, 1.0, 4.0, 0.95), Interval(1.0, 1.0, 1.0, 0.95))
    Interval(estimate=2.0, low=1.0, high=4.0, level=0.95)
    """
    down = math.hypot(math.log(above.estimate / above.low), math.log(below.high / below.estimate))
    up = math.hypot(math.log(above.high / above.estimate), math.log(below.estimate / below.low))
    ratio = above.estimate / below.estimate
    return Interval(ratio, ratio * math.exp(-down), ratio * math.exp(up), above.level)


def cost_interval(draft: Sequence[float], target: Sequence[float], level: float = 0.95) -> Interval:
    """Draft time over target time, from repetitions of both.

    >>> cost_interval([1.0] * 9, [4.0] * 9)[:3]
    (0.25, 0.25, 0.25)
    """
    return quotient(median_interval(draft, level), median_interval(target, level))


def verify_interval(target: Sequence[float], block: Sequence[float], drafts: int, level: float = 0.95) -> Interval:
    """Time of one more drafted token over that of the target for one token, from a step on one token and on `drafts` more.

    >>> verify_interval([4.0] * 9, [6.0] * 9, 8)[:3]
    (0.0625, 0.0625, 0.0625)
    """
    return a_token_more(median_interval(block, level), median_interval(target, level), drafts)


def a_token_more(block: Interval, alone: Interval, drafts: int) -> Interval:
    """Time of one more drafted token over that of a step on one token, from the times of steps on `drafts` more and on one.

    >>> a_token_more(Interval(6.0, 5.0, 8.0, 0.95), Interval(4.0, 4.0, 4.0, 0.95), 8)
    Interval(estimate=0.0625, low=0.03125, high=0.125, level=0.95)
    """
    ratio = quotient(block, alone)
    estimate, low, high = ((end - 1) / drafts for end in ratio[:3])
    return Interval(max(0.0, estimate), low if math.isnan(low) else max(0.0, low), max(0.0, high), ratio.level)


def speed_with_time(tokens: Interval, time: Interval) -> Interval:
    """Tokens of a step over its time, with the errors of both; a time without an interval is taken as exact.

    >>> speed_with_time(Interval(3.0, 1.5, 6.0, 0.95), Interval(1.5, 1.5, 1.5, 0.95))[:3]
    (2.0, 1.0, 4.0)
    >>> speed = speed_with_time(Interval(3.0, 3.0, 3.0, 0.95), Interval(1.5, 1.0, 2.0, 0.95))
    >>> [round(end, 9) for end in speed[:3]]
    [2.0, 1.5, 3.0]
    """
    if math.isnan(time.low):
        time = Interval(time.estimate, time.estimate, time.estimate, time.level)
    return quotient(tokens, time)
