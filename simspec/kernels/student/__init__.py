"""Location and scale of a Student-t at given degrees of freedom: the fixed point of weighted means, over one row of numbers.

Sums are NumPy's: eight lanes within pieces of at most 128 numbers, and the pieces two by two (Higham 1993, pairwise
summation).  The compiled loop adds in that order, so that both give the same bits, and it passes over the row twice a step.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from simspec.kernels.choose import choose

__all__ = ["SMALL", "fixed_point"]

SMALL = 1024
"""Below so many numbers NumPy is as fast as loading the compiled loop."""


def fixed_point(
    row: NDArray[np.float64], df: float, location: float, scale: float, iterations: int, tolerance: float
) -> tuple[float, float]:
    r"""Location m and scale s with :math:`m = \sum w x/\sum w`, :math:`s^2 = \sum w (x-m)^2/\sum w`,
    :math:`w = (\nu+1)/(\nu+((x-m)/s)^2)`.

    Parameters
    ----------
    row : float array (V,)
    df : positive number
    location, scale : where to begin; a positive scale
    iterations : int; most steps
    tolerance : change of the scale, and of the location, relative to the scale, at which it ends

    Examples
    --------
    >>> fixed_point(np.array([-1.0, 0.0, 1.0]), 5.0, 0.5, 1.0, 100, 1e-9)[0] < 1e-9
    True
    """
    size = row.size if row.dtype == np.float64 and row.flags.c_contiguous else 0
    return choose("student", "fixed_point", size, SMALL)(row, df, location, scale, iterations, tolerance)
