"""The shape of one position's logits and probabilities over the vocabulary: which family of densities describes them.

The V logits of a position are treated as a sample, as quantile plots do; they are not independent, so the likelihoods
rank families and do not measure confidence.  That comes from resampling documents.
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from simspec.checks import needs
from simspec.engine.study import Cell, Rows, Study, Values
from simspec.kernels.student import fixed_point
from simspec.laws import Array, softmax

__all__ = ["Fit", "describe", "fit_normal", "fit_student", "ks_distance", "logit_shape"]
_POINTS = 1024
_LARGEST_DF = 1e4
_SMALLEST_DF = 0.05


class Fit(NamedTuple):
    """A fitted location-scale family, row by row: location, scale, degrees of freedom, log-likelihood."""

    location: Array
    scale: Array
    df: Array
    loglikelihood: Array

    def aic(self, parameters: int) -> Array:
        """Akaike's criterion, 2 k - 2 log L, with k parameters."""
        return 2 * parameters - 2 * self.loglikelihood


def _rows(x: ArrayLike) -> Array:
    rows = np.atleast_2d(np.asarray(x, dtype=np.float64))
    if rows.ndim != 2 or rows.shape[1] < 3 or not np.isfinite(rows).all() or (np.ptp(rows, axis=1) == 0).any():
        raise ValueError(f"x: shape {rows.shape}; expected rows of three finite numbers or more, not all equal")
    return rows


def fit_normal(x: ArrayLike) -> Fit:
    r"""Normal fitted to each row by maximum likelihood: mean and :math:`\sqrt{\sum (x-\bar x)^2/n}`.

    Parameters
    ----------
    x : (n, V) finite numbers

    >>> fit = fit_normal([-1.0, 0.0, 1.0])
    >>> fit.location.tolist(), round(float(fit.scale[0] ** 2), 6)
    ([0.0], 0.666667)
    """
    rows = _rows(x)
    scale = rows.std(axis=1)
    loglikelihood = -rows.shape[1] * (np.log(scale) + 0.5 * np.log(2 * np.pi) + 0.5)
    return Fit(rows.mean(axis=1), scale, np.full(len(rows), np.inf), loglikelihood)


def fit_student(x: ArrayLike, iterations: int = 200, tolerance: float = 1e-9) -> Fit:
    r"""Student-t (location, scale, df) fitted to each row by maximum likelihood.

    The likelihood is maximised over location and scale at each df, and over df by its derivative there: first on a grid in
    equal ratios, so that the best of several maxima is taken, then by Brent's method between the best and its neighbour.
    Location and scale are the fixed point of :math:`w = (\nu+1)/(\nu+d^2)`: the weighted mean, and scale squared
    :math:`\sum w d^2\sigma^2/\sum w` (Liu, Rubin and Wu 1998).  df stays in [0.05, 10,000]: there it is, at the cap, for
    rows whose likelihood still rises towards the normal law.

    Parameters
    ----------
    x : (n, V) finite numbers
    iterations : int; most steps of location and scale at one df
    tolerance : positive number; relative change of the scale at which these stop

    Raises ValueError for rows that are constant or not finite.

    >>> from scipy.stats import t
    >>> sample = t.ppf((np.arange(20_000) + 0.5) / 20_000, 5, loc=1, scale=2)
    >>> fit = fit_student(sample)
    >>> bool(abs(fit.df[0] - 5) < 0.1), bool(abs(fit.scale[0] - 2) < 0.01)
    (True, True)
    """
    fits = [_fit_row(row, iterations, tolerance) for row in _rows(x)]
    return Fit(*(np.array(column) for column in zip(*fits, strict=True)))


_RATIOS = 11
"""Values of df on the grid, from the cap down."""
_COARSE = 1e-3
"""Relative change of the scale at which the grid stops: which of its values is best needs no more."""
_CLOSE = 1e-8
"""Error of log df at the maximum."""
_TINY = 1e-300
"""Least size of the slopes at both ends, whose signs are known."""


class _Peak(NamedTuple):
    """Location and scale that maximise the mean log-likelihood at a df, its value, and its derivative in df."""

    location: float
    scale: float
    df: float
    value: float
    slope: float


_Row = tuple[float, float, float, float]
_known: dict[tuple[bytes, int, float], _Row] = {}
"""Fits by the hash of their row: several studies look at the same positions."""
_KEPT = 10_000
"""Most fits that are kept: with more all are forgotten."""


def _fit_row(row: Array, iterations: int, tolerance: float) -> _Row:
    key = blake2b(row.tobytes()).digest(), iterations, tolerance
    if key not in _known:
        if len(_known) >= _KEPT:
            _known.clear()
        _known[key] = _fitted(row, iterations, tolerance)
    return _known[key]


def _fitted(row: Array, iterations: int, tolerance: float) -> _Row:
    low, middle, high = np.quantile(row, [0.25, 0.5, 0.75])
    start = float(middle), max(float(high - low) / 1.5, 1e-12 * float(np.ptp(row)))
    grid: list[_Peak] = []
    for df in np.geomspace(_LARGEST_DF, _SMALLEST_DF, _RATIOS):
        near = grid[-1][:2] if grid else start
        grid.append(_at_df(row, float(df), *near, iterations, max(_COARSE, tolerance)))
    best = max(range(_RATIOS), key=lambda i: grid[i].value)
    refined = _at_df(row, grid[best].df, *grid[best][:2], iterations, tolerance)
    # the maximum lies above the best of the grid where the likelihood rises there, below it otherwise
    neighbour_index = best - 1 if refined.slope > 0 else best + 1
    if 0 <= neighbour_index < _RATIOS:
        refined = _between(row, refined, grid[neighbour_index], iterations, tolerance)
    return refined.location, refined.scale, refined.df, refined.value * len(row)


def _between(row: Array, best_peak: _Peak, neighbour: _Peak, iterations: int, tolerance: float) -> _Peak:
    """The best peak that Brent's method passes on its way to where the likelihood neither rises nor falls."""
    (optimize,) = needs("fitting a Student-t", "scipy.optimize")
    ends = {float(np.log(end.df)): end for end in (best_peak, neighbour)}
    first, last = sorted(ends)
    peaks_by_log_df = dict(ends)

    def slope(log_df: float) -> float:
        if log_df in ends:  # what the best of the grid says holds: it rises from the one and falls to the other
            return max(ends[first].slope, _TINY) if log_df == first else min(ends[last].slope, -_TINY)
        near = peaks_by_log_df[min(peaks_by_log_df, key=lambda visited: abs(visited - log_df))]
        peaks_by_log_df[log_df] = _at_df(row, float(np.exp(log_df)), *near[:2], iterations, tolerance)
        return peaks_by_log_df[log_df].slope

    optimize.brentq(slope, first, last, xtol=_CLOSE)
    return max(
        (peak for log_df, peak in peaks_by_log_df.items() if log_df not in ends or peak is best_peak),
        key=lambda peak: peak.value,
    )


def _at_df(row: Array, df: float, location: float, scale: float, iterations: int, tolerance: float) -> _Peak:
    psi = needs("fitting a Student-t", "scipy.special")[0].psi
    location, scale = fixed_point(row, df, location, scale, iterations, tolerance)
    distance = ((row - location) / scale) ** 2
    mean_log = float(np.log1p(distance / df).mean())
    second = float((distance / (df + distance)).mean())
    slope = 0.5 * (psi((df + 1) / 2) - psi(df / 2) - 1 / df - mean_log + (df + 1) / df * second)
    value = float(_log_density(np.array(scale), np.array(df), np.array(mean_log)))
    return _Peak(location, scale, df, value, float(slope))


def _log_density(scale: Array, df: Array, mean_log: Array) -> Array:
    """Mean log density of a Student-t, from the mean of log(1 + d^2 / df)."""
    gammaln = needs("fitting a Student-t", "scipy.special")[0].gammaln
    constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(np.pi * df)
    return constant - np.log(scale) - (df + 1) / 2 * mean_log


def ks_distance(x: ArrayLike, cdf: Callable[[Array], Array], points: int = _POINTS) -> Array:
    """Kolmogorov-Smirnov distance of each row from its fitted distribution, at `points` of its order statistics.

    A lower bound of the distance over all order statistics, less than 1/points below it.

    Parameters
    ----------
    x : (n, V) numbers
    cdf : function of the chosen order statistics (n, points) that gives their fitted distribution function

    >>> ks_distance([0.25, 0.75], lambda x: x).tolist()
    [0.25]
    """
    rows = np.sort(np.atleast_2d(np.asarray(x, dtype=np.float64)), axis=1)
    size = rows.shape[1]
    index = np.unique(np.linspace(0, size - 1, min(points, size)).round().astype(int))
    value = cdf(rows[:, index])
    return np.maximum(value - index / size, (index + 1) / size - value).max(axis=1)


def _normal_cdf(fit: Fit) -> Callable[[Array], Array]:
    ndtr = needs("the distance from a normal", "scipy.special")[0].ndtr
    return lambda x: ndtr((x - fit.location[:, None]) / fit.scale[:, None])


def _student_cdf(fit: Fit) -> Callable[[Array], Array]:
    stdtr = needs("the distance from a Student-t", "scipy.special")[0].stdtr
    return lambda x: stdtr(fit.df[:, None], (x - fit.location[:, None]) / fit.scale[:, None])


def describe(z: ArrayLike) -> Values:
    """All that is measured on logits (n, V): moments, maxima, fits and distances, one entry a row.

    >>> sorted(describe(np.random.default_rng(0).normal(size=(1, 500))))[:3]
    ['aic gain', 'df', 'ks logits normal']
    """
    rows = _rows(z)
    p = softmax(rows)
    normal = fit_normal(rows)
    student = fit_student(rows)
    flat = fit_normal(p)
    heavy = fit_student(p)
    return {
        "logit mean": rows.mean(axis=1),
        "logit sd": rows.std(axis=1),
        "logit max": rows.max(axis=1),
        "probability sd": p.std(axis=1),
        "probability max": p.max(axis=1),
        "aic gain": normal.aic(2) - student.aic(3),
        "df": student.df,
        "ks logits normal": ks_distance(rows, _normal_cdf(normal)),
        "ks logits student": ks_distance(rows, _student_cdf(student)),
        "ks probabilities normal": ks_distance(p, _normal_cdf(flat)),
        "ks probabilities student": ks_distance(p, _student_cdf(heavy)),
    }


def logit_shape(sources: dict[str, tuple[Callable[[range, int], Any], Any, dict[str, Any]]], rows: int) -> Study:
    """Shape of the logits, one row a position, for each named source.

    Parameters
    ----------
    sources : {name: (logits, document, cell)}
        ``logits(numbers, key)`` gives the rows asked for, (n, V); ``document`` is an array over all rows, or None when
        rows are independent; ``cell`` holds more plain values (``rows``, ``data``).
    rows : int

    >>> study = logit_shape({"line": (lambda numbers, key: np.arange(9.0)[None] ** 2, None, {})}, rows=1)
    >>> study.grid
    ({'source': 'line'},)
    """

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        logits, document, _ = sources[cell["source"]]
        values = describe(logits(rows.numbers, rows.key))
        row_documents = (
            np.arange(rows.numbers.start, rows.numbers.stop) if document is None else np.asarray(document)[rows.numbers]
        )
        return values | {"document": row_documents.astype(np.float64)}

    return Study(
        name="logit-shape",
        question="Which family of densities describes the logits and the probabilities of a position?",
        grid=tuple({"source": name, **cell} for name, (_, _, cell) in sources.items()),
        simulate=simulate,
        summary="moments, fits and distances of each position",
        rows=rows,
    )
