"""The results of a study: a directory of segments that several processes may fill, and that a kill cannot damage.

A store buffers blocks and writes them as one segment every few seconds.  Reading unites the segments of the directory;
blocks that occur twice must agree and count once.  To resume is to simulate the blocks that `Store.done` does not list.
What is read is held in memory (about 100 bytes per block and scalar statistics).  A store belongs to one thread.
What is not here: the format of a segment (`simspec.studies.segment`), the union of rows (`simspec.studies.union`),
merging and compacting (`simspec.studies.upkeep`), tables for pandas and xarray (`simspec.studies.frames`), and anything
about simulation.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec import __version__
from simspec.studies import union as unions
from simspec.studies.directory import Folder, Progress, load, sweep
from simspec.studies.manifest import Manifest, join, read_manifest, write_manifest
from simspec.studies.segment import Block, checked, write_segment
from simspec.studies.upkeep import compact, merge, rebuild_manifest

__all__ = ["Block", "Manifest", "Store", "compact", "merge", "rebuild_manifest"]


class Store:
    """The results in one directory, to be appended to and read.

    Parameters
    ----------
    path : path
        the directory; it is made when the first segment is written.
    code_version : str, optional
        recorded in each segment; by default the version of simspec.
    manifest : Manifest, optional
        what is simulated; refused if the directory holds another study, seed or block size.
    interval : float
        seconds between segments: what a kill can lose.
    progress : (files read, files in all) -> None, optional

    Notes
    -----
    Reading writes what is buffered first, so that it includes every block appended here.  A write that fails (a full
    disk, say) raises OSError and keeps the blocks: they are in the next attempt.

    Raises
    ------
    ValueError
        naming the argument, or the file that is damaged.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder, Store(folder) as store:
    ...     store.append(Block("0f", "{}", 1, 10, {"kept.n": 10, "kept.hits": 7}))
    ...     store.append(Block("0f", "{}", 0, 10, {"kept.n": 10, "kept.hits": 4}))
    ...     store.done("0f").tolist(), store.totals("0f")
    ([0, 1], {'kept.n': 20, 'kept.hits': 11})
    """

    def __init__(
        self,
        path: Folder,
        code_version: str = __version__,
        manifest: Manifest | None = None,
        interval: float = 5.0,
        progress: Progress | None = None,
    ) -> None:
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"path: {self.path} is a file; expected a directory, or nothing there")
        if not isinstance(code_version, str) or not code_version:
            raise ValueError(f"code_version: {code_version!r}; expected text")
        if not interval >= 0:
            raise ValueError(f"interval: {interval!r}; expected seconds, at least 0")
        self.code_version, self.interval = code_version, interval
        self._manifest = manifest and replace(
            manifest, code_versions=tuple(sorted({*manifest.code_versions, code_version}))
        )
        if self._manifest and (there := read_manifest(self.path)):
            join([there, self._manifest])
        self._announced = False  # whether this process has written its manifest and a segment with the whole grid
        self._progress = progress
        self._buffer: list[Block] = []
        self._written = time.monotonic()
        self._union = unions.EMPTY
        sweep(self.path)

    def append(self, block: Block) -> None:
        """Take a block; every `interval` seconds this writes a segment.

        Raises
        ------
        ValueError
            for a block that is not as `Block` says; it is not taken.
        OSError
            where a segment cannot be written; the block is taken and kept.
        """
        self._buffer.append(checked(block))
        if time.monotonic() - self._written >= self.interval:
            self.flush()

    def flush(self) -> None:
        """Write the buffered blocks as one segment; when it returns they survive a power cut.

        Raises
        ------
        OSError
            where that fails; the blocks stay buffered, so that a later attempt can write them.
        """
        self._written = time.monotonic()
        if not self._buffer:
            return
        metadata: dict[str, Any] = {
            "code_versions": [self.code_version],
            "worker": f"{socket.gethostname()}:{os.getpid()}",
            "written": time.time(),
            "manifest": self._manifest and self._manifest.metadata(grid=not self._announced),
        }
        count = len(self._buffer)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if self._manifest and not self._announced:
                there = read_manifest(self.path)
                if (whole := join([there, self._manifest]) if there else self._manifest) != there:
                    write_manifest(self.path, whole)
            write_segment(self.path, self._buffer, metadata)
        except OSError as error:
            raise OSError(
                error.errno,
                f"cannot write {count} blocks to {self.path} ({error.strerror or error}); they are kept in memory: "
                "make room, or mend the directory, and flush again",
            ) from error
        self._announced = True
        del self._buffer[:count]

    def close(self) -> None:
        """Write what is buffered; the store can still be read."""
        self.flush()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r}, {len(self._buffer)} blocks to be written)"

    def union(self) -> unions.Union:
        """Every row of the directory, in order of (design, block), each block once."""
        self.flush()
        base, tables = load(self.path, self._union, self._progress)
        if tables or base is not self._union:
            self._union = unions.add(base, tables)
        return self._union

    def designs(self) -> list[str]:
        """Hashes that have blocks, failed ones included, in order of the hash."""
        return list(self.union().spans)

    def cells(self) -> dict[str, Any]:
        """Cell of each design that has blocks."""
        return unions.cells(self.union())

    def done(self, design: str) -> NDArray[np.int64]:
        """Numbers of the blocks that succeeded, increasing; none where the design is unknown."""
        union = self.union()
        return unions.columns(union, design)["block"] if design in union.spans else np.empty(0, np.int64)

    def failed(self, design: str | None = None) -> list[Block]:
        """Blocks (of one design, or of all) that failed and have not succeeded since.

        Cell and number of the block, with the seed and the block size of the manifest, are what replays one.
        """
        return unions.failures(self.union(), design)

    def blocks(self, design: str) -> dict[str, NDArray[Any]]:
        """The blocks that succeeded as columns in block order, which stopping rules take.

        Returns
        -------
        mapping
            "block", "rows", "seconds" and each statistic, shape (blocks,); histograms (blocks, counts).

        Raises
        ------
        ValueError
            for a design that has no blocks here.
        """
        return unions.columns(self.union(), design)

    def totals(self, design: str, blocks: Iterable[int] | None = None) -> dict[str, int | NDArray[np.int64]]:
        """Sum of each statistic over the blocks that succeeded, or over those named: integers, and int64 histograms.

        Raises
        ------
        ValueError
            for a design, or a block, that is not here.
        """
        columns = self.blocks(design)
        there = columns["block"]
        rows: Any = slice(None)
        if blocks is not None:
            wanted = np.unique(np.fromiter(blocks, np.int64))
            if (missing := np.setdiff1d(wanted, there)).size:
                raise ValueError(f"blocks: {missing[0]} of design {design} is not here; expected some of done()")
            rows = np.searchsorted(there, wanted)
        fixed = ("block", "rows", "seconds")
        return {name: unions.sums(column[rows]) for name, column in columns.items() if name not in fixed}
