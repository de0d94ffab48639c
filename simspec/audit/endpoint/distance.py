r"""How far the tokens' categories are from the reference's law on average, valid at every look.

For a set S of categories :math:`X_i = 1[c_i \in S] - P_i(S)` is a martingale difference of range 1 around the mean shift
:math:`E_i[X_i]`.  The largest mean shift over all S is the total variation between the average law of the categories and the
reference's: what a mode, a temperature, a truncation shift.  Faults that cancel over the tokens are not in it;
the bets see those.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np

from simspec.audit.endpoint.categories import Judged

__all__ = ["Distance", "look_radius"]


class Distance:
    """Sums of shifts by category, and the interval that they give.

    >>> token = Judged((0.5, 0.3, 0.2), 0, 7, (7, 8), 8, 1, -1, 0, False, False)
    >>> distance = Distance()
    >>> distance.add([token] * 400)
    >>> [round(end, 3) for end in distance.interval(0.01)]
    [0.404, 0.596]
    """

    def __init__(self) -> None:
        self.shifts: np.ndarray | None = None
        self.tokens = 0
        self.looks = 0

    def add(self, tokens: Iterable[Judged]) -> None:
        """Count more tokens: a look."""
        self.looks += 1
        for token in tokens:
            shift = -np.array(token.masses)
            shift[token.category] += 1
            self.shifts = shift if self.shifts is None else self.shifts + shift
            self.tokens += 1

    def interval(self, error: float) -> tuple[float, float]:
        """Ends between which the total variation lies, at all looks with probability at least 1 - error."""
        if self.shifts is None:
            return 0.0, 1.0
        radius = look_radius(self.tokens, self.looks, len(self.shifts), error)
        mean = float(np.abs(self.shifts).sum()) / (2 * self.tokens)
        return max(mean - radius, 0.0), min(mean + radius, 1.0)


def look_radius(tokens: int, look: int, categories: int, error: float) -> float:
    r"""How far the mean shift of any set may be from its expectation, at all looks but with probability `error`.

    :math:`\sqrt{\ln(2^{K} m(m+1)/a)/(2n)}` at look m: Azuma and Hoeffding for each of the fewer than :math:`2^K` sets, whose
    differences lie in an interval of length 1, with the share 1/(m(m+1)) of the error.  A call of `Distance.add` is a look.

    >>> round(look_radius(400, 1, 3, 0.01), 3)
    0.096
    """
    return math.sqrt((categories * math.log(2) + math.log(look * (look + 1) / error)) / (2 * tokens))
