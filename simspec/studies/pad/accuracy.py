"""Two accuracies measured on test problems: what their difference can show, unpaired, and what pairing could change.

Counts of solved problems are binomial when the problems are a sample; a printed percentage gives the count back when
it is rounded finely enough.  Which problems both runs solved is mostly not printed: then the samples are treated as
independent, and the pairings that the counts allow bound what the paired test could have said.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

from simspec.checks import needs
from simspec.engine.estimates.intervals import Interval

__all__ = ["Pairing", "difference", "mcnemar", "pairings", "problems_needed", "solved", "wilson"]


def solved(percentage: float, problems: int, digits: int = 2) -> int:
    """Number of solved problems that a printed percentage stands for.

    Parameters
    ----------
    percentage : in [0, 100], as printed
    problems : int >= 1
    digits : int; decimal places that were printed

    Raises ValueError when the nearest count does not round to the printed value, or its neighbour does too.

    >>> solved(66.67, 3)
    2
    """
    count = round(percentage * problems / 100)
    fits = [c for c in (count - 1, count, count + 1) if round(100 * c / problems, digits) == round(percentage, digits)]
    if fits != [count] or not 0 <= count <= problems:
        raise ValueError(
            f"percentage: {percentage} of {problems} problems fits the counts {fits}; expected exactly one count"
        )
    return count


def wilson(count: float, problems: float, level: float = 0.95) -> Interval:
    r"""Score interval of a proportion (Wilson 1927).

    :math:`(\hat p + z^2/2n \pm z\sqrt{\hat p(1 - \hat p)/n + z^2/4n^2})/(1 + z^2/n)`, z the normal quantile.

    >>> round(wilson(0, 10).high, 4)  # z^2 / (10 + z^2)
    0.2775
    """
    (special,) = needs("an interval", "scipy.special")
    if not (0 <= count <= problems and problems > 0 and 0 < level < 1):
        raise ValueError(
            f"count, problems, level: {count}, {problems}, {level}; expected 0 <= count <= problems, a level in (0, 1)"
        )
    z = float(special.ndtri((1 + level) / 2))
    p = count / problems
    centre = p + z * z / (2 * problems)
    half = z * math.sqrt(p * (1 - p) / problems + z * z / (4 * problems * problems))
    scale = 1 + z * z / problems
    return Interval(p, max(0.0, (centre - half) / scale), min(1.0, (centre + half) / scale), level)


def difference(
    first: float, second: float, problems: float, level: float = 0.95, others: float | None = None
) -> Interval:
    r"""Hybrid score interval of a difference of two independent proportions (Newcombe 1998, method 10).

    With Wilson intervals :math:`[l_i, u_i]`: :math:`\hat p_1 - \hat p_2 - \sqrt{(\hat p_1 - l_1)^2 +
    (u_2 - \hat p_2)^2}` to :math:`\hat p_1 - \hat p_2 + \sqrt{(u_1 - \hat p_1)^2 + (\hat p_2 - l_2)^2}`.

    Parameters
    ----------
    first, second : numbers of solved problems
    problems : number
    level : in (0, 1)
    others : number, optional; problems of the second run, where it had other ones

    >>> interval = difference(5, 5, 10)
    >>> interval.estimate, round(interval.low + interval.high, 12)
    (0.0, 0.0)
    """
    a = wilson(first, problems, level)
    b = wilson(second, problems if others is None else others, level)
    gap = a.estimate - b.estimate
    low = gap - math.hypot(a.estimate - a.low, b.high - b.estimate)
    high = gap + math.hypot(a.high - a.estimate, b.estimate - b.low)
    return Interval(gap, low, high, level)


def mcnemar(lost: int, gained: int) -> float:
    r"""Exact two-sided p-value of a paired comparison: are `lost` of the `lost + gained` changed problems half of them?

    >>> mcnemar(3, 0)
    0.25
    """
    (special,) = needs("a paired comparison", "scipy.special")
    if not min(lost, gained) >= 0:
        raise ValueError(f"lost, gained: {lost}, {gained}; expected numbers of problems that are not negative")
    return min(1.0, 2 * float(special.bdtr(min(lost, gained), lost + gained, 0.5)))


class Pairing(NamedTuple):
    """A pairing that two counts allow: problems that only the first run solved, that only the second did, p-value."""

    lost: int
    gained: int
    p_value: float


def pairings(first: int, second: int, problems: int) -> list[Pairing]:
    """Every pairing that two counts allow, from the fewest changed problems to the most.

    >>> [(p.lost, p.gained) for p in pairings(3, 2, 4)]
    [(1, 0), (2, 1)]
    """
    gap = first - second
    limit = min(second, problems - first)  # the second run solves at most this many that the first missed
    if gap < 0:
        return [Pairing(p.gained, p.lost, p.p_value) for p in pairings(second, first, problems)]
    return [Pairing(gap + g, g, mcnemar(gap + g, g)) for g in range(limit + 1)]


def problems_needed(
    first: float, second: float, decided: Callable[[Interval], bool], level: float = 0.95, limit: int = 10**9
) -> int | None:
    """Fewest problems at which the same two proportions are decided; None where `limit` are not enough.

    Parameters
    ----------
    first, second : proportions in [0, 1]
    decided : interval of the difference -> bool; true for every larger number of problems once it is true

    >>> problems_needed(1.0, 0.0, lambda interval: interval.low > 0)
    2
    """

    def enough(n: int) -> bool:
        return decided(difference(first * n, second * n, n, level))

    high = 1
    while not enough(high):
        high *= 2
        if high > limit:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high
