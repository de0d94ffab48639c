"""Files that are written whole or not at all, digests of their content, and the generated part of a page.

Every other module that writes uses this, and so does what reads files of anyone's making: whatever cannot be read is
an error that names the file.
"""

from __future__ import annotations

import json
import os
import re
import time
import uuid
from collections.abc import Mapping, Sequence
from fractions import Fraction
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

__all__ = [
    "DIGEST",
    "PARTIAL",
    "STALE",
    "digested",
    "existing",
    "fill",
    "parse_json",
    "plain",
    "read_json",
    "sync_folder",
    "undigested",
    "write_file",
    "write_json",
    "write_text",
]

DIGEST = "digest"
"""Field of a JSON file with the digest of its other fields."""

PARTIAL = ".partial"
"""What the name of a file ends in while it is being written."""
STALE = 3600.0
"""Seconds after which a file that some process left half-written is removed."""
_HALF = re.compile(rf"\..+\.[0-9a-f]{{8}}{re.escape(PARTIAL)}")
_swept: set[Path] = set()


def write_file(path: Path, *parts: Any) -> None:
    """Give a file these bytes so that they last: hidden name, fsync, rename, fsync of the folder.

    Whenever the process is stopped, `path` is what it was before or the whole new file.  What processes that were
    killed have left half-written in the folder for an hour is removed, once in each process.

    Parameters
    ----------
    path : Path
    *parts : bytes-like, written one after the other

    Raises
    ------
    OSError
        naming the file, where the folder is missing, full or cannot be written.

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
        _sweep(path.parent)
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        try:
            for piece in parts:
                rest = memoryview(piece)
                while len(rest):
                    rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
        finally:
            os.close(handle)
        temporary.replace(path)
    except OSError as error:  # which names the hidden file, or none
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(path.parent)


def _sweep(folder: Path) -> None:
    """Remove half-written files that no process can still be writing, the first time that a folder is written to."""
    if folder in _swept:
        return
    _swept.add(folder)
    for name in os.listdir(folder):
        leftover = folder / name
        try:
            if _HALF.fullmatch(name) and time.time() - leftover.stat().st_mtime > STALE:
                leftover.unlink()
        except OSError:  # removed by another process, or not ours to remove
            continue


def sync_folder(folder: Path) -> None:
    """Make renames and removals in a folder last, where the system can (Windows cannot open folders)."""
    if os.name == "posix":
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _digest(values: Mapping[str, Any]) -> str:
    plain = json.loads(json.dumps(values))  # as they are read again
    return blake2b(json.dumps(plain, sort_keys=True).encode(), digest_size=16).hexdigest()


def digested(values: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a JSON object and their digest, which layout and order do not change.

    >>> undigested(digested({"seed": 1}))
    {'seed': 1}
    """
    return {**values, DIGEST: _digest(values)}


def undigested(values: Mapping[str, Any], needed: bool = False) -> dict[str, Any]:
    """The fields without their digest, which is compared; it detects accidents and careless edits, not forgers.

    Files that were written before there was a digest have none, and are taken unless one is `needed`.

    >>> undigested({**digested({"seed": 1}), "seed": 3})
    Traceback (most recent call last):
    ValueError: altered: its content has digest 1d1d58f1622d53e4bf866d5adf14bff6; expected bdfd6fcf35bc7d18bb8e8e0ee794e990

    Raises
    ------
    ValueError
        where the digest is another, or is needed and missing.
    """
    rest = {name: value for name, value in values.items() if name != DIGEST}
    if DIGEST not in values:
        if needed:
            raise ValueError("altered: it has no digest; expected one, as every file of its kind has")
        return rest
    if (actual_digest := _digest(rest)) != values[DIGEST]:
        raise ValueError(f"altered: its content has digest {actual_digest}; expected {values[DIGEST]}")
    return rest


def fill(page: str, section: str, content: str) -> str:
    """The page with `content` between the markers of a generated part, ``<!-- part:begin -->`` and ``<!-- part:end -->``.

    >>> fill("a <!-- x:begin -->old<!-- x:end --> b", "x", "new").splitlines()
    ['a <!-- x:begin -->', 'new', '<!-- x:end --> b']

    Raises
    ------
    ValueError
        when the page has not exactly one pair of these markers.
    """
    begin = f"<!-- {section}:begin -->"
    end = f"<!-- {section}:end -->"
    if page.count(begin) != 1 or page.count(end) != 1 or page.index(end) < page.index(begin):
        raise ValueError(f"page: expected one {begin} followed by one {end}")
    before, rest = page.split(begin)
    return f"{before}{begin}\n{content}\n{end}{rest.split(end)[1]}"


def existing(path: str | Path, name: str, expected: str) -> Path:
    """A path that is a file.

    Raises
    ------
    ValueError
        for a folder, and where there is nothing; `name` is the argument that named the file, `expected` what it should be.

    >>> existing("nowhere.txt", "text", "a .txt file")
    Traceback (most recent call last):
    ...
    ValueError: text: no file 'nowhere.txt'; expected a .txt file
    """
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"{name}: {'is a folder' if path.is_dir() else 'no file'} {str(path)!r}; expected {expected}")
    return path


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text.

    Raises
    ------
    ValueError
        for all that is no JSON, or too deeply nested or too long a number to be read.

    Examples
    --------
    >>> parse_json("[1, 2]")
    [1, 2]
    >>> parse_json("[" * 10**5)
    Traceback (most recent call last):
    ...
    ValueError: too deeply nested
    """
    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError("too deeply nested") from None


def read_json(path: str | Path, name: str, expected: str) -> Any:
    """The value of a JSON file.

    Parameters
    ----------
    path : path
    name : str
        the argument that named the file.
    expected : str
        what the file should have been, for the error.

    Raises
    ------
    ValueError
        for a file that is missing, a folder, not UTF-8 or not JSON.
    OSError
        for a file that may not be read.

    Examples
    --------
    >>> read_json("nowhere.json", "vocab", "token strings to ids")
    Traceback (most recent call last):
    ...
    ValueError: vocab: no file 'nowhere.json'; expected token strings to ids
    """
    path = existing(path, name, expected)
    try:
        return parse_json(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{name}: {str(path)!r} cannot be read: {error}; expected {expected}") from None


def plain(value: object) -> Any:
    """Nested lists, strings, numbers and None: fractions become "a/b", arrays become lists, balls their text.

    >>> plain({"p": np.array([Fraction(1, 2), Fraction(1)], dtype=object), "n": np.int64(3)})
    {'p': ['1/2', '1'], 'n': 3}
    """
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, Fraction):
        return str(value)
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, float):
        return value if np.isfinite(value) else None
    if isinstance(value, dict):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, Sequence):
        return [plain(v) for v in value]
    return str(value)


def write_json(value: object, path: Path, indent: int | None = 1) -> None:
    """Write JSON under a temporary name in the same folder, flush it to disk, then rename it into place.

    Without an `indent`, which only readers need, it is one line and three times as quick.
    """
    write_text(json.dumps(value, indent=indent, ensure_ascii=False, allow_nan=False) + "\n", path)


def write_text(text: str, path: Path) -> None:
    """Write a text file so that an interruption leaves the old file or the new one, never a part."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text.encode())
