"""What a run returns: the cells' results in the order of the grid, as a table for people and for pandas."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from simspec.engine.cells import CellResult
from simspec.engine.study import Study
from simspec.html.results import Tabular

if TYPE_CHECKING:
    import pandas

__all__ = ["Results"]


class Results(Tabular, list[CellResult]):
    """A list of the cells' results that knows its study; a notebook shows it as a table, `simspec.plot` draws it."""

    def __init__(self, study: Study, results: Iterable[CellResult], seed: int = 0) -> None:
        super().__init__(results)
        self.study = study
        self.seed = seed

    def frame(self) -> pandas.DataFrame:
        """A row for each cell.

        Returns
        -------
        DataFrame
            study, seed, cell.<key> for each parameter, rows, blocks, decided, level, error, warning, then for each measure
            its mean and the ends of its interval: <measure>, <measure>.low, <measure>.high; what the interval promises, the
            estimator and what it saved (`simspec.engine.estimates.estimators.Estimator`): <measure>.valid,
            <measure>.estimator, <measure>.saving, <measure>.saving_above.  Missing where a cell has none.

        Raises
        ------
        ValueError
            where pandas is missing, with the command that brings it.

        Examples
        --------
        >>> from simspec.engine.cells import Estimate
        >>> study = Study("coin", "?", ({"bias": 0.5},), lambda cell, rows, device: {})
        >>> done = CellResult(study.grid[0], "0f", 9, 1, True, {"heads": Estimate(0.5, 0.25, 0.75)}, {}, 0.95)
        >>> frame = Results(study, [done]).frame()
        >>> frame[["cell.bias", "rows", "heads", "heads.low", "heads.high"]].to_dict("records")
        [{'cell.bias': 0.5, 'rows': 9, 'heads': 0.5, 'heads.low': 0.25, 'heads.high': 0.75}]
        """
        return super().frame()

    def records(self) -> list[dict[str, Any]]:
        """The rows of `frame()`."""
        return [{"study": self.study.name, "seed": self.seed, **_row(result)} for result in self]

    def __repr__(self) -> str:
        decided = sum(result.decided for result in self)
        rows = sum(result.rows for result in self)
        return f"Results({self.study.name!r}, {decided} of {len(self)} cells decided, {rows:,} rows)"


def _row(result: CellResult) -> dict[str, Any]:
    row: dict[str, Any] = {f"cell.{name}": value for name, value in result.cell.items()}
    row |= {name: getattr(result, name) for name in ("rows", "blocks", "decided", "level", "error", "warning")}
    for name, estimate in result.estimates.items():
        row |= {name: estimate.mean, f"{name}.low": estimate.low, f"{name}.high": estimate.high}
        if name in result.estimators:
            estimator = result.estimators[name]
            row |= {f"{name}.valid": estimator.validity, f"{name}.estimator": estimator.name}
            row |= {f"{name}.saving": estimator.saving, f"{name}.saving_above": estimator.saving_above}
    return row
