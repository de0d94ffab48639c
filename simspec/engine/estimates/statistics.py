"""Sufficient statistics of a block of rows as integers, so that any order, split or thread count gives the same bits.

A bounded value is mapped to [0, 1] and rounded to a multiple of 2**-32; sums of such values are sums of integers and
therefore exact.  This file knows no interval and no stopping rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from simspec.laws import Array

__all__ = [
    "MAX_ROWS",
    "SCALE",
    "Counts",
    "Mean",
    "Measure",
    "Share",
    "Totals",
    "bounded",
    "histogram",
    "mean",
    "merge",
    "proportion",
    "variance",
]

SCALE = 2**32
"""Units of the fixed-point grid in an interval of length one."""

MAX_ROWS = 2**31 - 1
"""Most rows of one block: MAX_ROWS * SCALE < 2**63, so that no 64-bit signed sum can overflow."""

Totals: TypeAlias = Mapping[str, "int | Array"]


def _rows(name: str, values: Array) -> Array:
    values = np.asarray(values)
    if values.size > MAX_ROWS:
        raise ValueError(f"values of {name!r}: {values.size} rows; expected at most {MAX_ROWS} in one block")
    return values


def bounded(name: str, values: Array, low: float = 0, high: float = 1) -> dict[str, int]:
    """Count, sum and sum of squares of values between two bounds, in integers.

    With x = (value − low) / (high − low), r = round(2³² x): `sum` = Σ r and `squares` = Σ round(r² / 2³²), so that
    sum / 2³² and squares / 2³² are Σ x and Σ x² up to half a unit per row.

    Parameters
    ----------
    name : str
        the keys are `name`.n, `name`.sum and `name`.squares.
    values : array
        at most 2³¹ − 1 rows; any shape.
    low, high : float
        bounds fixed before the run.  A value beyond them by less than 2⁻³³ of their distance (the rounding of a sum in
        float64) counts as the bound.

    Raises
    ------
    ValueError
        a value outside the bounds or NaN, bounds that are not finite and increasing, too many rows.

    Examples
    --------
    >>> bounded("alpha", np.array([0.5, 1.0])) == {"alpha.n": 2, "alpha.sum": 3 * 2**31, "alpha.squares": 5 * 2**30}
    True
    """
    values = _rows(name, values)
    if not (np.isfinite(low) and np.isfinite(high) and low < high):
        raise ValueError(f"low, high: {low}, {high}; expected finite bounds with low < high")
    units = np.rint((values.astype(np.float64) - low) / (high - low) * SCALE)
    inside = (units >= 0) & (units <= SCALE)
    if not inside.all():
        wrong = values[~inside].flat[0]
        raise ValueError(f"values of {name!r}: {wrong}; expected every value between {low} and {high}")
    squares = np.rint(units * (units / SCALE))
    return {
        f"{name}.n": int(values.size),
        f"{name}.sum": int(units.astype(np.int64).sum()),
        f"{name}.squares": int(squares.astype(np.int64).sum()),
    }


def proportion(name: str, hits: Array) -> dict[str, int]:
    """Number of rows and number of hits among them.

    Parameters
    ----------
    name : str
        the keys are `name`.n and `name`.hits.
    hits : array of bool (or of 0 and 1)
        at most 2³¹ − 1 rows.

    Examples
    --------
    >>> proportion("kept", np.array([True, False, True]))
    {'kept.n': 3, 'kept.hits': 2}
    """
    hits = _rows(name, hits)
    wrong = (hits != 0) & (hits != 1)
    if wrong.any():
        raise ValueError(f"hits of {name!r}: {hits[wrong].flat[0]}; expected booleans, or 0 and 1")
    return {f"{name}.n": int(hits.size), f"{name}.hits": int(np.count_nonzero(hits))}


def histogram(name: str, values: Array, edges: Array) -> dict[str, Array]:
    """Counts of values below, between and above the edges: nothing is left out.

    counts[0] counts value < edges[0], counts[i] counts edges[i−1] ≤ value < edges[i], and counts[-1] counts
    value ≥ edges[-1]; an infinite value has its place in the first or the last.

    Parameters
    ----------
    name : str
        the key is `name`.counts.
    values : array
        at most 2³¹ − 1 rows; NaN is refused.
    edges : array (E,)
        increasing; the result has E + 1 entries of int64.

    Examples
    --------
    >>> histogram("length", np.array([0, 1, 1, 5]), np.array([1, 2]))["length.counts"].tolist()
    [1, 2, 1]
    """
    values = _rows(name, values)
    edges = np.asarray(edges)
    if edges.ndim != 1 or edges.size == 0 or not (np.diff(edges) > 0).all() or np.isnan(edges).any():
        raise ValueError(f"edges of {name!r}: {edges.tolist()}; expected one axis of increasing numbers")
    if np.isnan(values).any():
        raise ValueError(f"values of {name!r}: nan; expected numbers")
    places = np.searchsorted(edges, values.ravel(), side="right")
    return {f"{name}.counts": np.bincount(places, minlength=edges.size + 1).astype(np.int64)}


def merge(a: Totals, b: Totals) -> dict[str, int | Array]:
    """Statistics of the rows of both: key by key, the sum.

    Scalars become Python integers, which cannot overflow; histograms must have the same number of counts.

    Examples
    --------
    >>> merge({"kept.n": 3, "kept.hits": 2}, {"kept.n": 1, "kept.hits": 0})
    {'kept.n': 4, 'kept.hits': 2}
    """
    if a.keys() != b.keys():
        raise ValueError(f"b: keys {sorted(b)}; expected the keys of a, {sorted(a)}")
    total: dict[str, int | Array] = {}
    for key in a:
        first_array = np.asarray(a[key])
        right = np.asarray(b[key])
        if first_array.shape != right.shape:
            raise ValueError(f"b: {key} has shape {right.shape}; expected {first_array.shape}, the shape in a")
        total[key] = int(a[key]) + int(b[key]) if first_array.ndim == 0 else first_array + right
    return total


def _moments(totals: Totals, name: str) -> tuple[int, int, int]:
    """Number of rows, and the exact sums of x and x² in units of 1/SCALE."""
    kinds = ("n", "hits") if f"{name}.hits" in totals else ("n", "sum", "squares")
    keys = [f"{name}.{kind}" for kind in kinds]
    missing = [key for key in keys if key not in totals]
    if missing:
        raise ValueError(f"name: {name!r}; expected a bounded value or a proportion among {sorted(totals)}")
    numbers = [int(totals[key]) for key in keys]
    n, total, squares = numbers if len(numbers) == 3 else (numbers[0], numbers[1] * SCALE, numbers[1] * SCALE)
    return n, total, squares


def mean(totals: Totals, name: str, low: float = 0, high: float = 1) -> float:
    """Mean of a bounded value, or the share of hits.

    Parameters
    ----------
    totals : mapping
        from `bounded` or `proportion`, possibly merged.
    low, high : float
        the bounds given to `bounded`.

    Examples
    --------
    >>> mean(bounded("length", np.array([1, 2, 3]), 1, 5), "length", 1, 5)
    2.0
    """
    n, total, _ = _moments(totals, name)
    if n == 0:
        raise ValueError(f"totals: {name}.n is 0; expected at least one row")
    return low + (high - low) * (total / (n * SCALE))


def variance(totals: Totals, name: str, low: float = 0, high: float = 1) -> float:
    """Unbiased variance of one row, Σ (value − mean)² / (n − 1).

    The integers are combined exactly and rounded once; the rounding of the squares leaves an error of at most about
    (high − low)² 2⁻³².  Needs two rows.

    Examples
    --------
    >>> variance(bounded("x", np.array([0, 0.5, 1])), "x")
    0.25
    """
    n, total, squares = _moments(totals, name)
    if n < 2:
        raise ValueError(f"totals: {name}.n is {n}; expected at least two rows")
    deviations = max(0, n * squares * SCALE - total * total)
    return (high - low) ** 2 * (deviations / (n * (n - 1) * SCALE * SCALE))


class Measure(Protocol):
    """How the values of a block become integers; one of `Mean`, `Share` and `Counts`."""

    def reduce(self, name: str, values: Array) -> dict[str, int | Array]:
        """Sufficient statistics of one block's values."""


@dataclass(frozen=True)
class Mean:
    """Measure of a value between two bounds that are fixed before the run: its mean is what is asked.

    >>> Mean().reduce("x", np.array([1.0]))["x.n"]
    1
    """

    low: float = 0
    high: float = 1

    def reduce(self, name: str, values: Array) -> dict[str, int | Array]:
        """Count, sum and sum of squares, as `bounded`."""
        return dict(bounded(name, values, self.low, self.high))


@dataclass(frozen=True)
class Share:
    """Measure of a yes or no: how often it is yes.

    >>> Share().reduce("kept", np.array([True, False]))
    {'kept.n': 2, 'kept.hits': 1}
    """

    def reduce(self, name: str, values: Array) -> dict[str, int | Array]:
        """Count and hits, as `proportion`."""
        return dict(proportion(name, values))


@dataclass(frozen=True)
class Counts:
    """Measure of a value by the cells of a histogram, whose edges are fixed before the run.

    >>> Counts((0.0, 1.0)).reduce("x", np.array([0.5, 2.0]))["x.counts"].tolist()
    [0, 1, 1]
    """

    edges: tuple[float, ...]

    def reduce(self, name: str, values: Array) -> dict[str, int | Array]:
        """Counts below, between and above the edges, as `histogram`."""
        return dict(histogram(name, values, np.asarray(self.edges)))
