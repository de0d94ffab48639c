"""Intervals: documents are resampled, not contexts; folds and replications are few, so Student's t.

Contexts of one document resemble each other.  Resampling whole documents keeps that in; treating contexts as
independent gives intervals that are too short.  For several statements at once the levels are split (Bonferroni).

More than `GROUPS` documents are first put into that many groups by lot, and whole groups are resampled: they too are
independent of each other, and their sums spread as the documents' do.  The ends of an interval are then known to
1 / sqrt(2 GROUPS) = 0.4 % of its length, less than what the number of resamples leaves open anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.checks import check_memory, needs
from simspec.kernels import random as philox

__all__ = [
    "GROUPS",
    "Interval",
    "binomial",
    "bonferroni",
    "document_weights",
    "documents",
    "each",
    "resampled",
    "student",
    "within",
]

RESAMPLES = 10_000
GROUPS = 2**15
"""Most documents that are drawn one by one; of more, groups are drawn."""
_TABLE = 2**24
"""Most entries of a table of weights that is kept whole (128 MiB): resamples times documents."""
_CHUNK = 2**21
"""Draws at a time where it is not, or one resample's where these are more."""


class Interval(NamedTuple):
    """An estimate, its interval, and the level of that."""

    estimate: float
    low: float
    high: float
    level: float


def bonferroni(level: float, statements: int) -> float:
    """Level of each interval such that all of `statements` hold together at `level`.

    >>> bonferroni(0.95, 5)
    0.99
    """
    if not 0 < level < 1:
        raise ValueError(f"level: {level}; expected a confidence between 0 and 1")
    if not statements >= 1:
        raise ValueError(f"statements: {statements}; expected at least one")
    return round(1 - (1 - level) / statements, 12)


def binomial(count: float, trials: float, level: float = 0.95) -> Interval:
    r"""Exact interval of a proportion (Clopper and Pearson 1934): it covers at its level for every number of trials.

    Its ends are the proportions at which `count` or more, and `count` or fewer, have the probability (1 - level) / 2.

    Parameters
    ----------
    count : successes among the trials
    trials : independent trials, at least one
    level : in (0, 1)

    Raises
    ------
    ValueError
        for a count outside 0 to `trials`, no trial, or a level that is none.

    Examples
    --------
    >>> round(binomial(5, 5).low, 4)  # 0.025 ** (1 / 5): five of five do not show that a proportion exceeds one half
    0.4782
    """
    (special,) = needs("an interval", "scipy.special")
    if not (0 <= count <= trials and trials > 0 and 0 < level < 1):
        raise ValueError(
            f"count, trials, level: {count}, {trials}, {level}; expected 0 <= count <= trials, a level in (0, 1)"
        )
    tail = (1 - level) / 2
    low = float(special.betaincinv(count, trials - count + 1, tail)) if count > 0 else 0.0
    high = float(special.betaincinv(count + 1, trials - count, 1 - tail)) if count < trials else 1.0
    return Interval(count / trials, low, high, level)


def student(values: ArrayLike, level: float = 0.95, lowest: float = -np.inf, highest: float = np.inf) -> Interval:
    r"""Student-t interval for the mean of independent replications: :math:`\bar x \pm t_{n-1}\,s/\sqrt n`.

    Parameters
    ----------
    values : (n,) numbers, n >= 2
    level : in (0, 1)
    lowest, highest : numbers the quantity cannot pass; the interval is cut there.

    Raises
    ------
    ValueError
        for fewer than two values or values that are not finite.

    Examples
    --------
    >>> interval = student([1.0, 3.0])
    >>> interval.estimate, round(interval.high, 4)
    (2.0, 14.7062)
    """
    (special,) = needs("an interval", "scipy.special")
    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all():
        raise ValueError(
            f"values: shape {x.shape}, finite {bool(np.isfinite(x).all())}; expected two finite numbers or more"
        )
    half = float(special.stdtrit(len(x) - 1, (1 + level) / 2)) * float(x.std(ddof=1)) / len(x) ** 0.5
    mean = float(x.mean())
    return Interval(mean, max(mean - half, lowest), min(mean + half, highest), level)


def document_weights(count: int, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """How often each of `count` documents is drawn in each resample, shape (resamples, count); a fixed table.

    Raises
    ------
    ValueError
        for a table that does not fit in memory; `resampled` needs none.

    Examples
    --------
    >>> document_weights(3, 100).sum(axis=1).tolist() == [3.0] * 100
    True
    """
    check_memory("count", count, 32 * count * resamples)  # the draws, their documents, the counts, the table
    return _table(count, resamples)


@lru_cache(maxsize=4)
def _table(count: int, resamples: int) -> NDArray[np.float64]:
    weights = _weights(count, range(resamples))
    weights.setflags(write=False)
    return weights


def _weights(count: int, row_numbers: range) -> NDArray[np.float64]:
    """Rows of the table, the same whichever are asked for together."""
    resample_indices = np.floor(
        philox.uniform(philox.make_key(0, "bootstrap", count), row_numbers, range(count)) * count
    )
    rows = np.arange(len(row_numbers))[:, None] * count
    flat = np.bincount(
        (rows + np.minimum(resample_indices, count - 1).astype(np.int64)).ravel(), minlength=len(row_numbers) * count
    )
    return flat.reshape(len(row_numbers), count).astype(np.float64)


def resampled(
    sums: NDArray[np.float64], resamples: int = RESAMPLES, progress: Callable[[int, int], None] | None = None
) -> NDArray[np.float64]:
    """Sums over the documents drawn, for each resample: `document_weights` @ sums, in memory of the order of `sums`.

    Parameters
    ----------
    sums : (documents, k) sums over each document's contexts
    resamples : int
    progress : (resamples done, resamples in all) -> None, optional

    Returns
    -------
    (resamples, k)

    Examples
    --------
    >>> resampled(np.ones((3, 1)), 100).tolist() == [[3.0]] * 100
    True
    """
    count = len(sums)
    if count * resamples <= _TABLE:
        return document_weights(count, resamples) @ sums
    out = np.empty((resamples, sums.shape[1]))
    step = max(1, _CHUNK // count)
    for at in range(0, resamples, step):
        row_numbers = range(at, min(at + step, resamples))
        out[at : row_numbers.stop] = _weights(count, row_numbers) @ sums
        if progress is not None:
            progress(row_numbers.stop, resamples)
    return out


def documents(
    values: ArrayLike,
    document: ArrayLike,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    statistic: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
) -> Interval:
    r"""Bootstrap interval over documents for the mean over contexts (or a function of such means).

    Documents are drawn with replacement, each with all its contexts; the interval runs between the
    :math:`(1 \mp level)/2` quantiles of the resampled value.  Of more than `GROUPS` documents, groups are drawn.

    Parameters
    ----------
    values : (n,) or (n, k) numbers, one row a context
    document : (n,) numbers, equal for contexts of one document; at least two documents
    level : in (0, 1)
    resamples : int
    statistic : (..., k) means -> (...), optional
        for example a ratio of two means; by default the mean itself.

    Raises
    ------
    ValueError
        for lengths that differ, fewer than two documents, or values that are not finite.

    Examples
    --------
    >>> interval = documents([0.0, 0.0, 1.0, 1.0], [1, 1, 2, 2])
    >>> interval.estimate, interval.low, interval.high
    (0.5, 0.0, 1.0)
    """
    x = np.asarray(values, dtype=np.float64)
    x = x[:, None] if x.ndim == 1 else x
    sums = _sums(x, document)
    value = statistic or (lambda means: means[..., 0])
    resampled_sums = resampled(sums, resamples)
    resampled_values = value(resampled_sums[:, :-1] / resampled_sums[:, -1:])
    low, high = np.quantile(resampled_values, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(value(x.mean(axis=0))), float(low), float(high), level)


def _sums(x: NDArray[np.float64], document: ArrayLike) -> NDArray[np.float64]:
    """Sums of the columns (n, k) over each document's contexts, and their number: (documents, k + 1), or groups."""
    names, index = np.unique(np.asarray(document), return_inverse=True)
    if len(index) != len(x) or len(names) < 2 or not np.isfinite(x).all():
        raise ValueError(
            f"values, document: {len(x)} values, {len(index)} contexts of {len(names)} documents; "
            "expected finite values, one for each context, of two documents or more"
        )
    units = min(len(names), GROUPS)
    if units < len(names):
        index = _groups(len(names))[index]
    sums = np.empty((units, x.shape[1] + 1))
    for at in range(x.shape[1]):
        sums[:, at] = np.bincount(index, x[:, at], units)
    sums[:, -1] = np.bincount(index, minlength=units)
    return sums


def _groups(count: int) -> NDArray[np.int64]:
    """The group of each of `count` documents: put together by lot, in sizes that differ by one at most."""
    lots = philox.uniform(philox.make_key(0, "bootstrap groups", count), [0], range(count))[0]
    group = np.empty(count, dtype=np.int64)
    group[np.argsort(lots, kind="stable")] = np.arange(count) % GROUPS
    return group


def each(
    values: ArrayLike,
    document: ArrayLike,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    progress: Callable[[int, int], None] | None = None,
) -> list[Interval]:
    """`documents` of each column of values (n, k), on one pass over the resamples.

    >>> [interval.estimate for interval in each([[0.0, 1.0], [1.0, 3.0]], [1, 2])]
    [0.5, 2.0]
    """
    x = np.asarray(values, dtype=np.float64)
    resampled_sums = resampled(_sums(x, document), resamples, progress)
    ends = np.quantile(resampled_sums[:, :-1] / resampled_sums[:, -1:], [(1 - level) / 2, (1 + level) / 2], axis=0)
    return [
        Interval(float(m), float(low), float(high), level) for m, low, high in zip(x.mean(axis=0), *ends, strict=True)
    ]


def within(interval: Interval, value: float) -> bool:
    """Whether the interval contains a value.

    >>> within(Interval(0.5, 0.0, 1.0, 0.95), 0.2)
    True
    """
    return interval.low <= value <= interval.high
