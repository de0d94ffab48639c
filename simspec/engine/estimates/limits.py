"""Intervals in the limit of many rows: they rest on the central limit theorem, and say nothing of the first rows.

Those of `simspec.engine.estimates.sequences` hold for every law within the bounds, and pay for it: with at least some
log(2/a) rows over the half-width, however little the rows vary, since an event that rare could be missed.  Who is content
with what Student's interval assumes finds it here, at every stop (`asymptotic`) and at one number of rows (`once`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from simspec.checks import needs
from simspec.engine.estimates.sequences import empirical_bernstein
from simspec.engine.estimates.statistics import SCALE
from simspec.laws import Array

__all__ = ["BEGIN", "SPREAD", "asymptotic", "in_the_limit", "once"]

BEGIN = 0.25
"""Share of the rows at which asymptotic intervals are narrowest before which they say nothing: a limit needs many rows."""
SPREAD = 20
"""Rows times variance (of values in [0, 1]) from which the normal limit is used.  With rare events it is about their number:
below it the count is far from normal, and without any event the estimated spread, and an interval made of it, would be 0."""


def asymptotic(n: Array, sums: Array, squares: Array, level: float = 0.95, best: float = 1000) -> tuple[Array, Array]:
    r"""Asymptotic confidence sequence: Student's assumption, the central limit theorem, but valid wherever one stops.

    .. math:: \hat\mu_t \pm \hat\sigma_t \sqrt{\frac{2(t\rho^2 + 1)}{t^2\rho^2} \log\frac{\sqrt{t\rho^2 + 1}}{a}}, \qquad
        \rho^2 = \frac{-2\log a + \log(1 - 2\log a)}{t_*}

    of t rows, a = 1 − level.  For a sum S of normal rows of variance 1 the average of :math:`e^{\lambda S - t\lambda^2/2}` over
    normal λ of variance ρ² starts at 1 and does not grow on average, and the interval is where it stays below 1/a.  Rows
    that are not normal are so in the limit only: unlike the others it says nothing of the first rows.

    Parameters
    ----------
    n, sums, squares : integer arrays (..., blocks), as `simspec.engine.estimates.statistics.bounded` makes them
    level : float
    best : number of rows t* at which it is narrowest

    Returns
    -------
    low, high : arrays (..., blocks), not cut at the bounds

    References
    ----------
    Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas, "Time-uniform central limit theory and asymptotic confidence sequences"
    (Ann. Stat. 2024).

    Examples
    --------
    >>> half = 2**31  # 1000 rows, half of them 0 and half 1
    >>> low, high = asymptotic([1000], [1000 * half], [1000 * half])
    >>> round(float(high[0] - low[0]) / 2, 4), round(1.96 * 0.5 / 1000**0.5, 4)
    (0.048, 0.031)
    """
    rows, mean, spread = _moments(n, sums, squares, level)
    radius = spread * _factor(rows, level, best)
    return mean - radius, mean + radius


def _factor(rows: Array, level: float, best: float) -> Array:
    a = 1 - level
    scaled = rows * (-2 * math.log(a) + math.log(1 - 2 * math.log(a))) / best
    return np.sqrt(2 * (scaled + 1) / (rows * scaled) * np.log(np.sqrt(scaled + 1) / a))


def once(n: Array, sums: Array, squares: Array, level: float = 0.95) -> tuple[Array, Array]:
    """Student's interval after each block: valid in the limit at one number of rows that is chosen before the run, not at all.

    Parameters
    ----------
    n, sums, squares : integer arrays (..., blocks), as `simspec.engine.estimates.statistics.bounded` makes them
    level : float

    Returns
    -------
    low, high : arrays (..., blocks), not cut at the bounds; without end at a single row

    >>> half = 2**31  # 1000 rows, half of them 0 and half 1
    >>> low, high = once([1000], [1000 * half], [1000 * half])
    >>> round(float(high[0] - low[0]) / 2, 4)
    0.031
    """
    (special,) = needs("an interval", "scipy.special")
    rows, mean, spread = _moments(n, sums, squares, level)
    freedom = np.maximum(rows - 1, 1)
    radius = np.where(rows > 1, special.stdtrit(freedom, (1 + level) / 2) * spread / np.sqrt(freedom), np.inf)
    return mean - radius, mean + radius


def in_the_limit(
    blocks: Mapping[str, Array], name: str, level: float, low: float, high: float, best: int = 0
) -> tuple[Array, Array]:
    """Intervals in the limit for a named statistic of blocks, within its bounds: asymptotic ones narrowest at `best`, or `once`.

    Asymptotic ones are all that the bounds allow before `BEGIN` of `best` rows.  Where the rows of a share times its
    variance are below `SPREAD`, where fewer values of a mean than that differ from the low bound or from the high one as far
    as their sums tell (`_events`), or where values do not vary at all, the interval is also that of `empirical_bernstein`,
    which holds for every law: no interval has the width 0.

    A limit: where nearly all values are the same one *between* the bounds, a mean's sums do not tell rare others from a
    small spread, and the interval is not widened.  Such a mean needs a sequence for every law, without `asymptotic` or `once`.

    >>> low, high = in_the_limit({"kept.n": [20, 80], "kept.hits": [10, 40]}, "kept", 0.95, 0, 1, best=100)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([0.0, 0.35], [1.0, 0.65])
    """
    if f"{name}.n" not in blocks:
        raise ValueError(f"blocks: no column '{name}.n'; expected it among {sorted(blocks)}")
    n = np.asarray(blocks[f"{name}.n"], dtype=np.float64)
    hits = blocks.get(f"{name}.hits")
    units = (f"{name}.sum", f"{name}.squares")
    sums, squares = (blocks[key] for key in units) if hits is None else 2 * (np.asarray(hits) * float(SCALE),)
    lower, upper = asymptotic(n, sums, squares, level, best) if best else once(n, sums, squares, level)
    rows, _, deviation = _moments(n, sums, squares, level)
    valid_lower, valid_upper = empirical_bernstein(n, sums, squares, level)
    is_rare = rows * deviation**2 < SPREAD
    if hits is None:
        is_rare = (deviation == 0) | (_events(n, sums, squares) < SPREAD)
    lower = np.where(is_rare, np.minimum(lower, valid_lower), lower)
    upper = np.where(is_rare, np.maximum(upper, valid_upper), upper)
    early = rows < BEGIN * best
    lower = np.where(early, 0, np.maximum(lower, 0))
    upper = np.where(early, 1, np.minimum(upper, 1))
    return low + (high - low) * lower, low + (high - low) * upper


def _events(n: Array, sums: Array, squares: Array) -> Array:
    """About how many values of each prefix differ from 0, or from 1 where these are fewer: never more than do.

    By Cauchy and Schwarz the sum of k values squared is at most k times the sum of their squares; they are equal where the k
    values are.  What squares are rounded by counts for the largest number, so that tiny values are not taken for rare ones.

    >>> _events([1000], [3 * SCALE], [3 * SCALE]).round(6).tolist()  # three values are 1, or more than three are less
    [3.0]
    >>> _events([1000], [500 * SCALE], [250 * SCALE]).tolist()  # all are 1/2
    [1000.0]
    """
    rows, total, total_squares = (np.cumsum(x, axis=-1, dtype=np.float64) for x in (n, sums, squares))
    total = total / SCALE
    total_squares = total_squares / SCALE
    sides = ((total, total_squares), (rows - total, rows - 2 * total + total_squares))
    numbers = []
    for side, side_squares in sides:
        at_least = np.maximum(side_squares - rows / SCALE, side * side / rows)
        numbers.append(np.divide(side * side, at_least, out=np.zeros_like(side), where=at_least > 0))
    return np.minimum(*numbers)


def _moments(n: Array, sums: Array, squares: Array, level: float) -> tuple[Array, Array, Array]:
    """Rows, means and standard deviations (divided by n) of the prefixes."""
    if not 0 < level < 1:
        raise ValueError(f"level: {level}; expected a confidence between 0 and 1, for instance 0.95")
    rows, total, total_squares = (np.cumsum(x, axis=-1, dtype=np.float64) for x in (n, sums, squares))
    mean = total / (rows * SCALE)
    return rows, mean, np.sqrt(np.maximum(0, total_squares / (rows * SCALE) - mean * mean))
