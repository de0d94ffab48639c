"""Parts of a long measurement, kept beside its file: a run that is interrupted goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from simspec.files import read_json, write_file

__all__ = ["Keep", "keeping"]

Keep = Callable[[str, Callable[[], Any]], Any]
"""(name of a part, what makes it, as JSON has it) -> the part, from JSON."""


def keeping(out: Path, say: Callable[[str], None]) -> Keep:
    """A function that works out a part, or reads what an earlier run has left of it in the folder ``OUT.parts``."""
    folder = Path(f"{out}.parts")
    folder.mkdir(parents=True, exist_ok=True)

    def keep(name: str, make: Callable[[], Any]) -> Any:
        path = folder / f"{name}.json"
        if not path.exists():
            say(name)
            write_file(path, json.dumps(make()).encode())
        return read_json(path, "part", "a part of a run that was interrupted; delete the folder to begin anew")

    return keep
