r"""Scrambled nets: points that fill the unit cube evenly, as one row of a study, with a scramble of its own for every row.

The mean of a smooth function over 2^m points of a net has a variance that falls almost as 8^{-m}, where that of independent
points falls as 2^{-m}.  Points of one net depend on each other, so that they say nothing of their own error; rows do not, and
an interval from rows is valid whatever the function.

A row takes the first 2^m points of Sobol's sequence as whole numbers of 32 bits.  It multiplies their digits by a random
lower triangular matrix over two elements with ones on its diagonal, one for each coordinate, and adds random digits (Matoušek
1998).  Both come from the row's number alone.  The added digits make every point uniform on the grid of
`simspec.kernels.random.uniform`, hence the mean over points unbiased; the matrix keeps every box of volume 2^{-m} that held one
point holding one.

Sources: Sobol' (1967); Owen, "Randomly permuted (t, m, s)-nets and (t, s)-sequences" (1995); Matoušek, "On the L2-discrepancy
for anchored boxes" (Journal of Complexity 1998); SciPy's direction numbers (Joe and Kuo 2008).
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from simspec.checks import check_memory, needs, whole_number
from simspec.kernels import random
from simspec.laws import Array

if TYPE_CHECKING:
    from simspec.engine.study import Rows

__all__ = ["net"]

BITS = 32
MOST = 2**16
"""Points at most: more make a row, not a study."""


def net(rows: Rows, points: int, dimensions: int, purpose: int = 0) -> Array:
    """Points of the unit cube for each row: a net, scrambled by the row's number.

    Parameters
    ----------
    rows : Rows
        key and numbers, as a study gives them.
    points : int
        of a row; a power of two, at most 2**16.
    dimensions : int
        coordinates of a point, at most 1,000.
    purpose : int
        separates nets of one row that must be independent.

    Returns
    -------
    (rows, points, dimensions) floats
        in [2**-33, 1 - 2**-33].  A row has the same points whatever rows it is asked for with.

    Raises
    ------
    ValueError
        for a number of points that is no power of two, numbers out of their range, or points that do not fit into memory.

    Examples
    --------
    >>> from simspec.engine.study import Rows
    >>> u = net(Rows(1, range(3)), 8, 2)
    >>> u.shape, np.sort((u[0, :, 0] * 8).astype(int)).tolist()  # one point in each eighth
    ((3, 8, 2), [0, 1, 2, 3, 4, 5, 6, 7])
    """
    points = whole_number("points", points, 1, MOST)
    dimensions = whole_number("dimensions", dimensions, 1, 1000)
    if points & (points - 1):
        raise ValueError(f"points: {points}; expected a power of two, such as {1 << points.bit_length() - 1}")
    check_memory("points", points, len(rows.numbers) * dimensions * (20 * points + 400))
    counters = BITS // 4  # counters for the words of a matrix; one more for the digits that are added
    random_words = random.words(rows.key, rows.numbers, range(dimensions * (counters + 1)), purpose)
    random_words = random_words.reshape(len(rows.numbers), dimensions, counters + 1, 4)
    scrambled = random_words[:, None, :, counters, 0]
    for direction in _directions(points.bit_length() - 1, dimensions):
        shifted = _multiplied(random_words[:, :, :counters].reshape(*random_words.shape[:2], BITS), direction)
        scrambled = np.concatenate([scrambled, scrambled ^ shifted[:, None]], axis=1)
    return np.asarray((scrambled + 0.5) * 2.0**-BITS)


@lru_cache(maxsize=8)
def _directions(exponent: int, dimensions: int) -> tuple[Array, ...]:
    """Sobol's direction numbers for the first 2**exponent points, each (dimensions,) uint32: the points are their sums."""
    (qmc,) = needs("Sobol's direction numbers", "scipy.stats.qmc")
    net = qmc.Sobol(dimensions, scramble=False, bits=BITS)
    ordered = net.random_base2(exponent)  # each differs from the last by one of them
    return tuple((ordered[2 ** (k + 1) - 1] * 2.0**BITS).astype(np.uint32) for k in range(exponent))


def _multiplied(matrix: Array, digits: Array) -> Array:
    """Digits (dimensions,) times each row's matrices (rows, dimensions, 32), one word for each digit of the product.

    Digit k of the product, from the left, is digit k itself and those of the digits left of it that the word picks.
    """
    product = np.zeros(matrix.shape[:2], np.uint32)
    for k in range(BITS):
        place = np.uint32(BITS - 1 - k)
        leading_mask = np.uint32((2**k - 1) << (BITS - k) if k else 0)
        picked = (matrix[:, :, k] & leading_mask) & digits
        product |= ((np.bitwise_count(picked) ^ (digits >> place)).astype(np.uint32) & np.uint32(1)) << place
    return product
