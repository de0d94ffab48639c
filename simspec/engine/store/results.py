"""The results of a study: a directory of segments that several processes may fill, and that a kill cannot damage.

A store buffers blocks and writes them as one segment every few seconds.  Reading unites the segments of the directory;
blocks that occur twice must agree and count once.  To resume is to simulate the blocks that `Store.done` does not list.
What is read is held in memory (about 100 bytes per block and scalar statistics).  A store belongs to one thread.
What is not here: the format of a segment (`simspec.engine.store.segment`), the union of rows (`simspec.engine.store.union`),
merging and compacting (`simspec.engine.store.upkeep`), tables for pandas and xarray (`simspec.engine.show.frames`), and anything
about simulation.
"""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from simspec.engine.store import union as unions
from simspec.engine.store.directory import Folder, Progress, load, sweep
from simspec.engine.store.manifest import Manifest, agree, join, read_manifest, write_manifest
from simspec.engine.store.segment import Block, checked, metadata_of, write_segment
from simspec.engine.store.upkeep import compact, merge, rebuild_manifest
from simspec.version import __version__

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
        what is simulated; refused if the directory holds another study, seed, block size or code.  Without it the first
        run says so (`adopt`).
    interval : float
        seconds between segments: what a kill can lose.
    progress : (files read, files in all) -> None, optional
    accept_code : bool
        take the manifest's code for the same as that of the rows that are there, although it differs; this is recorded.

    Notes
    -----
    Reading writes what is buffered first, so that it includes every block appended here.  A write that fails (a full
    disk, say) raises OSError and keeps the blocks: they are in the next attempt, and closing the store is one.

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
        accept_code: bool = False,
    ) -> None:
        """Check the arguments, adopt the manifest and remove half-written files that no process still writes."""
        self.path = Path(path)
        if self.path.exists() and not self.path.is_dir():
            raise ValueError(f"path: {self.path} is a file; expected a directory, or nothing there")
        if not isinstance(code_version, str) or not code_version:
            raise ValueError(f"code_version: {code_version!r}; expected text")
        # written so that NaN is refused too
        if not interval >= 0:
            raise ValueError(f"interval: {interval!r}; expected seconds, at least 0")
        self.code_version, self.interval = code_version, interval
        self._manifest: Manifest | None = None
        self._own: list[str] = []  # fingerprint of the code that makes the rows
        self._accept = accept_code
        if manifest:
            self.adopt(manifest, accept_code)
        self._announced = False  # whether this process has written its manifest and a segment with the whole grid
        self._progress = progress
        self._buffer: list[Block] = []
        self._written = time.monotonic()
        self._union = unions.EMPTY
        sweep(self.path)

    def adopt(self, manifest: Manifest, accept_code: bool = False) -> None:
        """Say what is simulated, if that has not been said.

        Raises
        ------
        ValueError
            where the directory, or this store, is of another study, seed, block size or code.
        """
        for manifest_there in (self._manifest, read_manifest(self.path)):
            if manifest_there is not None:
                join([manifest_there, manifest], accept_code)
        own_codes = [code["fingerprint"] for code in manifest.codes[-1:]] or self._own
        if self._manifest is None or own_codes != self._own:
            versions = tuple(sorted({*manifest.code_versions, self.code_version}))
            joined_manifest = join([self._manifest, manifest], accept_code) if self._manifest else manifest
            self._manifest, self._own, self._accept = (
                replace(joined_manifest, code_versions=versions),
                own_codes,
                accept_code,
            )
            self._announced = False

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
            "codes": self._own,
        }
        count = len(self._buffer)
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            stated = self._manifest
            if stated and not self._announced:
                there = read_manifest(self.path)
                if (joined_manifest := join([there, stated], self._accept) if there else stated) != there:
                    write_manifest(self.path, joined_manifest)
                stated = replace(stated, codes=joined_manifest.codes)
            metadata["manifest"] = stated and stated.metadata(grid=not self._announced)
            write_segment(self.path, self._buffer, metadata)
        except OSError as error:
            raise OSError(
                error.errno,
                (
                    f"cannot write {count} blocks to {self.path} ({error.strerror or error}); free space or repair "
                    "the directory: the blocks stay in memory until the next flush, and are lost if the process ends "
                    "first"
                ),
            ) from error
        self._announced = True
        del self._buffer[:count]

    def close(self) -> None:
        """Write what is buffered; the store can still be read."""
        self.flush()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Store({str(self.path)!r}, {len(self._buffer)} blocks to be written)"

    def union(self) -> unions.Union:
        """Every row of the directory, in order of (design, block), each block once."""
        self.flush()
        base, tables = load(self.path, self._union, self._progress)
        if tables:
            agree(read_manifest(self.path), {name: metadata_of(table) for name, table in tables.items()})
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
            block_numbers = np.unique(np.fromiter(blocks, np.int64))
            if (missing := np.setdiff1d(block_numbers, there)).size:
                raise ValueError(f"blocks: {missing[0]} of design {design} is not here; expected some of done()")
            rows = np.searchsorted(there, block_numbers)
        fixed = ("block", "rows", "seconds")
        return {name: unions.sums(column[rows]) for name, column in columns.items() if name not in fixed}
