"""Segments: immutable Parquet files with the rows of some blocks, written whole or not at all, and checked on reading.

The name of a segment ends in a digest of its bytes, so that a truncated or altered file is refused; the digest detects
accidents and careless edits, not forgers.  A statistic is a column: int64 under its own name, a histogram list<int64>
under its name and ``[]``; null where a block has no such statistic.  What is not here: directories of segments
(`simspec.engine.store.results`) and what their rows say together (`simspec.engine.store.union`).
"""

from __future__ import annotations

import json
import math
import re
import uuid
from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from simspec.checks import needs
from simspec.files import write_file

__all__ = [
    "Block",
    "canonical",
    "checked",
    "metadata_of",
    "read_segment",
    "write_segment",
]

FIXED = ("design", "cell", "block", "rows", "seconds", "error")
LIST = "[]"
_RESERVED = frozenset({*FIXED, "origin", "blocks"})
PREFIX = "segment-"
SUFFIX = ".parquet"
_NAME = re.compile(rf"{PREFIX}[0-9a-f]{{32}}-([0-9a-f]{{32}}){re.escape(SUFFIX)}")
_LOWEST = -(2**63)
_HIGHEST = 2**63 - 1


class Block(NamedTuple):
    """What is known of one block: a range of replications of one cell, simulated in one go.

    Attributes
    ----------
    design : str
        hexadecimal hash of study, cell, seed and block size (`Manifest.design`).
    cell : str
        the cell as JSON, in the one form that `canonical` gives.
    block : int
        number of the block, from 0.
    rows : int
        replications it holds.
    statistics : mapping
        integers of 64 bits with sign, and histograms (one axis of them), by name.
    seconds : float
        time it took.
    error : str or None
        traceback of a block that failed; it has no statistics then.
    """

    design: str
    cell: str
    block: int
    rows: int
    statistics: Mapping[str, int | Sequence[int] | NDArray[Any]]
    seconds: float = 0.0
    error: str | None = None


def canonical(cell: Any) -> str:
    """A cell as JSON in one form: sorted keys, no spaces, no NaN.

    >>> canonical({"vocab": 3, "df": 2.5})
    '{"df":2.5,"vocab":3}'
    """
    try:
        return json.dumps(cell, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        raise ValueError(f"cell: {cell!r}; expected text, finite numbers, lists and mappings ({error})") from None


@lru_cache(maxsize=4096)
def _check_labels(design: str, cell: str) -> None:
    if not isinstance(design, str) or not re.fullmatch("[0-9a-f]+", design):
        raise ValueError(f"design: {design!r}; expected a hash in lower-case hexadecimal digits")
    try:
        same = canonical(json.loads(cell)) == cell
    except (TypeError, ValueError):
        same = False
    if not same:
        raise ValueError(f"cell: {cell!r}; expected JSON as canonical() writes it")


def _integer(name: str, value: Any, lowest: int = _LOWEST) -> int:
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | np.integer):
        raise ValueError(f"{name}: {value!r}; expected an integer")
    if not lowest <= value <= _HIGHEST:
        raise ValueError(f"{name}: {value}; expected an integer from {lowest} to {_HIGHEST}")
    return int(value)


def _statistic(name: str, value: Any) -> int | NDArray[np.int64]:
    """A copy as an integer, or as int64 with one axis."""
    if name in _RESERVED or not isinstance(name, str) or not name or name[-2:] == LIST or name[:5] == "cell.":
        raise ValueError(
            f"statistics: name {name!r}; expected text other than {', '.join(sorted(_RESERVED))}, cell.… and …{LIST}"
        )
    if type(value) is int and _LOWEST <= value <= _HIGHEST:
        return value
    if not isinstance(value, list | tuple | np.ndarray) or np.ndim(value) == 0:
        return _integer(f"statistics {name!r}", value[()] if isinstance(value, np.ndarray) else value)
    array = np.asarray(value)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iu" or int(array.max()) > _HIGHEST:
        raise ValueError(f"statistics {name!r}: {value!r}; expected a list of integers that fit in int64")
    return array.astype(np.int64)


def checked(block: Block) -> Block:
    """The same block with its own copy of the statistics; a ValueError where something is not as `Block` says.

    >>> checked(Block("0f", "{}", 0, 10, {"kept.n": 10, "length.counts": [4, 6]})).statistics["length.counts"].tolist()
    [4, 6]
    """
    design, cell, number, rows, statistics, seconds, error = block
    _check_labels(design, cell)
    if type(number) is not int or number < 0:
        number = _integer("block", number, 0)
    if type(rows) is not int or rows < 0:
        rows = _integer("rows", rows, 0)
    if not isinstance(seconds, float | int) or not 0 <= seconds < math.inf:
        raise ValueError(f"seconds: {seconds!r}; expected a finite number, at least 0")
    if error is not None and not (isinstance(error, str) and error and not statistics):
        raise ValueError(f"error: {error!r}; expected None, or text and no statistics")
    if error is None and not statistics:
        raise ValueError(f"statistics: {statistics!r}; expected at least one, or an error")
    own_statistics = {name: _statistic(name, value) for name, value in statistics.items()}
    return Block(design, cell, number, rows, own_statistics, float(seconds), error)


def _table(blocks: Sequence[Block]) -> Any:
    """Blocks that `checked` let pass, as an Arrow table."""
    (pa,) = needs("storing results", "pyarrow")
    columns: dict[str, Any] = {
        "design": pa.array([b.design for b in blocks], pa.string()).dictionary_encode(),
        "cell": pa.array([b.cell for b in blocks], pa.string()).dictionary_encode(),
        "block": pa.array([b.block for b in blocks], pa.int64()),
        "rows": pa.array([b.rows for b in blocks], pa.int64()),
        "seconds": pa.array([b.seconds for b in blocks], pa.float64()),
        "error": pa.array([b.error for b in blocks], pa.string()),
    }
    for name in dict.fromkeys(name for b in blocks for name in b.statistics):
        values = [b.statistics.get(name) for b in blocks]
        lists = [None if isinstance(v, int) else v for v in values]
        if any(v is not None for v in lists):
            columns[name + LIST] = pa.array(lists, pa.list_(pa.int64()))
        if any(isinstance(v, int) for v in values):
            columns[name] = pa.array([v if isinstance(v, int) else None for v in values], pa.int64())
    return pa.table(columns)


def _digest(data: Any) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def write_segment(folder: Path, blocks: Any, metadata: Mapping[str, Any]) -> Path:
    """Write blocks (or a table read from segments) as one new segment of a folder, and make it last.

    Parameters
    ----------
    folder : Path
    blocks : list of Block, or Arrow table
        blocks that `checked` let pass.
    metadata : mapping
        plain values, kept in the file as JSON under "simspec".

    Returns
    -------
    Path of the segment

    Raises
    ------
    OSError
        where the folder is missing or full; nothing of this segment is left then.
    """
    pa, pq = needs("storing results", "pyarrow", "pyarrow.parquet")
    table = blocks if isinstance(blocks, pa.Table) else _table(blocks)
    sink = pa.BufferOutputStream()
    table = table.replace_schema_metadata({"simspec": json.dumps(metadata)})
    pq.write_table(table, sink, compression="zstd", use_dictionary=["design", "cell", "error"])
    data = sink.getvalue()
    path = folder / f"{PREFIX}{uuid.uuid4().hex}-{_digest(data)}{SUFFIX}"
    write_file(path, data)
    return path


def read_segment(path: Path) -> Any:
    """The rows of a segment as an Arrow table, whose schema metadata hold what `write_segment` was given.

    Raises
    ------
    ValueError
        naming the file, where it is truncated, altered or not a segment.
    FileNotFoundError
        where it is gone.
    """
    (pq, pa) = needs("reading results", "pyarrow.parquet", "pyarrow")
    match = _NAME.fullmatch(path.name)
    if not match:
        raise ValueError(f"{path}: not a segment; expected {PREFIX}<32 digits>-<32 digits>{SUFFIX}")
    data = path.read_bytes()
    if (digest := _digest(data)) != match[1]:
        raise ValueError(
            f"{path}: truncated or altered ({len(data)} bytes with digest {digest}); expected digest {match[1]}. "
            "Restore it from a copy, or remove it: its blocks are then simulated again"
        )
    return pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)


def metadata_of(table: Any) -> dict[str, Any]:
    """What `write_segment` was given as metadata."""
    return json.loads((table.schema.metadata or {}).get(b"simspec", b"{}"))
