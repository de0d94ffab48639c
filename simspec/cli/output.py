"""Where a command puts what it was asked to write: a file, or the terminal for ``-``."""

from __future__ import annotations

import sys
from pathlib import Path

__all__ = ["put"]


def put(text: str, path: Path, mode: str = "w") -> bool:
    """Write to a file, or print for ``-``; whether it was printed.

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
    with path.open(mode, encoding="utf-8") as file:
        file.write(text)
    return False
