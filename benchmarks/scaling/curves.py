"""What the scaling of one kernel along one axis is: times, and the exponent fitted to them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["Curve", "Interval", "fit", "interval", "local_exponents"]

LEVEL = 0.95

Array = NDArray[Any]


class Interval(NamedTuple):
    """A median and what bounds it at a level."""

    middle: float
    low: float
    high: float
    level: float


@dataclass(frozen=True)
class Curve:
    """One kernel along one axis: `seconds` (rounds, points) of a call; the exponent, or for threads the last speed-up."""

    kernel: str
    axis: str
    x: tuple[int, ...]
    tokens: tuple[int, ...]
    """V times laws, of a call at each point."""
    seconds: Array
    least: float
    """Where the asymptotic range begins."""
    alone: bool
    """On one thread; False where threads vary, or a kernel takes as many as it likes."""
    found: Interval
    expected: float

    @property
    def median(self) -> Array:
        return np.median(self.seconds, axis=0)

    def as_json(self) -> dict[str, Any]:
        """Plain numbers: every run, medians, the exponent (or speed-up) and what it was expected to be."""
        name = "speed_up" if self.axis == "threads" else "exponent"
        about = {
            "kernel": self.kernel,
            "x": list(self.x),
            "tokens": list(self.tokens),
            "seconds": self.seconds.tolist(),
        }
        estimate = {name: self.found._asdict(), "expected": self.expected}
        fit_facts = {} if self.axis == "threads" else {"fitted_from": self.least, "one_thread": self.alone}
        return about | {"median": self.median.tolist()} | estimate | fit_facts


def interval(values: Iterable[float], level: float = LEVEL) -> Interval:
    r"""The median of n independent values, and order statistics that bound the median of their distribution.

    The k-th smallest and k-th largest miss it with probability at most :math:`2 P(B < k)`, B binomial (n, 1/2): the
    largest such k that keeps the level is taken, or k = 1 and a lower level where n < 6.

    >>> interval([3.0, 1.0, 2.0])
    Interval(middle=2.0, low=1.0, high=3.0, level=0.75)
    """
    ordered = np.sort(np.asarray(list(values), dtype=np.float64))
    n = len(ordered)
    below = itertools.accumulate(math.comb(n, j) for j in range(max(n // 2, 1)))
    reached = [1 - 2 * ways / 2**n for ways in below]
    k = max(1, sum(r >= level for r in reached))
    return Interval(float(np.median(ordered)), float(ordered[k - 1]), float(ordered[n - k]), reached[k - 1])


def fit(x: Sequence[float], seconds: Array, fit_from: float = 0) -> Interval:
    r"""Exponent b of seconds :math:`\propto x^b` where x >= `fit_from`: the median of the rounds' Theil-Sen slopes.

    Parameters
    ----------
    x : numbers (n,), positive
    seconds : array (rounds, n), positive

    Raises
    ------
    ValueError
        where fewer than two points are left.

    Examples
    --------
    >>> x = np.array([1.0, 2.0, 4.0])
    >>> fit(x, np.stack([3 * x, 5 * x])).middle.__round__(12)
    1.0
    """
    from scipy.stats import theilslopes

    used = np.asarray(x) >= fit_from
    if used.sum() < 2:
        raise ValueError(f"fit_from: {fit_from}; expected two points or more at or above it, of {list(x)}")
    return interval(theilslopes(np.log(line[used]), np.log(np.asarray(x)[used])).slope for line in seconds)


def local_exponents(curve: Curve) -> list[tuple[float, int, int]]:
    """Slope between neighbours within the asymptotic range, by the medians, and the two neighbours.

    >>> seconds, nothing = np.array([[1.0, 2.0, 8.0]]), Interval(0, 0, 0, 0)
    >>> local_exponents(Curve("a", "batch", (1, 2, 4), (1, 2, 4), seconds, 2, True, nothing, 1))
    [(2.0, 2, 4)]
    """
    used = [(x, y) for x, y in zip(curve.x, curve.median, strict=True) if x >= curve.least]
    return [(float(math.log(t / s) / math.log(y / x)), x, y) for (x, s), (y, t) in itertools.pairwise(used)]
