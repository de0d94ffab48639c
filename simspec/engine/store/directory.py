"""Directories of segments: which there are, what a union lacks of them, and what a killed process left behind."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simspec.engine.store import union as unions
from simspec.engine.store.manifest import FILE
from simspec.engine.store.segment import PREFIX, SUFFIX, read_segment
from simspec.files import PARTIAL, STALE

__all__ = ["STALE", "load", "sweep"]

_ATTEMPTS = 100
Progress = Callable[[int, int], None]
Folder = str | os.PathLike[str]


def sweep(folder: Path) -> None:
    """Remove half-written files that no process can still be writing."""
    for start in (f".{PREFIX}", f".{FILE}."):
        for path in folder.glob(f"{start}*{PARTIAL}"):
            try:
                if time.time() - path.stat().st_mtime > STALE:
                    path.unlink()
            except OSError:  # removed by another process, or not ours to remove
                continue


def _names(folder: Path) -> set[str]:
    try:
        entries = os.listdir(folder)
    except FileNotFoundError:
        return set()
    return {str(folder / name) for name in entries if name.endswith(SUFFIX) and not name.startswith(".")}


def _segments(folder: Path) -> set[str]:
    """Paths of the segments; looked up again while files vanish, because their rows may be in one not yet listed."""
    before = _names(folder)
    now = _names(folder)
    while not before <= now:
        before = now
        now = _names(folder)
    return now


def load(
    folder: Path, known_union: unions.Union = unions.EMPTY, progress: Progress | None = None
) -> tuple[unions.Union, dict[str, Any]]:
    """Tables of the segments that a union lacks, by path, and the union itself, empty if segments of it are gone.

    Raises
    ------
    ValueError
        naming the file that is damaged.
    """
    for _ in range(_ATTEMPTS):
        names = _segments(folder)
        base = known_union if names.issuperset(known_union.names) else unions.EMPTY
        new = sorted(names.difference(base.names))
        tables = {}
        try:
            for count, name in enumerate(new, start=1):
                tables[name] = read_segment(Path(name))
                if progress is not None:
                    progress(count, len(new))
        except FileNotFoundError:  # compacted meanwhile
            continue
        return base, tables
    raise ValueError(f"path: {folder}: segments vanish while they are read; expected at most a compaction at a time")
