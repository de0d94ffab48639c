"""Intervals: documents are resampled, not contexts; folds and replications are few, so Student's t.

Contexts of one document resemble each other.  Resampling whole documents keeps that in; treating contexts as
independent gives intervals that are too short.  For several statements at once the levels are split (Bonferroni).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.kernels import philox

__all__ = ["Interval", "bonferroni", "documents", "document_weights", "student", "within"]

RESAMPLES = 10_000


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
    if not (0 < level < 1 and statements >= 1):
        raise ValueError(
            f"level, statements: {level}, {statements}; expected a level in (0, 1), at least one statement"
        )
    return round(1 - (1 - level) / statements, 12)


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
    from scipy.special import stdtrit

    x = np.asarray(values, dtype=np.float64)
    if x.ndim != 1 or len(x) < 2 or not np.isfinite(x).all():
        raise ValueError(
            f"values: shape {x.shape}, finite {bool(np.isfinite(x).all())}; expected two finite numbers or more"
        )
    half = float(stdtrit(len(x) - 1, (1 + level) / 2)) * float(x.std(ddof=1)) / len(x) ** 0.5
    mean = float(x.mean())
    return Interval(mean, max(mean - half, lowest), min(mean + half, highest), level)


@lru_cache(maxsize=4)
def document_weights(count: int, resamples: int = RESAMPLES) -> NDArray[np.float64]:
    """How often each of `count` documents is drawn in each resample, shape (resamples, count); a fixed table.

    >>> document_weights(3, 100).sum(axis=1).tolist() == [3.0] * 100
    True
    """
    drawn = np.floor(philox.uniform(philox.make_key(0, "bootstrap", count), range(resamples), range(count)) * count)
    rows = np.arange(resamples)[:, None] * count
    flat = np.bincount((rows + np.minimum(drawn, count - 1).astype(np.int64)).ravel(), minlength=resamples * count)
    weights = flat.reshape(resamples, count).astype(np.float64)
    weights.setflags(write=False)
    return weights


def documents(
    values: ArrayLike,
    document: ArrayLike,
    level: float = 0.95,
    resamples: int = RESAMPLES,
    statistic: Callable[[NDArray[Any]], NDArray[Any]] | None = None,
) -> Interval:
    r"""Bootstrap interval over documents for the mean over contexts (or a function of such means).

    Documents are drawn with replacement, each with all its contexts; the interval runs between the
    :math:`(1 \mp level)/2` quantiles of the resampled value.

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
    names, index = np.unique(np.asarray(document), return_inverse=True)
    if len(index) != len(x) or len(names) < 2 or not np.isfinite(x).all():
        raise ValueError(
            f"values, document: {len(x)} values, {len(index)} contexts of {len(names)} documents; "
            "expected finite values, one for each context, of two documents or more"
        )
    sums = np.zeros((len(names), x.shape[1] + 1))
    np.add.at(sums, index, np.column_stack([x, np.ones(len(x))]))
    value = statistic or (lambda means: means[..., 0])
    drawn = document_weights(len(names), resamples) @ sums
    resampled = value(drawn[:, :-1] / drawn[:, -1:])
    low, high = np.quantile(resampled, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(value(x.mean(axis=0))), float(low), float(high), level)


def within(interval: Interval, value: float) -> bool:
    """Whether the interval contains a value.

    >>> within(Interval(0.5, 0.0, 1.0, 0.95), 0.2)
    True
    """
    return interval.low <= value <= interval.high
