"""Files that are written whole or not at all, and the generated part of a page; every other module that writes uses this."""

from __future__ import annotations

import os
import uuid
from pathlib import Path
from typing import Any

__all__ = ["PARTIAL", "fill", "sync_folder", "write_file"]

PARTIAL = ".partial"
"""What the name of a file ends in while it is being written."""


def write_file(path: Path, *parts: Any) -> None:
    """Give a file these bytes so that they last: hidden name, fsync, rename, fsync of the folder.

    Whenever the process is stopped, `path` is what it was before or the whole new file.

    Parameters
    ----------
    path : Path
    *parts : bytes-like, written one after the other

    Raises
    ------
    OSError
        where the folder is missing or cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_file(Path(folder, "a"), b"wh", b"ole")
    ...     [(p.name, p.read_bytes()) for p in Path(folder).iterdir()]
    [('a', b'whole')]
    """
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex[:8]}{PARTIAL}")
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            for part in parts:
                rest = memoryview(part)
                while len(rest):
                    rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Make renames and removals in a folder last, where the system can (Windows cannot open folders)."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def fill(page: str, part: str, content: str) -> str:
    """The page with `content` between the markers of a generated part, ``<!-- part:begin -->`` and ``<!-- part:end -->``.

    >>> fill("a <!-- x:begin -->old<!-- x:end --> b", "x", "new").splitlines()
    ['a <!-- x:begin -->', 'new', '<!-- x:end --> b']

    Raises
    ------
    ValueError
        when the page has not exactly one pair of these markers.
    """
    begin, end = f"<!-- {part}:begin -->", f"<!-- {part}:end -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(end) < page.index(begin):
        raise ValueError(f"page: expected one {begin} followed by one {end}")
    before, rest = page.split(begin)
    return f"{before}{begin}\n{content}\n{end}{rest.split(end)[1]}"
