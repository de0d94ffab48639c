"""What results of every kind share: rows of plain numbers, which are a table for pandas and CSV for other programs.

How a notebook shows and draws them is registered in `simspec.notebook`.
"""

from __future__ import annotations

import csv
import io
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simspec.checks import needs
from simspec.files import write_text

if TYPE_CHECKING:
    import pandas

__all__ = ["Tabular", "csv_text", "written"]


class Tabular:
    """A result with `records()`: dictionaries of estimates, the ends of their intervals beside them, None where there is none.

    >>> class Coin(Tabular):
    ...     def records(self):
    ...         return [{"heads": 0.5, "heads.low": 0.25, "heads.high": 0.75}]
    >>> print(Coin().to_csv(), end="")
    heads,heads.low,heads.high
    0.5,0.25,0.75
    """

    def records(self) -> list[dict[str, Any]]:
        """Rows of plain values by name."""
        raise NotImplementedError

    def frame(self) -> pandas.DataFrame:
        """`records()` as a DataFrame.

        Raises
        ------
        ValueError
            where pandas is missing, with the command that brings it.
        """
        (pd,) = needs("frame", "pandas")
        return pd.DataFrame(self.records())

    def to_csv(self, path: str | os.PathLike[str] | None = None) -> str | None:
        """`records()` as CSV: the text, or None once it stands in a file, written whole or not at all."""
        return written(csv_text(self.records()), path)


def csv_text(records: Sequence[Mapping[str, Any]]) -> str:
    """Rows as CSV; columns in the order in which they first occur, what is missing or no number left empty.

    >>> csv_text([{"a": 1, "b": None}, {"a": float("nan"), "c": True}])
    'a,b,c\\n1,,\\n,,True\\n'
    """
    out = io.StringIO()
    names = dict.fromkeys(name for record in records for name in record)
    writer = csv.DictWriter(out, list(names), lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: "" if _missing(value) else value for name, value in record.items()})
    return out.getvalue()


def _missing(value: object) -> bool:
    return value is None or (isinstance(value, float) and math.isnan(value))


def written(text: str, path: str | os.PathLike[str] | None) -> str | None:
    """The text, or None once it stands in the file that is named.

    >>> written("a", None)
    'a'
    """
    if path is None:
        return text
    write_text(text, Path(path))
    return None
