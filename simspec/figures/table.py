"""The stored rows of a figure: what is drawn, point by point, with the manifest of the simulation that it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from simspec.checks import needs
from simspec.files import write_file

__all__ = ["Point", "Points", "load", "save"]

_NAN = float("nan")


class Point(NamedTuple):
    """One thing that is drawn: a mark of a curve, a bar, a cell of a map.

    Attributes
    ----------
    panel, series : str
        the picture within the figure, and the curve within the picture.
    x, y : float
    low, high : float
        the interval of y; NaN where there is none.
    z : float
        what a map shows at (x, y); NaN elsewhere.
    label : str
        the name of a place along x that is no number.
    """

    panel: str
    series: str
    x: float
    y: float
    low: float = _NAN
    high: float = _NAN
    z: float = _NAN
    label: str = ""


class Points(tuple[Point, ...]):
    """Points in the order in which they are drawn; a tuple that can be asked for a panel's or a curve's points.

    >>> rows = Points([Point("left", "SD", 1, 2), Point("left", "TLI", 1, 3), Point("right", "SD", 1, 4)])
    >>> rows.panels(), rows.of("left").series(), [p.y for p in rows.of(series="SD")]
    (['left', 'right'], ['SD', 'TLI'], [2, 4])
    """

    __slots__ = ()

    def of(self, panel: str | None = None, series: str | None = None) -> Points:
        """The points of a panel, of a curve, or of both."""
        return Points(p for p in self if panel in (None, p.panel) and series in (None, p.series))

    def panels(self) -> list[str]:
        """Names of the panels, in order."""
        return list(dict.fromkeys(p.panel for p in self))

    def series(self) -> list[str]:
        """Names of the curves, in order."""
        return list(dict.fromkeys(p.series for p in self))

    def column(self, name: str) -> list[Any]:
        """One field of every point.

        >>> Points([Point("", "SD", 1, 2)]).column("y")
        [2]
        """
        return [getattr(p, name) for p in self]


def save(path: Path, rows: Iterable[Point], manifest: Mapping[str, Any]) -> None:
    """Write rows and their manifest as Parquet: the whole file or nothing; the same rows make the same bytes."""
    pa, pq = needs("storing a figure's rows", "pyarrow", "pyarrow.parquet", extra="figures")
    points = Points(rows)
    kinds = {name: pa.string() if name in ("panel", "series", "label") else pa.float64() for name in Point._fields}
    table = pa.table({name: pa.array(points.column(name), kind) for name, kind in kinds.items()})
    sink = pa.BufferOutputStream()
    pq.write_table(
        table.replace_schema_metadata({"manifest": json.dumps(manifest, sort_keys=True, ensure_ascii=False)}),
        sink,
        compression="zstd",
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, sink.getvalue().to_pybytes())


def load(path: Path) -> tuple[Points, dict[str, Any]]:
    """Points and manifest of a file that `save` wrote.

    Raises
    ------
    ValueError
        naming the file, where it is none of those.
    """
    pa, pq = needs("reading a figure's rows", "pyarrow", "pyarrow.parquet", extra="figures")
    try:
        table = pq.read_table(pa.BufferReader(path.read_bytes()), use_threads=False)
        manifest = json.loads(table.schema.metadata[b"manifest"])
        columns: Sequence[list[Any]] = [table.column(name).to_pylist() for name in Point._fields]
    except (pa.ArrowException, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: not the rows of a figure ({type(error).__name__}: {error})") from error
    return Points(Point(*values) for values in zip(*columns, strict=True)), manifest
