r"""Intervals of ratios over few clusters: the requests of a log, the documents of a bank, the prompts of a run.

A ratio divides a sum over clusters by another: accepted drafts by steps.  Its error is that of the jackknife, which leaves out
one cluster at a time, and the quantile is Student's with the degrees of freedom that clusters of unequal sizes leave.

A sample of n clusters says nothing of a kind of which it holds none, and with probability 5 % it holds none of a kind that
makes up 3/n of all.  So each end of an interval is computed with a further cluster, whose ratio is the lowest possible for the
low end and the highest possible for the high end.  Without it intervals miss wherever a few clusters differ from the rest.

Fewer than `FEWEST` clusters have no interval: it would hold nearly every possible value.  Coverage is simulated by
`benchmarks.coverage`, where the limit of the method is recorded too: sizes with heavy tails whose ratios go with the size.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import needs
from simspec.engine.estimates.intervals import Interval

__all__ = [
    "FEWEST",
    "bounded_statistic",
    "degrees_of_freedom",
    "ends",
    "longer_side",
    "means",
    "ratio",
    "statistic",
    "too_few",
]

Floats = NDArray[np.float64]

FEWEST = 5
"""Fewest clusters of which an interval is given."""


def too_few(count: int, noun: str, level: float = 0.95) -> str:
    """The sentence in place of an interval; empty where there are enough clusters.

    >>> too_few(2, "request")
    'no intervals: 2 requests are too few, a 95 % interval needs 5 or more'
    >>> too_few(5, "request")
    ''
    """
    if count >= FEWEST:
        return ""
    clusters = f"{count} {noun}{'s are' if count != 1 else ' is'}"
    return f"no intervals: {clusters} too few, a {100 * level:g} % interval needs {FEWEST} or more"


def longer_side(interval: Interval) -> float:
    """The larger distance from the estimate to an end, NaN where there is no interval: what a table shows after a ±.

    >>> longer_side(Interval(0.5, 0.125, 0.75, 0.95))
    0.375
    """
    return max(interval.estimate - interval.low, interval.high - interval.estimate)


def ratio(
    above: ArrayLike,
    below: ArrayLike,
    level: float = 0.95,
    lowest: float = 0.0,
    highest: float = 1.0,
    size: float | None = None,
) -> Interval:
    r"""Interval of :math:`\sum a_i / \sum b_i` over clusters.

    Parameters
    ----------
    above, below : (n,) numbers, a pair for each cluster; `below` not negative.  Clusters where it is 0 do not count
    level : in (0, 1)
    lowest, highest : the ratios that a cluster can have at least and at most
    size : `below` of the further cluster at the low end; by default the mean of `below`

    Returns
    -------
    Interval
        without ends (NaN) for fewer than `FEWEST` clusters.

    Raises
    ------
    ValueError
        for a level outside (0, 1), lengths that differ, no positive `below`, or values that are not finite.

    Examples
    --------
    >>> interval = ratio([8, 6, 7, 9, 5, 7], [10, 10, 10, 10, 10, 10])
    >>> [round(x, 3) for x in interval]
    [0.7, 0.328, 0.902, 0.95]
    >>> ratio([8, 6], [10, 10]).low
    nan
    """
    a, b = _pair(above, below, level)
    estimate = float(a.sum() / b.sum())
    if len(b) < FEWEST:
        return Interval(estimate, float("nan"), float("nan"), level)
    sizes = float(b.mean()) if size is None else size, float(b.mean())
    low, high = ends(a, b, level, (lowest, highest), sizes)
    return _around(estimate, low, high, level)


def _around(estimate: float, low: Any, high: Any, level: float) -> Interval:
    """An interval with its estimate inside, which rounding alone may have put beside it."""
    return Interval(estimate, min(float(low), estimate), max(float(high), estimate), level)


def _pair(above: ArrayLike, below: ArrayLike, level: float) -> tuple[Floats, Floats]:
    """Both sides of the clusters that count."""
    if not 0 < level < 1:
        raise ValueError(f"level: {level}; expected a confidence between 0 and 1")
    a = np.asarray(above, dtype=np.float64)
    b = np.asarray(below, dtype=np.float64)
    if a.ndim != 1 or a.shape != b.shape or not np.isfinite([a, b]).all() or not (b >= 0).all() or not b.any():
        raise ValueError(
            f"above, below: shapes {a.shape} and {b.shape}; expected as many finite numbers in both, "
            "none of `below` negative and one of them positive"
        )
    counted = b > 0
    return a[counted], b[counted]


def ends(
    above: Floats, below: Floats, level: float, bounds: tuple[ArrayLike, ArrayLike], sizes: tuple[ArrayLike, ArrayLike]
) -> tuple[Floats, Floats]:
    """Both ends of the intervals of ratios, for any number of clusters and of ratios at once; arguments are not checked.

    Parameters
    ----------
    above, below : (n, ...) numbers, clusters first
    level : in (0, 1)
    bounds : lowest and highest ratio that a cluster can have, (...) or one for all
    sizes : `below` of the further cluster at the low end and at the high end, (...) or one for all

    Returns
    -------
    low and high end, each of shape (...)
    """
    limits = []
    for bound, size, sign in zip(bounds, sizes, (-1, 1), strict=True):
        further = np.broadcast_to(np.asarray(size, dtype=np.float64), below.shape[1:])
        columns = np.stack([_with(above, np.multiply(bound, further)), _with(below, further)])
        limits.append(np.clip(_end(columns, lambda a, b: a / b, columns[1], level, sign), *bounds))
    return limits[0], limits[1]


def _with(clusters: Floats, further: Any) -> Floats:
    return np.concatenate([clusters, np.asarray(further, dtype=np.float64)[None]])


def _end(columns: Floats, function: Callable[..., Any], sizes: Floats, level: float, sign: int) -> Floats:
    """One end of the interval of a function of sums over clusters: columns (c, n, ...), the further cluster among them."""
    (special,) = needs("an interval", "scipy.special")
    totals = columns.sum(axis=1)
    left_out = function(*(totals[:, None] - columns))
    n = columns.shape[1]
    error = np.sqrt((n - 1) / n * ((left_out - left_out.mean(axis=0)) ** 2).sum(axis=0))
    return function(*totals) + sign * special.stdtrit(degrees_of_freedom(sizes), (1 + level) / 2) * error


def degrees_of_freedom(sizes: Floats) -> Floats:
    r"""Degrees of freedom that clusters of these sizes (n, ...) leave, :math:`(\sum w^2)^2 / \sum w^4 - 1`, at least 1.

    Satterthwaite's, of a variance that is a sum of squares weighted by :math:`w^2`: n - 1 for clusters of one size, few where
    one of them is much larger than the others.

    >>> degrees_of_freedom(np.ones(6)).item(), degrees_of_freedom(np.array([100.0, 1, 1, 1, 1])).item()
    (5.0, 1.0)
    """
    w = np.square(sizes / sizes.max(axis=0))
    return np.maximum(1, w.sum(axis=0) ** 2 / np.square(w).sum(axis=0) - 1)


def means(
    values: ArrayLike, document: ArrayLike, level: float = 0.95, bounds: tuple[ArrayLike, ArrayLike] | None = None
) -> list[Interval]:
    """Interval of the mean of each column over contexts, which come in documents of unequal lengths.

    Parameters
    ----------
    values : (n, k) numbers, a row for each context
    document : (n,) labels, equal for contexts of one document
    level : in (0, 1)
    bounds : lowest and highest value that a context can have, each (k,) or one for all; by default the lowest and the
        highest that one of these contexts has

    Returns
    -------
    k intervals, without ends (NaN) for fewer than `FEWEST` documents.

    >>> [round(x, 3) for x in means([[0.5], [0.75], [0.5], [0.25], [0.5], [0.5]], [1, 2, 3, 4, 5, 5])[0][:3]]
    [0.5, 0.25, 0.75]
    """
    x = np.asarray(values, dtype=np.float64)
    names, index = np.unique(np.asarray(document), return_inverse=True)
    if x.ndim != 2 or len(x) != len(index) or not len(x) or not np.isfinite(x).all():
        raise ValueError(
            f"values, document: shapes {x.shape} and {np.shape(document)}; expected finite values (n, k), "
            "and a document for each row"
        )
    lowest, highest = (x.min(axis=0), x.max(axis=0)) if bounds is None else bounds
    low = high = np.full(x.shape[1], np.nan)
    if len(names) >= FEWEST:
        counts = np.bincount(index).astype(np.float64)
        sums = np.stack([np.bincount(index, column).astype(np.float64) for column in x.T], axis=1)
        sizes = np.tile(counts[:, None], x.shape[1])
        size = np.full(x.shape[1], counts.mean())
        low, high = ends(sums, sizes, level, (lowest, highest), (size, size))
    rows = zip(x.mean(axis=0), low, high, strict=True)
    return [_around(float(mean), left_reach, right, level) for mean, left_reach, right in rows]


def statistic(columns: ArrayLike, function: Callable[..., Any], sizes: ArrayLike, level: float = 0.95) -> Interval:
    """Interval of a function of sums that no ratio is, such as a quotient of two ratios.

    Nothing bounds it, so the further cluster is the one, of those seen, whose own value is the lowest or the highest.

    Parameters
    ----------
    columns : (c, n) numbers, a column for each cluster
    function : c sums to a number, on arrays
    sizes : (n,) positive numbers, which say how unequal the clusters are
    level : in (0, 1)

    >>> times = [[4.0, 5.0, 6.0, 5.0, 4.0], [2.0, 2.0, 3.0, 2.0, 2.0]]
    >>> [round(x, 3) for x in statistic(times, lambda alone, drafted: alone / drafted, [1.0] * 5)]
    [2.182, 1.893, 2.523, 0.95]
    """
    x = np.asarray(columns, dtype=np.float64)
    size = np.asarray(sizes, dtype=np.float64)
    estimate = float(function(*x.sum(axis=1)))
    if x.shape[1] < FEWEST:
        return Interval(estimate, float("nan"), float("nan"), level)
    cluster_values = function(*x)
    limits = []
    for extreme, sign in ((cluster_values.argmin(), -1), (cluster_values.argmax(), 1)):
        with_extreme = [*range(x.shape[1]), int(extreme)]
        limits.append(float(_end(x[:, with_extreme], function, size[with_extreme], level, sign)))
    return _around(estimate, limits[0], limits[1], level)


def bounded_statistic(
    columns: ArrayLike, function: Callable[..., Any], sizes: ArrayLike, extremes: ArrayLike, level: float = 0.95
) -> Interval:
    """Interval of a function of sums, where it is known what a cluster can have: the further cluster is the worst of those.

    Parameters
    ----------
    columns, function, sizes, level : as `statistic` takes them
    extremes : (c, m) columns for a row of a cluster, of the m kinds of clusters that move the function most; the further
        cluster has as many rows as the mean of `sizes`

    Returns an interval without ends (NaN) for fewer than `FEWEST` clusters.  A function that bends much between the clusters and
    the extremes may have ends that it cannot reach; whoever knows what it can reach cuts them.

    The square of a mean of numbers in [0, 1]:

    >>> sums = [[4.0, 3.0, 5.0, 4.0, 4.0], [8.0] * 5]
    >>> [round(x, 3) for x in bounded_statistic(sums, lambda a, b: (a / b) ** 2, [8.0] * 5, [[0.0, 1.0], [1.0, 1.0]])]
    [0.25, -0.03, 0.597, 0.95]
    """
    x = np.asarray(columns, dtype=np.float64)
    size = np.asarray(sizes, dtype=np.float64)
    total = x.sum(axis=1)
    estimate = float(function(*total))
    if x.shape[1] < FEWEST:
        return Interval(estimate, float("nan"), float("nan"), level)
    further = np.asarray(extremes, dtype=np.float64) * size.mean()
    with_further = function(*(total[:, None] + further))
    limits = []
    for worst, sign in ((with_further.argmin(), -1), (with_further.argmax(), 1)):
        clusters = np.concatenate([x, further[:, [worst]]], axis=1)
        limits.append(float(_end(clusters, function, np.append(size, size.mean()), level, sign)))
    return _around(estimate, limits[0], limits[1], level)
