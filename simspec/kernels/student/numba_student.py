"""The fixed point as a compiled loop: two passes over the row a step, sums in the order of NumPy's."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.compiled import kernel

__all__ = ["fixed_point", "pieces"]

PIECE = 128
"""Most numbers that are added in eight lanes."""


@lru_cache(maxsize=8)
def pieces(size: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where pieces begin (P + 1,), and which sums of pieces are added to which, in order (P - 1, 2).

    >>> [a.tolist() for a in pieces(300)]
    [[0, 72, 144, 216, 300], [[0, 1], [2, 3], [0, 2]]]
    """
    ends = [0]
    joins = []

    def cut(count: int) -> int:
        if count <= PIECE:
            ends.append(ends[-1] + count)
            return len(ends) - 2
        half = count // 2
        half -= half % 8
        first = cut(half)
        second = cut(count - half)
        joins.append((first, second))
        return first

    cut(size)
    return np.array(ends), np.array(joins, dtype=np.int64).reshape(-1, 2)


@kernel
def _lanes(values, count):
    """Return the sum of a piece of at least eight numbers."""
    a = values[0]
    b = values[1]
    c = values[2]
    d = values[3]
    e = values[4]
    f = values[5]
    g = values[6]
    h = values[7]
    full_count = count - count % 8
    for i in range(8, full_count, 8):
        a += values[i]
        b += values[i + 1]
        c += values[i + 2]
        d += values[i + 3]
        e += values[i + 4]
        f += values[i + 5]
        g += values[i + 6]
        h += values[i + 7]
    # eight running sums, added in this order: the order of NumPy's pairwise sum, hence its rounding
    total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(full_count, count):
        total += values[i]
    return total


@kernel
def _loop(row, df, location, scale, iterations, tolerance, ends, joins):
    """Return location and scale of the Student-t fixed point for one row; `ends` and `joins` are those of `pieces`."""
    count = len(ends) - 1
    weight = np.empty(row.size)
    work = np.empty(PIECE)
    totals = np.empty(count)
    sums = np.empty(count)
    for _ in range(iterations):
        for piece in range(count):
            low = ends[piece]
            high = ends[piece + 1]
            part = row[low:high]
            its = weight[low:high]
            size = high - low
            for i in range(size):
                away = (part[i] - location) / scale
                its[i] = (df + 1) / (df + away * away)
            for i in range(size):
                work[i] = its[i] * part[i]
            totals[piece] = _lanes(its, size)
            sums[piece] = _lanes(work, size)
        # pieces are joined in the order of NumPy's recursion
        for join in range(count - 1):
            totals[joins[join, 0]] += totals[joins[join, 1]]
            sums[joins[join, 0]] += sums[joins[join, 1]]
        total = totals[0]
        centre = sums[0] / totals[0]
        for piece in range(count):
            low = ends[piece]
            high = ends[piece + 1]
            part = row[low:high]
            its = weight[low:high]
            size = high - low
            for i in range(size):
                away = part[i] - centre
                work[i] = its[i] * (away * away)
            sums[piece] = _lanes(work, size)
        for join in range(count - 1):
            sums[joins[join, 0]] += sums[joins[join, 1]]
        # a row of equal numbers has no spread; the next step divides by it
        spread = max(np.sqrt(sums[0] / total), 1e-300)
        change = max(abs(spread - scale), abs(centre - location))
        location = centre
        scale = spread
        if change <= tolerance * scale:
            break
    return location, scale


def fixed_point(
    row: NDArray[np.float64], df: float, location: float, scale: float, iterations: int, tolerance: float
) -> tuple[float, float]:
    """Location and scale (see :func:`simspec.kernels.student.fixed_point`) of at least eight numbers, contiguous.

    >>> bool(abs(fixed_point(np.arange(-5.0, 6.0), 5.0, 0.0, 1.0, 1, 0.0)[0]) < 1e-15)
    True
    """
    if row.size < 8:
        raise ValueError(f"row: {row.size} numbers; expected at least eight")
    return _loop(row, float(df), float(location), float(scale), iterations, float(tolerance), *pieces(row.size))
