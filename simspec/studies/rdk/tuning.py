"""Tuning a parameter the same way for every method: one grid size, the best mean on the tuning rows.

Tuning rows are never evaluation rows.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["GRID", "Tuned", "best", "geometric", "weights"]

GRID = 6
"""Grid points of every tuned parameter."""


class Tuned(NamedTuple):
    """The grid value of highest mean, its place in the grid, and that mean."""

    value: float
    place: int
    mean: float


def geometric(low: float, high: float, size: int = GRID) -> NDArray[np.float64]:
    """`size` positive numbers from `low` to `high` in equal ratios.

    >>> geometric(1, 8, 4).round(12).tolist()
    [1.0, 2.0, 4.0, 8.0]
    """
    if not 0 < low <= high < np.inf:
        raise ValueError(f"low, high: {low}, {high}; expected 0 < low <= high < infinity")
    return np.geomspace(low, high, size)


def weights(size: int = GRID) -> NDArray[np.float64]:
    """`size` mixture weights from 0 to 1 in equal steps.

    >>> weights(3).tolist()
    [0.0, 0.5, 1.0]
    """
    return np.linspace(0, 1, size)


def best(grid: ArrayLike, values: ArrayLike) -> Tuned:
    """Grid point whose mean over the tuning rows is highest; of equals the first.

    Parameters
    ----------
    grid : (g,) numbers
    values : (g,) means, or (n, g) values of n tuning rows; NaN marks a grid point that is not allowed.

    Raises ValueError when lengths differ or no grid point is allowed.

    >>> best([1.0, 2.0], [[0.25, 0.5], [0.25, 0.25]])
    Tuned(value=2.0, place=1, mean=0.375)
    """
    grid = np.asarray(grid, dtype=np.float64)
    values = np.asarray(values, dtype=np.float64)
    if values.shape[-1:] != grid.shape:
        raise ValueError(f"values: shape {values.shape}; expected a last axis of {len(grid)} grid points")
    means = values.reshape(-1, len(grid)).mean(axis=0)
    if np.isnan(means).all():
        raise ValueError("values: no grid point is allowed on all tuning rows; expected at least one")
    place = int(np.nanargmax(means))
    return Tuned(float(grid[place]), place, float(means[place]))
