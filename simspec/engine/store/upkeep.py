"""Upkeep of directories of results: unite several, make one segment of many, rebuild a manifest."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from simspec.engine.store import union as unions
from simspec.engine.store.directory import Folder, Progress, load
from simspec.engine.store.manifest import Manifest, agree, from_metadata, join, read_manifest, write_manifest
from simspec.engine.store.segment import metadata_of, read_segment, write_segment
from simspec.files import sync_folder, write_file

__all__ = ["compact", "existing", "merge", "rebuild_manifest"]


def existing(name: str, folder: Folder) -> Path:
    """The path of a directory that must be there."""
    path = Path(folder)
    if not path.is_dir():
        raise ValueError(f"{name}: {path}; expected a directory of results")
    return path


def _described(folder: Path, tables: Mapping[str, Any], accept_code: bool = False) -> Manifest | None:
    """What the segments say of themselves, or None where no manifest was given to their writers."""
    metadata = {name: metadata_of(table) for name, table in tables.items()}
    stated_manifest: Manifest | None = None
    for name, values in metadata.items():
        if stated := from_metadata(values, Path(name)):
            try:
                stated_manifest = join([stated_manifest, stated], accept_code) if stated_manifest else stated
            except ValueError as error:
                raise ValueError(f"{error} ({name})") from None
    if stated_manifest is None:
        return None
    agree(stated_manifest, metadata)
    versions = {version for values in metadata.values() for version in values["code_versions"]}
    union = unions.add(unions.EMPTY, tables)
    cells = unions.cells(union)
    extra = tuple(cell for design, cell in cells.items() if stated_manifest.design(cell) == design)
    rows = replace(stated_manifest, grid=extra, statistics=unions.statistics(union), code_versions=tuple(versions))
    return join([stated_manifest, rows])


def rebuild_manifest(path: Folder, accept_code: bool = False) -> Manifest:
    """Write the manifest anew from what the segments say, and return it.

    Raises
    ------
    ValueError
        where there is no directory or a damaged segment, or the segments were written without a manifest, or for several
        studies, seeds or block sizes, or (unless it is accepted) by code that differs.
    """
    folder = existing("path", path)
    described = _described(folder, load(folder)[1], accept_code)
    if described is None:
        raise ValueError(f"path: {folder}: no segment states a study; expected results of a Store with a manifest")
    write_manifest(folder, described)
    return described


def merge(
    sources: Folder | Iterable[Folder], target: Folder, progress: Progress | None = None, accept_code: bool = False
) -> int:
    """Add the results of other directories to one; doing so again changes nothing.

    Whole segments are copied, those only that have something new.  Nothing is written unless everything agrees.

    Parameters
    ----------
    sources : path, or several
        directories; they stay as they are.
    target : path
        made if need be.
    progress : (files read, files in all) -> None, optional
        called for each directory.
    accept_code : bool
        take the code of all these results for the same, although it differs; this is recorded.

    Returns
    -------
    int
        number of segments copied.

    Raises
    ------
    ValueError
        naming design, block and both files where results disagree; for another study, seed, block size or
        code; for damage.
    """
    goal = Path(target)
    several = [sources] if isinstance(sources, str | os.PathLike) else sources
    folders = [goal, *(existing("sources", source) for source in several)]
    union = unions.EMPTY
    manifests = []
    copies = {}
    for folder in folders:
        _, tables = load(folder, progress=progress)
        if folder_manifest := read_manifest(folder) or _described(folder, tables):
            manifests.append(folder_manifest)
            agree(folder_manifest, {name: metadata_of(table) for name, table in tables.items()})
        if folder is not goal:
            known_names = {Path(name).name for name in union.names}
            tables = {name: table for name, table in tables.items() if Path(name).name not in known_names}
            copies.update(dict.fromkeys(tables))
        union = unions.add(union, tables)
    joined_manifest = join(manifests, accept_code) if manifests else None
    goal.mkdir(parents=True, exist_ok=True)
    if joined_manifest and joined_manifest != read_manifest(goal):
        write_manifest(goal, joined_manifest)
    copied = [name for name in unions.origins(union) if name in copies]
    for name in copied:
        write_file(goal / Path(name).name, Path(name).read_bytes())
    return len(copied)


def compact(path: Folder, progress: Progress | None = None) -> Path | None:
    """Rewrite all segments of a directory as one, sorted by design and block, and return it (None if there is none).

    The old ones are removed once the new one is safe; a kill between leaves duplicates, which agree.
    """
    folder = existing("path", path)
    _, tables = load(folder, progress=progress)
    union = unions.add(unions.EMPTY, tables)
    if union.table is None or len(tables) == 1:
        return Path(union.names[0]) if tables else None
    folder_manifest = read_manifest(folder)
    stated = {name: metadata_of(table) for name, table in tables.items()}
    agree(folder_manifest, stated)
    described = _described(
        folder, tables, accept_code=folder_manifest is not None
    )  # by the manifest, which knows them all
    if described and folder_manifest:
        described = replace(described, codes=folder_manifest.codes)
    metadata = {
        "code_versions": sorted({version for values in stated.values() for version in values["code_versions"]}),
        "codes": sorted({code for values in stated.values() for code in values.get("codes", ())}),
        "worker": f"{socket.gethostname()}:{os.getpid()}",
        "written": time.time(),
        "manifest": described and described.metadata(),
    }
    table = unions.bare(union)
    new = write_segment(folder, table, metadata)
    if not read_segment(new).equals(table):
        raise ValueError(f"{new}: reads back differently; the old segments are kept: remove this file")
    for name in tables:
        Path(name).unlink(missing_ok=True)
    sync_folder(folder)
    return new
