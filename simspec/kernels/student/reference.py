"""The fixed point in NumPy: what it means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["fixed_point"]


def fixed_point(
    row: NDArray[np.float64], df: float, location: float, scale: float, iterations: int, tolerance: float
) -> tuple[float, float]:
    """Location and scale (see :func:`simspec.kernels.student.fixed_point`).

    >>> fixed_point(np.array([-1.0, 1.0]), 5.0, 0.0, 1.0, 1, 0.0)
    (0.0, 1.0)
    """
    for _ in range(iterations):
        weight = (df + 1) / (df + ((row - location) / scale) ** 2)
        total = weight.sum()
        centre = float((weight * row).sum() / total)
        spread = max(float(np.sqrt((weight * (row - centre) ** 2).sum() / total)), 1e-300)
        change = max(abs(spread - scale), abs(centre - location))
        location = centre
        scale = spread
        if change <= tolerance * scale:
            break
    return location, scale
