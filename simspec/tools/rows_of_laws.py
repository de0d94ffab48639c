"""Laws of a bank that are made when they are measured: rows of an array (n, V) of float64 that would not fit in memory.

10,000 contexts over 151,936 tokens are 6 GB of logits on disk and 24 GB of laws.  Tools measure some rows at a time, so these
are read, and made into laws, as they are asked for.  Every pass over the rows reads them again.  What is not here: which
banks are read so (`simspec.tools.reading`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from simspec.laws import Array

__all__ = ["RowsOfLaws", "mapped", "taken"]


class RowsOfLaws:
    """Rows of laws by their numbers, as an array would give them; no row is kept.

    Parameters
    ----------
    laws : numbers of rows (k,), or a slice of them -> laws (k, V)
    numbers : integers (n,); the rows, in their order
    vocab : V

    >>> rows = RowsOfLaws(lambda numbers: np.eye(3)[numbers], np.arange(3), 3)
    >>> rows.shape, len(rows), rows[1:].tolist()
    ((3, 3), 3, [[0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    """

    ndim = 2
    dtype = np.dtype(np.float64)

    def __init__(self, laws: Callable[[Any], Array], numbers: Array, vocab: int) -> None:
        self._laws = laws
        self._numbers = numbers
        self.shape = (len(numbers), vocab)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, index: Array | slice | int) -> Array:
        numbers = self._numbers[index]
        if np.ndim(numbers) == 1 and len(numbers) and (np.diff(numbers) == 1).all():
            return self._laws(slice(int(numbers[0]), int(numbers[-1]) + 1))  # read in one go
        return self._laws(numbers)

    def __array__(self, dtype: np.dtype[np.float64] | None = None, copy: bool | None = None) -> Array:
        return np.asarray(self[:], dtype)

    def taken(self, order: Array) -> RowsOfLaws:
        """These rows in another order, or some of them."""
        return RowsOfLaws(self._laws, self._numbers[order], self.shape[1])

    def mapped(self, function: Callable[[Array], Array]) -> RowsOfLaws:
        """The rows of `function`, which maps laws to laws row by row."""
        return RowsOfLaws(lambda numbers: function(self._laws(numbers)), self._numbers, self.shape[1])


def taken(laws: Array | RowsOfLaws, order: Array) -> Any:
    """Rows of laws in another order.

    >>> taken(np.array([[1.0, 0.0], [0.5, 0.5]]), np.array([1, 0])).tolist()
    [[0.5, 0.5], [1.0, 0.0]]
    """
    return laws.taken(order) if isinstance(laws, RowsOfLaws) else laws[order]


def mapped(laws: Array | RowsOfLaws, function: Callable[[Array], Array]) -> Any:
    """Laws under a map of rows: at once for an array, as they are asked for otherwise.

    >>> mapped(np.array([[1.0, 0.0]]), lambda law: law[:, ::-1]).tolist()
    [[0.0, 1.0]]
    """
    return laws.mapped(function) if isinstance(laws, RowsOfLaws) else function(laws)
