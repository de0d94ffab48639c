"""How many rows an interval of a given width needs, from a mean and a spread: what estimators are chosen by, before a run."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.sequences import empirical_bernstein
from simspec.engine.estimates.statistics import SCALE
from simspec.laws import Array

__all__ = ["rows_of_t", "rows_until"]


def rows_of_t(spread: float, half_width: float, level: float = 0.95) -> int:
    """Rows of Student's interval of this half-width, if the spread is known beforehand and one looks once.

    >>> rows_of_t(0.5, 0.01)  # (1.96 * 0.5 / 0.01)**2 = 9603.6, and a few for t
    9607
    """
    (special,) = needs("an interval", "scipy.special")
    n = 2
    for _ in range(40):
        n, before = max(2, math.ceil((special.stdtrit(n - 1, (1 + level) / 2) * spread / half_width) ** 2)), n
        if n == before:
            break
    return n


def rows_until(
    half_width: float,
    mean: float,
    spread: float,
    sequence: Callable[..., tuple[Array, Array]] = empirical_bernstein,
    block: int = 16,
    bounds: tuple[float, float] = (0, 1),
    level: float = 0.95,
) -> int:
    """Rows after which a sequence is so narrow, where every block has the mean and the spread that are given.

    Parameters
    ----------
    half_width, mean, spread : numbers, in the unit of the value
    sequence : `empirical_bernstein` or `asymptotic`
    block : rows of a block
    bounds : of the value

    >>> rows_until(0.01, 0.5, 0)  # no spread: log(2/a) / (n/2), from bounds alone
    752
    """
    low, high = bounds
    m = (mean - low) / (high - low)
    s = spread / (high - low)
    h = half_width / (high - low)
    count = max(16, rows_of_t(s, h) // block)
    while True:
        n = np.full(count, block)
        sums, squares = (np.full(count, round(block * x * SCALE)) for x in (m, m * m + s * s))
        lower, upper = sequence(n, sums, np.minimum(squares, sums), level)
        narrow = (upper - lower) / 2 <= h
        if narrow[-1]:
            return block * (int(np.argmax(narrow)) + 1)
        count *= 2
