"""The shape of one position's logits and probabilities over the vocabulary: which family of densities describes them.

The V logits of a position are treated as a sample, as quantile plots do; they are not independent, so the likelihoods
rank families and do not measure confidence.  That comes from resampling documents.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simspec.laws import softmax
from simspec.studies.study import Cell, Rows, Study, Values

__all__ = ["Fit", "describe", "fit_normal", "fit_student", "ks_distance", "logit_shape"]

Array = NDArray[np.float64]
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

    Examples
    --------
    >>> fit = fit_normal([-1.0, 0.0, 1.0])
    >>> fit.location.tolist(), round(float(fit.scale[0] ** 2), 6)
    ([0.0], 0.666667)
    """
    rows = _rows(x)
    scale = rows.std(axis=1)
    loglikelihood = -rows.shape[1] * (np.log(scale) + 0.5 * np.log(2 * np.pi) + 0.5)
    return Fit(rows.mean(axis=1), scale, np.full(len(rows), np.inf), loglikelihood)


def fit_student(x: ArrayLike, iterations: int = 200, tolerance: float = 1e-6) -> Fit:
    r"""Student-t (location, scale, df) fitted to each row by maximum likelihood.

    Parameter-expanded EM (Liu, Rubin and Wu 1998): weights :math:`w = (\nu+1)/(\nu+d^2)`, location the weighted mean,
    scale squared :math:`\sum w d^2\sigma^2/\sum w`, and df by maximising the expected log-likelihood, from quartiles.  A row
    stops when its mean log-likelihood gains less than `tolerance`; df stays in [0.05, 10,000].

    Parameters
    ----------
    x : (n, V) finite numbers
    iterations : int
    tolerance : positive number

    Raises
    ------
    ValueError
        for rows that are constant or not finite.

    Examples
    --------
    >>> from scipy.stats import t
    >>> sample = t.ppf((np.arange(20_000) + 0.5) / 20_000, 5, loc=1, scale=2)
    >>> fit = fit_student(sample)
    >>> bool(abs(fit.df[0] - 5) < 0.1), bool(abs(fit.scale[0] - 2) < 0.01)
    (True, True)
    """
    rows = _rows(x)
    low, middle, high = np.quantile(rows, [0.25, 0.5, 0.75], axis=1)
    state = np.stack([middle, np.maximum((high - low) / 1.5, 1e-12 * np.ptp(rows, axis=1)), np.full(len(rows), 5.0)])
    fitted, best = state.copy(), np.full(len(rows), -np.inf)
    active = np.arange(len(rows))
    for _ in range(iterations):
        data, (location, scale, df) = rows[active], state[:, active]
        distance = ((data - location[:, None]) / scale[:, None]) ** 2
        mean_log = np.log1p(distance / df[:, None]).mean(axis=1)
        reached = _log_density(scale, df, mean_log)
        fitted[:, active] = np.where(reached >= best[active], state[:, active], fitted[:, active])
        moving = reached > best[active] + tolerance
        best[active] = np.maximum(best[active], reached)
        if not moving.any():
            break
        active, data, distance = active[moving], data[moving], distance[moving]
        location, scale, df, mean_log = location[moving], scale[moving], df[moving], mean_log[moving]
        weight = (df[:, None] + 1) / (df[:, None] + distance)
        total = weight.sum(axis=1)
        centre = (weight * data).sum(axis=1) / total
        spread = np.sqrt((weight * (data - centre[:, None]) ** 2).sum(axis=1) / total)
        # mean of log w - w, all that the expected log-likelihood knows of the data in df
        known = np.log((df + 1) / df) - mean_log - total / data.shape[1]
        state[:, active] = centre, np.maximum(spread, 1e-300), _best_df(df, known)
    location, scale, df = fitted
    return Fit(location, scale, df, best * rows.shape[1])


def _log_density(scale: Array, df: Array, mean_log: Array) -> Array:
    """Mean log density of a Student-t, from the mean of log(1 + d^2 / df)."""
    from scipy.special import gammaln

    constant = gammaln((df + 1) / 2) - gammaln(df / 2) - 0.5 * np.log(np.pi * df)
    return constant - np.log(scale) - (df + 1) / 2 * mean_log


def _best_df(df: Array, known: Array) -> Array:
    """Root of log(x/2) - psi(x/2) + 1 + psi((df+1)/2) - log((df+1)/2) + known in x: bisection in log x (it falls)."""
    from scipy.special import psi

    rest = 1 + psi((df + 1) / 2) - np.log((df + 1) / 2) + known
    low, high = np.full(len(df), np.log(_SMALLEST_DF)), np.full(len(df), np.log(_LARGEST_DF))
    for _ in range(40):
        middle = (low + high) / 2
        half = np.exp(middle) / 2
        above = np.log(half) - psi(half) + rest > 0
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return np.exp((low + high) / 2)


def ks_distance(x: ArrayLike, cdf: Callable[[Array], Array], points: int = _POINTS) -> Array:
    """Kolmogorov-Smirnov distance of each row from its fitted distribution, at `points` of its order statistics.

    A lower bound of the distance over all order statistics, less than 1/points below it.

    Parameters
    ----------
    x : (n, V) numbers
    cdf : function of the chosen order statistics (n, points) that gives their fitted distribution function

    Examples
    --------
    >>> ks_distance([0.25, 0.75], lambda x: x).tolist()
    [0.25]
    """
    rows = np.sort(np.atleast_2d(np.asarray(x, dtype=np.float64)), axis=1)
    size = rows.shape[1]
    index = np.unique(np.linspace(0, size - 1, min(points, size)).round().astype(int))
    value = cdf(rows[:, index])
    return np.maximum(value - index / size, (index + 1) / size - value).max(axis=1)


def _normal_cdf(fit: Fit) -> Callable[[Array], Array]:
    from scipy.special import ndtr

    return lambda x: ndtr((x - fit.location[:, None]) / fit.scale[:, None])


def _student_cdf(fit: Fit) -> Callable[[Array], Array]:
    from scipy.special import stdtr

    return lambda x: stdtr(fit.df[:, None], (x - fit.location[:, None]) / fit.scale[:, None])


def describe(z: ArrayLike) -> Values:
    """All that is measured on logits (n, V): moments, maxima, fits and distances, one entry a row.

    >>> sorted(describe(np.random.default_rng(0).normal(size=(1, 500))))[:3]
    ['aic gain', 'df', 'ks logits normal']
    """
    z = _rows(z)
    p = softmax(z)
    normal, student = fit_normal(z), fit_student(z)
    flat, heavy = fit_normal(p), fit_student(p)
    return {
        "logit mean": z.mean(axis=1),
        "logit sd": z.std(axis=1),
        "logit max": z.max(axis=1),
        "probability sd": p.std(axis=1),
        "probability max": p.max(axis=1),
        "aic gain": normal.aic(2) - student.aic(3),
        "df": student.df,
        "ks logits normal": ks_distance(z, _normal_cdf(normal)),
        "ks logits student": ks_distance(z, _student_cdf(student)),
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

    Examples
    --------
    >>> study = logit_shape({"line": (lambda numbers, key: np.arange(9.0)[None] ** 2, None, {})}, rows=1)
    >>> study.grid
    ({'source': 'line'},)
    """

    def simulate(cell: Cell, rows: Rows, device: str) -> Values:
        logits, document, _ = sources[cell["source"]]
        values = describe(logits(rows.numbers, rows.key))
        chosen = (
            np.arange(rows.numbers.start, rows.numbers.stop) if document is None else np.asarray(document)[rows.numbers]
        )
        return values | {"document": chosen.astype(np.float64)}

    return Study(
        name="logit-shape",
        question="Which family of densities describes the logits and the probabilities of a position?",
        grid=tuple({"source": name, **cell} for name, (_, _, cell) in sources.items()),
        simulate=simulate,
        summary="moments, fits and distances of each position",
        rows=rows,
    )
