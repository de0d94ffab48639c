"""Whole rows of several models while a bank is made: in files beside it, so that memory does not bound how many there are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from simspec.logits.bank.storage import Rows

__all__ = ["RowsOnDisk"]


class RowsOnDisk:
    """Rows of each model that are added a few at a time, and are read from files of a folder when the bank is written.

    Shifts and errors, a few bytes a row, are in memory.  Files of the same names are written over.

    Parameters
    ----------
    folder : of the files; made where it is not there
    models : how many
    count : rows of each model
    vocab : entries of a row

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     rows = RowsOnDisk(Path(folder), models=1, count=2, vocab=3)
    ...     part = Rows(np.zeros((2, 3), np.float16), np.array([4, 5], np.float32), np.zeros(2))
    ...     rows.add([part])
    ...     [of_model.shift.tolist() for of_model in rows.all()], rows.all()[0].stored.shape
    ([[4.0, 5.0]], (2, 3))
    """

    def __init__(self, folder: Path, models: int, count: int, vocab: int) -> None:
        folder.mkdir(exist_ok=True)
        self._shape = (count, vocab)
        self._paths = [folder / f"rows-{model}.f16" for model in range(models)]
        for path in self._paths:
            path.write_bytes(b"")
        self._shifts: list[list[NDArray[np.float32]]] = [[] for _ in range(models)]
        self._errors: list[list[NDArray[np.float64]]] = [[] for _ in range(models)]

    def add(self, rows: list[Rows]) -> None:
        """Add the next rows of every model."""
        for model, rows_of_model in enumerate(rows):
            with self._paths[model].open("ab") as file:
                file.write(np.ascontiguousarray(rows_of_model.stored, dtype="<f2").tobytes())
            self._shifts[model].append(rows_of_model.shift)
            self._errors[model].append(rows_of_model.error)

    def all(self) -> list[Rows]:
        """All rows of each model, whose logits are read from the files as they are used.

        Raises
        ------
        ValueError
            where fewer or more rows were added than there are to be.
        """
        missing = [sum(map(len, shifts)) for shifts in self._shifts]
        if missing != [self._shape[0]] * len(missing):
            raise ValueError(f"rows: {missing} were added, by model; expected {self._shape[0]} of each")
        return [
            Rows(self._stored(path), np.concatenate(shifts), np.concatenate(errors))
            for path, shifts, errors in zip(self._paths, self._shifts, self._errors, strict=True)
        ]

    def _stored(self, path: Path) -> NDArray[np.float16]:
        if not self._shape[0]:  # an empty file cannot be mapped
            return np.empty(self._shape, dtype=np.float16)
        return np.memmap(path, dtype="<f2", mode="r", shape=self._shape)
