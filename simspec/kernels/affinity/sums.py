"""What an affinity keeps between its applications: the sum of each row, computed when the row first has mass.

Row sums depend on the factors and the temperature alone, not on the mass that moves.  A backend that finds a row's sum here
forms each of the row's powers once, to move its mass, and not twice.  What is not here: the arithmetic, which is the backends'.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["RowSums", "Rows"]


class Rows(NamedTuple):
    """Sums of rows so far, for one affinity in one arithmetic.

    Attributes
    ----------
    shift : (V,); what was taken from all exponents of a row before its powers were added up; unused where none was needed
    total : (V,); sum of the powers of a row, its own column left out; NaN where it is not computed yet
    """

    shift: NDArray[np.float64]
    total: NDArray[np.float64]


class RowSums:
    """Row sums of one softmax affinity, for `affinity_apply` to fill in and to read.

    Sums come as they are needed and change no bit of a result.  They hold for the arrays and the temperature that they were
    computed from: `of` compares a hash of these, so that sums begin anew once an array is changed in place.  Threads may share
    an object: where two compute the same row, both write the same numbers.  It takes 8 bytes a token, or 16 where exponents
    need a shift.

    >>> U, lam, diag = np.zeros((2, 1)), np.zeros(1), np.zeros(2)
    >>> sums = RowSums()
    >>> sums.of(U, lam, diag, 1.0) is sums.of(U, lam, diag, 1.0), sums.of(U, lam, diag, 1.0) is sums.of(U, lam, diag, 2.0)
    (True, False)
    """

    def __init__(self) -> None:
        self._latest: tuple[Any, Rows] = (None, Rows(np.empty(0), np.empty(0)))

    def of(self, U: NDArray[Any], lam: NDArray[Any], diag: NDArray[Any], temperature: float) -> Rows:
        """The sums for these arrays as they are now, at this temperature: those at hand, or none yet."""
        key = (temperature, *((x.dtype, x.shape, hash(x.tobytes())) for x in (U, lam, diag)))
        known_key, rows = self._latest
        if known_key != key:
            # pages that are never written, such as those of shifts that are not needed, take no memory
            rows = Rows(np.zeros(len(diag)), np.full(len(diag), np.nan))
            self._latest = (key, rows)
        return rows
