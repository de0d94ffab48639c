"""Where a command puts what it was asked to write: a file, or the terminal for ``-``."""

from __future__ import annotations

import sys
from pathlib import Path

from simspec.files import write_file

__all__ = ["check_place", "put"]


def check_place(option: str, path: Path | None) -> None:
    """Refuse a path at which no file can be written, before anything is measured.

    Parameters
    ----------
    option : as it is typed, for the error
    path : None and ``-`` need no place

    >>> check_place("--json", Path("/none/a.json"))
    Traceback (most recent call last):
    ...
    ValueError: --json: '/none/a.json': the folder '/none' does not exist; expected the path of a file in one that does, or -
    """
    if path is None or str(path) == "-":
        return
    if path.is_dir():
        raise ValueError(
            f"{option}: {str(path)!r} is a folder; expected the path of a file: name one in it, or - to print"
        )
    if not path.parent.is_dir():
        raise ValueError(
            f"{option}: {str(path)!r}: the folder {str(path.parent)!r} does not exist; expected the path of a file in one that "
            "does, or -"
        )


def put(text: str, path: Path, mode: str = "w") -> bool:
    """Write to a file, or print for ``-``; whether it was printed.

    An interruption leaves the old file or the new one; what is no file, such as a pipe, is written to as it is.

    Parameters
    ----------
    text, path : what is written, and where
    mode : "w", or "a" to add to what a file holds

    >>> put("1 line\\n", Path("-"))
    1 line
    True
    """
    if str(path) == "-":
        sys.stdout.write(text)
        return True
    is_special = path.exists() and not path.is_file()
    if mode == "w" and not is_special:
        write_file(path.resolve(), text.encode())
        return False
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
    return False
