"""What the rows of several segments say together: sorted by design and block, agreeing duplicates counted once.

Works on Arrow tables as `simspec.engine.store.segment` reads them; knows no files beyond the names it is given.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import needs
from simspec.engine.store.segment import FIXED, LIST, Block

__all__ = ["EMPTY", "Union", "add", "bare", "cells", "columns", "failures", "origins", "statistics", "sums"]

ORIGIN = "origin"
"""Column with the number of the segment that a row is taken from."""


class Union(NamedTuple):
    """Rows in order of (design, block), each pair once, with the names of the segments they come from.

    Attributes
    ----------
    table : Arrow table or None
        with a column `origin`; None where there is no row.
    names : tuple of str
        segments that have been added.
    spans : mapping
        first row of each design, and the row after its last, in order of the designs.
    """

    table: Any
    names: tuple[str, ...]
    spans: Mapping[str, tuple[int, int]]


EMPTY = Union(None, (), {})


def add(union: Union, tables: Mapping[str, Any]) -> Union:
    """The union with the tables of more segments (by name).

    Of a block that failed in one place and succeeded in another, the success counts.

    Raises
    ------
    ValueError
        naming design, block and both segments, where two successful rows of one block differ in anything but the time
        they took; or where the rows of one design differ in cell or statistics.
    """
    (pa,) = needs("reading results", "pyarrow")
    names = (*union.names, *tables)
    parts = [] if union.table is None else [union.table]
    for origin, table in enumerate(tables.values(), len(union.names)):
        parts.append(
            table.replace_schema_metadata(None).append_column(ORIGIN, pa.array(np.full(len(table), origin, np.int32)))
        )
    if not sum(map(len, parts)):
        return Union(None, names, {})
    table = pa.concat_tables(parts, promote_options="default").unify_dictionaries().combine_chunks()
    rank, designs = _codes(table, "design")
    block = _numpy(table, "block")
    failed = _succeeded(table) == 0
    origins = _numpy(table, ORIGIN)
    order = np.lexsort((origins, failed, block, rank))
    rank = rank[order]
    block = block[order]
    failed = failed[order]
    table = table.take(order).combine_chunks()
    same_design = rank[1:] == rank[:-1]
    cell, _ = _codes(table, "cell")
    if (wrong := np.flatnonzero(same_design & (cell[1:] != cell[:-1]))).size:
        _refuse(table, names, int(wrong[0]), "cell")
    again = same_design & (block[1:] == block[:-1])
    twice = np.flatnonzero(again & ~failed[1:])  # successes come first: both are
    _compare(table, names, twice)
    keep = np.concatenate([[True], ~again])
    table = table.filter(keep)
    rank = rank[keep]
    failed = failed[keep]
    starts = np.flatnonzero(np.concatenate([[True], rank[1:] != rank[:-1]]))
    stops = np.append(starts[1:], len(rank))
    _alike(table, names, rank, failed)
    spans = {designs[rank[i]]: (int(i), int(j)) for i, j in zip(starts, stops, strict=True)}
    return Union(table, names, spans)


def _numpy(table: Any, name: str) -> NDArray[Any]:
    return table.column(name).to_numpy()


def _succeeded(table: Any) -> NDArray[np.bool_]:
    return table.column("error").is_null().to_numpy()


def _codes(table: Any, name: str) -> tuple[NDArray[np.int64], list[str]]:
    """Text as its rank among the texts that occur, and these in order."""
    column = table.column(name).combine_chunks()
    column = column.chunk(0) if hasattr(column, "chunk") else column
    texts = np.array(column.dictionary.to_pylist(), dtype=object)
    order = np.argsort(texts)
    ranks = np.empty(len(order), np.int64)
    ranks[order] = np.arange(len(order))
    return ranks[column.indices.to_numpy()], texts[order].tolist()


def _refuse(table: Any, names: Sequence[str], row: int, name: str) -> None:
    """Raise, because this row and the next differ in a column."""
    first_row, two = table.slice(row, 2).to_pylist()
    raise ValueError(
        f"block {two['block']} of design {two['design']}: {name.removesuffix(LIST)} is {two[name]} in "
        f"{names[two[ORIGIN]]}, but {first_row[name]} in {names[first_row[ORIGIN]]} (block "
        f"{first_row['block']}); expected equal values. One of the two files is damaged or was made by "
        "other code: keep the one you trust"
    )


def _compare(table: Any, names: Sequence[str], rows: NDArray[np.int64]) -> None:
    """Refuse successful rows that differ from the next one (the same block) in their count or their statistics."""
    if not rows.size:
        return
    first = table.take(rows)
    second = table.take(rows + 1)
    for name in table.column_names:
        if name in (ORIGIN, "seconds", "error"):
            continue
        a = first.column(name)
        b = second.column(name)
        if not a.equals(b):
            differ = (i for i, (x, y) in enumerate(zip(a.to_pylist(), b.to_pylist(), strict=True)) if x != y)
            _refuse(table, names, int(rows[next(differ)]), name)


def _alike(table: Any, names: Sequence[str], rank: NDArray[np.int64], failed: NDArray[np.bool_]) -> None:
    """Refuse a design whose successful blocks do not all have the same statistics."""
    rows = np.flatnonzero(~failed)
    same = rank[rows[1:]] == rank[rows[:-1]]
    for name in table.column_names:
        if name in FIXED or name == ORIGIN:
            continue
        missing = table.column(name).is_null().to_numpy()[rows]
        if (wrong := np.flatnonzero(same & (missing[1:] != missing[:-1]))).size:
            pair = table.take(rows[wrong[0] : wrong[0] + 2])
            _refuse(pair, names, 0, name)


def columns(union: Union, design: str) -> dict[str, NDArray[Any]]:
    """Successful blocks of a design in block order: "block", "rows", "seconds" and the statistics by name.

    A histogram has shape (blocks, counts), everything else (blocks,).
    """
    if design not in union.spans:
        raise ValueError(f"design: {design!r}; expected one of the {len(union.spans)} that have blocks here")
    start, stop = union.spans[design]
    table = union.table.slice(start, stop - start)
    ok = _succeeded(table)
    if not ok.all():
        table = table.filter(ok)
    arrays: dict[str, NDArray[Any]] = {name: _numpy(table, name) for name in ("block", "rows", "seconds")}
    for name in table.column_names:
        if name in FIXED or name == ORIGIN or table.column(name).null_count or not len(table):
            continue
        if not name.endswith(LIST):
            arrays[name] = _numpy(table, name)
            continue
        lists = table.column(name)
        flat = np.concatenate([c.flatten().to_numpy() for c in lists.chunks])
        lengths = np.concatenate([np.diff(c.offsets.to_numpy()) for c in lists.chunks])
        if (wrong := np.flatnonzero(lengths != lengths[0])).size:
            raise ValueError(
                f"block {arrays['block'][wrong[0]]} of design {design}: {name[:-2]} has {lengths[wrong[0]]} counts; "
                f"expected {lengths[0]}, as in block {arrays['block'][0]}"
            )
        arrays[name[:-2]] = flat.reshape(len(table), -1)
    return arrays


def failures(union: Union, design: str | None = None) -> list[Block]:
    """Blocks of one design, or of all, that failed and did not succeed elsewhere."""
    if union.table is None:
        return []
    start, stop = (0, len(union.table)) if design is None else union.spans.get(design, (0, 0))
    table = union.table.slice(start, stop - start)
    rows = table.filter(~_succeeded(table)).select(FIXED).to_pylist()
    return [Block(**row, statistics={}) for row in rows]


def statistics(union: Union) -> tuple[str, ...]:
    """Names of the statistics that occur."""
    column_names = [] if union.table is None else union.table.column_names
    return tuple(sorted({name.removesuffix(LIST) for name in column_names if name not in (*FIXED, ORIGIN)}))


def cells(union: Union) -> dict[str, Any]:
    """The cell of each design."""
    return {design: json.loads(union.table["cell"][start].as_py()) for design, (start, _) in union.spans.items()}


def origins(union: Union) -> list[str]:
    """Names of the segments that rows are taken from."""
    return [] if union.table is None else [union.names[i] for i in np.unique(_numpy(union.table, ORIGIN))]


def bare(union: Union) -> Any:
    """The rows as a table that can be written as a segment."""
    return union.table.drop_columns([ORIGIN])


def sums(values: NDArray[np.int64]) -> int | NDArray[np.int64]:
    """Exact sum over the first axis: an integer of any size, or int64 counts.

    >>> sums(np.full(4, 2**62)) == 2**64
    True
    >>> sums(np.array([[1, 2], [3, 4]])).tolist()
    [4, 6]

    Raises
    ------
    ValueError
        for counts that do not fit in int64.
    """
    high = (values >> 32).sum(axis=0, dtype=np.int64).astype(object)
    total = high * 2**32 + (values & 0xFFFFFFFF).sum(axis=0, dtype=np.int64).astype(object)
    if values.ndim == 1:
        return int(total)
    if max(total) > 2**63 - 1 or min(total) < -(2**63):
        raise ValueError(f"statistics: a histogram sums to {max(total, key=abs)}; expected counts that fit in int64")
    return total.astype(np.int64)
