"""Results of a study as tables of pandas and xarray (extra `studies`)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np

from simspec.checks import needs
from simspec.engine.store import union as unions
from simspec.engine.store.results import Store
from simspec.engine.store.segment import LIST
from simspec.engine.store.upkeep import existing

if TYPE_CHECKING:
    import pandas
    import xarray

__all__ = ["to_pandas", "to_xarray"]


def _labels(cells: list[Any]) -> dict[str, list[Any]]:
    """Columns ``cell.<key>`` for the keys of cells that are mappings (None where one lacks the key), else ``cell``."""
    if not all(isinstance(cell, dict) for cell in cells):
        return {"cell": cells}
    keys = dict.fromkeys(key for cell in cells for key in cell)
    return {f"cell.{key}": [cell.get(key) for cell in cells] for key in keys}


def to_pandas(path: str | os.PathLike[str]) -> pandas.DataFrame:
    """One row per block, failed ones included, in order of (design, block).

    Parameters
    ----------
    path : path
        a directory of results.

    Returns
    -------
    DataFrame
        design, cell.<key> for each key of the cells, block, rows, seconds, error, then the statistics: Int64 (missing
        where a block has none), histograms as arrays.

    Raises
    ------
    ValueError
        where the directory or the extra is missing.

    Examples
    --------
    >>> import tempfile
    >>> from simspec.engine.store.results import Block
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store(folder) as store:
    ...         store.append(Block("0f", '{"vocab":3}', 0, 10, {"kept.hits": 7}))
    ...     to_pandas(folder)[["cell.vocab", "kept.hits"]].to_dict("records")
    [{'cell.vocab': 3, 'kept.hits': 7}]
    """
    (pd,) = needs("to_pandas", "pandas")
    store = Store(existing("path", path))
    cells = store.cells()
    union = store.union()
    if union.table is None:
        return pd.DataFrame({name: [] for name in ("design", "block", "rows", "seconds", "error")})
    table = unions.bare(union)
    counts = [stop - start for start, stop in union.spans.values()]
    design_index = np.repeat(np.arange(len(counts)), counts)
    frame = {"design": pd.Series(list(cells), dtype=object).take(design_index).array}
    for name, values in _labels(list(cells.values())).items():
        frame[name] = pd.Series(values).take(design_index).array
    for name in table.column_names:
        column = table.column(name)
        if name in ("block", "rows", "seconds"):
            frame[name] = column.to_numpy()
        elif name == "error":
            frame[name] = pd.Series(column.to_pylist(), dtype=object)
        elif name.endswith(LIST):
            frame[name.removesuffix(LIST)] = pd.Series(column.to_pandas().to_numpy(), dtype=object)
        elif name not in ("design", "cell"):
            missing = column.is_null().to_numpy()
            frame[name] = pd.arrays.IntegerArray(column.fill_null(0).to_numpy().copy(), missing)
    return pd.DataFrame(frame)


def to_xarray(path: str | os.PathLike[str]) -> xarray.Dataset:
    """Totals of each design, over its blocks that succeeded.

    Returns
    -------
    Dataset
        dimension `design` with coordinates design and cell.<key>; variables `blocks`, `rows`, `seconds` and the
        statistics: int64, or Python integers where one is larger; a histogram has a second dimension <name>_place.

    Raises
    ------
    ValueError
        where the directory or the extra is missing, or designs have different statistics or histograms.

    Examples
    --------
    >>> import tempfile
    >>> from simspec.engine.store.results import Block
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with Store(folder) as store:
    ...         store.append(Block("0f", '{"vocab":3}', 0, 10, {"kept.hits": 7}))
    ...         store.append(Block("0f", '{"vocab":3}', 1, 10, {"kept.hits": 5}))
    ...     int(to_xarray(folder)["kept.hits"].sel(design="0f"))
    12
    """
    (xr,) = needs("to_xarray", "xarray")
    store = Store(existing("path", path))
    cells = {design: cell for design, cell in store.cells().items() if store.done(design).size}
    variables: dict[str, list[Any]] = {}
    for count, design in enumerate(cells):
        columns = store.blocks(design)
        summed: dict[str, Any] = {"blocks": len(columns["block"]), "rows": int(columns["rows"].sum())}
        summed |= {"seconds": float(columns["seconds"].sum()), **store.totals(design)}
        if count and summed.keys() != variables.keys():
            raise ValueError(
                f"path: design {design} has {sorted(summed)}; expected {sorted(variables)} as in the first"
            )
        for name, value in summed.items():
            variables.setdefault(name, []).append(value)
    data: dict[str, Any] = {}
    for name, values in variables.items():
        if len({np.shape(value) for value in values}) > 1:
            raise ValueError(f"path: histograms {name!r} have different lengths; expected the same in all designs")
        large = any(isinstance(value, int) and abs(value) >= 2**63 for value in values)
        array = np.array(values, dtype=object if large else None)
        data[name] = (["design", f"{name}_place"][: array.ndim], array)
    coordinates: dict[str, Any] = {"design": list(cells)}
    for name, values in _labels(list(cells.values())).items():
        column = np.empty(len(values), dtype=object)
        column[:] = values
        coordinates[name] = ("design", np.array(values) if _plain(values) else column)
    return xr.Dataset(data, coordinates)


def _plain(values: list[Any]) -> bool:
    """Whether the values are all numbers, all text or all truth values."""
    kinds = {type(value) for value in values}
    return kinds <= {int, float} or kinds in ({str}, {bool})
